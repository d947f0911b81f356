/* Which form a body takes. One table, the first row that fits; every row says what it was measured with. GB/s and
 * ratios are medians over rounds in which the contenders took turns. */
#include "algo/lower/lower.h"

#include "algo/counts.h"
#include "algo/table.h"
#include "body/traits.h"
#include "cl/device.h"

#include <string.h>

/* Picoseconds of a token on a CPU, an estimate that what runs may exceed by a factor of five (denormal numbers do):
 * bodies of own elements go through vectors. */
enum { VECTOR_TOKEN_PS = 150, SCALAR_TOKEN_PS = 1000, BUILT_IN_PS = 1000, CHECK_FACTOR = 4 };

/* A run is worth a group of its own from about this much estimated work on, and is a multiple of RUN_STEP elements. */
enum { GROUP_NS = 20000, RUN_STEP = 64 };
/* Groups for each compute unit: enough to even out, and more where nobody knows what an element costs. */
enum { GROUPS_A_UNIT = 16, GROUPS_A_UNIT_UNBOUNDED = 64, GROUPS_A_UNIT_PACKED = 4, LEAST_GROUP = 16 };
/* Rows shorter than this are taken several at a time when there are many. */
enum { STREAM_BYTES = 96 << 20 };
enum { NARROW = 256, NARROW_ROWS = 16 };

struct row {
    syc_row base;
    bool narrow;  /* for such ranges only */
    bool streams; /* for ranges that no cache holds only */
    syc_shape shape;
    uint32_t local_size; /* 0: the device's facts say */
};

static const struct row rows[] = {
    {.base.items = SYC_ON_LOOPED,
     .base.name = "PoCL, narrow rows",
     .base.why = "each work-item loops over a row, and a group takes several rows, because the rows are short and many",
     .base.measured =
         "PoCL 3.0, 2 cores: y(i0, i1) += 0.5f * x(i0, i1) over (300000, 3), (60000, 17) and (10000, 100) took 0.85, "
         "0.53 and 0.26 ms with 16 rows a group, 1.72, 0.89 and 0.36 ms with one; over (1000, 1000) both took 0.2 ms",
     .narrow = true,
     .shape = SYC_SHAPE_LOOP,
     .local_size = NARROW_ROWS},
    {.base.items = SYC_ON_LOOPED,
     .base.name = "PoCL, vectors of 16 past the caches",
     .base.why =
         "each work-item takes a run of elements as vectors of 16, and what it writes goes past the caches, which "
         "do not hold it all and would read it from memory first",
     .base.measured =
         "floats, processor time in ms with two cores of a Zen 4 and PoCL 3.0, as a loop and so: copy of 2^24 3.25 and "
         "2.60, 2^25 6.67 and 5.35, triad of 2^23 2.22 and 1.73, 2^25 10.3 and 7.7; 16 cores of a Xeon, PoCL 5.0, copy "
         "of 2^24 0.74 and 0.65, 2^26 6.6 and 3.9, triad of 2^24 1.26 and 0.93, 2^26 8.6 and 5.9; of 2^22, which the "
         "caches hold, the other way round",
     .streams = true,
     .shape = SYC_SHAPE_PACK,
     .local_size = 1},
    {.base.items = SYC_ON_LOOPED,
     .base.name = "PoCL, vectors of 16",
     .base.why = "each work-item takes a run of elements as vectors of 16, since the driver has fast built-ins for "
                 "vectors and vectorises few of those for scalars",
     .base.measured =
         "PoCL 3.0, one core with AVX-512, 2^14 elements, ns an element in a loop and as vectors of 16: float exp 0.84 "
         "and 0.39, sin 23 and 5.1, log 16 and 0.7, pow 156 and 12, atan2 56 and 1.4, cbrt 47 and 1.7, erf 23 and 2.8; "
         "double exp 2.0 and 1.2, sin 22 and 4.2, log 26 and 1.6, pow 105 and 18; sqrt, division, fabs, fma the same "
         "either way",
     .shape = SYC_SHAPE_PACK,
     .local_size = 1},
    {.base.items = SYC_ON_LOOPED,
     .base.name = "PoCL, a loop",
     .base.why = "each work-item loops over a run of elements, since the driver vectorises such a loop 16 elements at "
                 "a time but its own loop over a group's items only 8",
     .base.measured = "PoCL 3.0, one core with AVX-512, 2^16 elements, times as fast as a work-item for each element "
                      "in groups of 1024: exp 1.55 (double 2.0), polynomial 1.4 (double 1.36, int 1.7), copy 1.03, "
                      "axpy and triad 0.95 to 1.05, conditional store 0.98 (int 0.85), division, sqrt, sin, pow, "
                      "gathers, inner loops 1.00 to 1.06; one compilation serves all sizes, and odd sizes need no "
                      "second launch (a guard in each item cost exp 2.3, int arithmetic 2.5)",
     .shape = SYC_SHAPE_LOOP,
     .local_size = 1},
    {.base.items = SYC_ON_PACKED,
     .base.name = "Intel's compiler, a work-item for each element",
     .base.why = "the driver's compiler packs work-items into vectors by itself, best in few large groups; it leaves "
                 "loops scalar",
     .base.measured = "Intel 2026.2, 2 cores, 2^16 floats, groups of 4096 against 256: copy 1.27, axpy 1.27, "
                      "polynomial 1.32, exp 1.23, conditional 1.24; the guard that lets odd sizes be padded 1.00; a "
                      "loop over runs 0.5 (axpy) to 0.05 (conditional), 0.12 (exp)",
     .shape = SYC_SHAPE_ITEM,
     .local_size = 4096},
    {.base.items = SYC_ON_THREADED,
     .base.name = "NVIDIA, 16 bytes at a time",
     .base.why = "each work-item takes the neighbours that fill 16 bytes, loaded and stored as one vector",
     .base.measured = "H200, driver 580.159, floats, GB/s of 4 neighbours against one element an item: copy 4230 and "
                      "2680 (2^28), 3550 and 2380 (2^24), 1425 and 1050 (2^20); axpy 3860 and 3090 (2^24), exp 3540 "
                      "and 2320 (2^24); 8 neighbours 3250, 4 strided 2720; doubles copy 4200 and 3820 (2^27); groups "
                      "of 128 to 1024 within 5 %; CuPy's ElementwiseKernel copy 1620 (2^24)",
     .shape = SYC_SHAPE_WIDE,
     .local_size = 256},
    {.base.items = SYC_ON_THREADED,
     .base.name = "NVIDIA, a work-item for each element",
     .base.why = "one thread for each element: the body does more than write its own elements once",
     .base.measured =
         "H200, driver 580.159, copy of 2^24 floats, GB/s with groups of 64, 128, 256, 512, 1024: 832, 1590, 2451, "
         "2308, 2060; a conditional store of 2^24 4446 against 3992 with 4 neighbours an item; the guard 0.98",
     .shape = SYC_SHAPE_ITEM,
     .local_size = 256},
    {.base.items = SYC_ON_SINGLY,
     .base.name = "any device, a work-item for each element",
     .base.why = "one work-item for each element, the form that asks nothing of the device",
     .base.measured = "not measured",
     .shape = SYC_SHAPE_ITEM},
    {.base.flags = SYC_ROW_STAND_IN,
     .base.name = "the form that gives right answers",
     .base.why = "one work-item for each element, because the form that would be faster here did not stand the "
                 "self-test: python -m pysycl says which, and why",
     .base.measured = "by the self-test, on this device",
     .shape = SYC_SHAPE_ITEM},
    {.base = SYC_TEST_ROW("this shape"), .shape = SYC_SHAPE_ITEM},
    {.base = SYC_TEST_ROW("this shape"), .shape = SYC_SHAPE_LOOP, .local_size = 1},
    {.base = SYC_TEST_ROW("this shape"), .shape = SYC_SHAPE_WIDE},
    {.base = SYC_TEST_ROW("this shape"), .shape = SYC_SHAPE_PACK, .local_size = 1},
};

static const struct row nd_range = {
    .base.name = "nd-range",
    .base.why = "the nd-range says how many work-items there are and how they are grouped",
    .base.measured = "nothing to measure",
};
static const struct row single = {
    .base.name = "single task",
    .base.why = "a single task is one work-item",
    .base.measured = "nothing to measure",
    .local_size = 1,
};

static bool is_narrow(const syc_geometry *range, size_t units)
{
    return range->global[0] < NARROW && syc__lower_elements(range, 1) / NARROW_ROWS >= units * GROUPS_A_UNIT;
}

/* The facts of a body and its range that a row is chosen by. */
struct asked {
    const syc_body_traits *traits;
    const syc_geometry *range;
    size_t units;
    bool widens, packs; /* the forms that it can be made into */
};

static bool can(const void *row, const void *question)
{
    const syc_shape shape = ((const struct row *)row)->shape;
    const struct asked *a = question;
    return (shape != SYC_SHAPE_WIDE || a->widens) && (shape != SYC_SHAPE_PACK || a->packs);
}

/* No one knows how much of a cache others leave. */
static bool is_past_caches(const struct asked *a)
{
    return syc__multiply(a->traits->read_bytes + a->traits->written_bytes, syc__lower_elements(a->range, 0)) >=
           STREAM_BYTES;
}

/* Vectors of 16 are for texts that call built-ins, or for stores past the caches. */
static bool prefers(const void *given, const void *question)
{
    const struct row *row = given;
    const struct asked *a = question;
    if (row->streams)
        return a->traits->overwrites && is_past_caches(a);
    return (!row->narrow || is_narrow(a->range, a->units)) &&
           (row->shape != SYC_SHAPE_PACK || a->traits->built_ins > 0);
}

static bool asked(const void *row, const void *question)
{
    (void)question;
    return ((const struct row *)row)->shape == syc__lower_forced();
}

static syc_families families_of(const void *row, const void *question)
{
    const struct asked *a = question;
    const bool line = a->range->dims == 1;
    switch (((const struct row *)row)->shape) {
    case SYC_SHAPE_LOOP:
        return (line && a->traits->keeps ? 0 : syc_family_bit(line ? SYC_FAMILY_LOOP : SYC_FAMILY_LOOP_ROWS)) |
               (a->traits->keeps ? syc_family_bit(SYC_FAMILY_OWN_MEMORY) : 0);
    case SYC_SHAPE_WIDE:
        return syc_family_bit(SYC_FAMILY_WIDE);
    case SYC_SHAPE_PACK:
        return syc_family_bit(syc__lower_pack_family(a->traits));
    default:
        return syc_family_bit(line ? SYC_FAMILY_ITEM : SYC_FAMILY_ITEM_ROWS);
    }
}

static const syc_table table = {SYC_TABLE_OF(rows), .can = can, .prefers = prefers, .asked = asked,
                                .families = families_of};

/* Is a text of own elements done in vectors? Then its tokens cost little. */
static bool is_vectorised(const syc_device *device, const syc_body_traits *traits, const struct row *row)
{
    return traits->elementwise && !traits->keeps &&
           (syc__lower_has_runs(row->shape) || device->facts->items == SYC_ITEMS_PACKED);
}

/* What an element of a loop-free text costs at most, but for the factor above. */
static uint64_t item_cost(const syc_body_traits *traits, bool vectors, bool checked)
{
    uint64_t ps;
    if (traits->loops || traits->weight == SIZE_MAX)
        return UINT64_MAX;
    ps = syc__multiply(traits->weight - traits->built_ins, vectors && !checked ? VECTOR_TOKEN_PS : SCALAR_TOKEN_PS);
    if (__builtin_add_overflow(ps, syc__multiply(traits->built_ins, BUILT_IN_PS), &ps))
        return UINT64_MAX;
    return checked ? syc__multiply(ps, CHECK_FACTOR) : ps;
}

/* Few runs, so that each is worth a group, but enough for all compute units. */
static uint64_t choose_run(const syc_device *device, const syc_geometry *range, uint64_t item_ps)
{
    bool bounded = item_ps != UINT64_MAX;
    uint64_t groups = device->compute_units * (bounded ? GROUPS_A_UNIT : GROUPS_A_UNIT_UNBOUNDED);
    uint64_t least = bounded ? (uint64_t)GROUP_NS * 1000 / (item_ps + 1) : 1, n = range->global[0], run;

    for (unsigned d = 1; d < range->dims && groups > 1; d++)
        groups = range->global[d] == 0 ? 1 : (groups + range->global[d] - 1) / range->global[d];
    run = groups == 0 ? n : n / groups + (n % groups != 0);
    if (run < least)
        run = least;
    if (run >= n || run > UINT64_MAX - RUN_STEP)
        return n == 0 ? 1 : n;
    run = (run + RUN_STEP - 1) / RUN_STEP * RUN_STEP;
    return run < n ? run : n;
}

/* Large groups where the driver packs work-items, as long as every compute unit gets some. */
static uint32_t choose_group(const syc_device *device, const syc_geometry *range, uint64_t item_ps, uint32_t most)
{
    bool bounded = item_ps != UINT64_MAX;
    uint64_t groups = device->compute_units * (bounded ? GROUPS_A_UNIT_PACKED : GROUPS_A_UNIT), items;

    if (device->facts->items != SYC_ITEMS_PACKED)
        return most;
    items = syc__lower_elements(range, 0);
    if (bounded && syc__multiply(items, item_ps) <= (uint64_t)GROUP_NS * 1000)
        return most;
    while (most > LEAST_GROUP && items / most < groups)
        most /= 2;
    return most;
}

/* Runs and groups have been chosen by the careful estimate. Of texts that a nearer one is known of it need not be
 * higher than what denormal numbers ask for, so that a submit is kept no longer than by other texts. */
static void estimate_near(const syc_body *body, const struct row *row, syc_lowering *out)
{
    enum { DENORMAL = 4 };
    out->near_ps = syc__lower_near(body, out, row->shape == SYC_SHAPE_PACK);
    if (out->near_ps > 0 && out->near_ps * DENORMAL < out->item_ps)
        out->item_ps = out->near_ps * DENORMAL;
}

void syc_lower_choose(const syc_device *device, const syc_body *given, const syc_geometry *range,
                      const syc_span_sizes *sizes, bool grouped, bool checked, syc_lowering *out)
{
    const syc_body *body = syc__lower_private(device, given, range, sizes, grouped);
    const syc_body_traits *traits = syc_body_traits_of(body);
    bool line = range->dims == 1 && !grouped && !checked;
    unsigned elements = line && traits->widens ? syc__lower_neighbours(body) : 1;
    const struct asked question = {.traits = traits,
                                   .range = range,
                                   .units = device->compute_units,
                                   .widens = elements > 1, /* and double stands in for some of float: */
                                   .packs = line && traits->packs && device->fp64};
    const struct row *row = range->dims == 0 ? &single
                            : grouped        ? &nd_range
                                             : syc_table_find(&table, device, &question);

    *out = (syc_lowering){.row = &row->base};
    if (row == &nd_range)
        out->families = traits->reduces ? 0 : syc_family_bit(SYC_FAMILY_ND_RANGE);
    else if (row != &single && syc__lower_forced() == SYC_SHAPE_COUNT)
        out->families = families_of(row, &question);
    out->form = (syc_form){.shape = row->shape,
                           .dims = range->dims,
                           .grouped = grouped,
                           .offset = (range->offset[0] | range->offset[1] | range->offset[2]) != 0,
                           .elements = row->shape == SYC_SHAPE_WIDE ? elements : 1,
                           .streams = row->streams,
                           .checked = checked};
    out->item_ps = item_cost(traits, is_vectorised(device, traits, row), checked);
    out->local_size =
        choose_group(device, range, out->item_ps, row->local_size != 0 ? row->local_size : device->facts->local_size);
    out->run = syc__lower_has_runs(row->shape) ? choose_run(device, range, out->item_ps) : 1;
    if (traits->scans && !grouped && range->dims > 0)
        syc__lower_scan(device, body, range, out);
    else if (traits->reduced != 0 && !grouped && range->dims > 0)
        syc__lower_axes(device, body, range, out);
    else if (traits->reduces && range->dims > 0)
        syc__lower_reduce(device, body, range, sizes, out);
    else if (!grouped && range->dims > 0 && !traits->returns && is_vectorised(device, traits, row))
        estimate_near(body, row, out);
}
