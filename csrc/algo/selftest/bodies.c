/* Trials of bodies: a text in one form, and the answers that the host has for it. */
#include "algo/selftest/parts.h"

#include "algo/lower/lower.h"
#include "base/alloc.h"
#include "cl/device.h"

#include <string.h>

/* Numbers of elements that no run, vector or group divides. */
enum { COUNT = 1003, RUN = 320, NEIGHBOURS = 4, WIDTH = 64, GROUP = 16, GROUPS = 5, APART = 2048 };
enum { ROW_RUN = 16, ROWS_0 = 5, ROWS_1 = 7, ROWS_2 = 29 };

static uint32_t given(size_t i, uint32_t which)
{
    return syc__selftest_number((uint32_t)i + which * APART);
}

static bool wrong(const char *what, size_t i, double got, double expected, syc_text *words)
{
    syc_text_add(words, "%s of element %zu is %.9g, not %.9g", what, i, got, expected);
    return false;
}

/* The results of a text in y and f, of a uint and of a float. */
static bool check_element(const syc__trial *trial, size_t i, uint32_t number, float real, syc_text *words)
{
    const uint32_t *y = trial->buffers[1].bytes;
    const float *f = trial->buffers[2].bytes;
    if (y[i] != number)
        return wrong("a uint", i, y[i], number, words);
    if (f[i] != real)
        return wrong("a float", i, (double)f[i], (double)real, words);
    return true;
}

static float real_given(size_t i)
{
    return (float)(given(i, 2) & 1023);
}

/* -- whole numbers: choices, an inner loop, an early end, another's element -- */

/* Extremes beside a `not`, which Intel's compiler loses behind the last whole vector, and of a negation, which NVIDIA's
 * assembler loses (program/cures/intel_ones.h, nvidia_minus.h). */
#define EXTREMES                 \
    "s[i] = max(~s[i], s[i]);\n" \
    "u[i] = ~max(u[i], x[i]);\n" \
    "w[i] = min(~w[i], w[i]);\n" \
    "t[i] = min(min((int)(x[i] & 65535), -t[i]), (int)(x[i] >> 16));\n"

#define NUMBER_MIDDLE                      \
    EXTREMES                               \
    "for (uint k = 0; k < (v & 7); k++)\n" \
    "    a = a * 5 + k;\n"                 \
    "if (v % 11 == 0)\n"                   \
    "    return;\n"                        \
    "if (v % 7 < 3)\n"                     \
    "    y[i] = a / 3;\n"                  \
    "else\n"
static const char number_text[] =
    "uint v = x[i] * 3u + (uint)i, a = x[n0 - 1 - i] >> 3;\n" NUMBER_MIDDLE "    y[i] = a ^ v;\n"
    "f[i] = f[i] * 0.5f + (float)(v & 255);";
/* The same in three dimensions: elements by their subscripts, and each of the ids. */
static const char rows_text[] =
    "uint v = x(i0, i1, i2) * 3u + (uint)i, a = (uint)(i0 * 64 + i1 * 8 + i2);\n" NUMBER_MIDDLE
    "    y(i0, i1, i2) = a ^ v;\n"
    "f[i] = f[i] * 0.5f + (float)(v & 255);";

static int32_t signed_given(size_t i)
{
    uint32_t bits = given(i, 3);
    return bits >> 31 ? -(int32_t)~bits - 1 : (int32_t)bits;
}

static int64_t long_given(size_t i)
{
    return (int64_t)signed_given(i) * ((int64_t)1 << 32) + given(i, 4);
}

/* Less than 0, so that it is seen where a minus is lost. */
static int32_t negative_given(size_t i)
{
    return -1 - (int32_t)(given(i, 5) & 65535);
}

static bool check_extremes(const syc__trial *trial, size_t i, syc_text *words)
{
    const int32_t *s = trial->buffers[3].bytes, number = signed_given(i);
    const uint32_t *u = trial->buffers[4].bytes, larger = given(i, 4) > given(i, 0) ? given(i, 4) : given(i, 0);
    const int64_t *w = trial->buffers[5].bytes, wide = long_given(i);
    const int32_t *t = trial->buffers[6].bytes, low = (int32_t)(given(i, 0) & 65535),
                  high = (int32_t)(given(i, 0) >> 16);
    const int32_t lower = low < high ? low : high, least = -negative_given(i) < lower ? -negative_given(i) : lower;

    if (s[i] != (number < 0 ? ~number : number))
        return wrong("max(~x, x)", i, s[i], number < 0 ? ~number : number, words);
    if (u[i] != ~larger)
        return wrong("~max(x, y)", i, u[i], ~larger, words);
    if (w[i] != (wide < 0 ? wide : ~wide))
        return wrong("min(~x, x)", i, (double)w[i], (double)(wide < 0 ? wide : ~wide), words);
    if (t[i] != least)
        return wrong("min(min(x, -y), z)", i, t[i], least, words);
    return true;
}

static bool check_number(const syc__trial *trial, size_t i, uint32_t a, syc_text *words)
{
    uint32_t v = given(i, 0) * 3 + (uint32_t)i, number = given(i, 1);
    float real = real_given(i);
    for (uint32_t k = 0; k < (v & 7); k++)
        a = a * 5 + k;
    if (v % 11 != 0) {
        number = v % 7 < 3 ? a / 3 : a ^ v;
        real = real * 0.5f + (float)(v & 255);
    }
    return check_element(trial, i, number, real, words) && check_extremes(trial, i, words);
}

static bool check_numbers(const syc__trial *trial, syc_text *words)
{
    for (size_t i = 0; i < COUNT; i++)
        if (!check_number(trial, i, given(COUNT - 1 - i, 0) >> 3, words))
            return false;
    return true;
}

static bool check_rows(const syc__trial *trial, syc_text *words)
{
    for (size_t i = 0; i < ROWS_0 * ROWS_1 * ROWS_2; i++)
        if (!check_number(trial, i, (uint32_t)(i / (ROWS_1 * ROWS_2) * 64 + i / ROWS_2 % ROWS_1 * 8 + i % ROWS_2),
                          words))
            return false;
    return true;
}

/* -- memory of each item's own: PoCL's compiler takes that of all turns of a loop for one -- */

static const char memory_text[] = "uint t[2];\n"
                                  "t[0] = x[i];\n"
                                  "t[1] = (uint)i;\n"
                                  "t[x[i] >> 31] += 7;\n"
                                  "y[i] = t[x[i] >> 30 & 1] + 3 * t[0];\n"
                                  "f[i] += 1.0f;";

static bool check_memory(const syc__trial *trial, syc_text *words)
{
    for (size_t i = 0; i < COUNT; i++) {
        uint32_t x = given(i, 0), t[2] = {x, (uint32_t)i};
        t[x >> 31] += 7;
        if (!check_element(trial, i, t[x >> 30 & 1] + 3 * t[0], real_given(i) + 1, words))
            return false;
    }
    return true;
}

/* -- neighbours -- */

/* Its form is for texts that write to one name. */
static const char wide_text[] = "uint v = x[i] * 5u + (uint)i;\n"
                                "float w = f[i] * 0.5f + (float)(v & 255);\n"
                                "y[i] = v % 7 < 3 ? (uint)w : v ^ 0x55555555u;";

static bool check_wide(const syc__trial *trial, syc_text *words)
{
    for (size_t i = 0; i < COUNT; i++) {
        uint32_t v = given(i, 0) * 5 + (uint32_t)i;
        float w = real_given(i) * 0.5f + (float)(v & 255);
        if (!check_element(trial, i, v % 7 < 3 ? (uint32_t)w : v ^ 0x55555555u, real_given(i), words))
            return false;
    }
    return true;
}

/* -- built-ins on vectors: PoCL's are wrong beside lanes that take another way (body/write/pack_words.c) -- */

static const char float_text[] = "float a = sin(x[i]), b = exp(z[i]), c = log(w[i]), d = pow(w[i], z[i]);\n"
                                 "y[i] = k[i] < 0.5f ? a : k[i] < 1.5f ? b : k[i] < 2.5f ? c : d;";
static const char double_text[] = "double a = sin(x[i]), b = exp(z[i]), c = log(w[i]), d = pow(w[i], z[i]);\n"
                                  "y[i] = k[i] < 0.5 ? a : k[i] < 1.5 ? b : k[i] < 2.5 ? c : d;";

enum { REALS = 5, CHOICES = 4 }; /* x, z, w, which is chosen, and where it goes */

/* OpenCL allows 16 units in the last place to pow, less to the others. */
static bool is_near(double got, double expected, double unit)
{
    double apart = got > expected ? got - expected : expected - got;
    double size = expected < 0 ? -expected : expected;
    return apart <= 17 * unit * size; /* no NaN is */
}

static double real_at(const syc__trial *trial, size_t buffer, size_t i)
{
    return trial->items == sizeof(float) ? (double)((const float *)trial->buffers[buffer].bytes)[i]
                                         : ((const double *)trial->buffers[buffer].bytes)[i];
}

static bool check_vectors(const syc__trial *trial, syc_text *words)
{
    static const char *const names[] = {"sin", "exp", "log", "pow"};
    bool single = trial->items == sizeof(float);

    for (size_t i = 0; i < COUNT; i++) {
        const double *row = syc__selftest_reals[i % SYC__REAL_ROWS];
        size_t which = i % CHOICES;
        double got = real_at(trial, REALS - 1, i), expected = row[SYC__REAL_SIN + which];
        if (!is_near(got, expected, single ? 0x1p-23 : 0x1p-52))
            return wrong(names[which], i, got, expected, words);
    }
    return true;
}

/* -- nd-ranges: ids, local memory, and barriers in a loop, in three dimensions -- */

enum { ND_0 = 4, ND_1 = 6, ND_2 = 8, ND_LOCAL_0 = 2, ND_LOCAL_1 = 2, ND_LOCAL_2 = 4, ND_LOCAL = 16 };
static const char nd_range_text[] =
    "const uint n = (uint)(local_range(0) * local_range(1) * local_range(2));\n"
    "const uint at = (uint)((local_id(0) * local_range(1) + local_id(1)) * local_range(2) + local_id(2));\n"
    "uint sum = (uint)(group_id(0) * 9 + group_id(1) * 3 + group_id(2));\n"
    "tile[at] = x[i] ^ (uint)(i0 * 64 + i1 * 8 + i2);\n"
    "for (uint k = 1; k < n; k *= 2) {\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    sum = sum * 3 + tile[(at + k) % n];\n"
    "}\n"
    "y[i] = sum;\n"
    "f[i] += 1.0f;";

/* The tile's value at a place of group (a, b, c). */
static uint32_t tile_at(size_t a, size_t b, size_t c, size_t at)
{
    size_t i0 = a * ND_LOCAL_0 + at / (ND_LOCAL_1 * ND_LOCAL_2), i1 = b * ND_LOCAL_1 + at / ND_LOCAL_2 % ND_LOCAL_1,
           i2 = c * ND_LOCAL_2 + at % ND_LOCAL_2;
    return given((i0 * ND_1 + i1) * ND_2 + i2, 0) ^ (uint32_t)(i0 * 64 + i1 * 8 + i2);
}

static bool check_nd_range(const syc__trial *trial, syc_text *words)
{
    for (size_t i = 0; i < ND_0 * ND_1 * ND_2; i++) {
        size_t i0 = i / (ND_1 * ND_2), i1 = i / ND_2 % ND_1, i2 = i % ND_2;
        size_t a = i0 / ND_LOCAL_0, b = i1 / ND_LOCAL_1, c = i2 / ND_LOCAL_2;
        size_t at = (i0 % ND_LOCAL_0 * ND_LOCAL_1 + i1 % ND_LOCAL_1) * ND_LOCAL_2 + i2 % ND_LOCAL_2;
        uint32_t sum = (uint32_t)(a * 9 + b * 3 + c);
        for (size_t k = 1; k < ND_LOCAL; k *= 2)
            sum = sum * 3 + tile_at(a, b, c, (at + k) % ND_LOCAL);
        if (!check_element(trial, i, sum, real_given(i) + 1, words))
            return false;
    }
    return true;
}

/* -- hierarchical kernels -- */

static const char group_text[] = "uint tile[16], sum;\n"
                                 "parallel_for_work_item { tile[local_id(0)] = x[global_id(0)]; }\n"
                                 "sum = 0;\n"
                                 "for (int k = 0; k < 16; k++)\n"
                                 "    sum = sum * 3 + tile[k];\n"
                                 "parallel_for_work_item {\n"
                                 "    y[global_id(0)] = sum ^ tile[15 - local_id(0)];\n"
                                 "    f[global_id(0)] += 1.0f;\n"
                                 "}";

static bool check_groups(const syc__trial *trial, syc_text *words)
{
    for (size_t i = 0; i < GROUPS * GROUP; i++) {
        const size_t first = i / GROUP * GROUP;
        uint32_t sum = 0;
        for (size_t k = 0; k < GROUP; k++)
            sum = sum * 3 + given(first + k, 0);
        if (!check_element(trial, i, sum ^ given(first + GROUP - 1 - i % GROUP, 0), real_given(i) + 1, words))
            return false;
    }
    return true;
}

/* -- making them -- */

enum { NAMES = 7 };
struct row {
    syc_shape shape;
    const char *text;
    const char *type; /* of built-ins on vectors, else NULL */
    syc__selftest_check check;
    syc_geometry range; /* OpenCL's order */
};
#define LINE                                 \
    {                                        \
        .dims = 1, .global = { COUNT, 1, 1 } \
    }
#define BOX                                             \
    {                                                   \
        .dims = 3, .global = { ROWS_2, ROWS_1, ROWS_0 } \
    }
static const struct row rows[] = {
    [SYC_FAMILY_ITEM] = {SYC_SHAPE_ITEM, number_text, NULL, check_numbers, LINE},
    [SYC_FAMILY_ITEM_ROWS] = {SYC_SHAPE_ITEM, rows_text, NULL, check_rows, BOX},
    [SYC_FAMILY_LOOP] = {SYC_SHAPE_LOOP, number_text, NULL, check_numbers, LINE},
    [SYC_FAMILY_LOOP_ROWS] = {SYC_SHAPE_LOOP, rows_text, NULL, check_rows, BOX},
    [SYC_FAMILY_OWN_MEMORY] = {SYC_SHAPE_LOOP, memory_text, NULL, check_memory, LINE},
    [SYC_FAMILY_WIDE] = {SYC_SHAPE_WIDE, wide_text, NULL, check_wide, LINE},
    [SYC_FAMILY_PACK_FLOAT] = {SYC_SHAPE_PACK, float_text, "float", check_vectors, LINE},
    [SYC_FAMILY_PACK_DOUBLE] = {SYC_SHAPE_PACK, double_text, "double", check_vectors, LINE},
    [SYC_FAMILY_ND_RANGE] = {SYC_SHAPE_ITEM,
                             nd_range_text,
                             NULL,
                             check_nd_range,
                             {.dims = 3, .global = {ND_2, ND_1, ND_0}, .local = {ND_LOCAL_2, ND_LOCAL_1, ND_LOCAL_0}}},
    [SYC_FAMILY_HIERARCHICAL] = {SYC_SHAPE_ITEM,
                                 group_text,
                                 NULL,
                                 check_groups,
                                 {.dims = 1, .global = {GROUPS * GROUP, 1, 1}, .local = {GROUP, 1, 1}}},
};

static size_t count_of(const struct row *row)
{
    size_t count = 1;
    for (unsigned d = 0; d < row->range.dims; d++)
        count *= row->range.global[d];
    return count;
}

static bool has_extremes(const struct row *row)
{
    return row->check == check_numbers || row->check == check_rows;
}

static syc_status fill_extremes(syc__trial *trial, size_t count)
{
    int32_t *s = NULL, *t = NULL;
    uint32_t *u = NULL;
    int64_t *w = NULL;
    syc_status status = SYC_OK;

    SYC_TRY(syc__trial_buffer(trial, count * sizeof *s, &s));
    SYC_TRY(syc__trial_buffer(trial, count * sizeof *u, &u));
    SYC_TRY(syc__trial_buffer(trial, count * sizeof *w, &w));
    SYC_TRY(syc__trial_buffer(trial, count * sizeof *t, &t));
    for (size_t i = 0; i < count; i++) {
        s[i] = signed_given(i);
        u[i] = given(i, 4);
        w[i] = long_given(i);
        t[i] = negative_given(i);
    }
done:
    return status;
}

static syc_status fill_numbers(syc__trial *trial, size_t count)
{
    uint32_t *x = NULL, *y = NULL;
    float *f = NULL;
    syc_status status = SYC_OK;

    SYC_TRY(syc__trial_buffer(trial, count * sizeof *x, &x));
    SYC_TRY(syc__trial_buffer(trial, count * sizeof *y, &y));
    SYC_TRY(syc__trial_buffer(trial, count * sizeof *f, &f));
    for (size_t i = 0; i < count; i++) {
        x[i] = given(i, 0);
        y[i] = given(i, 1);
        f[i] = real_given(i);
    }
    trial->written = 1;
done:
    return status;
}

static syc_status fill_reals(syc__trial *trial, size_t size)
{
    void *bytes = NULL;
    syc_status status = SYC_OK;

    for (size_t buffer = 0; buffer < REALS; buffer++) {
        SYC_TRY(syc__trial_buffer(trial, COUNT * size, &bytes));
        for (size_t i = 0; i < COUNT; i++) {
            double value = buffer <= SYC__REAL_W ? syc__selftest_reals[i % SYC__REAL_ROWS][buffer]
                           : buffer < REALS - 1  ? (double)(i % CHOICES)
                                                 : 0;
            if (size == sizeof(float))
                ((float *)bytes)[i] = (float)value;
            else
                ((double *)bytes)[i] = value;
        }
    }
    trial->written = REALS - 1;
    trial->items = size;
done:
    return status;
}

/* The names of the row's text; how many there are. */
static size_t name_all(const struct row *row, syc_name out[NAMES])
{
    static const char *const numbers[] = {"x", "y", "f", "s", "u", "w", "t"}, *const reals[] = {"x", "z", "w", "k",
                                                                                                "y"};
    static const char *const types[] = {"uint", "uint", "float", "int", "uint", "long", "int"};
    const bool real = row->type != NULL, grouped = row->text == nd_range_text;
    const size_t count = real ? REALS : has_extremes(row) ? NAMES : grouped ? 4 : 3;

    for (size_t i = 0; i < count; i++) {
        const bool tile = grouped && i == 3;
        const char *type = real ? row->type : tile ? "uint" : types[i];
        out[i] = (syc_name){.name = real   ? reals[i]
                                    : tile ? "tile"
                                           : numbers[i],
                            .kind = tile ? SYC_NAME_LOCAL : SYC_NAME_GLOBAL,
                            .type = type,
                            .size = strcmp(type, "double") == 0 || strcmp(type, "long") == 0 ? 8 : 4,
                            .readable = true,
                            .writable = true,
                            .rank = row->text == rows_text ? 3 : 1};
    }
    return count;
}

/* The launch that its form has over the range, in which a hierarchical way may have one work-item for a group. */
static syc_lowering lower(const syc__trial *trial, const struct row *row, syc_family family, unsigned way,
                          syc_geometry *range)
{
    const bool loop = row->shape == SYC_SHAPE_LOOP || row->shape == SYC_SHAPE_PACK;
    const uint32_t most = trial->device->max_group < WIDTH ? (uint32_t)trial->device->max_group : WIDTH;
    syc_lowering out = {.form = {.shape = row->shape,
                                 .dims = row->range.dims,
                                 .grouped = row->range.local[0] > 0,
                                 .elements = row->shape == SYC_SHAPE_WIDE ? NEIGHBOURS : 1},
                        .run = row->range.dims > 1 ? ROW_RUN : RUN,
                        .local_size = loop ? 1 : most};

    *range = row->range;
    if (family == SYC_FAMILY_HIERARCHICAL && way == SYC_HIERARCHICAL_LOOPS) {
        out.form.group[0] = GROUP;
        out.form.group[1] = out.form.group[2] = range->local[0] = 1;
        range->global[0] = GROUPS;
    }
    return out;
}

syc_status syc__selftest_body_trial(syc__trial *trial, syc_family family, unsigned way)
{
    const struct row *row = &rows[family];
    syc_name names[NAMES];
    const syc_body_source source = {.text = row->text,
                                    .names = names,
                                    .count = name_all(row, names),
                                    .hierarchical = family == SYC_FAMILY_HIERARCHICAL};
    syc_geometry range;
    const syc_lowering lowering = lower(trial, row, family, way, &range);
    syc_status status = SYC_OK;

    if (row->type != NULL)
        SYC_TRY(fill_reals(trial, strcmp(row->type, "float") == 0 ? sizeof(float) : sizeof(double)));
    else
        SYC_TRY(fill_numbers(trial, count_of(row)));
    if (has_extremes(row))
        SYC_TRY(fill_extremes(trial, count_of(row)));
    SYC_TRY(syc__trial_form(trial, &source, &lowering, &range));
    trial->check = row->check;
done:
    return status;
}
