/* The table, and how a row is found in it. */
#include "algo/reduce_rows.h"

#include "algo/counts.h"

#include <stdatomic.h>
#include <string.h>

static const struct syc__reduce_row rows[] = {
    {.items = SYC_ITEMS_LOOPED,
     .costly = true,
     .packs = true,
     .shape = SYC_SHAPE_LANES,
     .groups = 16,
     .local_size = 1,
     .row = "PoCL, lanes in vectors of 16",
     .why = "each work-item takes runs of elements as vectors of 16, added to four vectors, since the driver has fast "
            "built-ins for vectors and vectorises few of those for scalars",
     .measured =
         "PoCL 3.0, 2 cores under a load of 12, GB/s of a processor's time, vectors and lanes of scalars: 2^24 floats, "
         "sum of exp 8.2 and 4.7 (a plain sum 10.6, NumPy 2.0), of log 5.6 and 0.16, of sin 0.82 and 0.15; 2^20, "
         "a sum of log where half of the elements are meant 2.2 and 0.22, where a hundredth is 4.0 and 2.4; the "
         "compiler takes 0.1 s longer"},
    {.items = SYC_ITEMS_LOOPED,
     .shape = SYC_SHAPE_LANES,
     .groups = 16,
     .local_size = 1,
     .row = "PoCL, lanes",
     .why =
         "each work-item loops over a run of elements with 64 accumulators, which the driver's compiler makes vectors "
         "of; groups of many items with barriers are several times slower",
     .measured =
         "PoCL 3.0, 2 cores shared with other work, 2^18 floats, best GB/s of lanes and of groups of 256: sum 29 "
         "and 4, conditional sum 14 and 4, sum of exp 7 and 0.4; with vectors of 16 and four at a time against "
         "what the compiler chooses: sum 36 and 27, sum of exp 6.1 and 3.4",
     .rate = 22},
    {.items = SYC_ITEMS_LOOPED,
     .spare = true,
     .shape = SYC_SHAPE_LANES,
     .groups = 2,
     .local_size = 1,
     .row = "PoCL, lanes, few work-items",
     .why = "two work-items for each compute unit loop over a run of elements with 64 accumulators",
     .measured = "see the row of 16"},
    {.items = SYC_ITEMS_LOOPED,
     .spare = true,
     .shape = SYC_SHAPE_LANES,
     .groups = 64,
     .local_size = 1,
     .row = "PoCL, lanes, many work-items",
     .why = "64 work-items for each compute unit loop over a run of elements with 64 accumulators, which evens out "
            "what other programs on the machine take",
     .measured = "see the row of 16"},
    {.items = SYC_ITEMS_PACKED,
     .costly = true,
     .packs = true,
     .shape = SYC_SHAPE_LANES,
     .groups = 16,
     .local_size = 1,
     .row = "Intel's compiler, lanes in vectors of 16",
     .why =
         "each work-item takes runs of elements as vectors of 16, added to four vectors, eight of them under way at a "
         "time: the driver's compiler leaves loops scalar, but has fast built-ins for vectors",
     .measured =
         "Intel 2026.2, 2 cores under a load of 12, GB/s of a processor's time, vectors and groups of 16: 2^24 floats, "
         "sum of exp 8.0 and 4.6 (a plain sum 9.6, NumPy 2.3), of log 7.7 and 5.9, of sin 7.7 and 5.9; 2^20, a sum "
         "of log where half of the elements are meant 5.0 and 4.7, where a hundredth is 8.2 and 3.2; eight vectors "
         "under way against four 1.1"},
    {.items = SYC_ITEMS_PACKED,
     .costly = true,
     .line = true,
     .shape = SYC_SHAPE_STRIDE,
     .groups = 8,
     .local_size = 16,
     .row = "Intel's compiler, groups of 16",
     .why = "groups of 16 take neighbours in a loop that turns as often for each of them: the driver's compiler packs "
            "the items into vectors, with the built-ins that they call, which it does not do in the loop of one item",
     .measured = "Intel 2026.2, 2 cores shared with other work, 2^20 floats, best GB/s of groups of 16, groups of 64 "
                 "and lanes: sum of exp 8.5, 6.7 and 1.0, sum 15.6, 10.4 and 20.6; a compiler's fence anywhere in the "
                 "kernel leaves it scalar: 0.8"},
    {.items = SYC_ITEMS_PACKED,
     .shape = SYC_SHAPE_LANES,
     .groups = 16,
     .local_size = 1,
     .row = "Intel's compiler, lanes",
     .why =
         "each work-item loops over a run of elements with 64 accumulators, which the driver's compiler makes vectors "
         "of; groups of many items with barriers are several times slower",
     .measured = "Intel 2026.2, 2 cores shared with other work, 2^18 floats, best GB/s of lanes and of groups of 256: "
                 "sum 15 and 2.6, conditional sum 17 and 3.5, sum of exp 0.6 and 0.4; with the loop over the lanes "
                 "unrolled, as the compiler does unless told not to, sum 7 against 22",
     .rate = 30},
    {.items = SYC_ITEMS_PACKED,
     .spare = true,
     .shape = SYC_SHAPE_LANES,
     .groups = 2,
     .local_size = 1,
     .row = "Intel's compiler, lanes, few work-items",
     .why = "two work-items for each compute unit loop over a run of elements with 64 accumulators",
     .measured = "see the row of 16"},
    {.items = SYC_ITEMS_PACKED,
     .spare = true,
     .line = true,
     .shape = SYC_SHAPE_STRIDE,
     .groups = 8,
     .local_size = 64,
     .row = "Intel's compiler, groups of 64",
     .why = "as groups of 16, with four vectors of items each",
     .measured = "see the row of 16"},
    {.items = SYC_ITEMS_THREADED,
     .takes = true,
     .warps = true,
     .light = true,
     .shape = SYC_SHAPE_STRIDE,
     .groups = 16,
     .local_size = 1024,
     .least = 1u << 29,
     .row = "NVIDIA, 16 bytes at a time, many groups of 1024",
     .why =
         "as with 16 bytes at a time, in the largest groups, more of them than a compute unit can have at a time, so "
         "that those that end late hold up little: where so much is read, that is more than what many partial "
         "results cost",
     .measured = "H200, driver 580.159, a sum of floats launched and waited for, to groups of 256: 1.02 of 2^30 and "
                 "2^28, 0.86 of 2^24; sum of exp the same",
     .rate = 34},
    {.items = SYC_ITEMS_THREADED,
     .takes = true,
     .warps = true,
     .shape = SYC_SHAPE_STRIDE,
     .groups = 8,
     .local_size = 256,
     .row = "NVIDIA, 16 bytes at a time",
     .why = "groups have their elements in one piece and take them 16 bytes at a time, eight such accesses before the "
            "first is used, and combine within warps by shuffles; as many groups as a compute unit can have at a time, "
            "so that there are few partial results, and of a size that every kernel has registers for",
     .measured = "H200, driver 580.159, a sum of floats launched and waited for: 4505 GB/s of 2^30, 4250 of 2^28, 1950 "
                 "of 2^24, 257 of 2^20, 0.98 to 0.83 of CUB's; behind each other 1.02 to 1.04 of CUB's, four accesses "
                 "of blocks in turn 0.98 to 1.01; 4 groups of 512 a compute unit the same, 32 of 256 and 16 of 1024 "
                 "0.8 of it with 2^24; with groups that meet in local memory 3150, 920 and 193 GB/s of 2^28, 2^24 and "
                 "2^20; one element at a time 3030, 1660 and 162; sum of exp the same, one at a time 1970, 1260 and "
                 "206",
     .rate = 33},
    {.items = SYC_ITEMS_THREADED,
     .warps = true,
     .shape = SYC_SHAPE_STRIDE,
     .groups = 8,
     .local_size = 256,
     .row = "NVIDIA, strides",
     .why = "groups of 256 take neighbouring elements, as many as all compute units can have at a time, and combine "
            "within warps by shuffles",
     .measured = "see 'NVIDIA, 16 bytes at a time'",
     .rate = 24},
    {.items = SYC_ITEMS_THREADED,
     .spare = true,
     .takes = true,
     .warps = true,
     .shape = SYC_SHAPE_STRIDE,
     .groups = 2,
     .local_size = 256,
     .row = "NVIDIA, 16 bytes at a time, few groups",
     .why = "fewer groups than a compute unit can have, so that there are few partial results",
     .measured = "see 'NVIDIA, 16 bytes at a time'"},
    {.items = SYC_ITEMS_THREADED,
     .spare = true,
     .takes = true,
     .warps = true,
     .shape = SYC_SHAPE_STRIDE,
     .groups = 32,
     .local_size = 256,
     .row = "NVIDIA, 16 bytes at a time, many groups",
     .why = "more groups than a compute unit can have at a time, so that those that end late hold up little",
     .measured = "see 'NVIDIA, 16 bytes at a time'"},
    {.items = SYC_ITEMS_THREADED,
     .spare = true,
     .takes = true,
     .warps = true,
     .shape = SYC_SHAPE_STRIDE,
     .groups = 4,
     .local_size = 512,
     .row = "NVIDIA, 16 bytes at a time, groups of 512",
     .why = "groups of 512, as many as a compute unit can have at a time",
     .measured = "see 'NVIDIA, 16 bytes at a time'"},
    {.items = SYC_ITEMS_THREADED,
     .spare = true,
     .takes = true,
     .shape = SYC_SHAPE_STRIDE,
     .groups = 16,
     .local_size = 1024,
     .row = "NVIDIA, 16 bytes at a time, local memory",
     .why = "large groups, without shuffles",
     .measured = "see 'NVIDIA, 16 bytes at a time'"},
    {.items = SYC_ITEMS_THREADED,
     .spare = true,
     .shape = SYC_SHAPE_STRIDE,
     .groups = 8,
     .local_size = 256,
     .row = "NVIDIA, strides, local memory",
     .why = "one element at a time, without shuffles",
     .measured = "see 'NVIDIA, strides'",
     .rate = 24},
    {.items = SYC_ITEMS_SINGLY,
     .shape = SYC_SHAPE_STRIDE,
     .groups = 8,
     .local_size = 64,
     .row = "any device, strides",
     .why = "groups of 64 take neighbouring elements, the form that asks little of the device",
     .measured = "not measured"},
    {.items = SYC_ITEMS_SINGLY,
     .spare = true,
     .takes = true,
     .shape = SYC_SHAPE_STRIDE,
     .groups = 16,
     .local_size = 256,
     .row = "any device, 16 bytes at a time",
     .why = "groups of 256 take neighbouring elements 16 bytes at a time, as GPUs like it",
     .measured = "not measured"},
    {.items = SYC_ITEMS_SINGLY,
     .spare = true,
     .shape = SYC_SHAPE_LANES,
     .groups = 4,
     .local_size = 1,
     .row = "any device, lanes",
     .why = "each work-item loops over a run of elements with 64 accumulators, as CPUs like it",
     .measured = "not measured"},
};

static const struct syc__reduce_row forced_rows[] = {
    {.shape = SYC_SHAPE_LANES,
     .groups = 4,
     .local_size = 1,
     .row = "forced",
     .why = "a test asked for this shape",
     .measured = "no"},
    {.shape = SYC_SHAPE_STRIDE,
     .groups = 4,
     .local_size = 16,
     .row = "forced",
     .why = "a test asked for this shape",
     .measured = "no"},
    {.packs = true,
     .shape = SYC_SHAPE_LANES,
     .groups = 4,
     .local_size = 1,
     .row = "forced",
     .why = "a test asked for this shape",
     .measured = "no"},
};

/* In place of a shape that the self-test has found to be wrong on the device. */
static const struct syc__reduce_row other_rows[] = {
    {.shape = SYC_SHAPE_LANES,
     .groups = 16,
     .local_size = 1,
     .row = "lanes in place of groups",
     .why = "each work-item loops over a run of elements with 64 accumulators: groups did not stand the self-test",
     .measured = "not measured"},
    {.shape = SYC_SHAPE_STRIDE,
     .groups = 8,
     .local_size = 64,
     .row = "groups in place of lanes",
     .why = "groups of 64 take neighbouring elements: lanes did not stand the self-test",
     .measured = "not measured"},
};

static const struct syc__reduce_row nd_ranges[] = {
    {.items = SYC_ITEMS_LOOPED,
     .leads = true,
     .local_size = 32,
     .row = "nd-range, PoCL, by the first of a group",
     .why =
         "the nd-range says how many work-items there are and how they are grouped; the first of each group combines "
         "what its items have, and that of the last one the groups, because each barrier is one more loop over all "
         "items",
     .measured =
         "PoCL 3.0, 2 cores under load, a sum of 2^18 floats, times as fast as groups that meet in local memory: "
         "groups of 16 0.7, 64 3.6, 256 4.4, 1024 4.7 (4.0 GB/s); two reducers and groups of 256 4.9; on Intel "
         "2026.2 the same either way"},
    {.items = SYC_ITEMS_THREADED,
     .warps = true,
     .row = "nd-range, NVIDIA",
     .why = "the nd-range says how many work-items there are and how they are grouped; groups of whole warps combine "
            "within those by shuffles first, others in local memory, and the last group the groups",
     .measured = "not measured"},
    {.items = SYC_ITEMS_SINGLY,
     .row = "nd-range",
     .why =
         "the nd-range says how many work-items there are and how they are grouped; each group combines its items in "
         "local memory, and the last one the groups",
     .measured = "nothing to measure"},
};

enum { ROWS = sizeof rows / sizeof *rows, ND_RANGES = sizeof nd_ranges / sizeof *nd_ranges };

/* Rows, or NULL: the table decides. */
static _Atomic(const struct syc__reduce_row *) forced, forced_nd_range;

/* -- which one -- */

bool syc__reduce_is_light(const syc_body *body)
{
    enum { LIGHT = 24 }; /* tokens */
    const syc_body_traits *traits = syc_body_traits_of(body);
    const syc_body_source *source = syc_body_source_of(body);
    for (size_t i = 0; i < source->count; i++)
        if (source->names[i].kind == SYC_NAME_REDUCER && syc_partial_bytes(&source->names[i]) > sizeof(double))
            return false;
    return traits->elementwise && !traits->loops && !traits->keeps && traits->built_ins == 0 &&
           traits->weight <= LIGHT && traits->read_bytes <= 2 * sizeof(double);
}

/* Can the body have it, on whatever device? */
static bool fits(const struct syc__reduce_row *row, const syc_device *device, const syc_body *body,
                 const syc_geometry *range, bool checked)
{
    const syc_body_traits *traits = syc_body_traits_of(body);
    if (row->packs && (!traits->packs || checked || !device->fp64 || /* double stands in for some of float */
                       syc_device_is_wrong(device, syc__lower_pack_families(traits))))
        return false;
    return (!row->line || range->dims == 1) && (!row->light || syc__reduce_is_light(body)) &&
           (!row->takes || (traits->takes && range->dims == 1 && !checked));
}

static bool is_first_choice(const struct syc__reduce_row *row, const syc_device *device, const syc_body_traits *traits,
                            const syc_geometry *range)
{
    return row->items == device->facts->items && !row->spare && (!row->costly || traits->built_ins > 0) &&
           syc__multiply(traits->read_bytes, range->global[0]) >= row->least;
}

static const struct syc__reduce_row *forced_row(void)
{
    switch (syc__lower_forced()) {
    case SYC_SHAPE_LANES:
        return &forced_rows[0];
    case SYC_SHAPE_STRIDE:
        return &forced_rows[1];
    case SYC_SHAPE_PACK:
        return &forced_rows[2];
    default:
        return NULL;
    }
}

/* The tuned one is of scalar reducers only. */
static const struct syc__reduce_row *asked_for(const syc_device *device, const syc_body_traits *traits)
{
    const struct syc__reduce_row *row = atomic_load_explicit(&forced, memory_order_relaxed);
    unsigned tuned = syc_device_tuned(device, traits->built_ins > 0);
    if (row != NULL || traits->scatters || tuned < SYC_TUNED_FIRST)
        return row;
    return &rows[tuned - SYC_TUNED_FIRST];
}

syc_families syc__reduce_families(const syc_body_traits *traits, const struct syc__reduce_row *row)
{
    bool known = row == &other_rows[0] || row == &other_rows[1] || (row >= rows && row < rows + ROWS);
    if (!known)
        return 0;
    if (row->packs)
        return syc__lower_pack_families(traits);
    return syc_family_bit(row->shape == SYC_SHAPE_LANES ? SYC_FAMILY_REDUCE_LANES : SYC_FAMILY_REDUCE_STRIDE);
}

/* The row, or if its shape is wrong on the device, the other one; where both are, the caller refuses. */
static const struct syc__reduce_row *or_other(const struct syc__reduce_row *row, const syc_device *device,
                                              const syc_body_traits *traits)
{
    return syc_device_is_wrong(device, syc__reduce_families(traits, row)) ? &other_rows[row->shape == SYC_SHAPE_LANES]
                                                                          : row;
}

const struct syc__reduce_row *syc__reduce_row_of(const syc_device *device, const syc_body *body,
                                                 const syc_geometry *range, bool checked)
{
    const syc_body_traits *traits = syc_body_traits_of(body);
    const struct syc__reduce_row *row = forced_row();

    if (row == NULL)
        row = asked_for(device, traits);
    if (row != NULL && fits(row, device, body, range, checked))
        return or_other(row, device, traits);
    for (row = rows; !is_first_choice(row, device, traits, range) || !fits(row, device, body, range, checked);)
        row++;
    return or_other(row, device, traits);
}

const struct syc__reduce_row *syc__reduce_nd_range_of(const syc_device *device, const syc_body_traits *traits,
                                                      uint32_t items)
{
    const struct syc__reduce_row *row = atomic_load_explicit(&forced_nd_range, memory_order_relaxed);
    if (row != NULL && !traits->scatters)
        return row;
    row = nd_ranges;
    while (row->items != SYC_ITEMS_SINGLY &&
           (row->items != device->facts->items || items < row->local_size || traits->scatters))
        row++; /* arrays are combined by all items */
    return row;
}

/* -- by name -- */

static bool is_choice(const struct syc__reduce_row *row, const syc_device *device)
{
    return row->items == device->facts->items;
}

const char *syc_reduce_row_name(const syc_device *device, size_t index)
{
    for (size_t i = 0; i < ROWS; i++)
        if (is_choice(&rows[i], device) && index-- == 0)
            return rows[i].row;
    return NULL;
}

unsigned syc__reduce_row_number(const syc_device *device, const char *name)
{
    for (unsigned i = 0; i < ROWS; i++)
        if (is_choice(&rows[i], device) && strcmp(rows[i].row, name) == 0)
            return SYC_TUNED_FIRST + i;
    return SYC_TUNED_NOTHING;
}

static const struct syc__reduce_row *named(const struct syc__reduce_row *among, size_t count, const char *name)
{
    for (size_t i = 0; name != NULL && i < count; i++)
        if (strcmp(among[i].row, name) == 0)
            return &among[i];
    return NULL;
}

syc_status syc_reduce_row_force(const char *name)
{
    const struct syc__reduce_row *row = named(rows, ROWS, name), *nd_range = named(nd_ranges, ND_RANGES, name);
    if (name != NULL && row == NULL && nd_range == NULL)
        return syc_fail(SYC_E_INVALID_PARAMETER, SYC_HERE, "row: no row for reducers is called '%s'", name);
    atomic_store(&forced, row);
    atomic_store(&forced_nd_range, nd_range);
    return SYC_OK;
}
