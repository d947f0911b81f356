/* Where statements end, and their parts. */
#include "check.h"
#include "source/lexer.h"
#include "source/statements.h"

static syc_arena arena;
static syc_token_stream stream;

static void lex(const char *text)
{
    syc_tokens tokens = {0};
    CHECK_OK(syc__lex(&arena, text, strlen(text), &tokens));
    CHECK_OK(syc__stream_init(&stream, &arena, &tokens));
}

static syc__statement read(const char *text)
{
    lex(text);
    return syc__statement_read(&stream, 0, stream.count);
}

static void test_kinds(void)
{
    static const struct {
        const char *text;
        syc__statement_kind kind;
        size_t body, body_end, other, end; /* indices of tokens */
    } rows[] = {
        {"x = (a; b); y;", SYC__STATEMENT_SIMPLE, 0, 0, 0, 8},
        {"; y;", SYC__STATEMENT_SIMPLE, 0, 0, 0, 1},
        {"{ a; b; } c;", SYC__STATEMENT_BLOCK, 1, 5, 0, 6},
        {"if (a) b; c;", SYC__STATEMENT_IF, 4, 6, 0, 6},
        {"if (a) b; else c; d;", SYC__STATEMENT_IF, 4, 6, 7, 9},
        {"if (a) if (b) c; else d; e;", SYC__STATEMENT_IF, 4, 13, 0, 13},
        {"if (a) b; else if (c) d; else e; f;", SYC__STATEMENT_IF, 4, 6, 7, 16},
        {"for (;;) while (a) b; c;", SYC__STATEMENT_LOOP, 5, 11, 0, 11},
        {"while (a) { b; } c;", SYC__STATEMENT_LOOP, 4, 8, 0, 8},
        {"do a; while (b); c;", SYC__STATEMENT_DO, 1, 3, 0, 8},
        {"switch (a) { case 1: b; } c;", SYC__STATEMENT_SWITCH, 4, 11, 0, 11},
        {"case a ? 1 : 2: b;", SYC__STATEMENT_LABEL, 0, 0, 0, 7},
        {"name: b;", SYC__STATEMENT_LABEL, 0, 0, 0, 2},
        {"a ? b : c;", SYC__STATEMENT_SIMPLE, 0, 0, 0, 6},
        {"if (a) name: b; c;", SYC__STATEMENT_IF, 4, 8, 0, 8},
        {"parallel_for_work_item { a; } b;", SYC__STATEMENT_ITEMS, 1, 5, 0, 5},
        {"parallel_for_work_item (2, 3) { a; } b;", SYC__STATEMENT_ITEMS, 6, 10, 0, 10},
        {"MACRO(a) if (b) c;", SYC__STATEMENT_SIMPLE, 0, 0, 0, 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const syc__statement one = read(rows[i].text);
        if (one.why != NULL || one.kind != rows[i].kind || one.body != rows[i].body ||
            one.body_end != rows[i].body_end || one.other != rows[i].other || one.end != rows[i].end) {
            fprintf(stderr, "%s: kind %d, body %zu to %zu, other %zu, end %zu, %s\n", rows[i].text, (int)one.kind,
                    one.body, one.body_end, one.other, one.end, one.why != NULL ? one.why : "fine");
            check__failures++;
        }
    }
}

static void test_heads(void)
{
    syc__statement one = read("do { a; } while ((b) && c);");
    CHECK_EQUAL(one.open, 6);
    CHECK_EQUAL(one.close, 12);
    one = read("for (a; b; c) d;");
    CHECK_EQUAL(one.open, 1);
    CHECK_EQUAL(one.close, 7);
}

static void test_what_is_none(void)
{
    static const struct {
        const char *text, *why;
        size_t blame, end;
    } rows[] = {
        {"x = 1", "this statement has no ';' at its end", 0, 3},
        {"", "this statement has no ';' at its end", 0, 0},
        {"} a;", "this statement has no ';' at its end", 0, 0},
        {"if a", "expected '(' here", 1, 0},
        {"if", "expected '(' here", 0, 0},
        {"{ a;", "this bracket is not closed", 0, 0},
        {"do a; b;", "this 'do' has no 'while'", 0, 0},
        {"if (a) b; else do c; d;", "this 'do' has no 'while'", 7, 0},
        {"if (a) b; else c", "this statement has no ';' at its end", 7, 8},
        {"parallel_for_work_item a;", "expected '{' here", 1, 0},
        {"case 1;", "this statement has no ';' at its end", 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const syc__statement one = read(rows[i].text);
        CHECK(one.why != NULL);
        if (one.why == NULL || strcmp(one.why, rows[i].why) != 0 || one.blame != rows[i].blame ||
            one.end != rows[i].end) {
            fprintf(stderr, "%s: '%s' at %zu, end %zu\n", rows[i].text, one.why != NULL ? one.why : "", one.blame,
                    one.end);
            check__failures++;
        }
    }
}

/* A chain of `else if` is as deep as its first; what stands inside of each other has an end. */
static void test_depth(void)
{
    enum { LEVELS = 300, ROOM = LEVELS * 32 };
    char text[ROOM] = "";
    syc__statement one;

    for (int i = 0; i < LEVELS; i++)
        strcat(text, "if (a) b; else ");
    strcat(text, "c;");
    one = read(text);
    CHECK(one.why == NULL);
    CHECK_EQUAL(one.end, stream.count);
    text[0] = '\0';
    for (int i = 0; i < LEVELS; i++)
        strcat(text, "while (a) ");
    strcat(text, "c;");
    one = read(text);
    CHECK(one.why != NULL && strcmp(one.why, "too many statements stand inside of each other") == 0);
    CHECK_EQUAL(one.end, 0);
}

static void test_labels_and_limits(void)
{
    lex("name: case 1: a; b;");
    CHECK_EQUAL(syc__statement_end(&stream, 0, stream.count, NULL), 7);
    CHECK_EQUAL(syc__statement_end(&stream, 7, stream.count, NULL), 9);
    CHECK_EQUAL(syc__statement_end(&stream, 7, 8, NULL), 8); /* its ';' is beyond */
}

static void test_beginnings(void)
{
    static const struct {
        const char *text;
        size_t at;
        bool begins;
    } rows[] = {
        {"a; b;", 2, true},         {"a + b;", 2, false},  {"{ a; }", 1, true},  {"x = { a };", 3, false},
        {"if (a) b;", 4, true},     {"f(a) b;", 4, false}, {"do a;", 1, true},   {"a ? b : c;", 4, false},
        {"case 1: a;", 3, true},    {"name: a;", 2, true}, {"else a;", 1, true}, {"; { a; }", 2, true},
        {"if (a) { b; }", 5, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lex(rows[i].text);
        if (syc__statement_begins(&stream, 0, rows[i].at) != rows[i].begins) {
            fprintf(stderr, "%s: token %zu\n", rows[i].text, rows[i].at);
            check__failures++;
        }
    }
}

int main(void)
{
    RUN(test_kinds);
    RUN(test_heads);
    RUN(test_what_is_none);
    RUN(test_depth);
    RUN(test_labels_and_limits);
    RUN(test_beginnings);
    syc__arena_clear(&arena);
    return CHECK_EXIT_CODE;
}
