/* Trials of reductions: a text with reducers in one shape, and the answers that the host has for it. */
#include "algo/selftest/reductions.h"

#include "algo/lower/lower.h"
#include "base/alloc.h"
#include "body/traits.h"
#include "cl/device.h"

#include <string.h>

enum { BLOCK = 2560, GROUPS = 5, NEIGHBOURS = 4, BINS_OF = 37, COPIES = 2 };
enum { MOST_RESULTS = 512 };
/* Which dimensions are reduced: the outer ones and the innermost; the one in the middle. */
enum { OUTER = 1 | 4, MIDDLE = 2 };
#define IN_LANES(...)                                                                                              \
    {                                                                                                              \
        .shape = SYC_SHAPE_LANES, .n = {SYC__REDUCED_LINE}, .run = SYC__REDUCED_RUN, .groups = GROUPS, __VA_ARGS__ \
    }
#define IN_GROUPS(...)                                                                              \
    {                                                                                               \
        .shape = SYC_SHAPE_STRIDE, .n = {SYC__REDUCED_LINE}, .run = BLOCK, .groups = 3, __VA_ARGS__ \
    }
#define IN_EITHER(...)                                                               \
    {                                                                                \
        .shape = SYC_SHAPE_COUNT, .n = {SYC__REDUCED_LINE}, .groups = 3, __VA_ARGS__ \
    }
static const syc__reduced rows[] = {
    [SYC_FAMILY_REDUCE_LANES] = IN_LANES(.kind = SYC__REDUCED_NUMBERS),
    [SYC_FAMILY_REDUCE_STRIDE] = IN_GROUPS(.kind = SYC__REDUCED_NUMBERS),
    [SYC_FAMILY_REDUCE_PACK] = IN_LANES(.kind = SYC__REDUCED_REALS, .packs = true),
    [SYC_FAMILY_ALONG] =
        {.shape = SYC_SHAPE_ALONG, .n = {3, 7, 203}, .reduced = OUTER, .run = 128, .pieces = 2, .groups = GROUPS},
    [SYC_FAMILY_ACROSS] =
        {.shape = SYC_SHAPE_ACROSS, .n = {5, 67, 3}, .reduced = OUTER, .run = 1, .pieces = 2, .groups = GROUPS},
    [SYC_FAMILY_SHORT] =
        {.shape = SYC_SHAPE_SHORT, .n = {5, 67, 6}, .reduced = OUTER, .run = 32, .pieces = 2, .groups = GROUPS},
    [SYC_FAMILY_PADDED] = {.shape = SYC_SHAPE_PADDED,
                           .n = {5, 67, 19},
                           .reduced = OUTER,
                           .run = 8,
                           .pieces = 2,
                           .team = 32,
                           .groups = GROUPS},
    [SYC_FAMILY_COLUMNS] = {.shape = SYC_SHAPE_COLUMNS,
                            .n = {5, 23, 101},
                            .reduced = MIDDLE,
                            .run = 101,
                            .pieces = 2,
                            .team = 2,
                            .groups = GROUPS},
    [SYC_FAMILY_TEAMS] =
        {.shape = SYC_SHAPE_TEAMS, .n = {3, 37, 203}, .reduced = OUTER, .run = 128, .pieces = 2, .team = 4},
    [SYC_FAMILY_TEAMS_DOWN] =
        {.shape = SYC_SHAPE_TEAMS, .n = {5, 23, 101}, .reduced = MIDDLE, .run = 101, .pieces = 2, .team = 32},
    [SYC_FAMILY_SPAN_COPIES] = IN_EITHER(.kind = SYC__REDUCED_BINS, .way = SYC_SPAN_COPIES),
    [SYC_FAMILY_SPAN_FOURFOLD] = IN_LANES(.kind = SYC__REDUCED_BINS, .way = SYC_SPAN_FOURFOLD),
    [SYC_FAMILY_SPAN_FOLDED] = IN_LANES(.kind = SYC__REDUCED_BINS, .way = SYC_SPAN_COPIES, .folds = true),
    [SYC_FAMILY_SPAN_ALONE] = {.kind = SYC__REDUCED_BINS,
                               .shape = SYC_SHAPE_COUNT,
                               .n = {SYC__REDUCED_LINE},
                               .groups = 1,
                               .way = SYC_SPAN_ALONE},
    [SYC_FAMILY_SPAN_SHARED] = IN_EITHER(.kind = SYC__REDUCED_BINS, .way = SYC_SPAN_SHARED),
    [SYC_FAMILY_SPAN_LOCAL] = IN_GROUPS(.kind = SYC__REDUCED_BINS, .way = SYC_SPAN_LOCAL),
    [SYC_FAMILY_SPAN_TABLE] = IN_GROUPS(.kind = SYC__REDUCED_BINS, .way = SYC_SPAN_TABLE),
    [SYC_FAMILY_SPAN_LOCAL_TABLE] = IN_GROUPS(.kind = SYC__REDUCED_BINS, .way = SYC_SPAN_LOCAL_TABLE),
    [SYC_FAMILY_SUM_RUNNING] = IN_EITHER(.kind = SYC__REDUCED_RUNNING),
    [SYC_FAMILY_SUM_EXACT] = IN_EITHER(.kind = SYC__REDUCED_EXACT),
    [SYC_FAMILY_STRIDE_WARPS] = IN_GROUPS(.kind = SYC__REDUCED_NUMBERS, .warps = true),
    [SYC_FAMILY_TEAMS_WARPS] = {.shape = SYC_SHAPE_TEAMS, /* of two warps */
                                .n = {3, 37, 203},
                                .reduced = OUTER,
                                .run = 128,
                                .pieces = 2,
                                .team = 1,
                                .warps = true},
    [SYC_FAMILY_TEAMS_DOWN_WARPS] = {.shape = SYC_SHAPE_TEAMS, /* a group takes several blocks in turn */
                                     .n = {5, 23, 101},
                                     .reduced = MIDDLE,
                                     .run = 101,
                                     .pieces = 1,
                                     .team = 4,
                                     .groups = GROUPS,
                                     .warps = true},
};

static size_t count_of(const syc__reduced *row)
{
    return (size_t)row->n[0] * (row->n[1] > 0 ? row->n[1] * row->n[2] : 1);
}

static size_t results_of(const syc__reduced *row)
{
    return row->reduced == OUTER ? row->n[1] : row->reduced == MIDDLE ? row->n[0] * row->n[2] : 1;
}

/* The number of the result that an element is part of. */
static size_t result_at(const syc__reduced *row, size_t i)
{
    if (row->reduced == 0)
        return 0;
    return row->reduced == OUTER ? i / row->n[2] % row->n[1] : i / (row->n[1] * row->n[2]) * row->n[2] + i % row->n[2];
}

/* -- whole numbers -- */

static const char number_text[] = "uint v = x[i] * 3u;\n"
                                  "sum += v;\n"
                                  "if (x[i] % 7u < 3u)\n"
                                  "    most.combine(v ^ 0x55555555u);";
static const char bins_text[] = "sum[x[i] % 37u] += x[i] >> 7;\n"
                                "if (x[i] % 7u < 3u)\n"
                                "    most[(x[i] >> 9) % 37u].combine(x[i] ^ 0x55555555u);";

static uint32_t given(size_t i)
{
    return syc__selftest_number((uint32_t)i + 7 * SYC__REDUCED_LINE);
}

static bool expect(const char *what, size_t at, uint32_t got, uint32_t expected, syc_text *words)
{
    if (got != expected)
        syc_text_add(words, "a %s of uint is %u, not %u (number %zu)", what, (unsigned)got, (unsigned)expected, at);
    return got == expected;
}

struct answer {
    uint32_t sum, most; /* most: 0 where nothing is combined */
};

static size_t answers_of(const syc__reduced *row)
{
    return row->kind == SYC__REDUCED_BINS ? BINS_OF : results_of(row);
}

/* Without the old values. */
static void answer(const syc__reduced *row, struct answer out[MOST_RESULTS])
{
    memset(out, 0, MOST_RESULTS * sizeof *out);
    for (size_t i = 0; i < count_of(row); i++) {
        const bool bins = row->kind == SYC__REDUCED_BINS;
        const uint32_t x = given(i), more = bins ? x >> 7 : x * 3, other = (bins ? x : more) ^ 0x55555555u;
        struct answer *sum = &out[bins ? x % BINS_OF : result_at(row, i)];
        struct answer *most = &out[bins ? (x >> 9) % BINS_OF : result_at(row, i)];
        sum->sum += more;
        if (x % 7 < 3 && other > most->most)
            most->most = other;
    }
}

static bool check_numbers(const syc__trial *trial, syc_text *words)
{
    const syc__reduced *row = trial->what;
    const uint32_t *sums = trial->buffers[1].bytes, *mosts = trial->buffers[2].bytes;
    struct answer right[MOST_RESULTS];

    answer(row, right);
    for (size_t at = 0; at < answers_of(row); at++) {
        uint32_t sum = right[at].sum, most = right[at].most;
        if (row->reduced == 0) /* the old values are part of it */
            sum += SYC__REDUCED_FIRST;
        if ((row->reduced == 0 && most < SYC__REDUCED_FIRST_MOST) || most == 0)
            most = SYC__REDUCED_FIRST_MOST;
        if (!expect("sum", at, sums[at], sum, words) || !expect("maximum", at, mosts[at], most, words))
            return false;
    }
    return true;
}

static syc_status fill_numbers(syc__trial *trial)
{
    const syc__reduced *row = trial->what;
    const size_t count = answers_of(row);
    uint32_t *x = NULL, *sum = NULL, *most = NULL;
    syc_status status = SYC_OK;

    SYC_TRY(syc__trial_buffer(trial, count_of(row) * sizeof *x, &x));
    SYC_TRY(syc__trial_buffer(trial, count * sizeof *sum, &sum));
    SYC_TRY(syc__trial_buffer(trial, count * sizeof *most, &most));
    for (size_t i = 0; i < count_of(row); i++)
        x[i] = given(i);
    for (size_t k = 0; k < count; k++) {
        sum[k] = SYC__REDUCED_FIRST;
        most[k] = SYC__REDUCED_FIRST_MOST;
    }
    trial->written = 1;
done:
    return status;
}

/* -- making them -- */

/* The text, its names, and what is in the buffers and should be. */
static syc_status write(syc__trial *trial, syc_body_source *source, syc_name names[SYC__REDUCED_NAMES])
{
    const syc__reduced *row = trial->what;

    source->names = names;
    if (row->kind >= SYC__REDUCED_REALS)
        return syc__reduced_sums(trial, source, names);
    trial->check = check_numbers;
    source->text = row->kind == SYC__REDUCED_BINS ? bins_text : number_text;
    names[source->count++] = syc__reduced_input("x", "uint");
    names[source->count++] = syc__reduced_output("sum", "uint", row, true);
    names[source->count++] =
        syc__reduced_output("most", "uint", row, row->kind == SYC__REDUCED_BINS); /* whose way is atomic */
    return fill_numbers(trial);
}

/* As the device's own rows would have it (reduce_rows.c), but for warps, which are families of their own. */
static syc_shape shape_of(const syc_device *device, const syc__reduced *row)
{
    const bool runs = device->facts->items == SYC_ITEMS_LOOPED || device->facts->items == SYC_ITEMS_PACKED;
    const syc_family own = runs ? SYC_FAMILY_REDUCE_LANES : SYC_FAMILY_REDUCE_STRIDE;
    if (row->shape != SYC_SHAPE_COUNT)
        return row->shape;
    return runs != (syc_device_way(device, own) == SYC_WAY_NONE) ? SYC_SHAPE_LANES : SYC_SHAPE_STRIDE;
}

/* Items of a group, a power of two, for which there is local memory, as users' launches have it. */
static uint32_t width_of(const syc_device *device, const syc_name *names, size_t count)
{
    uint64_t bytes = 0;
    uint32_t width = SYC__REDUCED_WIDTH;
    for (size_t i = 0; i < count; i++)
        bytes += names[i].kind == SYC_NAME_REDUCER && !names[i].reducer.array ? syc_partial_bytes(&names[i]) : 0;
    while (width > 1 &&
           (bytes * width > device->local_bytes / 4 || width > device->max_group || width > device->max_items[0]))
        width /= 2;
    return width;
}

/* Those that fill 16 bytes of the text's widest type. */
static unsigned neighbours_of(const syc_device *device, const syc__reduced *row)
{
    return row->kind == SYC__REDUCED_BINS                      ? 1
           : row->kind >= SYC__REDUCED_RUNNING && device->fp64 ? NEIGHBOURS / 2
                                                               : NEIGHBOURS;
}

static syc_lowering lower(const syc_device *device, const syc__reduced *row, const syc_body_source *source)
{
    const bool threads = device->facts->items == SYC_ITEMS_THREADED;
    const syc_shape shape = shape_of(device, row);
    const bool alone = syc_shape_is_alone(shape) || row->way == SYC_SPAN_ALONE;
    syc_lowering out = {.form = {.shape = shape,
                                 .dims = row->n[1] > 0 ? 3 : 1,
                                 .elements = shape == SYC_SHAPE_STRIDE && threads ? neighbours_of(device, row) : 1,
                                 .packs = row->packs,
                                 .folds = row->folds,
                                 .warps = row->warps},
                        .run = row->run > 0               ? row->run
                               : shape == SYC_SHAPE_LANES ? SYC__REDUCED_RUN
                                                          : BLOCK,
                        .pieces = row->pieces,
                        .results = results_of(row),
                        .team = row->team > 0 ? row->team : 1,
                        .groups = row->folds ? 2 * row->groups : row->groups,
                        .local_size = alone ? 1 : width_of(device, source->names, source->count)};

    if (shape ==
        SYC_SHAPE_TEAMS) { /* a group for each block of results, and for each piece of it, but where they take turns */
        const uint32_t teams = row->team < out.local_size ? row->team : out.local_size;
        out.team = out.local_size / teams;
        if (row->groups == 0)
            out.groups = (uint32_t)((out.results + teams - 1) / teams * out.pieces);
    }
    for (size_t i = 0; row->kind == SYC__REDUCED_BINS && i < 2; i++) {
        out.form.spans |= (uint64_t)row->way << 4 * i;
        out.span_lengths[i] = BINS_OF;
        out.span_copies[i] = syc_span_is_local(row->way) ? COPIES : 0;
        out.span_count++;
    }
    return out;
}

syc_status syc__selftest_reduce_trial(syc__trial *trial, syc_family family)
{
    const syc__reduced *row = &rows[family];
    const bool line = row->n[1] == 0;
    const syc_geometry range = {.dims = line ? 1 : 3,
                                .global = {line ? row->n[0] : row->n[2], line ? 1 : row->n[1], line ? 1 : row->n[0]}};
    syc_name names[SYC__REDUCED_NAMES];
    syc_body_source source = {.count = 0};
    syc_lowering lowering;
    syc_status status = SYC_OK;

    trial->what = row;
    SYC_TRY(write(trial, &source, names));
    lowering = lower(trial->device, row, &source);
    SYC_TRY(syc__trial_form(trial, &source, &lowering, &range));
done:
    return status;
}
