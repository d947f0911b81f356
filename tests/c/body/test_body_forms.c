/* What a body is made into: the text of each form, word by word where that is what users read. */
#include "body/body.h"

#include "base/alloc.h"
#include "base/refcount.h"
#include "body/name.h"
#include "body/shape.h"
#include "check.h"
#include "program/program.h"
#include "source/declarations/signature.h"

#include <pthread.h>

enum { MAX_NAMES = 8 };
static const syc_name all_names[] = {
    {.name = "x", .kind = SYC_NAME_GLOBAL, .type = "float", .size = 4, .readable = true, .rank = 1},
    {.name = "y", .kind = SYC_NAME_GLOBAL, .type = "float", .size = 4, .readable = true, .writable = true, .rank = 1},
    {.name = "d", .kind = SYC_NAME_GLOBAL, .type = "double", .size = 8, .readable = true, .writable = true, .rank = 1},
    {.name = "v", .kind = SYC_NAME_GLOBAL, .type = "int4", .size = 16, .readable = true, .writable = true, .rank = 1},
    {.name = "p", .kind = SYC_NAME_GLOBAL, .type = "pt", .size = 8, .readable = true, .writable = true, .rank = 1},
    {.name = "m", .kind = SYC_NAME_GLOBAL, .type = "float", .size = 4, .readable = true, .writable = true, .rank = 2},
    {.name = "c", .kind = SYC_NAME_GLOBAL, .type = "float", .size = 4, .readable = true, .writable = true, .rank = 3},
    {.name = "l", .kind = SYC_NAME_LOCAL, .type = "float", .size = 4, .rank = 2},
    {.name = "a", .kind = SYC_NAME_VALUE, .type = "float", .size = 4},
    {.name = "g", .kind = SYC_NAME_IMAGE, .type = "image2d_t", .readable = true},
    {.name = "w", .kind = SYC_NAME_IMAGE, .type = "image2d_t", .writable = true},
    {.name = "s", .kind = SYC_NAME_SAMPLER, .type = "sampler_t"},
};

static syc_body *body_of(const char *letters, const char *preamble, const char *text)
{
    syc_name names[MAX_NAMES];
    syc_body_source source = {
        .text = text, .preamble = preamble, .declarations = "typedef struct { float x, y; } pt;", .names = names};
    syc_body *body = NULL;
    for (; *letters != '\0'; letters++)
        for (size_t i = 0; i < sizeof all_names / sizeof *all_names; i++)
            if (all_names[i].name[0] == *letters)
                names[source.count++] = all_names[i];
    CHECK_OK(syc_body_create(&source, &body));
    return body;
}

/* The text behind the declarations. */
static const char *text_of(syc_body *body, const syc_form *form, const syc_lowered **out)
{
    static const char declarations[] = "pt;\n";
    const syc_lowered *lowered = NULL;
    const char *text;
    CHECK_OK(syc_body_lower(body, form, &lowered));
    if (lowered == NULL)
        return "";
    *out = lowered;
    text = strstr(syc_program_source(lowered->program, NULL), declarations);
    return text + sizeof declarations - 1;
}

static void check_text(int line, const char *letters, const char *preamble, const char *text, syc_form form,
                       const char *expected)
{
    syc_body *body = body_of(letters, preamble, text);
    const syc_lowered *lowered = NULL;
    const char *got = body != NULL ? text_of(body, &form, &lowered) : "";
    if (strcmp(got, expected) != 0) {
        fprintf(stderr, "%s:%d: got\n%s\nnot\n%s\n", __FILE__, line, got, expected);
        check__failures++;
    }
    syc_body_release(body);
}
#define CHECK_TEXT(letters, preamble, text, form, ...) check_text(__LINE__, letters, preamble, text, form, __VA_ARGS__)

/* -- item -- */

static void test_item_over_a_range(void)
{
    CHECK_TEXT("xya", NULL, "y[i] += a * x[i];", ((syc_form){.dims = 1}),
               "__kernel void body(__global const float *x, __global float *y, const float a, const ulong syc_range0)\n"
               "{\n"
               "    if (get_global_id(0) >= syc_range0)\n"
               "        return;\n"
               "    const long i = get_global_id(0);\n"
               "    {\n"
               "#line 1 \"body\"\n"
               "y[i] += a * x[i];\n"
               "#line 12 \"kernel.cl\"\n"
               "    }\n"
               "}\n");
    CHECK_TEXT("y", "float f() { return 1; }\n", "y[i] = f();\n", ((syc_form){.dims = 1, .offset = true}),
               "#line 1 \"preamble\"\n"
               "float f() { return 1; }\n"
               "#line 6 \"kernel.cl\"\n"
               "__kernel void body(__global float *y, const ulong syc_range0, const ulong syc_offset0)\n"
               "{\n"
               "    if (get_global_id(0) >= syc_range0)\n"
               "        return;\n"
               "    const long i = (get_global_id(0) + syc_offset0);\n"
               "    {\n"
               "#line 1 \"body\"\n"
               "y[i] = f();\n"
               "#line 15 \"kernel.cl\"\n"
               "    }\n"
               "}\n");
}

static void test_item_in_several_dimensions(void)
{
    CHECK_TEXT("mc", NULL, "m(i0, n1 - 1) = c(i2, i1, 0) + i;", ((syc_form){.dims = 3}),
               "#define m(i0_, i1_) m[(ulong)(i0_) * syc_pitch0_m + (ulong)(i1_)]\n"
               "#define c(i0_, i1_, i2_) c[(ulong)(i0_) * syc_pitch0_c + (ulong)(i1_) * syc_pitch1_c + (ulong)(i2_)]\n"
               "__kernel void body(__global float *m, __global const float *c, const ulong syc_range0, const ulong "
               "syc_range1, const ulong syc_range2, const ulong syc_pitch0_m, const ulong syc_pitch0_c, const ulong "
               "syc_pitch1_c)\n"
               "{\n"
               "    if (get_global_id(0) >= syc_range0 || get_global_id(1) >= syc_range1 || get_global_id(2) >= "
               "syc_range2)\n"
               "        return;\n"
               "    const long i = (get_global_id(2) * syc_range1 + get_global_id(1)) * syc_range0 + "
               "get_global_id(0);\n"
               "    const long i0 = get_global_id(2);\n"
               "    const long i1 = get_global_id(1);\n"
               "    const long i2 = get_global_id(0);\n"
               "    const long n1 = syc_range1;\n"
               "    {\n"
               "#line 1 \"body\"\n"
               "m(i0, n1 - 1) = c(i2, i1, 0) + i;\n"
               "#line 18 \"kernel.cl\"\n"
               "    }\n"
               "}\n");
    CHECK_TEXT("y", NULL, "y[0] = get_global_id(1) + get_global_linear_id() + get_global_offset(0);",
               ((syc_form){.dims = 2, .offset = true}),
               "__kernel void body(__global float *y, const ulong syc_range0, const ulong syc_range1, const ulong "
               "syc_offset0, const ulong syc_offset1)\n"
               "{\n"
               "    if (get_global_id(0) >= syc_range0 || get_global_id(1) >= syc_range1)\n"
               "        return;\n"
               "    const size_t syc_id0 = (get_global_id(0) + syc_offset0);\n"
               "    const size_t syc_id1 = (get_global_id(1) + syc_offset1);\n"
               "#define get_global_id(d_) ((d_) == 0 ? syc_id0 : (d_) == 1 ? syc_id1 : (size_t)0)\n"
               "#define get_global_offset(d_) ((d_) == 0 ? syc_offset0 : (d_) == 1 ? syc_offset1 : (size_t)0)\n"
               "#define get_global_linear_id() ((syc_id1 - syc_offset1) * syc_range0 + (syc_id0 - syc_offset0))\n"
               "    {\n"
               "#line 1 \"body\"\n"
               "y[0] = get_global_id(1) + get_global_linear_id() + get_global_offset(0);\n"
               "#line 16 \"kernel.cl\"\n"
               "    }\n"
               "}\n");
}

static void test_item_with_groups(void)
{
    CHECK_TEXT("xyl", NULL, "__local float t[4]; y[i] = l(i0, n1) + x[i1];",
               ((syc_form){.dims = 2, .grouped = true, .offset = true, .shape = SYC_SHAPE_LOOP}),
               "#define l(i0_, i1_) l[(ulong)(i0_) * syc_pitch0_l + (ulong)(i1_)]\n"
               "__kernel void body(__global const float *x, __global float *y, __local float *l, const ulong "
               "syc_pitch0_l)\n"
               "{\n"
               "    const long i = (get_global_id(1) - get_global_offset(1)) * get_global_size(0) + "
               "(get_global_id(0) - get_global_offset(0));\n"
               "    const long i0 = get_global_id(1);\n"
               "    const long i1 = get_global_id(0);\n"
               "    const long n1 = get_global_size(0);\n"
               "#line 1 \"body\"\n"
               "__local float t[4]; y[i] = l(i0, n1) + x[i1];\n"
               "#line 13 \"kernel.cl\"\n"
               "}\n");
}

static void test_a_single_task(void)
{
    CHECK_TEXT("ygws", NULL, "y[0] = read_imagef(g, s, (int2)(0, 0)).x; write_imagef(w, (int2)(0, 0), y[0]);",
               ((syc_form){.dims = 0, .offset = true}),
               "__kernel void body(__global float *y, read_only image2d_t g, write_only image2d_t w, sampler_t s)\n"
               "{\n"
               "    {\n"
               "#line 1 \"body\"\n"
               "y[0] = read_imagef(g, s, (int2)(0, 0)).x; write_imagef(w, (int2)(0, 0), y[0]);\n"
               "#line 9 \"kernel.cl\"\n"
               "    }\n"
               "}\n");
}

static void test_a_pointer_to_const_that_is_handed_on(void)
{
    CHECK_TEXT("xy", NULL, "y[i] = vload4(0, x).x;", ((syc_form){.dims = 0}),
               "#pragma clang diagnostic error \"-Wincompatible-pointer-types-discards-qualifiers\"\n"
               "__kernel void body(__global const float *x, __global float *y)\n"
               "{\n"
               "    {\n"
               "#line 1 \"body\"\n"
               "y[i] = vload4(0, x).x;\n"
               "#line 10 \"kernel.cl\"\n"
               "    }\n"
               "}\n");
}

/* -- loop -- */

static void test_loop(void)
{
    CHECK_TEXT("mya", NULL, "if (i1 > n0) return; y[i] = m(0, i1) * get_global_size(0) + a;",
               ((syc_form){.dims = 2, .offset = true, .shape = SYC_SHAPE_LOOP}),
               "#pragma clang diagnostic ignored \"-Wpass-failed\"\n"
               "#define m(i0_, i1_) m[(ulong)(i0_) * syc_pitch0_m + (ulong)(i1_)]\n"
               "static inline __attribute__((always_inline)) void syc_item(const long i, const long i1, __global "
               "const float *m, __global float *y, const float a, const ulong syc_range0, const ulong syc_range1, "
               "const ulong syc_pitch0_m)\n"
               "{\n"
               "    const long n0 = syc_range1;\n"
               "#define get_global_size(d_) ((d_) == 0 ? syc_range0 : (d_) == 1 ? syc_range1 : (size_t)1)\n"
               "    {\n"
               "#line 1 \"body\"\n"
               "if (i1 > n0) return; y[i] = m(0, i1) * get_global_size(0) + a;\n"
               "#line 13 \"kernel.cl\"\n"
               "    }\n"
               "}\n"
               "#undef get_global_size\n"
               "\n"
               "__kernel void body(__global const float *m, __global float *y, const float a, const ulong syc_range0, "
               "const ulong syc_range1, const ulong syc_offset0, const ulong syc_offset1, const ulong syc_run, const "
               "ulong syc_pitch0_m)\n"
               "{\n"
               "    if (get_global_id(1) >= syc_range1)\n"
               "        return;\n"
               "    const ulong syc_begin = get_global_id(0) * syc_run;\n"
               "    const ulong syc_end = syc_begin + syc_run < syc_range0 ? syc_begin + syc_run : syc_range0;\n"
               "#pragma clang loop vectorize(assume_safety) vectorize_width(16) interleave_count(4)\n"
               "    for (ulong syc_at = syc_begin; syc_at < syc_end; syc_at++)\n"
               "        syc_item((get_global_id(1) + syc_offset1) * syc_range0 + (syc_at + syc_offset0), (syc_at + "
               "syc_offset0), m, y, a, syc_range0, syc_range1, syc_pitch0_m);\n"
               "}\n");
}

/* -- wide -- */

static const syc_form wide = {.dims = 1, .shape = SYC_SHAPE_WIDE, .elements = 4};

static void test_wide(void)
{
    CHECK_TEXT("xda", NULL, "float x_i_ = v.x; d[i] += x [i]\n* a + x_i_;", wide,
               "#define d_i_ (*syc_own_d)\n"
               "static inline __attribute__((always_inline)) void syc_item(const long i, const float x_a_, double "
               "*syc_own_d, const float a)\n"
               "{\n"
               "    {\n"
               "#line 1 \"body\"\n"
               "float x_i_ = v.x; d_i_ += x_a_ \n"
               "* a + x_i_;\n"
               "#line 11 \"kernel.cl\"\n"
               "    }\n"
               "}\n"
               "\n"
               "__kernel void body(__global const float *x, __global double *d, const float a, const ulong "
               "syc_range0)\n"
               "{\n"
               "    const ulong syc_begin = get_global_id(0) * 4, syc_first = syc_begin;\n"
               "    if (syc_begin + 4 <= syc_range0) {\n"
               "        float syc_own_x[4];\n"
               "        double syc_own_d[4];\n"
               "        vstore4(vload4(0, x + syc_first + 0), 0, syc_own_x + 0);\n"
               "        vstore2(vload2(0, d + syc_first + 0), 0, syc_own_d + 0);\n"
               "        vstore2(vload2(0, d + syc_first + 2), 0, syc_own_d + 2);\n"
               "#pragma unroll\n"
               "        for (uint syc_k = 0; syc_k < 4; syc_k++) {\n"
               "            const ulong syc_at = syc_begin + syc_k;\n"
               "            syc_item(syc_at, syc_own_x[syc_k], &syc_own_d[syc_k], a);\n"
               "        }\n"
               "        vstore2(vload2(0, syc_own_d + 0), 0, d + syc_first + 0);\n"
               "        vstore2(vload2(0, syc_own_d + 2), 0, d + syc_first + 2);\n"
               "    } else {\n"
               "        for (ulong syc_at = syc_begin; syc_at < syc_range0; syc_at++) {\n"
               "            float syc_own_x = x[syc_at];\n"
               "            double syc_own_d = d[syc_at];\n"
               "            syc_item(syc_at, syc_own_x, &syc_own_d, a);\n"
               "            d[syc_at] = syc_own_d;\n"
               "        }\n"
               "    }\n"
               "}\n");
}

static bool widens(const char *letters, const char *text)
{
    syc_body *body = body_of(letters, NULL, text);
    const syc_lowered *lowered = NULL;
    bool can = body != NULL && syc_body_traits_of(body)->widens;
    if (!can)
        CHECK_STATUS(syc_body_lower(body, &wide, &lowered), SYC_E_KERNEL_NOT_SUPPORTED);
    syc_body_release(body);
    return can;
}

/* Elements are stored whether the text has written them or not, and loaded before it runs. */
static void test_what_widens(void)
{
    CHECK(widens("xy", "y[i] = x[i];"));
    CHECK(widens("yd", "float t = d[i]; ++y[i]; if (t > 3) y[i] = 0;"));
    CHECK(widens("xv", "v[i].x = x[i];"));
    CHECK(!widens("yx", "if (x[i] > 0) y[i] = 1;"));
    CHECK(!widens("yx", "if (x[i] > 0) return; y[i] = 1;"));
    CHECK(!widens("xy", "for (int k = 0; k < 3; k++) y[i] += x[i];"));
    CHECK(!widens("xyd", "y[i] = x[i]; d[i] = x[i];"));
    CHECK(!widens("xyd", "y[i] = 2; float t = x[i] + d[i];"));
    CHECK(!widens("xy", "y[i] = 2, x[i];"));
    CHECK(!widens("yp", "y[i] = p[i].x;"));
    CHECK(!widens("xy", "y[i] = x[i + 1];"));
    CHECK(!widens("x", "x[i];"));
}

/* An element that the text sets before anything else looks at it need not be loaded. */
static bool loads(const char *letters, const char *text, const char *load)
{
    syc_body *body = body_of(letters, NULL, text);
    const syc_lowered *lowered = NULL;
    bool has = strstr(text_of(body, &wide, &lowered), load) != NULL;
    syc_body_release(body);
    return has;
}

static void test_what_is_loaded(void)
{
    CHECK(!loads("xy", "y[i] = x[i];", "vload4(0, y"));
    CHECK(loads("xy", "y[i] = x[i];", "vload4(0, x"));
    CHECK(loads("xy", "y[i] = y[i] + x[i];", "vload4(0, y"));
    CHECK(loads("y", "y[i] += 1;", "vload4(0, y"));
    CHECK(loads("v", "v[i].x = 1;", "= v[syc_first + 3]"));
    CHECK(!loads("v", "v[i] = 1;", "= v[syc_first + 3]"));
    CHECK(loads("y", "float t = y[i]; y[i] = t;", "vload4(0, y"));
}

static void test_wide_is_refused_elsewhere(void)
{
    syc_form form = wide;
    const syc_lowered *lowered = NULL;
    syc_body *body = body_of("xy", NULL, "y[i] = x[i];");
    form.dims = 2;
    CHECK_STATUS(syc_body_lower(body, &form, &lowered), SYC_E_KERNEL_NOT_SUPPORTED);
    form = wide;
    form.checked = true;
    CHECK_STATUS(syc_body_lower(body, &form, &lowered), SYC_E_KERNEL_NOT_SUPPORTED);
    form = wide;
    form.elements = 3;
    CHECK_STATUS(syc_body_lower(body, &form, &lowered), SYC_E_INVALID_PARAMETER);
    CHECK_STRING(syc_detail_of(SYC_E_INVALID_PARAMETER).message,
                 "body: 3 elements for a work-item; expected 1, 2, 4, 8 or 16");
    syc_body_release(body);
}

/* -- checked -- */

static bool has_part(const char *letters, const char *text, const char *part)
{
    static const syc_form checked = {.dims = 1, .checked = true};
    syc_body *body = body_of(letters, NULL, text);
    const syc_lowered *lowered = NULL;
    bool has = strstr(text_of(body, &checked, &lowered), part) != NULL;
    if (!has)
        fprintf(stderr, "%s\n", text_of(body, &checked, &lowered));
    syc_body_release(body);
    return has;
}

static void test_checked(void)
{
    CHECK(has_part("xy", "y[i] = x[x[2] > 0];\n", "#line 1 \"body\"\ny(i) = x(x(2) > 0);\n#line"));
    CHECK(has_part("xy", "y[i] = v.x[3] + \\\n x [ i ];", "\ny(i) = v.x[3] + \\\n x ( i );\n"));
    CHECK(has_part("xy", "{ float x[2]; x[1] = 3; } y[i] = x[i];", "\n{ float x[2]; x[1] = 3; } y(i) = x(i);\n"));
    CHECK(has_part("xy", "y[i = x[1];", "\ny[i = x(1);\n"));
    CHECK(has_part("xy", "*y = *(x + 2 * i) + * ( x+ i - 1 );", "\n y(0) =   x ( 2 * i) +     x( i - 1 );\n"));
    CHECK(has_part("xy", "*(y + *(x + i)) = *x * 2; &*y;", "\n  y (   x ( i)) =  x(0) * 2; & y(0);\n"));
    CHECK(has_part("xy", "*(x + i - 1 + i); *(x + i, 1); *x++; *(x + i ? 1 : 2); y[i] = 1;",
                   "\n*(x + i - 1 + i); *(x + i, 1); *x++; *(x + i ? 1 : 2); y(i) = 1;\n"));
    CHECK(has_part(
        "xy", "vstore2(vload2(i * 2, x), get_global_id(0), y);",
        "\nvstore2(vload2(i * 2, syc_span_x(2, i * 2)), get_global_id(0), syc_span_y(2, get_global_id(0)));\n"));
    CHECK(has_part("xy", "vload2(f(i), x); vload4(i, x + 1); vload3(y[i], x);",
                   "\nvload2(f(i), x); vload4(i, x + 1); vload3(y(i), x);\n"));
    CHECK(has_part("xy", "#define X x[i]\ny[0] = X;", "\n#define X x(i)\n"));
    CHECK(has_part("xy", "y[i] = x[i];",
                   "#define x(...) (*syc_at1_x(x, syc_length_x, (ulong)(__VA_ARGS__), syc_faults, "
                   "__LINE__ | (uint)sizeof(#__VA_ARGS__) << 20))\n"));
    CHECK(has_part("m", "m(i, 0) = 1;",
                   "#define m(i0_, i1_) (*syc_at2_m(m, syc_length_m, syc_pitch0_m, (ulong)(i0_), (ulong)(i1_), "
                   "syc_faults, __LINE__ | (uint)sizeof(#i0_ #i1_) << 20))\n"));
    CHECK(has_part("c", "c(i, 0, 1) = c[2];",
                   "#define c(...) syc_pick_c(__VA_ARGS__, syc_all_c, syc_all_c, syc_one_c, 0)(__VA_ARGS__)\n"));
    CHECK(has_part("xy", "y[0] = x[i];",
                   "const ulong syc_range0, const ulong syc_length_x, const ulong syc_length_y, __global uint "
                   "*syc_faults)\n"));
}

/* -- the cache of forms -- */

static void test_hidden_parameters(void)
{
    static const syc_form form = {.dims = 2, .offset = true, .shape = SYC_SHAPE_LOOP, .checked = true};
    static const syc_hidden expected[] = {
        {SYC_HIDDEN_RANGE, 0, 0},  {SYC_HIDDEN_RANGE, 1, 0},  {SYC_HIDDEN_OFFSET, 0, 0}, {SYC_HIDDEN_OFFSET, 1, 0},
        {SYC_HIDDEN_RUN, 0, 0},    {SYC_HIDDEN_PITCH, 1, 0},  {SYC_HIDDEN_PITCH, 1, 1},  {SYC_HIDDEN_LENGTH, 0, 0},
        {SYC_HIDDEN_LENGTH, 1, 0}, {SYC_HIDDEN_FAULTS, 0, 0},
    };
    syc_body *body = body_of("yca", NULL, "y[i] = c(i0, i1, 0) + a;");
    const syc_lowered *lowered = NULL;
    CHECK_OK(syc_body_lower(body, &form, &lowered));
    CHECK_EQUAL(lowered->hidden_count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < lowered->hidden_count; i++)
        CHECK(memcmp(&lowered->hidden[i], &expected[i], sizeof expected[i]) == 0);
    CHECK_EQUAL(syc_program_signatures(lowered->program)->items[0].count, 3 + lowered->hidden_count);
    syc_body_release(body);
}

static void test_forms_are_made_once(void)
{
    syc_form form = {.dims = 1}, same = {.dims = 1, .elements = 7}, grouped = {.dims = 1, .grouped = true};
    syc_body *body = body_of("xy", NULL, "y[i] = x[i];");
    const syc_lowered *first = NULL, *again = NULL;
    CHECK_OK(syc_body_lower(body, &form, &first));
    CHECK_OK(syc_body_lower(body, &same, &again));
    CHECK(first == again);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_PROGRAM), 1);
    CHECK_OK(syc_body_lower(body, &grouped, &again));
    CHECK(first != again);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_PROGRAM), 2);
    syc_body_release(body);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_PROGRAM), 0);
}

enum { THREADS = 8, FORMS = 24 };

static void *lower_all(void *payload)
{
    syc_body *body = payload;
    for (unsigned n = 0; n < FORMS; n++) {
        syc_form form = {.shape = n % 3, .dims = n % 3 == 2 ? 1 : 1 + n / 3 % 3, .offset = n & 1, .elements = 4};
        const syc_lowered *lowered = NULL;
        CHECK_OK(syc_body_lower(body, &form, &lowered));
        CHECK(lowered != NULL && lowered->form.shape == form.shape && lowered->form.offset == form.offset);
    }
    return NULL;
}

static void test_many_threads(void)
{
    pthread_t threads[THREADS];
    syc_body *body = body_of("xy", NULL, "y[i] = x[i];");
    for (int i = 0; i < THREADS; i++)
        CHECK_EQUAL(pthread_create(&threads[i], NULL, lower_all, body), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_PROGRAM), 14);
    syc_body_release(body);
}

int main(void)
{
    RUN(test_item_over_a_range);
    RUN(test_item_in_several_dimensions);
    RUN(test_item_with_groups);
    RUN(test_a_single_task);
    RUN(test_a_pointer_to_const_that_is_handed_on);
    RUN(test_loop);
    RUN(test_wide);
    RUN(test_what_widens);
    RUN(test_what_is_loaded);
    RUN(test_wide_is_refused_elsewhere);
    RUN(test_checked);
    RUN(test_hidden_parameters);
    RUN(test_forms_are_made_once);
    RUN(test_many_threads);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_BODY), 0);
    return CHECK_EXIT_CODE;
}
