/* Bodies: what is read from their text, which are refused and with which words. */
#include "body/body.h"

#include "base/alloc.h"
#include "base/refcount.h"
#include "base/text.h"
#include "body/name.h"
#include "body/shape.h"
#include "check.h"

/* The names of a test: arrays of float x, y, z, the first read-only; of rank 2 m; an int array k; values a and b. */
static const syc_name all_names[] = {
    {.name = "x", .kind = SYC_NAME_GLOBAL, .type = "float", .size = 4, .readable = true, .rank = 1},
    {.name = "y", .kind = SYC_NAME_GLOBAL, .type = "float", .size = 4, .readable = true, .writable = true, .rank = 1},
    {.name = "z", .kind = SYC_NAME_GLOBAL, .type = "double", .size = 8, .readable = true, .writable = true, .rank = 1},
    {.name = "m", .kind = SYC_NAME_GLOBAL, .type = "float", .size = 4, .readable = true, .writable = true, .rank = 2},
    {.name = "k", .kind = SYC_NAME_GLOBAL, .type = "int", .size = 4, .readable = true, .writable = true, .rank = 1},
    {.name = "p", .kind = SYC_NAME_GLOBAL, .type = "pt", .size = 16, .readable = true, .writable = true, .rank = 1},
    {.name = "a", .kind = SYC_NAME_VALUE, .type = "float", .size = 4},
    {.name = "b", .kind = SYC_NAME_VALUE, .type = "int", .size = 4},
    {.name = "l", .kind = SYC_NAME_LOCAL, .type = "float", .size = 4, .rank = 1},
};

static const syc_name *name_of(char letter)
{
    for (size_t i = 0; i < sizeof all_names / sizeof *all_names; i++)
        if (all_names[i].name[0] == letter)
            return &all_names[i];
    abort();
}

/* A body whose names are the letters of `letters`. */
static syc_status make(const char *letters, const char *preamble, const char *text, syc_body **out)
{
    syc_name names[8];
    syc_body_source source = {.text = text, .preamble = preamble, .names = names};
    for (; *letters != '\0'; letters++)
        names[source.count++] = *name_of(*letters);
    return syc_body_create(&source, out);
}

static syc_body *made(const char *letters, const char *preamble, const char *text)
{
    syc_body *body = NULL;
    CHECK_OK(make(letters, preamble, text, &body));
    return body;
}

/* -- which names are written -- */

/* The letters of the names that the text may write. */
static void check_written(int line, const char *letters, const char *preamble, const char *text, const char *expected)
{
    syc_body *body = made(letters, preamble, text);
    char written[9] = "";
    size_t count = 0;
    for (size_t i = 0; body != NULL && letters[i] != '\0'; i++)
        if (syc_body_writes(body, i))
            written[count++] = letters[i];
    if (strcmp(written, expected) != 0) {
        fprintf(stderr, "%s:%d: '%s' writes '%s', not '%s'\n", __FILE__, line, text, written, expected);
        check__failures++;
    }
    syc_body_release(body);
}
#define CHECK_WRITTEN(letters, text, expected) check_written(__LINE__, letters, NULL, text, expected)

static void test_written_names(void)
{
    CHECK_WRITTEN("xya", "y[i] += a * x[i];", "y");
    CHECK_WRITTEN("yz", "z[i] = y[i];", "z");
    CHECK_WRITTEN("yz", "z[y[i] > 0 ? 1 : 0] = 3;", "z");
    CHECK_WRITTEN("yz", "y[i]++; --z[i];", "yz");
    CHECK_WRITTEN("yz", "(y[i]) = 1; z[i] == 2;", "y");
    CHECK_WRITTEN("yz", "(y[i])++; ++((z[i]));", "yz");
    CHECK_WRITTEN("yz", "if (y[i]) ++z[i];", "z");
    CHECK_WRITTEN("yz", "float *q = y; z[i] = 1;", "yz");
    CHECK_WRITTEN("yz", "z[i] = *(y + 1);", "yz");
    CHECK_WRITTEN("ky", "atomic_inc(&k[0]); y[i] = 0;", "ky");
    CHECK_WRITTEN("ky", "y[i] = b & k[i];", "y");
    CHECK_WRITTEN("ky", "y[i] = (i) & k[i];", "y");
    CHECK_WRITTEN("ky", "y[i] = *(volatile __global int *)&k[i];", "ky");
    CHECK_WRITTEN("ky", "y[i] = (int)&k[i] + 1;", "ky");
    CHECK_WRITTEN("ky", "y[i] = f(b, &k[i]);", "ky");
    CHECK_WRITTEN("my", "y[i] = m(i0, i1);", "y");
    CHECK_WRITTEN("my", "m(i0, i1) = y[i];", "m");
    CHECK_WRITTEN("my", "m(i0, i1) <<= y[i]; m[3] = 1;", "m");
    CHECK_WRITTEN("yp", "y[i] = p[i].x; ", "y");
    CHECK_WRITTEN("yp", "p[i].x[2].z = y[i];", "p");
    CHECK_WRITTEN("yz", "float4 v; v.y = z[i]; v.z = y[2];", "");
    CHECK_WRITTEN("yz", "float4 v; v.y = z[i];\n#define y 3\n z[0] = 1;", "z");
}

static void test_macros_are_seen_through(void)
{
    check_written(__LINE__, "yz", "#define SWAP(p, q) { float t = p; p = q; q = t; }\n", "SWAP(y[i], z[i])", "yz");
    check_written(__LINE__, "yz", "#define SQUARE(y) ((y) * (y))\n", "z[i] = SQUARE(y[i]);", "z");
    check_written(__LINE__, "yz", "#define SET y[0] =\n", "SET z[i];", "y");
    check_written(__LINE__, "yz", "float f(float y) { y = 3; return y; }\n", "z[i] = f(y[i]);", "z");
    check_written(__LINE__, "yz", "#include \"unknown.h\"\n", "z[i] = y[i];", "yz");
}

/* -- traits -- */

static syc_body_traits traits_of(const char *letters, const char *preamble, const char *text)
{
    syc_body *body = made(letters, preamble, text);
    syc_body_traits traits = {0};
    if (body != NULL)
        traits = *syc_body_traits_of(body);
    syc_body_release(body);
    return traits;
}

static void test_elementwise(void)
{
    syc_body_traits t = traits_of("xya", NULL, "y[i] += a * x[i];");
    CHECK(t.elementwise && !t.grouped && !t.loops && !t.returns);
    CHECK_EQUAL(t.read_bytes, 8);
    CHECK_EQUAL(t.written_bytes, 4);
    t = traits_of("xz", NULL, "z[ i ] = x[i];");
    CHECK_EQUAL(t.read_bytes, 4);
    CHECK_EQUAL(t.written_bytes, 8);
    CHECK(t.elementwise);
    CHECK(!traits_of("xy", NULL, "y[i] = x[i + 1];").elementwise);
    CHECK(!traits_of("xy", NULL, "y[i] = x[0];").elementwise);
    CHECK(!traits_of("xy", NULL, "for (int i = 0; i < 3; i++) y[i] = x[i];").elementwise);
    CHECK(!traits_of("xy", NULL, "{ int i; y[i] = x[i]; }").elementwise);
    CHECK(!traits_of("xy", NULL, "f(&y[i]); y[i] = x[i];").elementwise);
    CHECK(!traits_of("xy", "#define GET x[i]\n", "y[i] = GET;").elementwise);
    CHECK(!traits_of("xy", "#define GET(p) p[i]\n", "y[i] = GET(x);").elementwise);
    CHECK(traits_of("xy", "#define SQUARE(x) ((x) * (x))\n", "y[i] = SQUARE(x[i]);").elementwise);
    CHECK(!traits_of("xy", NULL, "#define Y y[i]\nY = x[i];").elementwise);
    CHECK(!traits_of("ab", NULL, "printf(\"%f\", a + b);").elementwise);
}

static bool keeps(const char *preamble, const char *text)
{
    return traits_of("xy", preamble, text).keeps;
}

/* Vectorisers take the own memory of all turns of a loop for one. */
static void test_memory_of_its_own(void)
{
    CHECK(keeps(NULL, "float t[2]; y[i] = x[i];"));
    CHECK(keeps(NULL, "float a = x[i], t[2] = {a}; y[i] = x[i];"));
    CHECK(keeps(NULL, "int t[2] = {1, 2}, u = 3, v[2]; y[i] = x[i];"));
    CHECK(keeps(NULL, "if (x[i] > 0) { } const float t[] = {1}; y[i] = x[i];"));
    CHECK(keeps(NULL, "__global float *t[2]; y[i] = x[i];"));
    CHECK(keeps(NULL, "unsigned char *t[2]; y[i] = x[i];"));
    CHECK(keeps("typedef float number;\n", "number t[2]; y[i] = x[i];"));
    CHECK(keeps("typedef float number;\n", "number *t[2]; y[i] = x[i];"));
    CHECK(keeps(NULL, "for (int k = 0, t[3]; k < 3; k++) y[i] = x[i];"));
    CHECK(keeps(NULL, "y[i] = ((float[2]){x[i], 1})[1];"));
    CHECK(keeps(NULL, "float a = x[i]; y[i] = *(&a);"));
    CHECK(keeps(NULL, "float a; y[i] = fract(x[i], &a);"));
    CHECK(keeps(NULL, "{ float y; f(&y[i]); } y[i] = x[i];"));
    CHECK(keeps("float f(float a) { float t[2] = {a}; return t[0]; }\n", "y[i] = f(x[i]);"));
    CHECK(keeps("float g(float *p) { return *p; } float f(float a) { return g(&a); }\n", "y[i] = f(x[i]);"));
    CHECK(keeps("struct s { int a; float t[2]; };\n", "struct s v; y[i] = x[i];"));
    CHECK(keeps("typedef union __attribute__((aligned(8))) u { int a; float t[2]; } u;\n", "u v; y[i] = x[i];"));
    CHECK(keeps("#define T float t[2];\n", "T y[i] = x[i];"));
    CHECK(keeps(NULL, "#if 1\nfloat t[2];\n#endif\ny[i] = x[i];"));

    CHECK(!keeps(NULL, "y[i] = x[i] * y[i + 1];"));
    CHECK(!keeps(NULL, "float a = 2 * x[i], b = a * x[i], c; y[i] = x[i & 3] + b;"));
    CHECK(!keeps(NULL, "f(a, x[i]); atomic_inc(&x[i]); atomic_inc((&(y[i])));"));
    CHECK(!keeps("__constant float w[2] = {1, 2};\n", "float a = x[i] * w[0], b = w[1] + a; y[i] = a * w[1];"));
    CHECK(!keeps("float f(__global const float *p) { return p[0] + 2 * p[1]; }\n", "y[i] = f(x);"));
    CHECK(!keeps("float f(float a) { float t[2] = {a}; return t[0]; }\n", "y[i] = x[i];"));
    CHECK(!keeps(NULL, "__global float *p = x + 3; y[i] = p[i];"));
    CHECK(!keeps(NULL, "__local float t[4]; __local float *p; y[i] = x[i] * t[3];"));
    CHECK(!keeps("struct s f(int a) { return (struct s){x[a]}; }\n", "y[i] = x[i];"));
    CHECK(!keeps(NULL, "y[i] = x[i] > 0 ? x[i] : y[0]; return;"));
}

static void test_loops_and_returns(void)
{
    syc_body_traits t = traits_of("xy", NULL, "if (i > 3) return; y[i] = x[i];");
    CHECK(t.returns && !t.loops);
    CHECK(traits_of("xy", NULL, "for (;;) y[i] = x[i];").loops);
    CHECK(traits_of("xy", "float f(float v) { while (v > 1) v *= 0.5f; return v; }", "y[i] = f(x[i]);").loops);
    CHECK(!traits_of("xy", "float f(float v) { while (v > 1) v *= 0.5f; return v; }", "y[i] = x[i];").loops);
    CHECK(!traits_of("xy", "float f(float v) { return v; }", "y[i] = f(x[i]);").returns);
    CHECK_EQUAL(traits_of("y", NULL, "y[i] = 1;").weight, 7);
    CHECK_EQUAL(traits_of("y", "int f() { return 1; }", "y[i] = f();").weight, 12);
}

static void test_groups(void)
{
    CHECK(traits_of("y", NULL, "barrier(CLK_LOCAL_MEM_FENCE); y[i] = 1;").grouped);
    CHECK(traits_of("y", NULL, "y[i] = local_id(0);").grouped);
    CHECK(traits_of("y", NULL, "__local float t[4]; y[i] = 1;").grouped);
    CHECK(traits_of("yl", NULL, "y[i] = l[0];").grouped);
    CHECK(traits_of("y", "void f() { barrier(1); }", "f(); y[i] = 1;").grouped);
    CHECK(!traits_of("y", "void f() { barrier(1); }", "y[i] = 1;").grouped);
    CHECK(traits_of("y", "int f() { return get_global_id(0); }", "y[i] = f();").grouped);
    CHECK(!traits_of("y", NULL, "y[i] = get_global_id(0) + get_global_size(0);").grouped);
    CHECK(!traits_of("yp", NULL, "y[i] = p[i].barrier;").grouped);
}

/* -- refusals -- */

static void check_refused(int line, syc_status expected, const char *letters, const char *text, const char *words)
{
    syc_body *body = NULL;
    syc_status status = make(letters, NULL, text, &body);
    if (status != expected || strcmp(syc_detail_of(status).message, words) != 0) {
        fprintf(stderr, "%s:%d: '%s' gives %s: '%s'\n", __FILE__, line, text, syc_status_errc(status),
                status ? syc_detail_of(status).message : "");
        check__failures++;
    }
    syc_body_release(body);
}
#define CHECK_REFUSED(status, letters, text, words) check_refused(__LINE__, status, letters, text, words)

static void test_refusals(void)
{
    CHECK_REFUSED(SYC_E_INVALID_PARAMETER, "", " \n\t", "body: there is no text");
    CHECK_REFUSED(SYC_E_KERNEL_ARGUMENT, "xy", "y[i] = 1;",
                  "body: unknown name 'x': an argument of that name is given, and the text does not use it");
    CHECK_REFUSED(
        SYC_E_KERNEL_ARGUMENT, "xy", "y[i] = 1;\nif (i > 2)\n\tx[i] = 2;",
        "body: 'x' is read-only, and the body writes to it at line 3, column 2\n    3 | \tx[i] = 2;\n      | \t^");
    CHECK_REFUSED(SYC_E_KERNEL_ARGUMENT, "yy", "y[i] = 1;", "body: argument 'y' is given twice");
    CHECK_REFUSED(SYC_E_BUILD, "y", "y[i] = 1;\n  } y[i] = 2;",
                  "body:2:3: this '}' closes nothing\n    2 |   } y[i] = 2;\n      |   ^");
    CHECK_REFUSED(SYC_E_BUILD, "y", "if (i) { y[i] = 1;",
                  "body:1:8: this '{' is not closed\n    1 | if (i) { y[i] = 1;\n      |        ^");
    CHECK_REFUSED(SYC_E_BUILD, "y", "y[i] = 1; /* ", "body: a comment, an #if or a bracket is left open");
}

static void check_name_refused(const char *name, const char *words)
{
    syc_name given = {.name = name, .kind = SYC_NAME_VALUE, .type = "float", .size = 4};
    syc_body_source source = {.text = "f();", .names = &given, .count = 1};
    syc_body *body = NULL;
    CHECK_STATUS(syc_body_create(&source, &body), SYC_E_KERNEL_ARGUMENT);
    CHECK_STRING(syc_detail_of(SYC_E_KERNEL_ARGUMENT).message, words);
}

static void test_refused_names(void)
{
    check_name_refused("2x", "body: an argument cannot be named '2x': it is no C identifier");
    check_name_refused("", "body: an argument cannot be named '': it is no C identifier");
    check_name_refused("a b", "body: an argument cannot be named 'a b': it is no C identifier");
    check_name_refused("i",
                       "body: an argument cannot be named 'i': in a body that is the linear id; choose another name");
    check_name_refused("float",
                       "body: an argument cannot be named 'float': that is a word of OpenCL C; choose another name");
    check_name_refused("half8",
                       "body: an argument cannot be named 'half8': that is a word of OpenCL C; choose another name");
    check_name_refused("return",
                       "body: an argument cannot be named 'return': that is a word of OpenCL C; choose another name");
    check_name_refused("__global",
                       "body: an argument cannot be named '__global': that is a word of OpenCL C; choose another name");
    check_name_refused("syc_x",
                       "body: an argument cannot be named 'syc_x': names that begin with 'syc_' belong to pysycl");
}

static void test_preamble_without_kernels(void)
{
    syc_body *body = NULL;
    CHECK_STATUS(make("y", "kernel void other(global int *q) { q[0] = 1; }", "y[i] = 1;", &body),
                 SYC_E_INVALID_PARAMETER);
    CHECK_STRING(
        syc_detail_of(SYC_E_INVALID_PARAMETER).message,
        "preamble: it defines the kernel 'other', but helper functions are meant: a text with kernels of its own "
        "is a Program");
    CHECK_STATUS(make("y", "float f() { ", "y[i] = 1;", &body), SYC_E_BUILD);
    CHECK_STRING(syc_detail_of(SYC_E_BUILD).message, "preamble: a comment, an #if or a bracket is left open");
}

static void test_groups_need_an_nd_range(void)
{
    static const syc_form plain = {.dims = 1}, task = {.dims = 0}, grouped = {.dims = 1, .grouped = true};
    const syc_lowered *lowered = NULL;
    syc_body *body = made("y", NULL, "y[i] = 1;\n  barrier(CLK_GLOBAL_MEM_FENCE);");
    CHECK_STATUS(syc_body_lower(body, &plain, &lowered), SYC_E_ND_RANGE);
    CHECK_STRING(
        syc_detail_of(SYC_E_ND_RANGE).message,
        "body: 'barrier' at line 2, column 3 needs work-groups, and a plain range has none of its own: use an NdRange\n"
        "    2 |   barrier(CLK_GLOBAL_MEM_FENCE);\n      |   ^");
    CHECK_STATUS(syc_body_lower(body, &task, &lowered), SYC_E_ND_RANGE);
    CHECK_OK(syc_body_lower(body, &grouped, &lowered));
    syc_body_release(body);
    body = made("yl", NULL, "y[i] = l[0];");
    CHECK_STATUS(syc_body_lower(body, &plain, &lowered), SYC_E_ND_RANGE);
    CHECK_STRING(
        syc_detail_of(SYC_E_ND_RANGE).message,
        "body: 'l' is local memory, which belongs to a work-group, and a plain range has no work-groups of its own: "
        "use an NdRange");
    syc_body_release(body);
}

/* -- life -- */

static void test_allocations_may_fail(void)
{
    static const syc_form form = {.dims = 2, .shape = SYC_SHAPE_LOOP, .offset = true};
    const syc_lowered *lowered;
    for (long n = 1;; n++) {
        syc_body *body = NULL;
        syc_status status;
        syc_alloc_fail_at(n);
        status = make("xym", "float f(float v) { return v; }", "y[i] += f(x[i]) + m(i0, n1);", &body);
        if (status == SYC_OK)
            status = syc_body_lower(body, &form, &lowered);
        syc_alloc_fail_at(0);
        syc_body_release(body);
        if (status == SYC_OK)
            break;
        CHECK_EQUAL(status, SYC_E_MEMORY_ALLOCATION);
        CHECK(n < 10000);
    }
    CHECK_EQUAL(syc_live_count(SYC_LIVE_BODY), 0);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_PROGRAM), 0);
}

int main(void)
{
    RUN(test_written_names);
    RUN(test_macros_are_seen_through);
    RUN(test_elementwise);
    RUN(test_memory_of_its_own);
    RUN(test_loops_and_returns);
    RUN(test_groups);
    RUN(test_refusals);
    RUN(test_refused_names);
    RUN(test_preamble_without_kernels);
    RUN(test_groups_need_an_nd_range);
    RUN(test_allocations_may_fail);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_BODY), 0);
    return CHECK_EXIT_CODE;
}
