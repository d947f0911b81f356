/* The table, and how a row is found in it. */
#include "algo/lower/reduce_rows.h"
#include "algo/lower/span_rows.h"

#include "algo/counts.h"
#include "algo/table.h"
#include "body/name.h"
#include "body/traits.h"
#include "cl/device.h"

static const struct syc__reduce_row rows[] = {
    {.base.items = SYC_ON_LOOPED,
     .base.name = "PoCL, lanes in vectors of 16",
     .base.why = "each work-item takes runs of elements as vectors of 16, added to four vectors, since the driver has "
                 "fast built-ins for vectors and vectorises few of those for scalars",
     .base.measured = "PoCL 3.0, 2 cores under a load of 12, GB/s of a processor's time, vectors and lanes of scalars: "
                      "2^24 floats, sum of exp 8.2 and 4.7 (a plain sum 10.6, NumPy 2.0), of log 5.6 and 0.16, of sin "
                      "0.82 and 0.15; 2^20, a sum of log where half of the elements are meant 2.2 and 0.22, where a "
                      "hundredth is 4.0 and 2.4; the compiler takes 0.1 s longer",
     .costly = true,
     .packs = true,
     .shape = SYC_SHAPE_LANES,
     .groups = 16,
     .local_size = 1},
    {.base.items = SYC_ON_LOOPED,
     .base.name = "PoCL, lanes",
     .base.why = "each work-item loops over a run of elements with 64 accumulators, which the driver's compiler makes "
                 "vectors of; groups of many items with barriers are several times slower",
     .base.measured = "PoCL 3.0, 2 cores shared with other work, 2^18 floats, best GB/s of lanes and of groups of 256: "
                      "sum 29 and 4, conditional sum 14 and 4, sum of exp 7 and 0.4; with vectors of 16 and four at a "
                      "time against what the compiler chooses: sum 36 and 27, sum of exp 6.1 and 3.4",
     .shape = SYC_SHAPE_LANES,
     .groups = 16,
     .local_size = 1,
     .rate = 22},
    {.base.items = SYC_ON_LOOPED,
     .base.flags = SYC_ROW_SPARE,
     .base.name = "PoCL, lanes, few work-items",
     .base.why = "two work-items for each compute unit loop over a run of elements with 64 accumulators",
     .base.measured = "see the row of 16",
     .shape = SYC_SHAPE_LANES,
     .groups = 2,
     .local_size = 1},
    {.base.items = SYC_ON_LOOPED,
     .base.flags = SYC_ROW_SPARE,
     .base.name = "PoCL, lanes, many work-items",
     .base.why = "64 work-items for each compute unit loop over a run of elements with 64 accumulators, which evens "
                 "out what other programs on the machine take",
     .base.measured = "see the row of 16",
     .shape = SYC_SHAPE_LANES,
     .groups = 64,
     .local_size = 1},
    {.base.items = SYC_ON_PACKED,
     .base.name = "Intel's compiler, lanes in vectors of 16",
     .base.why = "each work-item takes runs of elements as vectors of 16, added to four vectors, eight of them under "
                 "way at a time: the driver's compiler leaves loops scalar, but has fast built-ins for vectors",
     .base.measured = "Intel 2026.2, 2 cores under a load of 12, GB/s of a processor's time, vectors and groups of 16: "
                      "2^24 floats, sum of exp 8.0 and 4.6 (a plain sum 9.6, NumPy 2.3), of log 7.7 and 5.9, of sin "
                      "7.7 and 5.9; 2^20, a sum of log where half of the elements are meant 5.0 and 4.7, where a "
                      "hundredth is 8.2 and 3.2; eight vectors under way against four 1.1",
     .costly = true,
     .packs = true,
     .shape = SYC_SHAPE_LANES,
     .groups = 16,
     .local_size = 1},
    {.base.items = SYC_ON_PACKED,
     .base.name = "Intel's compiler, groups of 16",
     .base.why =
         "groups of 16 take neighbours in a loop that turns as often for each of them: the driver's compiler packs the "
         "items into vectors, with the built-ins that they call, which it does not do in the loop of one item",
     .base.measured = "Intel 2026.2, 2 cores shared with other work, 2^20 floats, best GB/s of groups of 16, groups of "
                      "64 and lanes: sum of exp 8.5, 6.7 and 1.0, sum 15.6, 10.4 and 20.6; a compiler's fence anywhere "
                      "in the kernel leaves it scalar: 0.8",
     .costly = true,
     .line = true,
     .shape = SYC_SHAPE_STRIDE,
     .groups = 8,
     .local_size = 16},
    {.base.items = SYC_ON_PACKED,
     .base.name = "Intel's compiler, lanes",
     .base.why = "each work-item loops over a run of elements with 64 accumulators, which the driver's compiler makes "
                 "vectors of; groups of many items with barriers are several times slower",
     .base.measured = "Intel 2026.2, 2 cores shared with other work, 2^18 floats, best GB/s of lanes and of groups of "
                      "256: sum 15 and 2.6, conditional sum 17 and 3.5, sum of exp 0.6 and 0.4; with the loop over the "
                      "lanes unrolled, as the compiler does unless told not to, sum 7 against 22",
     .shape = SYC_SHAPE_LANES,
     .groups = 16,
     .local_size = 1,
     .rate = 30},
    {.base.items = SYC_ON_PACKED,
     .base.flags = SYC_ROW_SPARE,
     .base.name = "Intel's compiler, lanes, few work-items",
     .base.why = "two work-items for each compute unit loop over a run of elements with 64 accumulators",
     .base.measured = "see the row of 16",
     .shape = SYC_SHAPE_LANES,
     .groups = 2,
     .local_size = 1},
    {.base.items = SYC_ON_PACKED,
     .base.flags = SYC_ROW_SPARE,
     .base.name = "Intel's compiler, groups of 64",
     .base.why = "as groups of 16, with four vectors of items each",
     .base.measured = "see the row of 16",
     .line = true,
     .shape = SYC_SHAPE_STRIDE,
     .groups = 8,
     .local_size = 64},
    {.base.items = SYC_ON_THREADED,
     .base.name = "NVIDIA, 16 bytes at a time, many groups of 1024",
     .base.why = "as with 16 bytes at a time, in the largest groups, more of them than a compute unit can have at a "
                 "time, so that those that end late hold up little: where so much is read, that is more than what many "
                 "partial results cost",
     .base.measured = "H200, driver 580.159, a sum of floats launched and waited for, to groups of 256: 1.02 of 2^30 "
                      "and 2^28, 0.86 of 2^24; sum of exp the same",
     .takes = true,
     .warps = true,
     .light = true,
     .shape = SYC_SHAPE_STRIDE,
     .groups = 16,
     .local_size = 1024,
     .least = 1u << 29,
     .rate = 34},
    {.base.items = SYC_ON_THREADED,
     .base.name = "NVIDIA, 16 bytes at a time",
     .base.why = "groups have their elements in one piece and take them 16 bytes at a time, eight such accesses before "
                 "the first is used, and combine within warps by shuffles; as many groups as a compute unit can have "
                 "at a time, so that there are few partial results, and of a size that every kernel has registers for",
     .base.measured =
         "H200, driver 580.159, a sum of floats launched and waited for: 4505 GB/s of 2^30, 4250 of 2^28, 1950 of "
         "2^24, 257 of 2^20, 0.98 to 0.83 of CUB's; behind each other 1.02 to 1.04 of CUB's, four accesses of blocks "
         "in turn 0.98 to 1.01; 4 groups of 512 a compute unit the same, 32 of 256 and 16 of 1024 0.8 of it with 2^24; "
         "with groups that meet in local memory 3150, 920 and 193 GB/s of 2^28, 2^24 and 2^20; one element at a time "
         "3030, 1660 and 162; sum of exp the same, one at a time 1970, 1260 and 206",
     .takes = true,
     .warps = true,
     .shape = SYC_SHAPE_STRIDE,
     .groups = 8,
     .local_size = 256,
     .rate = 33},
    {.base.items = SYC_ON_THREADED,
     .base.name = "NVIDIA, strides",
     .base.why = "groups of 256 take neighbouring elements, as many as all compute units can have at a time, and "
                 "combine within warps by shuffles",
     .base.measured = "see 'NVIDIA, 16 bytes at a time'",
     .warps = true,
     .shape = SYC_SHAPE_STRIDE,
     .groups = 8,
     .local_size = 256,
     .rate = 24},
    {.base.items = SYC_ON_THREADED,
     .base.flags = SYC_ROW_SPARE,
     .base.name = "NVIDIA, 16 bytes at a time, few groups",
     .base.why = "fewer groups than a compute unit can have, so that there are few partial results",
     .base.measured = "see 'NVIDIA, 16 bytes at a time'",
     .takes = true,
     .warps = true,
     .shape = SYC_SHAPE_STRIDE,
     .groups = 2,
     .local_size = 256},
    {.base.items = SYC_ON_THREADED,
     .base.flags = SYC_ROW_SPARE,
     .base.name = "NVIDIA, 16 bytes at a time, many groups",
     .base.why = "more groups than a compute unit can have at a time, so that those that end late hold up little",
     .base.measured = "see 'NVIDIA, 16 bytes at a time'",
     .takes = true,
     .warps = true,
     .shape = SYC_SHAPE_STRIDE,
     .groups = 32,
     .local_size = 256},
    {.base.items = SYC_ON_THREADED,
     .base.flags = SYC_ROW_SPARE,
     .base.name = "NVIDIA, 16 bytes at a time, groups of 512",
     .base.why = "groups of 512, as many as a compute unit can have at a time",
     .base.measured = "see 'NVIDIA, 16 bytes at a time'",
     .takes = true,
     .warps = true,
     .shape = SYC_SHAPE_STRIDE,
     .groups = 4,
     .local_size = 512},
    {.base.items = SYC_ON_THREADED,
     .base.flags = SYC_ROW_SPARE,
     .base.name = "NVIDIA, 16 bytes at a time, local memory",
     .base.why = "large groups, without shuffles",
     .base.measured = "see 'NVIDIA, 16 bytes at a time'",
     .takes = true,
     .shape = SYC_SHAPE_STRIDE,
     .groups = 16,
     .local_size = 1024},
    {.base.items = SYC_ON_THREADED,
     .base.flags = SYC_ROW_SPARE,
     .base.name = "NVIDIA, strides, local memory",
     .base.why = "one element at a time, without shuffles",
     .base.measured = "see 'NVIDIA, strides'",
     .shape = SYC_SHAPE_STRIDE,
     .groups = 8,
     .local_size = 256,
     .rate = 24},
    {.base.items = SYC_ON_SINGLY,
     .base.name = "any device, strides",
     .base.why = "groups of 64 take neighbouring elements, the form that asks little of the device",
     .base.measured = "not measured",
     .shape = SYC_SHAPE_STRIDE,
     .groups = 8,
     .local_size = 64},
    {.base.items = SYC_ON_SINGLY,
     .base.flags = SYC_ROW_SPARE,
     .base.name = "any device, 16 bytes at a time",
     .base.why = "groups of 256 take neighbouring elements 16 bytes at a time, as GPUs like it",
     .base.measured = "not measured",
     .takes = true,
     .shape = SYC_SHAPE_STRIDE,
     .groups = 16,
     .local_size = 256},
    {.base.items = SYC_ON_SINGLY,
     .base.flags = SYC_ROW_SPARE,
     .base.name = "any device, lanes",
     .base.why = "each work-item loops over a run of elements with 64 accumulators, as CPUs like it",
     .base.measured = "not measured",
     .shape = SYC_SHAPE_LANES,
     .groups = 4,
     .local_size = 1},
    {.base.items = SYC_ON_THREADED | SYC_ON_SINGLY,
     .base.flags = SYC_ROW_STAND_IN,
     .base.name = "lanes in place of groups",
     .base.why = "each work-item loops over a run of elements with 64 accumulators: groups did not stand the self-test",
     .base.measured = "not measured",
     .shape = SYC_SHAPE_LANES,
     .groups = 16,
     .local_size = 1},
    {.base.items = SYC_ON_CPUS,
     .base.flags = SYC_ROW_STAND_IN,
     .base.name = "groups in place of lanes",
     .base.why = "groups of 64 take neighbouring elements: lanes did not stand the self-test",
     .base.measured = "not measured",
     .shape = SYC_SHAPE_STRIDE,
     .groups = 8,
     .local_size = 64},
    {.base = SYC_TEST_ROW("this shape"), .shape = SYC_SHAPE_LANES, .groups = 4, .local_size = 1},
    {.base = SYC_TEST_ROW("this shape"), .shape = SYC_SHAPE_STRIDE, .groups = 4, .local_size = 16},
    {.base = SYC_TEST_ROW("this shape"), .packs = true, .shape = SYC_SHAPE_LANES, .groups = 4, .local_size = 1},
};

static const struct syc__reduce_row nd_ranges[] = {
    {.base.items = SYC_ON_LOOPED,
     .base.name = "nd-range, PoCL, by the first of a group",
     .base.why = "the nd-range says how many work-items there are and how they are grouped; the first of each group "
                 "combines what its items have, and that of the last one the groups, because each barrier is one more "
                 "loop over all items",
     .base.measured = "PoCL 3.0, 2 cores under load, a sum of 2^18 floats, times as fast as groups that meet in local "
                      "memory: groups of 16 0.7, 64 3.6, 256 4.4, 1024 4.7 (4.0 GB/s); two reducers and groups of 256 "
                      "4.9; on Intel 2026.2 the same either way",
     .leads = true,
     .local_size = 32},
    {.base.items = SYC_ON_THREADED,
     .base.name = "nd-range, NVIDIA",
     .base.why = "the nd-range says how many work-items there are and how they are grouped; groups of whole warps "
                 "combine within those by shuffles first, others in local memory, and the last group the groups",
     .base.measured = "not measured",
     .warps = true},
    {.base.name = "nd-range",
     .base.why = "the nd-range says how many work-items there are and how they are grouped; each group combines its "
                 "items in local memory, and the last one the groups",
     .base.measured = "nothing to measure"},
};

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

/* The facts that a row is chosen by. */
struct asked {
    const syc_device *device;
    const syc_body *body;
    const syc_body_traits *traits;
    const syc_geometry *range;
    bool checked;
};

static bool can(const void *given, const void *question)
{
    const struct syc__reduce_row *row = given;
    const struct asked *a = question;
    return (!row->packs || (a->traits->packs && !a->checked && a->device->fp64)) && /* double stands in for float */
           (!row->line || a->range->dims == 1) && (!row->light || syc__reduce_is_light(a->body)) &&
           (!row->takes || (a->traits->takes && a->range->dims == 1 && !a->checked));
}

static bool prefers(const void *given, const void *question)
{
    const struct syc__reduce_row *row = given;
    const struct asked *a = question;
    return (!row->costly || a->traits->built_ins > 0) &&
           syc__multiply(a->traits->read_bytes, a->range->global[0]) >= row->least;
}

static bool asked(const void *given, const void *question)
{
    const struct syc__reduce_row *row = given;
    (void)question;
    return (row->packs ? SYC_SHAPE_PACK : row->shape) == syc__lower_forced();
}

static syc_families families_of(const void *given, const void *question)
{
    const struct syc__reduce_row *row = given;
    if (row->packs)
        return syc__lower_pack_families(((const struct asked *)question)->traits);
    return syc_family_bit(row->shape == SYC_SHAPE_LANES ? SYC_FAMILY_REDUCE_LANES : SYC_FAMILY_REDUCE_STRIDE);
}

/* It was measured of scalar reducers only. */
static const void *tuned(const syc_device *device, const void *question)
{
    const syc_body_traits *traits = ((const struct asked *)question)->traits;
    unsigned number = syc_device_tuned(device, traits->built_ins > 0 ? SYC_TUNED_BUILT_INS : SYC_TUNED_SUMS);
    return traits->scatters || number < SYC_TUNED_FIRST ? NULL : &rows[number - SYC_TUNED_FIRST];
}

/* Arrays are combined by all items. */
static bool can_nd_range(const void *given, const void *question)
{
    const struct syc__reduce_row *row = given;
    return !((const struct asked *)question)->traits->scatters || !(row->leads || row->warps);
}

static bool prefers_nd_range(const void *row, const void *question)
{
    return syc__lower_items_of_group(((const struct asked *)question)->range) >=
           ((const struct syc__reduce_row *)row)->local_size;
}

static syc_table over_ranges = {SYC_TABLE_OF(rows),      .can = can,    .prefers = prefers, .asked = asked,
                                .families = families_of, .tuned = tuned};
static syc_table over_nd_ranges = {SYC_TABLE_OF(nd_ranges), .can = can_nd_range, .prefers = prefers_nd_range};

const struct syc__reduce_row *syc__reduce_row_of(const syc_device *device, const syc_body *body,
                                                 const syc_geometry *range, const syc_form *form,
                                                 syc_families *families)
{
    const struct asked question = {
        .device = device, .body = body, .traits = syc_body_traits_of(body), .range = range, .checked = form->checked};
    const syc_table *table = form->grouped ? &over_nd_ranges : &over_ranges;
    const struct syc__reduce_row *row = syc_table_find(table, device, &question);
    *families = syc_table_families(table, row, &question);
    return row;
}

/* -- by name -- */

const char *syc_reduce_row_name(const syc_device *device, size_t index)
{
    return syc_table_name(&over_ranges, device, index);
}

unsigned syc__reduce_row_number(const syc_device *device, const char *name)
{
    const struct syc__reduce_row *row = syc_table_named(&over_ranges, device, name);
    return row != NULL ? SYC_TUNED_FIRST + (unsigned)(row - rows) : SYC_TUNED_NOTHING;
}

syc_status syc_reduce_row_force(const char *name)
{
    if (!syc__span_row_force(name) && name != NULL && syc_table_named(&over_ranges, NULL, name) == NULL &&
        syc_table_named(&over_nd_ranges, NULL, name) == NULL)
        return syc_fail(SYC_E_INVALID_PARAMETER, SYC_HERE, "row: no row for reducers is called '%s'", name);
    syc_table_force(&over_ranges, name);
    syc_table_force(&over_nd_ranges, name);
    return SYC_OK;
}
