/* The preprocessor: macros of both kinds, # and ##, conditional groups with what the compiler alone knows, build
 * options, and that every expansion ends. */
#include "source/preprocessor/preprocess.h"

#include "base/text.h"
#include "check.h"

/* What is left of the text, tokens joined by one blank; "(incomplete)" behind it where something is hidden. */
static char *expanded(const char *source, const char *options)
{
    syc_arena arena = {0};
    syc_preprocessed out = {0};
    syc_text text = {0};

    CHECK_OK(syc__preprocess(&arena, source, strlen(source), options, &out));
    for (size_t i = 0; i + 1 < out.tokens.count; i++)
        syc_text_add(&text, "%s%.*s", i ? " " : "", (int)out.tokens.items[i].length, out.tokens.items[i].text);
    syc_text_add(&text, "%s", out.complete ? "" : " (incomplete)");
    syc__arena_clear(&arena);
    return syc_text_take(&text);
}

static void check_expanded(int line, const char *source, const char *options, const char *expected)
{
    char *text = expanded(source, options);
    if (strcmp(text, expected) != 0) {
        fprintf(stderr, "%s:%d: '%s' gives '%s', not '%s'\n", __FILE__, line, source, text, expected);
        check__failures++;
    }
    free(text);
}
#define CHECK_TEXT(source, expected)             check_expanded(__LINE__, source, NULL, expected)
#define CHECK_OPTIONS(source, options, expected) check_expanded(__LINE__, source, options, expected)

static void test_objects(void)
{
    CHECK_TEXT("#define A 1 + 2\nA A", "1 + 2 1 + 2");
    CHECK_TEXT("#define EMPTY\nx EMPTY y", "x y");
    CHECK_TEXT("A\n#define A 1\nA\n#undef A\nA", "A 1 A");
    CHECK_TEXT("#define A B\n#define B 3\nA", "3");
    CHECK_TEXT("#define LONG a \\\n b\nLONG c", "a b c");
    CHECK_TEXT("  #  define A 1\nA", "1");
    CHECK_TEXT("#define J a ## b\nJ", "ab");
    CHECK_TEXT("#define A (x)\nA", "( x )");
    CHECK_TEXT("#define H # x\nH", "# x");
    CHECK_TEXT("\"A\" 'A' #define A 1\nA", "\"A\" 'A' # define A 1 A");
}

static void test_functions(void)
{
    CHECK_TEXT("#define F(a, b) b a\nF(1, (2, 3)) F (4,5)", "( 2 , 3 ) 1 5 4");
    CHECK_TEXT("#define F(a) <a>\nF F() F(\n1\n)", "F < > < 1 >");
    CHECK_TEXT("#define F() z\nF() F( ) F", "z z F");
    CHECK_TEXT("#define F(a) [a]\n#define G F\nG(1)", "[ 1 ]");
    CHECK_TEXT("#define F(a) a a\nF(F(F(x)))", "x x x x x x x x");
    CHECK_TEXT("#define N 3\n#define F(a) a\nF(N) F(F)(1)", "3 F ( 1 )");
    CHECK_TEXT("#define F(a, b) a\nF(1) y F(1, 2, 3) z", "y z");
    CHECK_TEXT("#define F(a) a\nx F(1", "x");
    CHECK_TEXT("#define MIN(a, b) ((a) < (b) ? (a) : (b))\nMIN(x, 1)", "( ( x ) < ( 1 ) ? ( x ) : ( 1 ) )");
    CHECK_TEXT("#define F(a) a\nF(\n#define B 2\nB)", "2");
}

static void test_paste_and_stringify(void)
{
    CHECK_TEXT("#define K(T) k_##T\nK(int)", "k_int");
    CHECK_TEXT("#define T float\n#define C(a, b) a##b\n#define X(a, b) C(a, b)\nC(T, 4) X(T, 4)", "T4 float4");
    CHECK_TEXT("#define C(a, b, c) a##b##c\nC(x, , z) C(, y, ) C(,,) C(1, 2, 3)", "xz y 123");
    CHECK_TEXT("#define C(a, b) p a##b q\nC(, y) C(, ) C(x, )", "p y q p q p x q");
    CHECK_TEXT("#define C(a, b) a ## b\nC(+, x) C(<, <=)", "+ x <<=");
    CHECK_TEXT("#define S(x) #x\nS(a  +\n\"b\\n\") S() S(N)", "\"a + \\\"b\\\\n\\\"\" \"\" \"N\"");
    CHECK_TEXT("#define C(a) p##a q##a\nC(1 2)", "p1 2 q1 2");
    CHECK_TEXT("#define A B\n#define C(a) a##1 a\n#define B1 yes\nC(B)", "yes B");
}

static void test_variadic(void)
{
    CHECK_TEXT("#define P(f, ...) printf(f, __VA_ARGS__)\nP(\"a\", 1, (2, 3))", "printf ( \"a\" , 1 , ( 2 , 3 ) )");
    CHECK_TEXT("#define P(f, ...) p(f, ##__VA_ARGS__)\nP(1) P(1, 2, 3)", "p ( 1 ) p ( 1 , 2 , 3 )");
    CHECK_TEXT("#define P(args...) p(args)\nP(1, 2) P()", "p ( 1 , 2 ) p ( )");
}

static void test_recursion_ends(void)
{
    CHECK_TEXT("#define A A A\nA", "A A");
    CHECK_TEXT("#define A B\n#define B A\nA B", "A B");
    CHECK_TEXT("#define f(a) a\n#define A A b\nf(A)", "A b");
    CHECK_TEXT("#define f(x) x f\nf(1)(2)(3)", "1 f ( 2 ) ( 3 )");
    CHECK_TEXT("#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)", "2 * 9 * g");
    CHECK_TEXT("#define f(a) f(a + 1)\nf(f(0))", "f ( f ( 0 + 1 ) + 1 )");
    CHECK_TEXT("#define NIL(x) x\n#define G_0(a) NIL(G_1)(a)\n#define G_1(a) NIL(G_0)(a)\nG_0(1)", "G_0 ( 1 )");
}

static void test_conditions(void)
{
    CHECK_TEXT("#if 0\na\n#else\nb\n#endif\nc", "b c");
    CHECK_TEXT("#ifdef A\na\n#elif 1\nb\n#else\nc\n#endif", "b");
    CHECK_TEXT("#define A\n#ifdef A\na\n#else\nb\n#endif\n#ifndef A\nc\n#endif", "a");
    CHECK_TEXT("#if 0\n#if 1\na\n#else\nb\n#endif\n#elif 1\nc\n#elif 1\nd\n#else\ne\n#endif", "c");
    CHECK_TEXT("#if 0\n#define A 1\n#undef B\n#endif\nA", "A");
    CHECK_TEXT("#define N 3\n#if N * 2 == 6 && !defined(M) && (defined N)\na\n#endif", "a");
    CHECK_TEXT("#define HAS(x) defined(x)\n#define M(a) (a + 1)\n#if M(1) == 2 && UNKNOWN_NAME == 0\na\n#endif", "a");
    CHECK_TEXT("#if 1 ? 0 : 1\na\n#elif (2 > 1) == 1 && -1 < 0 && ~0 == -1 && 7 / 2 == 3 && 1 << 4 == 16\nb\n#endif",
               "b");
    CHECK_TEXT("#if 2 != 1 && 0 || 1 == 2 | 4\na\n#else\nb\n#endif", "a");
    CHECK_TEXT("#if 2 != 1 && 0\na\n#else\nb\n#endif", "b");
    CHECK_TEXT("#if -1 < 0u\na\n#else\nb\n#endif", "b");
    CHECK_TEXT("#if 0x10 == 16 && 010 == 8 && 3UL == 3 && 0b11 == 3 && 5 % 3 == 2 && (6 ^ 3) == 5\na\n#endif", "a");
    CHECK_TEXT("#if 0 && 1 / 0\na\n#else\nb\n#endif", "b");
    CHECK_TEXT("#if 1 || 1 / 0\na\n#else\nb\n#endif", "a");
    CHECK_TEXT("#if 0\n'\"\n#endif\na", "a");
    CHECK_TEXT("#else\n#endif\n#elif 1\na", "a");
    CHECK_TEXT("#if 1\na", "a");
    CHECK_TEXT("#\n#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n#error no\n#line 7 \"x\"\na", "a");
}

/* What only the compiler knows counts for the #if branch, unless the rest of the condition settles it. */
static void test_undecided(void)
{
    CHECK_TEXT("#ifdef cl_khr_fp64\na\n#else\nb\n#endif", "a");
    CHECK_TEXT("#ifndef cl_khr_fp64\na\n#else\nb\n#endif", "a");
    CHECK_TEXT("#if __OPENCL_VERSION__ >= 200\na\n#elif 1\nb\n#else\nc\n#endif", "a");
    CHECK_TEXT("#if 0\n#elif defined(cl_khr_fp16)\na\n#else\nb\n#endif", "a");
    CHECK_TEXT("#if defined(cl_khr_fp64) && 0\na\n#else\nb\n#endif", "b");
    CHECK_TEXT("#if !(defined(cl_khr_fp64) || 1)\na\n#else\nb\n#endif", "b");
    CHECK_TEXT("#ifdef __OPENCL_VERSION__\na\n#else\nb\n#endif", "a");
    CHECK_TEXT("#ifndef __OPENCL_C_VERSION__\na\n#else\nb\n#endif", "b");
    CHECK_TEXT("#if __has_builtin(__builtin_x(1))\na\n#else\nb\n#endif", "a");
    CHECK_TEXT("#ifdef __cplusplus\na\n#else\nb\n#endif", "b");
    CHECK_TEXT("#if ) nonsense (\na\n#else\nb\n#endif", "a");
    CHECK_TEXT("#if 1 / 0\na\n#else\nb\n#endif", "a");
    CHECK_TEXT("#define cl_khr_fp64 0\n#if cl_khr_fp64\na\n#else\nb\n#endif", "b");
    CHECK_TEXT("#ifdef cl_khr_fp64\na\n#else\nfor\n#endif", "a (incomplete)");
    CHECK_TEXT("#ifdef cl_khr_fp64\na\n#else\n#if 1\nfor\n#endif\n#endif", "a (incomplete)");
    CHECK_TEXT("#include <x.h>\na", "a (incomplete)");
}

static void test_options(void)
{
    CHECK_OPTIONS("T N M", "-DT=double -D N=4 -DM", "double 4 1");
    CHECK_OPTIONS("T N", "-cl-fast-relaxed-math -D \"T=unsigned int\" -DN='a b' -I dir", "unsigned int a b");
    CHECK_OPTIONS("F(2) E", "-DF(x)=x+x -DE=", "2 + 2");
    CHECK_OPTIONS("A B", "-DA=1 -UA -DB=2 -U C -DC", "A 2");
    CHECK_OPTIONS("A", "-DA=1 -DA=2", "2");
    CHECK_OPTIONS("#ifdef A\nx\n#endif", "-D A", "x");
    CHECK_OPTIONS("A", "-D", "A");
    CHECK_OPTIONS("A S", "-D =3 -D1=2 - -U 1 -DS=\\\"q\\\"", "A \"q\"");
    CHECK_OPTIONS("#define A 7\nA", "-DA=1", "7");
    CHECK_OPTIONS("A", "-DA=\"open quote", "open quote");
    CHECK_OPTIONS("A", "", "A");
}

/* Texts that would grow to 2^40 tokens, or pile up a deep C stack, stop at the budget and say so. */
static void test_bombs(void)
{
    syc_text text = {0};
    char *out;

    for (int i = 0; i < 40; i++)
        syc_text_add(&text, "#define A%d A%d A%d\n", i, i + 1, i + 1);
    syc_text_add(&text, "A0 end");
    out = expanded(syc_text_get(&text), NULL);
    CHECK(strstr(out, "end (incomplete)") != NULL);
    free(out);
    syc_text_clear(&text);

    syc_text_add(&text, "#define P(a) a##a\n#define Q(a) P(a)\n");
    for (int i = 0; i < 60; i++)
        syc_text_add(&text, "Q(");
    syc_text_add(&text, "x");
    for (int i = 0; i < 60; i++)
        syc_text_add(&text, ")");
    out = expanded(syc_text_get(&text), NULL);
    CHECK(strstr(out, "(incomplete)") != NULL);
    free(out);
    syc_text_clear(&text);

    syc_text_add(&text, "#define f(x) x\n");
    for (int i = 0; i < 50000; i++)
        syc_text_add(&text, "f(");
    out = expanded(syc_text_get(&text), NULL);
    free(out);
    for (int i = 0; i < 50000; i++)
        syc_text_add(&text, ")");
    out = expanded(syc_text_get(&text), NULL);
    CHECK(strstr(out, "(incomplete)") != NULL);
    free(out);
    syc_text_clear(&text);

    for (int depth = 90; depth <= 150; depth += 60) {
        syc_text_add(&text, "#define f(x) x\n");
        for (int i = 0; i < depth; i++)
            syc_text_add(&text, "f(");
        syc_text_add(&text, "x");
        for (int i = 0; i < depth; i++)
            syc_text_add(&text, ")");
        out = expanded(syc_text_get(&text), NULL);
        CHECK((strstr(out, "(incomplete)") != NULL) == (depth > SYC__EXPANSION_DEPTH));
        free(out);
        syc_text_clear(&text);
    }

    for (int k = 0; k < 4; k++) {
        static const char *const pieces[] = {"(", "!", "1?", "1?1:"};
        syc_text_add(&text, "#if ");
        for (int i = 0; i < 50000; i++)
            syc_text_add(&text, "%s", pieces[k]);
        syc_text_add(&text, "1\na\n#endif");
        out = expanded(syc_text_get(&text), NULL);
        CHECK_STRING(out, "a");
        free(out);
        syc_text_clear(&text);
    }
}

int main(void)
{
    RUN(test_objects);
    RUN(test_functions);
    RUN(test_paste_and_stringify);
    RUN(test_variadic);
    RUN(test_recursion_ends);
    RUN(test_conditions);
    RUN(test_undecided);
    RUN(test_options);
    RUN(test_bombs);
    return CHECK_EXIT_CODE;
}
