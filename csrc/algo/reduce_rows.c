/* The table, and how a row is found in it. */
#include "algo/reduce_rows.h"

#include <stdatomic.h>
#include <string.h>

static const struct syc__reduce_row rows[] = {
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
     .shape = SYC_SHAPE_STRIDE,
     .groups = 16,
     .local_size = 1024,
     .row = "NVIDIA, 16 bytes at a time",
     .why = "large groups take neighbouring elements 16 bytes at a time, four such accesses before the first is used, "
            "and combine within warps by shuffles",
     .measured = "not measured; on an H200 a sum by hand of this kind, 16 groups of 1024 a compute unit with vectors "
                 "of 4 floats, took 4667 GB/s of 2^30 floats, where CUB took 4500",
     .rate = 35},
    {.items = SYC_ITEMS_THREADED,
     .warps = true,
     .shape = SYC_SHAPE_STRIDE,
     .groups = 8,
     .local_size = 256,
     .row = "NVIDIA, strides",
     .why = "groups of 256 take neighbouring elements, as many as all compute units can have at a time, and combine "
            "within warps by shuffles",
     .measured =
         "not measured in this form; of groups that met in local memory only, one element at a time, a sum of floats "
         "on an H200 took 67 to 88 GB/s of 2^20, 1420 of 2^24 and 2500 of 2^28, where CuPy took 150, 2150 and 4300",
     .rate = 19},
    {.items = SYC_ITEMS_THREADED,
     .spare = true,
     .takes = true,
     .warps = true,
     .shape = SYC_SHAPE_STRIDE,
     .groups = 32,
     .local_size = 256,
     .row = "NVIDIA, 16 bytes at a time, groups of 256",
     .why = "many groups of 256, so that those that end late hold up little",
     .measured = "not measured"},
    {.items = SYC_ITEMS_THREADED,
     .spare = true,
     .takes = true,
     .warps = true,
     .shape = SYC_SHAPE_STRIDE,
     .groups = 4,
     .local_size = 512,
     .row = "NVIDIA, 16 bytes at a time, few groups of 512",
     .why = "as many groups as a compute unit can have at a time, so that there are few partial results",
     .measured = "not measured"},
    {.items = SYC_ITEMS_THREADED,
     .spare = true,
     .takes = true,
     .shape = SYC_SHAPE_STRIDE,
     .groups = 16,
     .local_size = 1024,
     .row = "NVIDIA, 16 bytes at a time, local memory",
     .why = "as the first, without shuffles",
     .measured = "not measured"},
    {.items = SYC_ITEMS_THREADED,
     .spare = true,
     .shape = SYC_SHAPE_STRIDE,
     .groups = 8,
     .local_size = 256,
     .row = "NVIDIA, strides, local memory",
     .why = "one element at a time, without shuffles",
     .measured = "see 'NVIDIA, strides'",
     .rate = 19},
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
};

const struct syc__reduce_row syc__reduce_nd_range = {
    .row = "nd-range",
    .why = "the nd-range says how many work-items there are and how they are grouped; each group combines its items in "
           "local memory, and the last one the groups",
    .measured = "nothing to measure",
};

enum { ROWS = sizeof rows / sizeof *rows };

/* A row, or NULL: the table decides. */
static _Atomic(const struct syc__reduce_row *) forced;

/* -- which one -- */

/* Can the body have it, on whatever device? */
static bool fits(const struct syc__reduce_row *row, const syc_body_traits *traits, const syc_geometry *range,
                 bool checked)
{
    return (!row->line || range->dims == 1) && (!row->takes || (traits->takes && range->dims == 1 && !checked));
}

static bool is_first_choice(const struct syc__reduce_row *row, const syc_device *device, const syc_body_traits *traits)
{
    return row->items == device->facts->items && !row->spare && (!row->costly || traits->built_ins > 0);
}

/* Of scalar reducers only. */
static const struct syc__reduce_row *asked_for(const syc_device *device, const syc_body_traits *traits)
{
    const struct syc__reduce_row *row = atomic_load_explicit(&forced, memory_order_relaxed);
    unsigned tuned = syc_device_tuned(device, traits->built_ins > 0);
    if (traits->scatters)
        return NULL;
    return row != NULL ? row : tuned >= SYC_TUNED_FIRST ? &rows[tuned - SYC_TUNED_FIRST] : NULL;
}

const struct syc__reduce_row *syc__reduce_row_of(const syc_device *device, const syc_body_traits *traits,
                                                 const syc_geometry *range, bool checked)
{
    syc_shape shape = syc__lower_forced();
    const struct syc__reduce_row *row = asked_for(device, traits);

    if (shape == SYC_SHAPE_LANES || shape == SYC_SHAPE_STRIDE)
        return &forced_rows[shape == SYC_SHAPE_STRIDE];
    if (row != NULL && fits(row, traits, range, checked))
        return row;
    for (row = rows; !is_first_choice(row, device, traits) || !fits(row, traits, range, checked);)
        row++;
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

syc_status syc_reduce_row_force(const char *name)
{
    const struct syc__reduce_row *row = NULL;
    for (size_t i = 0; name != NULL && i < ROWS; i++)
        if (strcmp(rows[i].row, name) == 0)
            row = &rows[i];
    if (name != NULL && row == NULL)
        return syc_fail(SYC_E_INVALID_PARAMETER, SYC_HERE, "row: no row for reducers is called '%s'", name);
    atomic_store(&forced, row);
    return SYC_OK;
}
