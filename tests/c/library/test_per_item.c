/* Variables of struct types that a text declares: which get a word of kernels/per_item.clh, and where it stands. */
#include "library/cures/pocl_per_item.h"
#include "library/scratch.h"

#include "check.h"
#include "source/lexer.h"

#include <string.h>

static const char prelude[] = "#line 1 \"kernel.cl\"\n";

static void arrange(const char *source, const char *options, syc__scratch *out)
{
    const syc__library_use use = {.scratch_count = 0};
    syc_signatures kernels = {0};
    syc_arena arena = {0};
    syc_tokens tokens = {0};

    CHECK_OK(syc__lex(&arena, source, strlen(source), &tokens));
    CHECK_OK(syc__signatures_parse_behind(&(syc__signed_text){.front = prelude,
                                                              .front_length = sizeof prelude - 1,
                                                              .source = source,
                                                              .length = strlen(source),
                                                              .options = options},
                                          &kernels));
    CHECK_OK(syc__scratch_arrange(&(syc__scratch_source){.source = source,
                                                         .length = strlen(source),
                                                         .options = options,
                                                         .prelude = prelude,
                                                         .prelude_length = sizeof prelude - 1,
                                                         .use = &use,
                                                         .kernels = &kernels,
                                                         .structs = syc__per_item_concerns(&tokens)},
                                  out));
    syc__arena_clear(&arena);
    syc_signatures_clear(&kernels);
}

/* `text` NULL: nothing is put in, and the text is the compiler's as it is. */
static void becomes(const char *source, const char *options, const char *text)
{
    syc__scratch out = {0};
    arrange(source, options, &out);
    CHECK_EQUAL(out.structs, text != NULL);
    CHECK_STRING(syc_text_get(&out.text), text != NULL ? text : "");
    if (text == NULL)
        CHECK_STRING(syc_text_get(&out.front), "");
    syc__scratch_clear(&out);
}

#define PAIR "typedef struct { int a, b; } pair;\n"

static void a_word_stands_behind_declarations(void)
{
    becomes(PAIR "__kernel void k() { pair x; barrier(1); }", NULL,
            PAIR "__kernel void k() { pair x; SYC_PER_ITEM(x, x) barrier(1); }");
    becomes(
        PAIR "__kernel void k() { const pair x = f(1, 2), *p, y[2][3]; int i; barrier(1); pair z; }", NULL,
        PAIR
        "__kernel void k() { const pair x = f(1, 2), *p, y[2][3]; SYC_PER_ITEM(x, x) SYC_PER_ITEM(y, y[0][0]) int i; "
        "barrier(1); pair z; SYC_PER_ITEM(z, z) }");
    becomes("struct s { int a; };\n__kernel void k() { struct s x = {1}; union { int a; } y; barrier(1); }", NULL,
            "struct s { int a; };\n__kernel void k() { struct s x = {1}; SYC_PER_ITEM(x, x) union { int a; } y; "
            "SYC_PER_ITEM(y, y) barrier(1); }");
    becomes("__kernel void k() { typedef struct { int a; } t; if (1) { t x; barrier(1); } }", NULL,
            "__kernel void k() { typedef struct { int a; } t; if (1) { t x; SYC_PER_ITEM(x, x) barrier(1); } }");
    becomes(PAIR "__kernel void k() { pair x = ({ pair y; y; }); barrier(1); }", NULL,
            PAIR "__kernel void k() { pair x = ({ pair y; SYC_PER_ITEM(y, y) y; }); SYC_PER_ITEM(x, x) barrier(1); }");
}

static void before_the_condition_of_a_loop(void)
{
    becomes(PAIR "__kernel void k() { for (pair x = f(); x.a; x = g(x)) barrier(1); }", NULL,
            PAIR "__kernel void k() { for (pair x = f(); SYC_PER_ITEM_FOR(x, x) x.a; x = g(x)) barrier(1); }");
    becomes(PAIR "__kernel void k() { for (pair x = f();;) barrier(1); }", NULL,
            PAIR "__kernel void k() { for (pair x = f(); SYC_PER_ITEM_FOR(x, x) 1;) barrier(1); }");
}

static void of_macros_too(void)
{
    becomes("#define T struct s\nstruct s { int a; };\n__kernel void k() { T x; barrier(1); }", NULL,
            "#define T struct s\nstruct s { int a; };\n__kernel void k() { T x; SYC_PER_ITEM(x, x) barrier(1); }");
    becomes(PAIR "__kernel void k() { T x; barrier(1); }", "-D T=pair",
            PAIR "__kernel void k() { T x; SYC_PER_ITEM(x, x) barrier(1); }");
    becomes("#define HOLD \\\n  pair x; barrier(1)\n" PAIR "__kernel void k() { HOLD; HOLD; }", NULL,
            "#define HOLD \\\n  pair x; SYC_PER_ITEM(x, x) barrier(1)\n" PAIR "__kernel void k() { HOLD; HOLD; }");
    /* by the macro's own words */
    becomes("#define HOLD(x) pair x; barrier(1)\n" PAIR "__kernel void k() { HOLD(a); HOLD(b); }", NULL,
            "#define HOLD(x) pair x; SYC_PER_ITEM(x, x) barrier(1)\n" PAIR "__kernel void k() { HOLD(a); HOLD(b); }");
    becomes("#define HOLD(T, n) T n = g(), *p, a ## n[2]; barrier(1)\n" PAIR "__kernel void k() { HOLD(pair, a); }",
            NULL,
            "#define HOLD(T, n) T n = g(), *p, a ## n[2]; SYC_PER_ITEM(n, n) SYC_PER_ITEM(a ## n, a ## n[0]) "
            "barrier(1)\n" PAIR "__kernel void k() { HOLD(pair, a); }");
    becomes("#define HOLD(n) pair x ## n ## 2, n##y; barrier(1)\n" PAIR "__kernel void k() { HOLD(a); }", NULL,
            "#define HOLD(n) pair x ## n ## 2, n##y; SYC_PER_ITEM(x ## n ## 2, x ## n ## 2) SYC_PER_ITEM(n##y, n##y) "
            "barrier(1)\n" PAIR "__kernel void k() { HOLD(a); }");
}

static void arrays_by_a_typedef(void)
{
    becomes(PAIR "typedef pair two[2]; __kernel void k() { two x, y[3]; two *p; barrier(1); }", NULL,
            PAIR "typedef pair two[2]; __kernel void k() { two x, y[3]; SYC_PER_ITEM(x, x[0]) SYC_PER_ITEM(y, "
                 "y[0][0]) two *p; barrier(1); }");
    becomes(PAIR "typedef pair six[2][3]; void g(six x) { barrier(1); }", NULL, NULL);
}

/* A struct that waits for another argument to be found: both become variables, and others stay what they are. */
#define CALLS                                                                                        \
    PAIR "pair f(pair x);\nint h(pair a, int n, pair b, int *p);\nint one(pair a) { return a.a; }\n" \
         "int w(int x) { barrier(1); return x; }\nint two(pair a, int n, int m) { return n; }\n"
static void calls(void)
{
    becomes(CALLS "__kernel void k(__global int *o) { o[0] = two(g(), w(1), 0) + one(g()); }", NULL,
            CALLS "__kernel void k(__global int *o) { o[0] = ({ __auto_type syc_given_0 = ((void)0, (g())); "
                  "SYC_PER_ITEM(syc_given_0, syc_given_0) __auto_type syc_given_1 = ((void)0, ( w(1))); "
                  "SYC_PER_ITEM(syc_given_1, syc_given_1) two(syc_given_0,syc_given_1, 0); }) + one(g()); }");
    becomes(CALLS "int z(int *p, pair a) { return 0; }\n__kernel void k() { z(0, w(1) ? g() : e); }", NULL,
            CALLS "int z(int *p, pair a) { return 0; }\n__kernel void k() { ({ __auto_type syc_given_1 = ((void)0, "
                  "( w(1) ? g() : e)); SYC_PER_ITEM(syc_given_1, syc_given_1) z(0,syc_given_1); }); }");
    /* in a macro, whose arguments may be anything: the structs, and by the macro's own words */
    becomes("#define BOTH(x) two(x, w(1), 0)\n" CALLS "__kernel void k() { BOTH(g()); BOTH(e); }", NULL,
            "#define BOTH(x) ({ __auto_type syc_given_0 = ((void)0, (x)); SYC_PER_ITEM(syc_given_0, syc_given_0) "
            "two(syc_given_0, w(1), 0); })\n" CALLS "__kernel void k() { BOTH(g()); BOTH(e); }");
    becomes("#define CALL(f, \\\n  n, ...) f(__VA_ARGS__, n, \\\n 0)\n" CALLS
            "__kernel void k() { CALL(two, w(1), g()); CALL(one, w(1), 0, 0); }",
            NULL,
            "#define CALL(f, \\\n  n, ...) ({ __auto_type syc_given_0 = ((void)0, (__VA_ARGS__)); "
            "SYC_PER_ITEM(syc_given_0, syc_given_0) f(syc_given_0, n, \\\n 0); })\n" CALLS
            "__kernel void k() { SYC_PER_ITEM_UNSEEN(one) CALL(two, w(1), g()); CALL(one, w(1), 0, 0); }");
    becomes("#define TWO two\n" CALLS "__kernel void k() { TWO(g(), w(1), 0); }", NULL,
            "#define TWO two\n" CALLS "__kernel void k() { ({ __auto_type syc_given_0 = ((void)0, (g())); "
            "SYC_PER_ITEM(syc_given_0, syc_given_0) __auto_type syc_given_1 = ((void)0, ( w(1))); "
            "SYC_PER_ITEM(syc_given_1, syc_given_1) TWO(syc_given_0,syc_given_1, 0); }); }");
    /* names that are pasted, or a macro's that is called for it */
    becomes("#define PASTE(n) t ## n(g(), w(1), 0)\n" CALLS "__kernel void k() { PASTE(wo); }", NULL,
            "#define PASTE(n) ({ __auto_type syc_given_0 = ((void)0, (g())); SYC_PER_ITEM(syc_given_0, syc_given_0) "
            "t ## n(syc_given_0, w(1), 0); })\n" CALLS "__kernel void k() { PASTE(wo); }");
    becomes("#define NAME(n) t ## n\n" CALLS "__kernel void k() { NAME(wo) (g(), w(1), 0); }", NULL,
            "#define NAME(n) t ## n\n" CALLS
            "__kernel void k() { ({ __auto_type syc_given_0 = ((void)0, (g())); SYC_PER_ITEM(syc_given_0, syc_given_0) "
            "__auto_type syc_given_1 = ((void)0, ( w(1))); SYC_PER_ITEM(syc_given_1, syc_given_1) "
            "NAME(wo)(syc_given_0,syc_given_1, 0); }); }");
    /* of one macro's calls, one takes the struct as its first argument and one as its second */
    becomes("#define DO(n, x, y) n ## o(x, y, w(1))\n" CALLS "int zo(int n, pair a, int m) { return n; }\n"
            "__kernel void k() { DO(tw, g(), 0); DO(z, 0, g()); }",
            NULL,
            "#define DO(n, x, y) ({ __auto_type syc_given_0 = ((void)0, (x)); SYC_PER_ITEM(syc_given_0, syc_given_0) "
            "__auto_type syc_given_1 = ((void)0, ( y)); SYC_PER_ITEM(syc_given_1, syc_given_1) n ## o(syc_given_0,"
            "syc_given_1, w(1)); })\n" CALLS "int zo(int n, pair a, int m) { return n; }\n"
            "__kernel void k() { DO(tw, g(), 0); DO(z, 0, g()); }");
    /* what a macro and the text make of a call together */
    becomes("#define GIVEN (g(), w(1), 0)\n" CALLS "__kernel void k() { two GIVEN; }", NULL,
            "#define GIVEN (g(), w(1), 0)\n" CALLS "__kernel void k() { SYC_PER_ITEM_UNSEEN(two) two GIVEN; }");
    becomes("#define CALL(f, ...) f(__VA_ARGS__)\n" CALLS "__kernel void k() { CALL(two, g(), w(1), 0); }", NULL,
            "#define CALL(f, ...) f(__VA_ARGS__)\n" CALLS
            "__kernel void k() { SYC_PER_ITEM_UNSEEN(two) CALL(two, g(), w(1), 0); }");
    becomes("#define CALL(f, ...) f(__VA_ARGS__)\n" CALLS "__kernel void k() { CALL(two, g(), 1, 0); w(1); }", NULL,
            NULL);
    /* nothing waits, or no struct waits */
    becomes(CALLS "__kernel void k() { w(1); two(g(), 1, 0); w(w(1)); }", NULL, NULL);
}

static void parameters(void)
{
    becomes(PAIR "pair f(pair x, int b) { barrier(1); return x; }\n__kernel void k(pair x) { f(x, 1); }", NULL,
            PAIR "pair f(pair x, int b) { SYC_PER_ITEM(x, x) barrier(1); return x; }\n"
                 "__kernel void k(pair x) { f(x, 1); }");
    becomes(PAIR "static pair f(pair x) { barrier(1); x = g(); return x.a ? x : g(); }", NULL,
            PAIR "static pair f(pair SYC_PER_ITEM_GIVEN(x)) { SYC_PER_ITEM_COPY(x) barrier(1); x = g(); return x.a ? x "
                 ": g(); }");
    becomes(PAIR "pair *f(pair *x, int y) { barrier(1); return x; }\nint g(int a) { barrier(1); return a; }", NULL,
            NULL);
    becomes(PAIR "__kernel void k(__global pair *v, pair x, pair y) { x = v[0]; barrier(1); v[1] = x; v[2] = y; }",
            NULL,
            PAIR "__kernel void k(__global pair *v, pair SYC_PER_ITEM_GIVEN(x), pair y) { SYC_PER_ITEM_COPY(x) x = "
                 "v[0]; barrier(1); "
                 "v[1] = x; v[2] = y; }");
}

static void all_else_is_left_alone(void)
{
    becomes(PAIR "__kernel void k() { pair x; f(x); }", NULL, NULL);
    becomes(PAIR "void g() { pair x; }\n__kernel void k() { barrier(1); g(); }", NULL, NULL);
    becomes(PAIR "__kernel void k() { __local pair x; pair *p; int i; float4 v; event_t e; barrier(1); }", NULL, NULL);
    becomes(PAIR "__kernel void k() { x = y; return x; g(x); a * b; barrier(1); else x; }", NULL, NULL);
    becomes(PAIR "__kernel void k() { struct t { pair x; struct { pair y; } z; } *p; barrier(1); }", NULL, NULL);
    becomes("enum e { A };\nstruct s;\n__kernel void k(__global struct s *p) { enum e x = A; barrier(1); }", NULL,
            NULL);
    becomes("__kernel void k() { barrier(1); for (struct = ; struct ; pair", NULL, NULL);
    becomes("struct { struct x { barrier(", NULL, NULL);
}

int main(void)
{
    RUN(a_word_stands_behind_declarations);
    RUN(before_the_condition_of_a_loop);
    RUN(of_macros_too);
    RUN(arrays_by_a_typedef);
    RUN(calls);
    RUN(parameters);
    RUN(all_else_is_left_alone);
    return CHECK_EXIT_CODE;
}
