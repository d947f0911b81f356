/* A kernel's needs as its text tells: loops, cost, waiting, double and half arithmetic. */
#include "source/declarations/signature.h"

#include "base/text.h"
#include "check.h"

#include <stdint.h>

static syc_signatures parse(const char *source, const char *options)
{
    syc_signatures out = {0};
    CHECK_OK(syc_signatures_parse(source, strlen(source), options, &out));
    return out;
}

/* Of the last kernel. */
static void check_bounded(int line, const char *source, bool bounded, size_t weight)
{
    syc_signatures s = parse(source, NULL);
    const syc_signature *k = s.count > 0 ? &s.items[s.count - 1] : NULL;
    if (k == NULL || k->bounded != bounded || (weight != 0 && k->weight != weight)) {
        fprintf(stderr, "%s:%d: '%s': bounded %d, weight %zu\n", __FILE__, line, source, k ? k->bounded : -1,
                k ? k->weight : 0);
        check__failures++;
    }
    syc_signatures_clear(&s);
}
#define CHECK_BOUNDED(source, bounded, weight) check_bounded(__LINE__, source, bounded, weight)

/* Of the last kernel. */
static void check_waits(int line, const char *source, bool waits)
{
    syc_signatures s = parse(source, NULL);
    if (s.count == 0 || s.items[s.count - 1].waits != waits) {
        fprintf(stderr, "%s:%d: '%s': waits is not %d\n", __FILE__, line, source, waits);
        check__failures++;
    }
    syc_signatures_clear(&s);
}
#define CHECK_WAITS(source, waits) check_waits(__LINE__, source, waits)

static void test_waits(void)
{
    CHECK_WAITS("kernel void k() { get_local_id(0); if (barred) x = 1; }", false);
    CHECK_WAITS("kernel void k() { barrier(1); }", true);
    CHECK_WAITS("kernel void k() { if (y) wait_group_events(1, e); }", true);
    CHECK_WAITS("kernel void k() { x = work_group_reduce_add(y); }", true);
    CHECK_WAITS("kernel void k() { x = sub_group_any(y); }", true);
    CHECK_WAITS("kernel void k() { x = intel_sub_group_shuffle(y, 0); }", true);
    CHECK_WAITS("void f() { barrier(1); } void g() { f(); } kernel void k() { g(); }", true);
    CHECK_WAITS("void f() { barrier(1); } kernel void a() { f(); } kernel void k() { x = 1; }", false);
    CHECK_WAITS("void f(int x) { barrier(1); } void f(float x) { } kernel void k() { f(1.0f); }", true);
    CHECK_WAITS("void f(float x) { } void f(int x) { barrier(1); } kernel void k() { f(1.0f); }", true);
    CHECK_WAITS("void f() { g(); } void g() { f(); } kernel void k() { f(); }", true); /* nobody can tell */
}

/* Items that wait for others, which have gone another way, may wait without end. */
static void test_some_items_wait(void)
{
    static const char *const all[] = {
        "barrier(1); if (x) y = 1; barrier(1);",
        "if (x) { y = 1; } else y = 2; barrier(1); if (y) return;",
        "y = x ? 1 : 2; barrier(1);",
        "if (x) { if (y) z = 1; } else { z = 2; } g();",
        "switch (x) { case 1: y = 1; break; } barrier(1);",
        "if (x) f();",
        "g(); return;",
    };
    static const char *const some[] = {
        "if (x) barrier(1);",
        "if (x) y = 1; else barrier(1);",
        "if (x) { y = 1; { barrier(1); } }",
        "if (x) if (y) z = 1; else g();",
        "if (x) return; barrier(1);",
        "if (x) { y = 1; return; } g();",
        "switch (x) { case 1: barrier(1); }",
        "x && g();",
        "y = x ? g() : 1;",
        "if (y && g()) z = 1;",
        "h();",
    };
    static const char before[] =
        "int f() { if (x) return 1; } int g() { barrier(1); } int h() { if (x) return 1; g(); } kernel void k() { ";
    char text[400];
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        snprintf(text, sizeof text, "%s%s }", before, all[i]);
        CHECK_BOUNDED(text, true, 0);
    }
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        snprintf(text, sizeof text, "%s%s }", before, some[i]);
        CHECK_BOUNDED(text, false, 0);
    }
}

static void test_bounded(void)
{
    CHECK_BOUNDED("kernel void k() { x = 1; }", true, 4);
    CHECK_BOUNDED("kernel void k() { barrier(1); y = exp(x); if (y) return; }", true, 18 + 25);
    CHECK_BOUNDED("kernel void k() { y = fabs(x); }", true, 7);
    CHECK_BOUNDED("kernel void k() { y = (pow)(x, 2); }", true, 11 + 200);
    CHECK_BOUNDED("kernel void k() { y = sqrt(log2(x)); }", true, 10 + 20);
    CHECK_BOUNDED("kernel void k() { exp; y.pow = x; }", true, 8);                           /* no calls */
    CHECK_BOUNDED("float exp(float x) { 1; } kernel void k() { y = exp(x); }", true, 7 + 2); /* its own */
    CHECK_BOUNDED("float f(float x) { exp(x); } kernel void k() { f(f(x)); }", true, 8 + 2 * 30);
    CHECK_BOUNDED("kernel void k(float4 v) { y = sin(v); }", true, 7 + 4 * 50); /* a call for each lane */
    CHECK_BOUNDED("typedef double8 w; kernel void k() { w v = erf(u); }", true, 8 + 8 * 100);
    CHECK_BOUNDED("kernel void k() { printf(\"x\"); atomic_add(p, 1); read_imagef(i, s, c); }", true, 21 + 5210);
    CHECK_BOUNDED("kernel void k() { for (;;) {} }", false, 7);
    CHECK_BOUNDED("kernel void k() { while (1); }", false, 0);
    CHECK_BOUNDED("kernel void k() { do {} while (0); }", false, 0);
    CHECK_BOUNDED("kernel void k() { here: goto here; }", false, 0);
    CHECK_BOUNDED("#define REPEAT for(;;)\nkernel void k() { REPEAT; }", false, 0);
    CHECK_BOUNDED("int f() { for(;;); } kernel void k() { f(); }", false, 0);
    CHECK_BOUNDED("int f() { for(;;); } kernel void k() { (f)(); }", false, 0);
    CHECK_BOUNDED("int f() { for(;;); } kernel void k() { g(); }", true, 4);
    CHECK_BOUNDED("int g(); int f() { g(); } int g() { while(1); } kernel void k() { f(); }", false, 0);
    CHECK_BOUNDED("int f() { return f(); } kernel void k() { f(); }", false, SIZE_MAX);
    CHECK_BOUNDED("int f() { g(); } int g() { f(); } kernel void k() { g(); }", false, SIZE_MAX);
    CHECK_BOUNDED("int f() { return 1; } kernel void k() { f(); f(); }", true, 8 + 2 * 3);
    CHECK_BOUNDED("int h() { 1; } int f() { h(); h(); } kernel void k() { f(); }", true, 4 + 8 + 2 * 2);
    CHECK_BOUNDED("float f(float x) { 1; } float f(int x) { 1; 2; } kernel void k() { f(); }", true, 4 + 4);
    CHECK_BOUNDED("float f(float x) { for(;;); } float f(int x) { 1; } kernel void k() { f(); }", false, 0);
    CHECK_BOUNDED("float f(float x) { 1; } float f(int x) { for(;;); } kernel void k() { f(); }", false, 0);
    CHECK_BOUNDED("constant int t[] = {f(1), {for}}; kernel void k() { f(); }", true, 4);
    CHECK_BOUNDED("kernel void k() { x.format = before; \"for\"; /* for */ }", true, 8);
    CHECK_BOUNDED("#include \"more.h\"\nkernel void k() { x = 1; }", false, 4);
    CHECK_BOUNDED("#if 0\n#include \"more.h\"\n#endif\nkernel void k() { x = 1; }", true, 4);
    CHECK_BOUNDED("#ifdef cl_khr_fp64\n#define L\n#else\n#define L for(;;)\n#endif\nkernel void k() { L; }", false, 0);
    CHECK_BOUNDED("#ifdef cl_khr_fp64\n#define L\n#else\n#define L x\n#endif\nkernel void k() { L; }", true, 1);
    CHECK_BOUNDED("#ifdef MINE\n#define L for(;;)\n#else\n#define L\n#endif\nkernel void k() { L; }", true, 1);
}

/* A chain of 60 functions that call the one before twice: 2^60 of something, and a deep one of many. */
static void test_weight_of_chains(void)
{
    syc_text text = {0};
    syc_signatures s;

    syc_text_add(&text, "int f0() { a; b; c; d; e; f; g; h; }\n");
    for (int i = 1; i <= 70; i++)
        syc_text_add(&text, "int f%d() { f%d(); f%d(); }\n", i, i - 1, i - 1);
    syc_text_add(&text, "kernel void k() { f70(); }");
    s = parse(syc_text_get(&text), NULL);
    CHECK_EQUAL(s.count, 1);
    CHECK(s.items[0].bounded && s.items[0].weight == SIZE_MAX);
    syc_signatures_clear(&s);
    syc_text_clear(&text);

    syc_text_add(&text, "int f0() {}\n");
    for (int i = 1; i <= 20000; i++)
        syc_text_add(&text, "int f%d() { f%d(); }\n", i, i - 1);
    syc_text_add(&text, "kernel void k() { f20000(); }");
    s = parse(syc_text_get(&text), NULL);
    CHECK_EQUAL(s.count, 1);
    CHECK_EQUAL(s.items[0].weight, 4 * 20001);
    syc_signatures_clear(&s);
    syc_text_clear(&text);
}

static void check_needs(int line, const char *source, bool fp64, bool fp16)
{
    syc_signatures s = parse(source, NULL);
    const syc_signature *k = s.count > 0 ? &s.items[s.count - 1] : NULL;
    if (k == NULL || k->needs_fp64 != fp64 || k->needs_fp16 != fp16) {
        fprintf(stderr, "%s:%d: '%s': fp64 %d, fp16 %d\n", __FILE__, line, source, k ? k->needs_fp64 : -1,
                k ? k->needs_fp16 : -1);
        check__failures++;
    }
    syc_signatures_clear(&s);
}
#define CHECK_NEEDS(source, fp64, fp16) check_needs(__LINE__, source, fp64, fp16)

static void test_needs(void)
{
    CHECK_NEEDS("kernel void k(global float *x) { x[0] = 1.0 * 2.5e3; }", false, false);
    CHECK_NEEDS("kernel void k(global double *x) {}", true, false);
    CHECK_NEEDS("kernel void k(global float *x) { x[0] = (double)1; }", true, false);
    CHECK_NEEDS("kernel void k(global float *x) { double4 y; }", true, false);
    CHECK_NEEDS("kernel void k(long double x) {}", true, false);
    CHECK_NEEDS("typedef double real; kernel void k(global real *x) {}", true, false);
    CHECK_NEEDS("typedef double2 real; kernel void k() { real x; }", true, false);
    CHECK_NEEDS("typedef double real; kernel void k() { x.real = y->real + s.x.double_; }", false, false);
    CHECK_NEEDS("typedef struct { double x; } item; kernel void k(global item *x) {}", true, false);
    CHECK_NEEDS("struct item { double x; }; kernel void k(global struct item *x) {}", true, false);
    CHECK_NEEDS("double f(int x) { return x; } kernel void k() { f(); }", true, false);
    CHECK_NEEDS("double f(int x) { return x; } kernel void k() {}", false, false);
    CHECK_NEEDS("double f(int x) { return x; } int g() { f(1); } kernel void k() { g(); }", true, false);
    CHECK_NEEDS("kernel void k(half x) {}", false, true);
    CHECK_NEEDS("kernel void k(global half *x) {}", false, false);
    CHECK_NEEDS("kernel void k(global half x[]) {}", false, false);
    CHECK_NEEDS("kernel void k(global half const * restrict x) { vstore_half(vload_half(0, x), 1, x); }", false, false);
    CHECK_NEEDS("kernel void k(global half *x) { y = (global const half *)x; half_sqrt(1.f); }", false, false);
    CHECK_NEEDS("kernel void k(global half *x) { half h = x[0]; }", false, true);
    CHECK_NEEDS("kernel void k(global half *x) { half4 h; }", false, true);
    CHECK_NEEDS("kernel void k(global half *x) { int n = sizeof(half); }", false, false);
    CHECK_NEEDS("typedef half real; kernel void k(global real *x) {}", false, false);
    CHECK_NEEDS("typedef half real; kernel void k(global real *x) { real y; }", false, true);
    CHECK_NEEDS("typedef half real; kernel void k(real x) {}", false, true);
    CHECK_NEEDS("typedef struct { half s[2]; } item; kernel void k(item x) {}", false, true);
    CHECK_NEEDS("struct item { half2 s; }; kernel void k(const struct item x) {}", false, true);
    CHECK_NEEDS("typedef struct { half s[2]; } item; kernel void k(global item *x) {}", false, false);
    CHECK_NEEDS("typedef struct { global half *s; } item; kernel void k(item x) {}", false, false);
    CHECK_NEEDS("typedef global half *hp; kernel void k(hp x) { hp y = x; }", false, false);
}

int main(void)
{
    RUN(test_bounded);
    RUN(test_some_items_wait);
    RUN(test_waits);
    RUN(test_weight_of_chains);
    RUN(test_needs);
    return CHECK_EXIT_CODE;
}
