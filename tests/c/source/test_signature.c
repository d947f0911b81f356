/* Kernel signatures read from text: parameters in all their spellings, attributes, which functions are kernels. */
#include "source/declarations/signature.h"

#include "base/alloc.h"
#include "base/text.h"
#include "check.h"

static syc_signatures parse(const char *source, const char *options)
{
    syc_signatures out = {0};
    CHECK_OK(syc_signatures_parse(source, strlen(source), options, &out));
    return out;
}

/* One parameter in one fixed form: "global const float4 * restrict x [struct name] size/alignment". */
static char *described(const syc_param *p)
{
    static const char *const spaces[] = {"", "global ", "constant ", "local "};
    static const char *const accesses[] = {"", "read ", "write ", "read-write "};
    syc_text text = {0};
    syc_text_add(&text, "%s%s%s%s%s", accesses[p->access], spaces[p->space], p->is_const ? "const " : "",
                 p->is_volatile ? "volatile " : "", syc_dtype_name(p->type));
    if (p->width != 1)
        syc_text_add(&text, "%u", p->width);
    syc_text_add(&text, "%s%s %s", p->pointer ? " *" : "", p->is_restrict ? " restrict" : "", p->name);
    if (p->struct_name != NULL)
        syc_text_add(&text, " [%s]", p->struct_name);
    syc_text_add(&text, " %zu/%zu", p->size, p->alignment);
    return syc_text_take(&text);
}

/* The last parameter of the last kernel of `source`. */
static void check_last_param(int line, const char *source, const char *options, const char *expected)
{
    syc_signatures s = parse(source, options);
    const syc_signature *kernel = s.count > 0 ? &s.items[s.count - 1] : NULL;
    char *text = kernel != NULL && kernel->count > 0 ? described(&kernel->params[kernel->count - 1]) : NULL;
    if (text == NULL || strcmp(text, expected) != 0) {
        fprintf(stderr, "%s:%d: '%s' gives '%s', not '%s'\n", __FILE__, line, source, text ? text : "nothing",
                expected);
        check__failures++;
    }
    free(text);
    syc_signatures_clear(&s);
}

#define CHECK_LAST(source, expected) check_last_param(__LINE__, source, NULL, expected)
#define CHECK_PARAM(param, expected) CHECK_LAST("kernel void k(" param ") {}", expected)

static void test_pointers(void)
{
    CHECK_PARAM("__global const float * restrict x", "global const float * restrict x 4/4");
    CHECK_PARAM("const global float4 *x", "global const float4 * x 16/16");
    CHECK_PARAM("float const __global *x", "global const float * x 4/4");
    CHECK_PARAM("global float *__restrict__ x", "global float * restrict x 4/4");
    CHECK_PARAM("global float * const x", "global float * x 4/4");
    CHECK_PARAM("volatile __global int*x", "global volatile int * x 4/4");
    CHECK_PARAM("__local float *s", "local float * s 4/4");
    CHECK_PARAM("__constant int *t", "constant const int * t 4/4");
    CHECK_PARAM("global void *p", "global void * p 0/1");
    CHECK_PARAM("global float x[]", "global float * x 4/4");
    CHECK_PARAM("local float x[16][17]", "local float * x 4/4");
    CHECK_PARAM("global float (*x)[4]", "global float * x 4/4");
    CHECK_PARAM("global float **x", "global opaque * x [float *] 0/1");
    CHECK_PARAM("global float4 *x[2]", "global opaque * x [float4 *] 0/1");
    CHECK_PARAM("global half *h", "global half * h 2/2");
    CHECK_PARAM("__global\n/* in */ const // and\n float\\\n4 *x", "global const float4 * x 16/16");
    CHECK_PARAM("global bool *x", "global bool * x 1/1");
}

static void test_values(void)
{
    CHECK_PARAM("unsigned int n", "uint n 4/4");
    CHECK_PARAM("unsigned n", "uint n 4/4");
    CHECK_PARAM("unsigned long long n", "ulong n 8/8");
    CHECK_PARAM("long int unsigned n", "ulong n 8/8");
    CHECK_PARAM("signed char c", "char c 1/1");
    CHECK_PARAM("unsigned char c", "uchar c 1/1");
    CHECK_PARAM("short int s", "short s 2/2");
    CHECK_PARAM("short unsigned s", "ushort s 2/2");
    CHECK_PARAM("signed s", "int s 4/4");
    CHECK_PARAM("int const n", "const int n 4/4");
    CHECK_PARAM("size_t n", "ulong n 8/8");
    CHECK_PARAM("ptrdiff_t n", "long n 8/8");
    CHECK_PARAM("uint3 v", "uint3 v 16/16");
    CHECK_PARAM("double16 v", "double16 v 128/128");
    CHECK_PARAM("half2 v", "half2 v 4/4");
    CHECK_PARAM("char3 v", "char3 v 4/4");
    CHECK_PARAM("private float x", "float x 4/4");
    CHECK_PARAM("float __attribute__((unused)) x", "float x 4/4");
    CHECK_PARAM("float x __attribute__((unused))", "float x 4/4");
    CHECK_PARAM("global float x", "float x 4/4");
    CHECK_PARAM("int attribute", "int attribute 4/4");
    CHECK_PARAM("MAYBE_UNUSED float x", "float x 4/4");
    CHECK_PARAM("MAYBE_UNUSED unsigned x", "uint x 4/4");
    CHECK_PARAM("float", "float  4/4");
    CHECK_PARAM("global int *", "global int *  4/4");
    CHECK_PARAM("float, global int *restrict", "global int * restrict  4/4");
    CHECK_PARAM("volatile global atomic_uint *a", "global volatile uint * a 4/4");
    CHECK_PARAM("enum mode m", "int m 4/4");
}

static void test_structs_and_opaque(void)
{
    CHECK_PARAM("struct point p", "struct p [struct point] 0/1");
    CHECK_PARAM("global const struct point *p", "global const struct * p [struct point] 0/1");
    CHECK_PARAM("union u v", "struct v [union u] 0/1");
    CHECK_PARAM("read_only image2d_t img", "read opaque img [image2d_t] 0/1");
    CHECK_PARAM("image2d_t img", "read opaque img [image2d_t] 0/1");
    CHECK_PARAM("image1d_t write_only img", "write opaque img [image1d_t] 0/1");
    CHECK_PARAM("__read_write image3d_t img", "read-write opaque img [image3d_t] 0/1");
    CHECK_PARAM("__write_only image2d_array_t img", "write opaque img [image2d_array_t] 0/1");
    CHECK_PARAM("global image2d_t *img", "global opaque * img [image2d_t] 0/1");
    CHECK_PARAM("sampler_t s", "opaque s [sampler_t] 0/1");
    CHECK_PARAM("read_only pipe int p", "opaque p [pipe int] 0/1");
    CHECK_PARAM("int pipe", "int pipe 4/4");
    CHECK_PARAM("global thing *t", "global struct * t [thing] 0/1");
    CHECK_PARAM("thing t", "struct t [thing] 0/1");
}

#define ITEM "typedef struct {float x; int k;} item;\n"

static void test_typedefs(void)
{
    CHECK_LAST(ITEM "kernel void k(__global item *x) {}", "global struct * x [item] 8/4");
    CHECK_LAST(ITEM "kernel void k(__global item *x, item first) {}", "struct first [item] 8/4");
    CHECK_LAST("typedef struct point {int x;} point_t;\nkernel void k(point_t p) {}", "struct p [point_t] 4/4");
    CHECK_LAST("typedef float real;\n#define T real\nkernel void k(global T *x) {}", "global float * x 4/4");
    CHECK_LAST("typedef float real, *rp;\nkernel void k(real x) {}", "float x 4/4");
    CHECK_LAST("typedef unsigned int uint; kernel void k(uint x) {}", "uint x 4/4");
    CHECK_LAST("typedef global float *gp; kernel void k(const gp x) {}", "global float * x 4/4");
    CHECK_LAST("typedef const global float *gp; typedef gp gp2; kernel void k(gp2 x) {}", "global const float * x 4/4");
    CHECK_LAST("typedef global float *gp; kernel void k(global gp *x) {}", "global opaque * x [float *] 0/1");
    CHECK_LAST("typedef float row[4]; kernel void k(global row *x) {}", "global float * x 4/4");
    CHECK_LAST("typedef float row[4]; kernel void k(global row x) {}", "global float * x 4/4");
    CHECK_LAST("typedef float f4 __attribute__((ext_vector_type(4))); kernel void k(f4 x) {}", "float4 x 16/16");
    CHECK_LAST("typedef __attribute__((vector_size(16))) int i4; kernel void k(i4 x) {}", "int4 x 16/16");
    CHECK_LAST("typedef float f32v __attribute__((ext_vector_type(32))); kernel void k(f32v x) {}",
               "struct x [f32v] 0/1");
    CHECK_LAST("typedef enum {A, B = 3} mode; kernel void k(mode m) {}", "int m 4/4");
    CHECK_LAST("typedef float4 quad; kernel void k(global quad *x) {}", "global float4 * x 16/16");
    CHECK_LAST("typedef image2d_t picture; kernel void k(read_only picture p) {}", "read opaque p [image2d_t] 0/1");
    CHECK_LAST("typedef write_only image2d_t sink; kernel void k(sink p) {}", "write opaque p [image2d_t] 0/1");
}

/* Sizes by C's rule; 0 where only the compiler knows. */
static void test_struct_layouts(void)
{
#define CHECK_LAYOUT(declaration, expected) \
    CHECK_LAST(declaration "\nkernel void k(global s *x) {}", "global struct * x [s] " expected)
    CHECK_LAYOUT("typedef struct { char a; double b; char c; } s;", "24/8");
    CHECK_LAYOUT("typedef struct { char a, b[3], c[2][3]; short d; } s;", "12/2");
    CHECK_LAYOUT("typedef struct { float3 a; char b; } s;", "32/16");
    CHECK_LAYOUT("typedef struct { const unsigned long a; unsigned b; size_t c; } s;", "24/8");
    CHECK_LAYOUT("typedef unsigned long long big; typedef struct { big a; } s;", "0/1");
    CHECK_LAYOUT("typedef union { char a; float4 b; long c[3]; } s;", "32/16");
    CHECK_LAYOUT("struct in { short a; char b; }; typedef struct { struct in a[2]; char b; } s;", "10/2");
    CHECK_LAYOUT("typedef struct { struct { int a; } b; enum { P, Q } c; char d; } s;", "12/4");
    CHECK_LAYOUT("#define N 4\ntypedef struct { int a[N * 2 + 1]; bool b; half c; } s;", "40/4");
    CHECK_LAYOUT("typedef float real; typedef struct { real a; real b[3]; } t; typedef t s;", "16/4");
    CHECK_LAYOUT("typedef struct { int (a); int (b)[2]; } s;", "0/1");
    CHECK_LAYOUT("typedef struct { int a : 3; int b; } s;", "0/1");
    CHECK_LAYOUT("typedef struct __attribute__((packed)) { char a; int b; } s;", "0/1");
    CHECK_LAYOUT("typedef struct { char a; int b; } __attribute__((packed)) s;", "0/1");
    CHECK_LAYOUT("typedef struct { char a; int b; } s __attribute__((aligned(32)));", "0/1");
    CHECK_LAYOUT("typedef struct { char a __attribute__((aligned(8))); } s;", "0/1");
    CHECK_LAYOUT("typedef struct { struct __attribute__((packed)) { char a; int b; } c; } s;", "0/1");
    CHECK_LAYOUT("typedef struct { global int *a; } s;", "0/1");
    CHECK_LAYOUT("typedef struct { int a[sizeof(int)]; } s;", "0/1");
    CHECK_LAYOUT("typedef struct { unknown a; } s;", "0/1");
    CHECK_LAYOUT("typedef struct { int a; ; } s;", "0/1");
    CHECK_LAYOUT("typedef struct { } s;", "0/1");
    CHECK_LAYOUT("typedef struct { int a[4294967296][4294967296]; } s;", "0/1");
    CHECK_LAYOUT("#pragma pack(1)\ntypedef struct { char a; int b; } s;", "0/1");
    CHECK_LAYOUT("struct inner; typedef struct { struct inner a; } s;", "0/1");
    CHECK_LAYOUT("typedef struct { int a; } s[4];", "0/1");
#undef CHECK_LAYOUT
}

static void test_param_text(void)
{
    syc_signatures s = parse("#define T float\n"
                             "kernel void k( __global   const\n\tT*x /* in */ , uint  n,int) {}\n"
                             "kernel void none(void) {} kernel void empty() {}",
                             NULL);
    CHECK_EQUAL(s.count, 3);
    CHECK_EQUAL(s.items[0].count, 3);
    CHECK_STRING(s.items[0].params[0].text, "__global const float*x");
    CHECK_STRING(s.items[0].params[1].text, "uint n");
    CHECK_STRING(s.items[0].params[2].text, "int");
    CHECK_STRING(s.items[0].params[2].name, "");
    CHECK_EQUAL(s.items[0].line, 2);
    CHECK_EQUAL(s.items[1].line, 4);
    CHECK_EQUAL(s.items[1].count, 0);
    CHECK_EQUAL(s.items[2].count, 0);
    CHECK(syc_signatures_find(&s, "none") == &s.items[1]);
    CHECK(syc_signatures_find(&s, "non") == NULL);
    syc_signatures_clear(&s);
    CHECK_EQUAL(s.count, 0);
}

/* The names of all kernels, joined by blanks. */
static void check_names(int line, const char *source, const char *expected)
{
    syc_signatures s = parse(source, NULL);
    syc_text text = {0};
    for (size_t i = 0; i < s.count; i++)
        syc_text_add(&text, "%s%s", i ? " " : "", s.items[i].name);
    if (strcmp(syc_text_get(&text), expected) != 0) {
        fprintf(stderr, "%s:%d: '%s' has '%s', not '%s'\n", __FILE__, line, source, syc_text_get(&text), expected);
        check__failures++;
    }
    syc_text_clear(&text);
    syc_signatures_clear(&s);
}
#define CHECK_NAMES(source, expected) check_names(__LINE__, source, expected)

static void test_which_are_kernels(void)
{
    CHECK_NAMES("", "");
    CHECK_NAMES("kernel void a() {} __kernel void b() {} void c() {} kernel void d();", "a b");
    CHECK_NAMES("kernel void a(int x); kernel void a(int x) {} kernel void a(int);", "a");
    CHECK_NAMES("void kernel a() {} static inline int f(int x) { return x; } __kernel\nvoid b() {}", "a b");
    CHECK_NAMES("constant int t[] = {1, 2, 3}; struct p { int x; } q; kernel void a() {}", "a");
    CHECK_NAMES("struct p f(struct p x) { return x; } kernel void a() {}", "a");
    CHECK_NAMES("enum { A, B }; union u { int i; float f; }; kernel void a(union u x) {}", "a");
    CHECK_NAMES("constant char *s = \"{ kernel void no() {\"; kernel void a() { printf(\"}\"); } kernel void b() {}",
                "a b");
    CHECK_NAMES("/* kernel void no() {} */ // kernel void nor() {}\nkernel void a() {}", "a");
    CHECK_NAMES("extern \"C\" { kernel void a() {} } kernel void b() {}", "a b");
    CHECK_NAMES("kernel void (a)(int x) {}", "a");
    CHECK_NAMES("UNKNOWN(64) kernel void a(int x) {} kernel UNKNOWN(1) void b() {}", "a b");
    CHECK_NAMES("kernel void a() { { } kernel void b() {}", "a");
    CHECK_NAMES("} ) ] kernel void a() {}", "a");
    CHECK_NAMES("int x( } ); kernel void a() {}", "a");
    CHECK_NAMES("kernel void a() { ) } kernel void b() {}", "a b");
    CHECK_NAMES("kernel void a( { } kernel void b() {}", "");
    CHECK_NAMES("kernel void {} kernel a; kernel", "");
    CHECK_NAMES("_Static_assert(sizeof(int) == 4, \"int\"); kernel void a() {}", "a");
    CHECK_NAMES("kernel __attribute__((x(1))) void a() {} __attribute__((y)) kernel void b() {}", "a b");
}

static void test_generated_kernels(void)
{
    const char *source =
        "#define MAKE(T, ...) \\\n    __kernel void k_##T(__global T *x, const T##4 y) { __VA_ARGS__; }\n"
        "MAKE(float)\nMAKE(uint, for (;;) x[0]++)\n";
    syc_signatures s = parse(source, NULL);
    char *text;

    CHECK_EQUAL(s.count, 2);
    CHECK_STRING(s.items[0].name, "k_float");
    CHECK_EQUAL(s.items[0].line, 3);
    CHECK(s.items[0].bounded);
    CHECK_STRING(s.items[1].name, "k_uint");
    CHECK_EQUAL(s.items[1].line, 4);
    CHECK(!s.items[1].bounded);
    CHECK_STRING(s.items[1].params[0].text, "__global uint *x");
    text = described(&s.items[1].params[1]);
    CHECK_STRING(text, "const uint4 y 16/16");
    CHECK_STRING(s.items[1].params[1].text, "const uint4 y");
    free(text);
    syc_signatures_clear(&s);

    CHECK_NAMES("#if 0\nkernel void a() {}\n#else\nkernel void b() {}\n#endif\n", "b");
    CHECK_NAMES("#ifdef cl_khr_fp64\nkernel void a() {}\n#else\nkernel void a(int x) {}\n#endif\n", "a");
    check_last_param(__LINE__, "kernel void k(global T *x) {}", "-cl-mad-enable -DT=double", "global double * x 8/8");
    check_last_param(__LINE__, "kernel void k(global T x) {}", "-D \"T=const float4 *\"",
                     "global const float4 * x 16/16");
    check_last_param(__LINE__, "#ifdef BIG\n#define T ulong\n#else\n#define T uint\n#endif\nkernel void k(T x) {}",
                     "-DBIG", "ulong x 8/8");
}

static void test_refused(void)
{
    syc_signatures s = {0};
    const char twice[] = "kernel void a() {}\n\nkernel void a(int x) {}";

    CHECK_STATUS(syc_signatures_parse(twice, sizeof twice - 1, NULL, &s), SYC_E_INVALID_PARAMETER);
    CHECK_STRING(syc_detail_of(SYC_E_INVALID_PARAMETER).message,
                 "source defines kernel 'a' twice, in line 1 and in line 3; each kernel needs a name of its own");
    CHECK_STATUS(syc_signatures_parse("ab\0c", 4, NULL, &s), SYC_E_INVALID_PARAMETER);
    CHECK_STRING(syc_detail_of(SYC_E_INVALID_PARAMETER).message,
                 "source has a NUL byte at offset 2; OpenCL C text has none");
    CHECK_EQUAL(s.count, 0);
    CHECK(s.items == NULL);
    CHECK_OK(syc_signatures_parse(twice, 18, NULL, &s)); /* the length counts, not the NUL */
    CHECK_EQUAL(s.count, 1);
    syc_signatures_clear(&s);
}

static void check_group(int line, const char *source, const char *options, size_t x, size_t y, size_t z)
{
    syc_signatures s = parse(source, options);
    const size_t *g = s.count > 0 ? s.items[0].required_group : NULL;
    if (g == NULL || g[0] != x || g[1] != y || g[2] != z) {
        fprintf(stderr, "%s:%d: '%s': wrong work-group size\n", __FILE__, line, source);
        check__failures++;
    }
    syc_signatures_clear(&s);
}

static void test_required_group(void)
{
#define GROUP "__attribute__((reqd_work_group_size(8,4,1)))"
    check_group(__LINE__, "kernel " GROUP " void k() {}", NULL, 8, 4, 1);
    check_group(__LINE__, GROUP " kernel void k() {}", NULL, 8, 4, 1);
    check_group(__LINE__, "kernel void " GROUP " k(int x) {}", NULL, 8, 4, 1);
    check_group(__LINE__, "kernel void k(int x) " GROUP " {}", NULL, 8, 4, 1);
    check_group(__LINE__, "kernel void k() {} kernel " GROUP " void l() {}", NULL, 0, 0, 0);
    check_group(__LINE__,
                "#define X (1 << 3)\nkernel __attribute__((vec_type_hint(float), "
                "__reqd_work_group_size__(X, N / 2, 1))) void k() {}",
                "-DN=8", 8, 4, 1);
    check_group(__LINE__, "kernel __attribute__((reqd_work_group_size(8,unknown,1))) void k() {}", NULL, 0, 0, 0);
    check_group(__LINE__, "kernel __attribute__((reqd_work_group_size(8,4))) void k() {}", NULL, 0, 0, 0);
    check_group(__LINE__, "kernel __attribute__((reqd_work_group_size(8,4,1,1))) void k() {}", NULL, 0, 0, 0);
    check_group(__LINE__, "kernel __attribute__((reqd_work_group_size(8,-4,1))) void k() {}", NULL, 0, 0, 0);
}

/* Every allocation of one reading fails once: an error, no leak, nothing given out. */
static void test_no_memory(void)
{
    const char *source =
        "#define M(T) kernel void k_##T(global T *x, item i) { f(#T); }\ntypedef struct {int a;} item;\n"
        "void f(int x) {}\nM(int)\n#if defined(A) && A > 1\nM(float)\n#endif\n";
    long n = 1;
    for (;; n++) {
        syc_signatures s = {0};
        syc_status status;
        syc_alloc_fail_at(n);
        status = syc_signatures_parse(source, strlen(source), "-DA=2", &s);
        syc_alloc_fail_at(0);
        if (status == SYC_OK) {
            CHECK_EQUAL(s.count, 2);
            syc_signatures_clear(&s);
            break;
        }
        CHECK_EQUAL(status, SYC_E_MEMORY_ALLOCATION);
        CHECK(s.items == NULL);
    }
    CHECK(n > 10);
}

int main(void)
{
    RUN(test_pointers);
    RUN(test_values);
    RUN(test_structs_and_opaque);
    RUN(test_typedefs);
    RUN(test_struct_layouts);
    RUN(test_param_text);
    RUN(test_which_are_kernels);
    RUN(test_generated_kernels);
    RUN(test_refused);
    RUN(test_required_group);
    RUN(test_no_memory);
    return CHECK_EXIT_CODE;
}
