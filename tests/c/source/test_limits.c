/* What a text is refused for before a driver sees it: recursions, and attributes of one kind. */
#include "base/alloc.h"
#include "check.h"
#include "source/declarations/signature.h"

#include <string.h>

/* The refusal of `source` behind the library's `front`; its message is the caller's. */
static syc_refusal refusal_behind(const char *front, const char *source)
{
    syc_signatures s = {0};
    syc_refusal refusal;
    CHECK_EQUAL(syc__signatures_parse_behind(&(syc__signed_text){.front = front,
                                                                 .front_length = strlen(front),
                                                                 .source = source,
                                                                 .length = strlen(source),
                                                                 .options = "-DOPTION=1"},
                                             &s),
                SYC_OK);
    refusal = s.refusal;
    s.refusal.message = NULL;
    syc_signatures_clear(&s);
    return refusal;
}

static void check(const char *source, const char *message, size_t line, size_t column)
{
    syc_refusal refusal = refusal_behind("", source);
    CHECK(refusal.message != NULL);
    if (refusal.message != NULL)
        CHECK_STRING(refusal.message, message);
    CHECK_EQUAL(refusal.line, line);
    CHECK_EQUAL(refusal.column, column);
    syc_free(refusal.message);
}

static void check_fine(const char *source)
{
    syc_refusal refusal = refusal_behind("static int lib(int n) { return lib(n); }\n", source);
    CHECK(refusal.message == NULL);
    syc_free(refusal.message);
}

#define LOOP ": OpenCL C has no recursion; write it as a loop"

static void test_recursions(void)
{
    check("int f(int n) { return n * f(n - 1); }", "function 'f' calls itself" LOOP, 1, 27);
    check("void a(void);\nvoid b(void) { a(); }\nvoid c(void) { b(); }\nvoid a(void)\n{\n\tc();\n}\n",
          "function 'c' calls 'b', from which it is called" LOOP, 3, 16);
    check("kernel void k(global int *x) { if (x[0])\n    (k)(x); }", "function 'k' calls itself" LOOP, 2, 6);
    check("void k(void) {\n /* a\n comment */ int x = \\\n 5; k(); }", "function 'k' calls itself" LOOP, 4, 5);
    check("#define AGAIN f()\nvoid f(void)\n{\n    AGAIN;\n}", "function 'f' calls itself" LOOP, 4, 0);
    check("#if OPTION\nvoid f(void) { f(); }\n#endif", "function 'f' calls itself" LOOP, 2, 16);
    check("void g(void) {}\nvoid h(void) { g(); g(); }\nkernel void k(void) { g(); h(); k(); }",
          "function 'k' calls itself" LOOP, 3, 33);
}

static void test_what_is_none(void)
{
    check_fine("void g(void) {}\nvoid h(void) { g(); }\nkernel void k(void) { g(); h(); g(); lib(1); }");
    /* Of overloads only the compiler knows which one it is. */
    check_fine(
        "#define O __attribute__((overloadable))\nO int f(int n) { return n; }\nO int f(float x) { return f(1); }");
    /* And of what it leaves out. */
    check_fine("#ifdef cl_khr_fp64\nint f(int n) { return f(n); }\n#endif");
    check_fine("#if __OPENCL_VERSION__ > 120\n#define TURN(n) f(n)\n#else\n#define TURN(n) n\n#endif\n"
               "int f(int n) { return TURN(n); }");
    check_fine("int f(int n)\n{\n#ifdef cl_khr_fp64\n    return f(n);\n#endif\n    return n;\n}");
    check_fine("#if !OPTION\nvoid f(void) { f(); }\n#endif");
    check_fine("struct s { int f; };\nint f(struct s x) { return x.f; }\nvoid g(void) { int h = 0; (void)h; }");
}

static void test_attributes(void)
{
    check("kernel __attribute__((reqd_work_group_size(4, 1, 1)))\n__attribute__((reqd_work_group_size(4, 1, 1))) void "
          "k(void) {}",
          "kernel 'k' is given the attribute reqd_work_group_size twice", 2, 16);
    check("kernel __attribute__((work_group_size_hint(4, 1, 1), __work_group_size_hint__(8, 1, 1))) void k(void) {}",
          "kernel 'k' is given the attribute __work_group_size_hint__ twice", 1, 54);
    check("kernel void k(void) __attribute__((vec_type_hint(int)))\n__attribute__((vec_type_hint(int))) {}",
          "kernel 'k' is given the attribute vec_type_hint twice", 2, 16);
    check_fine("kernel __attribute__((reqd_work_group_size(4, 1, 1), work_group_size_hint(4, 1, 1)))\nvoid k(void) {}\n"
               "kernel __attribute__((reqd_work_group_size(4, 1, 1))) void l(void) {}");
    check_fine("kernel\n#ifdef cl_khr_fp64\n__attribute__((reqd_work_group_size(4, 1, 1)))\n#endif\n"
               "__attribute__((reqd_work_group_size(4, 1, 1))) void k(void) {}");
}

static void test_long_long(void)
{
#define SIZE " which is reserved in OpenCL C: compilers take it for 8 bytes or for 16; long has 8"
    check("kernel void k(global int *x,\n    unsigned long long int n) {}",
          "kernel 'k' has a parameter of long long," SIZE, 2, 14);
    check("typedef long long wide;\nkernel void k(global wide *x) {}", "kernel 'k' has a parameter of long long," SIZE,
          2, 22);
    check_fine("kernel void k(global long *x, ulong n) { long long y = n; x[0] = y; }\nvoid f(long long x) {}");
}

/* As many calls as the C stack would not hold. */
static void test_long_chains(void)
{
    enum { CALLS = 20000, ROOM = 40 };
    char *text;
    size_t at = 0;
    CHECK_EQUAL(syc_alloc((size_t)CALLS * ROOM, &text), SYC_OK);
    at += (size_t)snprintf(text, ROOM, "void f%d(void);\n", CALLS - 1);
    for (int i = 0; i < CALLS; i++)
        at += (size_t)snprintf(text + at, ROOM, "void f%d(void){f%d();}\n", i, i > 0 ? i - 1 : CALLS - 1);
    check(text, "function 'f1' calls 'f0', from which it is called" LOOP, 3, 15);
    syc_free(text);
}

static void test_no_memory(void)
{
    const char *source = "void g(void); void f(void) { g(); } void g(void) { f(); }";
    long n = 1;
    for (;; n++) {
        syc_signatures s = {0};
        syc_status status;
        syc_alloc_fail_at(n);
        status = syc_signatures_parse(source, strlen(source), NULL, &s);
        syc_alloc_fail_at(0);
        if (status == SYC_OK) {
            CHECK(s.refusal.message != NULL);
            syc_signatures_clear(&s);
            break;
        }
        CHECK_EQUAL(status, SYC_E_MEMORY_ALLOCATION);
    }
    CHECK(n > 2);
}

int main(void)
{
    RUN(test_recursions);
    RUN(test_what_is_none);
    RUN(test_attributes);
    RUN(test_long_long);
    RUN(test_long_chains);
    RUN(test_no_memory);
    return CHECK_EXIT_CODE;
}
