/* Which words of a text are its own. */
#include "check.h"
#include "source/lexer.h"
#include "source/scope.h"

/* Of each x and r in the text: '-' what it means outside, 'o' something of the text's own. */
static void check(int line, const char *text, const char *expected)
{
    static const char *const wanted[] = {"x", "r"};
    syc_arena arena = {0};
    syc_tokens tokens = {0};
    syc_token_stream stream;
    syc_word_map words = {0};
    bool *own = NULL;
    char found[64] = "";

    CHECK_OK(syc__lex(&arena, text, strlen(text), &tokens));
    CHECK_OK(syc__stream_init(&stream, &arena, &tokens));
    for (size_t i = 0; i < 2; i++) {
        const syc_token word = {.text = wanted[i], .length = 1, .kind = SYC_TOKEN_WORD};
        CHECK_OK(syc__word_map_put(&arena, &words, &word, &words));
    }
    CHECK_OK(syc__arena_alloc(&arena, tokens.count * sizeof *own, &own));
    CHECK_OK(syc__scope_read(&stream, 0, stream.count, &words, own));
    for (size_t at = 0; at + 1 < tokens.count; at++)
        if (syc__word_map_get(&words, &tokens.items[at]) != NULL)
            strcat(found, own[at] ? "o" : "-");
    if (strcmp(found, expected) != 0) {
        fprintf(stderr, "%s:%d: %s of '%s'\n", __FILE__, line, found, text);
        check__failures++;
    }
    syc__arena_clear(&arena);
}
#define CHECK_OWN(text, expected) check(__LINE__, text, expected)

static void test_uses(void)
{
    CHECK_OWN("r += x[i]; x[r] = 2;", "----");
    CHECK_OWN("f(r); (x); r++; --x; y = r * x;", "------");
}

static void test_declarations(void)
{
    CHECK_OWN("r += 1; int x = x + r; x = 2;", "-oo-o");
    CHECK_OWN("int j, x; float *p, *r = x;", "ooo");
    CHECK_OWN("real x; real r[2] = {x, 1}; r[0];", "oooo");
    CHECK_OWN("foo *x = 0; foo **const r;", "oo");
    CHECK_OWN("int (*x)(int) = 0; x(1);", "oo");
    CHECK_OWN("typedef int r; r k = x;", "oo-");
    CHECK_OWN("unsigned long x; const r = 2;", "oo");
    CHECK_OWN("struct {int x; float r[3];} s; s.x = s.r[x];", "oooo-");
    CHECK_OWN("struct r {int x;} x; struct r t = {x};", "ooooo");
    CHECK_OWN("enum {a, x = 2}; r = x;", "o-o");
    CHECK_OWN("return x; case r: ; goto x; else y = x * r;", "--o--");
    CHECK_OWN("__attribute__((aligned(4))) int x = sizeof(r);", "o-");
}

static void test_expressions(void)
{
    CHECK_OWN("y = c ? a : b * x; y = c ? r : x;", "---");
    CHECK_OWN("y = (float2){a * x, r};", "--");
    CHECK_OWN("float t[2] = {a * x, r}; y = -x * r;", "----");
    CHECK_OWN("y = a * x, b * r;", "--");
    CHECK_OWN("y = (int)x * r;", "--");
    CHECK_OWN("x(1); float4 t = (float4)(x, r);", "---");
    CHECK_OWN("switch (k) { case 1: x = 2; default: r = 1; }", "--");
    CHECK_OWN("switch (k) { case 1: ; int x = 2; } x = 1;", "o-");
}

static void test_blocks(void)
{
    CHECK_OWN("{ int x; x = 1; { x = r; } } x = 2;", "ooo--");
    CHECK_OWN("for (int x = 0; x < 3; x++) y += x; x = 1;", "oooo-");
    CHECK_OWN("for (int x = 0; x < 3; x++) { y += x; } x = 1;", "oooo-");
    CHECK_OWN("for (int x = 0; ;) if (x) y = x; else do y = x; while (x); x = 1;", "ooooo-");
    CHECK_OWN("for (int r = 0, x = r; ;) for (;;) y = x; x = r;", "oooo--");
    CHECK_OWN("if (x) { int x = 1; } else x = 2;", "-o-");
    CHECK_OWN("x: r = 1; goto x; y ? x : r;", "o-o--");
}

static void test_directives(void)
{
    CHECK_OWN("#define f(x) ((x) + r)\ny = f(x);", "oo--");
    CHECK_OWN("#define x y\nx = r;", "oo-");
    CHECK_OWN("#define f (x)\ny = f;", "-");
    CHECK_OWN("#ifdef x\n#endif\nx = 1;", "o-");
    CHECK_OWN("#define add(v) r += (v)\nint x = 1;\nadd(x);", "-oo");
}

static void test_any_text(void)
{
    CHECK_OWN("", "");
    CHECK_OWN("} ) x ] { ( int", "-");
    CHECK_OWN("for (", "");
    CHECK_OWN("int", "");
    CHECK_OWN("struct", "");
    CHECK_OWN("struct {int x", "o");
    CHECK_OWN("#define", "");
    CHECK_OWN("int (*", "");
    CHECK_OWN("enum {x, r}", "oo");
}

int main(void)
{
    RUN(test_uses);
    RUN(test_declarations);
    RUN(test_expressions);
    RUN(test_blocks);
    RUN(test_directives);
    RUN(test_any_text);
    return CHECK_EXIT_CODE;
}
