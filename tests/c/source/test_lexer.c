/* The lexer: what a token is, where comments and continuations go, and that lines are counted as the user counts them.
 */
#include "source/lexer.h"

#include "base/text.h"
#include "check.h"

/* All tokens of the text, each as text@line, joined by blanks; a bar before the first one of a line. */
static char *shown(const char *text)
{
    syc_arena arena = {0};
    syc_tokens tokens = {0};
    syc_text out = {0};

    CHECK_OK(syc__lex(&arena, text, strlen(text), &tokens));
    for (size_t i = 0; i + 1 < tokens.count; i++) {
        const syc_token *t = &tokens.items[i];
        syc_text_add(&out, "%s%s%.*s@%u", i ? " " : "", t->first ? "|" : "", (int)t->length, t->text, t->line);
    }
    CHECK_EQUAL(tokens.items[tokens.count - 1].kind, SYC_TOKEN_END);
    syc__arena_clear(&arena);
    syc_text_add(&out, "%s", "");
    return syc_text_take(&out);
}

#define CHECK_TOKENS(text, expected)          \
    do {                                      \
        char *check__shown = shown(text);     \
        CHECK_STRING(check__shown, expected); \
        free(check__shown);                   \
    } while (0)

static void test_words_and_lines(void)
{
    CHECK_TOKENS("", "");
    CHECK_TOKENS("a b\nc", "|a@1 b@1 |c@2");
    CHECK_TOKENS("\n\n  x\r\ny", "|x@3 |y@4");
    CHECK_TOKENS("int4 _a$1 \xc3\xa9t\xc3\xa9", "|int4@1 _a$1@1 \xc3\xa9t\xc3\xa9@1");
}

static void test_numbers(void)
{
    CHECK_TOKENS("1.5e+3f 0x1Fu .5 1..2 a.b", "|1.5e+3f@1 0x1Fu@1 .5@1 1..2@1 a@1 .@1 b@1");
    CHECK_TOKENS("1+2 0x1p-3 1e", "|1@1 +@1 2@1 0x1p-3@1 1e@1");
}

static void test_punctuators(void)
{
    CHECK_TOKENS("a<<=b>>c...##->x++&&!", "|a@1 <<=@1 b@1 >>@1 c@1 ...@1 ##@1 ->@1 x@1 ++@1 &&@1 !@1");
    CHECK_TOKENS("@ \x01 `", "|@@1 \x01@1 `@1");
}

static void test_comments(void)
{
    CHECK_TOKENS("a/* x\n y */b // c\nd", "|a@1 b@2 |d@3");
    CHECK_TOKENS("a /* never closed\n", "|a@1");
    CHECK_TOKENS("/* one\n two */ # define", "|#@2 define@2");
    CHECK_TOKENS("x /* one\n two */ # y", "|x@1 #@2 y@2");
    CHECK_TOKENS("a//\\\nstill the comment\nb", "|a@1 |b@3");
    CHECK_TOKENS("/*/ not over */a", "|a@1");
    CHECK_TOKENS("a / b /", "|a@1 /@1 b@1 /@1");
}

static void test_strings(void)
{
    CHECK_TOKENS("\"a{\\\"b\" '}' '\\'' x", "|\"a{\\\"b\"@1 '}'@1 '\\''@1 x@1");
    CHECK_TOKENS("\"/* no */\" \"//\"", "|\"/* no */\"@1 \"//\"@1");
    CHECK_TOKENS("\"open\nb", "|\"open@1 |b@2");
    CHECK_TOKENS("\"end\\", "|\"end\\@1");
}

static void test_continuations(void)
{
    CHECK_TOKENS("ker\\\nnel x\ny", "|kernel@1 x@2 |y@3");
    CHECK_TOKENS("a \\\n b\nc", "|a@1 b@2 |c@3");
    CHECK_TOKENS("a \\\r\n b \\  \n c\nd", "|a@1 b@2 c@3 |d@4");
    CHECK_TOKENS("/\\\n/ comment\na", "|a@3");
    CHECK_TOKENS("\\\n\\\n\\\na", "|a@4");
    CHECK_TOKENS("a \\ b\\", "|a@1 \\@1 b@1 \\@1");
}

static void test_piece(void)
{
    syc_token token;
    CHECK(syc__lex_piece("abc", 3, 7, &token));
    CHECK_EQUAL(token.kind, SYC_TOKEN_WORD);
    CHECK_EQUAL(token.line, 7);
    CHECK(syc__lex_piece("1x", 2, 1, &token));
    CHECK_EQUAL(token.kind, SYC_TOKEN_NUMBER);
    CHECK(syc__lex_piece("<<=", 3, 1, &token));
    CHECK(!syc__lex_piece("a b", 3, 1, &token));
    CHECK(!syc__lex_piece("-x", 2, 1, &token));
    CHECK(!syc__lex_piece(" a", 2, 1, &token));
    CHECK(!syc__lex_piece("", 0, 1, &token));
}

static void test_names(void)
{
    syc_arena arena = {0};
    syc_word_map names = {0};
    char text[16];
    int values[1000];
    syc_token word = {.text = "w1", .length = 2, .kind = SYC_TOKEN_WORD};

    CHECK(syc__word_map_get(&names, &word) == NULL);
    for (int i = 0; i < 1000; i++) {
        char *copy = NULL;
        word.length = (uint32_t)sprintf(text, "w%d", i);
        CHECK_OK(syc__arena_alloc(&arena, word.length, &copy));
        memcpy(copy, text, word.length);
        word.text = copy;
        CHECK_OK(syc__word_map_put(&arena, &names, &word, &values[i]));
    }
    for (int i = 0; i < 1000; i++) {
        word.text = text;
        word.length = (uint32_t)sprintf(text, "w%d", i);
        CHECK(syc__word_map_get(&names, &word) == &values[i]);
    }
    CHECK_OK(syc__word_map_put(&arena, &names, &word, NULL));
    CHECK(syc__word_map_get(&names, &word) == NULL);
    syc__arena_clear(&arena);
}

int main(void)
{
    RUN(test_words_and_lines);
    RUN(test_numbers);
    RUN(test_punctuators);
    RUN(test_comments);
    RUN(test_strings);
    RUN(test_continuations);
    RUN(test_piece);
    RUN(test_names);
    return CHECK_EXIT_CODE;
}
