/* The index space of a form as its text has it. OpenCL's dimension d is SYCL's dimension dims - 1 - d. */
#include "body/parts.h"

#include <string.h>

static bool wants(const syc__writer *w, unsigned words)
{
    return (w->body->reading.words & words) != 0;
}

/* OpenCL's own words, which mean something else where a work-item is not the user's: the form answers them itself. */
static bool answers(const syc__writer *w, unsigned words)
{
    return wants(w, words) && !w->form.grouped && w->form.dims > 0;
}

/* The id in OpenCL dimension d. */
static void add_id(syc__writer *w, unsigned d)
{
    bool offset = w->form.offset && !w->form.grouped;
    syc_text_add(&w->text, offset ? "(" : "");
    if (syc_shape_has_axes(w->form.shape) || syc_shape_scans(w->form.shape))
        syc_text_add(&w->text, "syc_x%u", d);
    else if (d == 0 && w->form.shape != SYC_SHAPE_ITEM)
        syc_text_add(&w->text, "syc_at");
    else if (w->form.shape == SYC_SHAPE_LANES || w->form.shape == SYC_SHAPE_STRIDE)
        syc_text_add(&w->text, "syc_row%u", d);
    else
        syc_text_add(&w->text, "get_global_id(%u)", d);
    if (offset)
        syc_text_add(&w->text, " + syc_offset%u)", d);
}

static void add_linear_part(syc__writer *w, unsigned d)
{
    if (w->form.grouped && w->form.offset)
        syc_text_add(&w->text, "(get_global_id(%u) - get_global_offset(%u))", d, d);
    else
        add_id(w, d);
}

static void add_size(syc__writer *w, unsigned d)
{
    if (w->form.grouped)
        syc_text_add(&w->text, "get_global_size(%u)", d);
    else
        syc_text_add(&w->text, "syc_range%u", d);
}

/* SYCL's formula for an item, whose ids count from 0 even where it has an offset; an nd_item's linear id has none. */
void syc__write_linear_id(syc__writer *w)
{
    if ((syc_shape_has_axes(w->form.shape) && w->body->reading.traits.linear && !w->form.offset) ||
        syc_shape_scans(w->form.shape)) { /* scans: whatever else the texts name, and without the offset */
        syc_text_add(&w->text, "syc_flat");
        return;
    }
    syc_text_add(&w->text, w->form.dims == 3 ? "(" : "");
    for (unsigned d = w->form.dims; d-- > 0;) {
        add_linear_part(w, d);
        if (d == 0)
            break;
        syc_text_add(&w->text, w->form.dims == 3 && d == 1 ? ") * " : " * ");
        add_size(w, d - 1);
        syc_text_add(&w->text, " + ");
    }
}

/* -- the ids that the text names -- */

/* The parts of answers. */
enum {
    LINEAR_IDS = SYC__WORD_GET_LINEAR | SYC__WORD_GLOBAL_LINEAR_ID,
    ID_WORDS = SYC__WORD_GET_ID | SYC__WORD_GLOBAL_ID | LINEAR_IDS,
    SIZE_WORDS = SYC__WORD_GET_SIZE | SYC__WORD_GLOBAL_RANGE | SYC__WORD_GLOBAL_LINEAR_RANGE | LINEAR_IDS,
    OFFSET_WORDS = SYC__WORD_GET_OFFSET | SYC__WORD_GLOBAL_OFFSET | LINEAR_IDS
};

/* The n-th id that a form may have: i, i0, i1, i2, and OpenCL's ids in each dimension. */
enum { ID_COUNT = 7, FIRST_RAW = 4 };

static bool has_id(const syc__writer *w, unsigned n)
{
    if (n == 0)
        return wants(w, SYC__WORD_I) && w->form.dims > 0;
    if (n < FIRST_RAW)
        return wants(w, SYC__WORD_ID << (n - 1)) && n - 1 < w->form.dims;
    return answers(w, ID_WORDS) && n - FIRST_RAW < w->form.dims;
}

static const char *type_of_id(unsigned n)
{
    return n < FIRST_RAW ? "long" : "size_t";
}

static void add_id_name(syc__writer *w, unsigned n)
{
    if (n == 0)
        syc_text_add(&w->text, "i");
    else if (n < FIRST_RAW)
        syc_text_add(&w->text, "i%u", n - 1);
    else
        syc_text_add(&w->text, "syc_id%u", n - FIRST_RAW);
}

static void add_id_value(syc__writer *w, unsigned n)
{
    if (n == 0)
        syc__write_linear_id(w);
    else
        add_id(w, n < FIRST_RAW ? w->form.dims - n : n - FIRST_RAW);
}

void syc__write_ids(syc__writer *w)
{
    for (unsigned n = 0; n < ID_COUNT; n++) {
        if (!has_id(w, n))
            continue;
        syc_text_add(&w->text, "    const %s ", type_of_id(n));
        add_id_name(w, n);
        syc_text_add(&w->text, " = ");
        add_id_value(w, n);
        syc_text_add(&w->text, ";\n");
    }
}

void syc__write_id_parameters(syc__writer *w)
{
    for (unsigned n = 0; n < ID_COUNT; n++) {
        if (!has_id(w, n))
            continue;
        syc__write_comma(w);
        syc_text_add(&w->text, "const %s ", type_of_id(n));
        add_id_name(w, n);
    }
}

void syc__write_id_arguments(syc__writer *w)
{
    for (unsigned n = 0; n < ID_COUNT; n++) {
        if (!has_id(w, n))
            continue;
        syc__write_comma(w);
        add_id_value(w, n);
    }
}

bool syc__form_wants(const syc__writer *w, syc_hidden_kind kind)
{
    if (kind == SYC_HIDDEN_RANGE)
        return wants(w, SYC__WORD_N * 7) || answers(w, SIZE_WORDS);
    if (kind == SYC_HIDDEN_OFFSET)
        return answers(w, OFFSET_WORDS);
    return kind == SYC_HIDDEN_PITCH || kind == SYC_HIDDEN_LENGTH || kind == SYC_HIDDEN_LIMIT ||
           kind == SYC_HIDDEN_FAULTS || kind == SYC_HIDDEN_IDENTITY;
}

void syc__write_ranges(syc__writer *w)
{
    for (unsigned n = 0; n < w->form.dims; n++) {
        if (!wants(w, SYC__WORD_N << n))
            continue;
        syc_text_add(&w->text, "    const long n%u = ", n);
        add_size(w, w->form.dims - 1 - n);
        syc_text_add(&w->text, ";\n");
    }
}

void syc__write_guard(syc__writer *w, unsigned from)
{
    if (from >= w->form.dims)
        return;
    syc_text_add(&w->text, "    if (");
    for (unsigned d = from; d < w->form.dims; d++)
        syc_text_add(&w->text, "%sget_global_id(%u) >= syc_range%u", d > from ? " || " : "", d, d);
    syc_text_add(&w->text, ")\n        return;\n");
}

/* -- OpenCL's own words -- */

enum order { OPENCL, SYCL };
static const char *const types[] = {[OPENCL] = "size_t", [SYCL] = "long"};

static const struct {
    syc__word word;
    enum order order; /* of its dimensions */
    const char *name, *value, *beyond;
} words_of_a_dimension[] = {
    {SYC__WORD_GET_ID, OPENCL, "get_global_id", "syc_id", "0"},
    {SYC__WORD_GET_SIZE, OPENCL, "get_global_size", "syc_range", "1"},
    {SYC__WORD_GET_OFFSET, OPENCL, "get_global_offset", "syc_offset", "0"},
    {SYC__WORD_GLOBAL_ID, SYCL, "global_id", "syc_id", "0"},
    {SYC__WORD_GLOBAL_RANGE, SYCL, "global_range", "syc_range", "1"},
    {SYC__WORD_GLOBAL_OFFSET, SYCL, "global_offset", "syc_offset", "0"},
};
enum { WORD_COUNT = sizeof words_of_a_dimension / sizeof *words_of_a_dimension };

static const struct {
    syc__word word;
    const char *name;
} linear_words[] = {
    {SYC__WORD_GET_LINEAR, "get_global_linear_id"},
    {SYC__WORD_GLOBAL_LINEAR_ID, "syc_global_linear_id"},
};
enum { LINEAR_COUNT = sizeof linear_words / sizeof *linear_words };

/* "((d_) == 0 ? syc_id0 : (d_) == 1 ? syc_id1 : (size_t)0)" */
static void add_answer(syc__writer *w, size_t index)
{
    enum order order = words_of_a_dimension[index].order;
    bool absent = strcmp(words_of_a_dimension[index].value, "syc_offset") == 0 && !w->form.offset;
    syc_text_add(&w->text, "#define %s(d_) (", words_of_a_dimension[index].name);
    for (unsigned d = 0; !absent && d < w->form.dims; d++)
        syc_text_add(&w->text, "(d_) == %u ? %s%s%u : ", d, order == SYCL ? "(long)" : "",
                     words_of_a_dimension[index].value, order == SYCL ? w->form.dims - 1 - d : d);
    syc_text_add(&w->text, "(%s)%s)\n", types[order], words_of_a_dimension[index].beyond);
}

static void add_linear_answer(syc__writer *w, const char *name)
{
    syc_text_add(&w->text, "#define %s() (%s", name, w->form.dims == 3 ? "(" : "");
    for (unsigned d = w->form.dims; d-- > 0;) {
        syc_text_add(&w->text, w->form.offset ? "(syc_id%u - syc_offset%u)" : "syc_id%u", d, d);
        if (d > 0)
            syc_text_add(&w->text, "%s * syc_range%u + ", w->form.dims == 3 && d == 1 ? ")" : "", d - 1);
    }
    syc_text_add(&w->text, ")\n");
}

static void add_linear_range(syc__writer *w)
{
    syc_text_add(&w->text, "#define syc_global_linear_range() (");
    for (unsigned d = 0; d < w->form.dims; d++)
        syc_text_add(&w->text, "%ssyc_range%u", d > 0 ? " * " : "", d);
    syc_text_add(&w->text, ")\n");
}

void syc__write_answers(syc__writer *w)
{
    for (size_t i = 0; i < WORD_COUNT; i++)
        if (answers(w, words_of_a_dimension[i].word))
            add_answer(w, i);
    for (size_t i = 0; i < LINEAR_COUNT; i++)
        if (answers(w, linear_words[i].word))
            add_linear_answer(w, linear_words[i].name);
    if (answers(w, SYC__WORD_GLOBAL_LINEAR_RANGE))
        add_linear_range(w);
}

void syc__write_no_answers(syc__writer *w)
{
    for (size_t i = 0; i < WORD_COUNT; i++)
        if (answers(w, words_of_a_dimension[i].word))
            syc_text_add(&w->text, "#undef %s\n", words_of_a_dimension[i].name);
    for (size_t i = 0; i < LINEAR_COUNT; i++)
        if (answers(w, linear_words[i].word))
            syc_text_add(&w->text, "#undef %s\n", linear_words[i].name);
    if (answers(w, SYC__WORD_GLOBAL_LINEAR_RANGE))
        syc_text_add(&w->text, "#undef syc_global_linear_range\n");
}
