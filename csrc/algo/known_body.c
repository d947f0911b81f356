/* Trials of bodies: a text in one form, and the answers that the host has for it. */
#include "algo/known_parts.h"

#include "base/alloc.h"
#include "body/body.h"

#include <string.h>

/* A number of elements that no run, vector or group divides. */
enum { COUNT = 1003, RUN = 320, NEIGHBOURS = 4, WIDTH = 64, GROUP = 16, GROUPS = 5 };

static uint32_t given(size_t i, uint32_t which)
{
    return syc__known_number((uint32_t)i + which * COUNT);
}

static bool wrong(const char *what, size_t i, double got, double expected, syc_text *words)
{
    syc_text_add(words, "%s of element %zu is %.9g, not %.9g", what, i, got, expected);
    return false;
}

/* -- whole numbers: choices, an inner loop, an early end, another's element -- */

static const char number_text[] = "uint v = x[i] * 3u + (uint)i, a = x[n0 - 1 - i] >> 3;\n"
                                  "for (uint k = 0; k < (v & 7); k++)\n"
                                  "    a = a * 5 + k;\n"
                                  "if (v % 11 == 0)\n"
                                  "    return;\n"
                                  "if (v % 7 < 3)\n"
                                  "    y[i] = a / 3;\n"
                                  "else\n"
                                  "    y[i] = a ^ v;\n"
                                  "f[i] = f[i] * 0.5f + (float)(v & 255);";

static bool check_numbers(const syc__trial *trial, syc_text *words)
{
    const uint32_t *y = trial->buffers[1].bytes;
    const float *f = trial->buffers[2].bytes;
    for (size_t i = 0; i < COUNT; i++) {
        uint32_t v = given(i, 0) * 3 + (uint32_t)i, a = given(COUNT - 1 - i, 0) >> 3;
        uint32_t number = given(i, 1);
        float real = (float)(given(i, 2) & 1023);
        for (uint32_t k = 0; k < (v & 7); k++)
            a = a * 5 + k;
        if (v % 11 != 0) {
            number = v % 7 < 3 ? a / 3 : a ^ v;
            real = real * 0.5f + (float)(v & 255);
        }
        if (y[i] != number)
            return wrong("a uint", i, y[i], number, words);
        if (f[i] != real)
            return wrong("a float", i, (double)f[i], (double)real, words);
    }
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
    const uint32_t *y = trial->buffers[1].bytes;
    for (size_t i = 0; i < COUNT; i++) {
        uint32_t x = given(i, 0), t[2] = {x, (uint32_t)i}, expected;
        t[x >> 31] += 7;
        expected = t[x >> 30 & 1] + 3 * t[0];
        if (y[i] != expected)
            return wrong("a uint", i, y[i], expected, words);
    }
    return true;
}

/* -- neighbours -- */

static const char wide_text[] = "uint v = x[i] * 5u + (uint)i;\n"
                                "float w = f[i] * 0.5f + (float)(v & 255);\n"
                                "y[i] = v % 7 < 3 ? v / 3 : v ^ 0x55555555u;\n"
                                "f[i] = w;";

static bool check_wide(const syc__trial *trial, syc_text *words)
{
    const uint32_t *y = trial->buffers[1].bytes;
    const float *f = trial->buffers[2].bytes;
    for (size_t i = 0; i < COUNT; i++) {
        uint32_t v = given(i, 0) * 5 + (uint32_t)i, number = v % 7 < 3 ? v / 3 : v ^ 0x55555555u;
        float real = (float)(given(i, 2) & 1023) * 0.5f + (float)(v & 255);
        if (y[i] != number)
            return wrong("a uint", i, y[i], number, words);
        if (f[i] != real)
            return wrong("a float", i, (double)f[i], (double)real, words);
    }
    return true;
}

/* -- built-ins on vectors: PoCL's are wrong beside lanes that take another way (body/pack_words.c) -- */

static const char float_text[] = "float a = sin(x[i]), b = exp(z[i]), c = log(w[i]), d = pow(w[i], z[i]);\n"
                                 "y[i] = k[i] < 0.5f ? a : k[i] < 1.5f ? b : k[i] < 2.5f ? c : d;";
static const char double_text[] = "double a = sin(x[i]), b = exp(z[i]), c = log(w[i]);\n"
                                  "y[i] = k[i] < 0.5 ? a : k[i] < 1.5 ? b : k[i] < 2.5 ? c : x[i];";

/* x, z and w, which floats can be, and sin(x), exp(z), log(w), pow(w, z), rounded to double: by the C library, checked
 * by tests/python/test_self_test.py. Small, large and ordinary x stand beside each other. */
enum { X, Z, W, SIN, EXP, LOG, POW, COLUMNS, ROWS = 23 };
enum { REALS = 5, CHOICES = 4 }; /* x, z, w, which is chosen, and where it goes */
/* clang-format off */
static const double table[ROWS][COLUMNS] = {
    {0x1.4484c0p-100, 0x1.8f5c28p-2, 0x1.033334p+3, 0x1.4484c0p-100, 0x1.7a1b6973cce4ep+0, 0x1.0bc233ff6dd3cp+1, 0x1.2169e9d635acdp+1},
    {0x1.93e594p+99, -0x1p+3, 0x1.47ae14p-7, -0x1.95135fcc7c53cp-1, 0x1.5fc21041027adp-12, -0x1.26bb1bd355516p+2, 0x1.1c3796d2aec02p+53},
    {0x1p-1, 0x1p+3, 0x1.200000p+3, 0x1.eaee8744b05f0p-2, 0x1.749ea7d470c6ep+11, 0x1.193ea7aad030bp+1, 0x1.486ba08000000p+25},
    {-0x1.440000p+4, 0x1p+0, 0x1p+0, -0x1.f896bf571e2d7p-1, 0x1.5bf0a8b145769p+1, 0x0.0p+0, 0x1p+0},
    {0x1.921fb6p+1, -0x1p+0, 0x1p-1, -0x1.777a5cf72cec6p-24, 0x1.78b56362cef38p-2, -0x1.62e42fefa39efp-1, 0x1p+1},
    {0x1.86a000p+16, 0x1.400000p+1, 0x1p+1, 0x1.24daa9c527e96p-5, 0x1.85d6fd931e0bbp+3, 0x1.62e42fefa39efp-1, 0x1.6a09e667f3bcdp+2},
    {-0x1.0624dep-10, -0x1.400000p+1, 0x1.a66666p+1, -0x1.0624db22fdff9p-10, 0x1.50385c094f425p-4, 0x1.31a4e6e5fcf38p+0, 0x1.9e19920bec3b9p-5},
    {0x1.f00000p+2, 0x1.0624dep-10, 0x1.930be0p-7, 0x1.fd3c0d19d91a6p-1, 0x1.0041919bb329fp+0, -0x1.197b6382e3066p+2, 0x1.fdc0ca6ca4ad6p-1},
    {-0x1.2a05f2p+33, 0x1.c66666p+2, 0x1.600000p+2, 0x1.f334c7896a4e3p-2, 0x1.2efde2a7a02e4p+10, 0x1.b46a5ef8151a0p+0, 0x1.609e546db07e8p+17},
    {0x1p+1, -0x1.333334p-2, 0x1.ecccccp+2, 0x1.d18f6ead1b446p-1, 0x1.7b4c86505ba57p-1, 0x1.0546b4f8ff175p+1, 0x1.1589c62ae7dc1p-1},
    {0x1.920000p+6, 0x1.400000p+2, 0x1p-2, -0x1.fb3f833470ff1p-6, 0x1.28d389970338fp+7, -0x1.62e42fefa39efp+0, 0x1p-10},
    {-0x1.800000p-1, -0x1.a00000p+2, 0x1.866666p+2, -0x1.5cffc16bf8f0dp-1, 0x1.8a1e18a954ffap-10, 0x1.ceec030aca9b4p+0, 0x1.07b28f30683e0p-17},
    {0x1.01b2b2p-24, 0x1.a66666p+1, 0x1.800000p+0, 0x1.01b2b1ffffffdp-24, 0x1.b1cd5d1cfd065p+4, 0x1.9f323ecbf984cp-2, 0x1.e7e0bbdefcfe2p+1},
    {0x1.921fb6p+0, -0x1.19999ap+2, 0x1.19999ap+2, 0x1.ffffffffffff7p-1, 0x1.924dc82b1ad6fp-7, 0x1.7b4a6fc5f72b8p+0, 0x1.82ad3e7dc7426p-10},
    {-0x1.043562p+68, 0x1p-1, 0x1.fae148p-1, -0x1.acd30fa0e294cp-1, 0x1.a61298e1e069cp+0, -0x1.49543f3726accp-7, 0x1.fd6efe75c6202p-1},
    {0x1.800000p+3, -0x1p-1, 0x1.028f5cp+0, -0x1.12b9af7d765a5p-1, 0x1.368b2fc6f960ap-1, 0x1.460d5885ab007p-7, 0x1.fd7583e4dd4d5p-1},
    {0x1p-4, 0x1.800000p+2, 0x1.1cccccp+3, 0x1.ffaaaeeed4edbp-5, 0x1.936dc5690c08fp+8, 0x1.17d086de708bep+1, 0x1.e5554a71153c9p+18},
    {-0x1.93e594p+99, -0x1.ecccccp+2, 0x1.1eb852p-4, 0x1.95135fcc7c53cp-1, 0x1.dad2e4febfd60p-12, -0x1.5462a1fbf33dbp+1, 0x1.747d833661192p+29},
    {0x1.900000p+4, 0x1.19999ap+0, 0x1.5bf0a8p+1, -0x1.0f0e6f31e809dp-3, 0x1.808883be1d8dcp+1, 0x1.fffffefb245eap-1, 0x1.808882e69bd9cp+1},
    {0x1.203afap-48, -0x1.e66666p+0, 0x1.333334p-2, 0x1.203afap-48, 0x1.325108bb1451ap-3, -0x1.34378f212fc79p+0, 0x1.3b3965121069dp+3},
    {-0x1.300000p+3, 0x1.100000p+2, 0x1.800000p+1, 0x1.33d1a94a4277ap-4, 0x1.186bf136d679dp+6, 0x1.193ea7aad030bp+0, 0x1.aa687163e1d86p+6},
    {0x1.f40000p+9, -0x1.ccccccp+1, 0x1.400000p+2, 0x1.a75cc150a206bp-1, 0x1.bfac0260816e8p-6, 0x1.9c041f7ed8d33p+0, 0x1.8f39a886dc2ddp-9},
    {0x1.600000p+4, 0x1.666666p-1, 0x1.99999ap-1, -0x1.220a29f6eb9f4p-7, 0x1.01c2a5dedb440p+1, -0x1.c8ff7a79a9a26p-3, 0x1.b5f5601e215d4p-1},
};
/* clang-format on */

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
        const double *row = table[i % ROWS];
        size_t which = i % CHOICES;
        double got = real_at(trial, REALS - 1, i);
        double expected = which == POW - SIN && !single ? row[X] : row[SIN + which];
        if (!is_near(got, expected, single ? 0x1p-23 : 0x1p-52))
            return wrong(names[which], i, got, expected, words);
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
    const uint32_t *y = trial->buffers[1].bytes;
    for (size_t g = 0; g < GROUPS; g++) {
        uint32_t sum = 0;
        for (size_t k = 0; k < GROUP; k++)
            sum = sum * 3 + given(g * GROUP + k, 0);
        for (size_t k = 0; k < GROUP; k++) {
            uint32_t expected = sum ^ given(g * GROUP + GROUP - 1 - k, 0);
            if (y[g * GROUP + k] != expected)
                return wrong("a uint", g * GROUP + k, y[g * GROUP + k], expected, words);
        }
    }
    return true;
}

/* -- making them -- */

struct row {
    syc_shape shape;
    const char *text;
    const char *type; /* of built-ins on vectors, else NULL */
    syc__known_check check;
};
static const struct row rows[] = {
    [SYC_FAMILY_ITEM] = {SYC_SHAPE_ITEM, number_text, NULL, check_numbers},
    [SYC_FAMILY_LOOP] = {SYC_SHAPE_LOOP, number_text, NULL, check_numbers},
    [SYC_FAMILY_OWN_MEMORY] = {SYC_SHAPE_LOOP, memory_text, NULL, check_memory},
    [SYC_FAMILY_WIDE] = {SYC_SHAPE_WIDE, wide_text, NULL, check_wide},
    [SYC_FAMILY_PACK_FLOAT] = {SYC_SHAPE_PACK, float_text, "float", check_vectors},
    [SYC_FAMILY_PACK_DOUBLE] = {SYC_SHAPE_PACK, double_text, "double", check_vectors},
    [SYC_FAMILY_HIERARCHICAL] = {SYC_SHAPE_ITEM, group_text, NULL, check_groups},
};

static syc_status fill_numbers(syc__trial *trial)
{
    uint32_t *x = NULL, *y = NULL;
    float *f = NULL;
    syc_status status = SYC_OK;

    SYC_TRY(syc__trial_buffer(trial, COUNT * sizeof *x, &x));
    SYC_TRY(syc__trial_buffer(trial, COUNT * sizeof *y, &y));
    SYC_TRY(syc__trial_buffer(trial, COUNT * sizeof *f, &f));
    for (size_t i = 0; i < COUNT; i++) {
        x[i] = given(i, 0);
        y[i] = given(i, 1);
        f[i] = (float)(given(i, 2) & 1023);
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
            double value = buffer <= W ? table[i % ROWS][buffer] : buffer < REALS - 1 ? (double)(i % CHOICES) : 0;
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

static syc_status make_body(const struct row *row, bool hierarchical, syc_body **out)
{
    static const char *const words[] = {"x", "z", "w", "k", "y"};
    const syc_name numbers[] = {
        {.name = "x",
         .kind = SYC_NAME_GLOBAL,
         .type = "uint",
         .size = 4,
         .readable = true,
         .writable = true,
         .rank = 1},
        {.name = "y",
         .kind = SYC_NAME_GLOBAL,
         .type = "uint",
         .size = 4,
         .readable = true,
         .writable = true,
         .rank = 1},
        {.name = "f",
         .kind = SYC_NAME_GLOBAL,
         .type = "float",
         .size = 4,
         .readable = true,
         .writable = true,
         .rank = 1},
    };
    syc_name reals[REALS];
    syc_body_source source = {.text = row->text, .names = numbers, .count = 3, .hierarchical = hierarchical};

    for (size_t i = 0; i < REALS; i++)
        reals[i] = (syc_name){.name = words[i],
                              .kind = SYC_NAME_GLOBAL,
                              .type = row->type,
                              .size = row->type != NULL && strcmp(row->type, "float") == 0 ? 4 : 8,
                              .readable = true,
                              .writable = true,
                              .rank = 1};
    if (row->type != NULL) {
        source.names = reals;
        source.count = REALS;
    }
    return syc_body_create(&source, out);
}

/* What stands behind the names in the kernel's parameters. */
static void add_hidden(syc__trial *trial, const syc_lowered *lowered)
{
    for (size_t i = 0; i < lowered->hidden_count; i++)
        trial->values[trial->value_count++] = lowered->hidden[i].kind == SYC_HIDDEN_RANGE ? COUNT : RUN;
}

static void choose_launch(syc__trial *trial, const syc_form *form)
{
    size_t run = form->shape == SYC_SHAPE_WIDE ? form->elements : form->shape == SYC_SHAPE_ITEM ? 1 : RUN;
    size_t items = (COUNT + run - 1) / run;

    trial->local = form->shape == SYC_SHAPE_LOOP || form->shape == SYC_SHAPE_PACK ? 1 : WIDTH;
    if (form->grouped) {
        trial->local = form->group[0] > 0 ? 1 : GROUP;
        items = GROUPS * trial->local;
    }
    trial->local = trial->local < trial->device->max_group ? trial->local : trial->device->max_group;
    trial->global = (items + trial->local - 1) / trial->local * trial->local;
}

syc_status syc__known_body_trial(syc_context *context, syc_device *device, syc_family family, unsigned way,
                                 syc__trial **out)
{
    const struct row *row = &rows[family];
    bool hierarchical = family == SYC_FAMILY_HIERARCHICAL;
    syc_form form = {.shape = row->shape,
                     .dims = 1,
                     .grouped = hierarchical,
                     .elements = row->shape == SYC_SHAPE_WIDE ? NEIGHBOURS : 1};
    const syc_lowered *lowered = NULL;
    syc_body *body = NULL;
    syc__trial *trial = NULL;
    syc_status status = SYC_OK;

    if (hierarchical && way == SYC_HIERARCHICAL_LOOPS)
        memcpy(form.group, (uint32_t[3]){GROUP, 1, 1}, sizeof form.group);
    SYC_TRY(syc__trial_create(context, device, &trial));
    SYC_TRY(make_body(row, hierarchical, &body));
    SYC_TRY(syc_body_lower(body, &form, &lowered));
    syc_program_retain(lowered->program);
    trial->program = lowered->program;
    SYC_TRY(syc_copy_string(syc_program_options(lowered->program), &trial->options));
    add_hidden(trial, lowered);
    if (row->type != NULL)
        SYC_TRY(fill_reals(trial, strcmp(row->type, "float") == 0 ? sizeof(float) : sizeof(double)));
    else
        SYC_TRY(fill_numbers(trial));
    choose_launch(trial, &form);
    trial->check = row->check;
    *out = trial;
    trial = NULL;
done:
    syc_body_release(body);
    syc__trial_release(trial);
    return status;
}
