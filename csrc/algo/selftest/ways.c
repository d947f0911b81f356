/* In which ways each family can be computed, and what they are called. */
#include "algo/selftest/parts.h"
#include "algo/table.h"
#include "cl/device.h"

/* stand_in: the family that takes its place where no way of its own is right; COUNT: there is none. */
static const struct {
    const char *name;
    syc_family stand_in;
} families[SYC_FAMILY_COUNT] = {
    [SYC_FAMILY_ITEM] = {"bodies, one item each", SYC_FAMILY_COUNT},
    [SYC_FAMILY_ITEM_ROWS] = {"bodies, items in rows", SYC_FAMILY_COUNT},
    [SYC_FAMILY_LOOP] = {"bodies, loops", SYC_FAMILY_ITEM},
    [SYC_FAMILY_LOOP_ROWS] = {"bodies, loops over rows", SYC_FAMILY_ITEM_ROWS},
    [SYC_FAMILY_OWN_MEMORY] = {"bodies, items with memory", SYC_FAMILY_ITEM},
    [SYC_FAMILY_WIDE] = {"bodies, neighbours", SYC_FAMILY_ITEM},
    [SYC_FAMILY_PACK_FLOAT] = {"bodies, vectors of float", SYC_FAMILY_LOOP},
    [SYC_FAMILY_PACK_DOUBLE] = {"bodies, vectors of double", SYC_FAMILY_LOOP},
    [SYC_FAMILY_ND_RANGE] = {"bodies over nd-ranges", SYC_FAMILY_COUNT},
    [SYC_FAMILY_HIERARCHICAL] = {"hierarchical kernels", SYC_FAMILY_COUNT},
    [SYC_FAMILY_REDUCE_LANES] = {"reductions, lanes", SYC_FAMILY_REDUCE_STRIDE},
    [SYC_FAMILY_REDUCE_STRIDE] = {"reductions, groups", SYC_FAMILY_REDUCE_LANES},
    [SYC_FAMILY_REDUCE_PACK] = {"reductions, vectors", SYC_FAMILY_REDUCE_LANES},
    [SYC_FAMILY_ALONG] = {"reductions along rows", SYC_FAMILY_TEAMS},
    [SYC_FAMILY_ACROSS] = {"reductions across rows", SYC_FAMILY_PADDED},
    [SYC_FAMILY_SHORT] = {"reductions, short rows", SYC_FAMILY_PADDED},
    [SYC_FAMILY_PADDED] = {"reductions, padded rows", SYC_FAMILY_ALONG},
    [SYC_FAMILY_COLUMNS] = {"reductions of columns", SYC_FAMILY_TEAMS_DOWN},
    [SYC_FAMILY_TEAMS] = {"teams along rows", SYC_FAMILY_ALONG},
    [SYC_FAMILY_TEAMS_DOWN] = {"teams down columns", SYC_FAMILY_COLUMNS},
    [SYC_FAMILY_SPAN_COPIES] = {"arrays, copies", SYC_FAMILY_SPAN_ALONE},
    [SYC_FAMILY_SPAN_FOURFOLD] = {"arrays, four copies", SYC_FAMILY_SPAN_COPIES},
    [SYC_FAMILY_SPAN_FOLDED] = {"arrays, folded copies", SYC_FAMILY_SPAN_COPIES},
    [SYC_FAMILY_SPAN_ALONE] = {"arrays, one work-item", SYC_FAMILY_SPAN_COPIES},
    [SYC_FAMILY_SPAN_SHARED] = {"arrays, atomic operations", SYC_FAMILY_SPAN_COPIES},
    [SYC_FAMILY_SPAN_LOCAL] = {"arrays in local memory", SYC_FAMILY_SPAN_SHARED},
    [SYC_FAMILY_SPAN_TABLE] = {"arrays, tables", SYC_FAMILY_SPAN_SHARED},
    [SYC_FAMILY_SPAN_LOCAL_TABLE] = {"arrays, local tables", SYC_FAMILY_SPAN_LOCAL},
    [SYC_FAMILY_SUM_RUNNING] = {"sums, pairwise, compensated", SYC_FAMILY_COUNT},
    [SYC_FAMILY_SUM_EXACT] = {"sums, exact", SYC_FAMILY_COUNT},
    [SYC_FAMILY_SCAN_VECTORS] = {"scans, vectors", SYC_FAMILY_SCAN_TILES},
    [SYC_FAMILY_SCAN_PAST] = {"scans, past the caches", SYC_FAMILY_SCAN_VECTORS},
    [SYC_FAMILY_SCAN_TILES] = {"scans, tiles", SYC_FAMILY_COUNT},
    [SYC_FAMILY_SCAN_BESIDE] = {"scans, lines side by side", SYC_FAMILY_SCAN_TILES},
    [SYC_FAMILY_ATOMICS] = {"atomic operations", SYC_FAMILY_COUNT},
    [SYC_FAMILY_ATOMICS_64] = {"atomic operations, 64 bits", SYC_FAMILY_COUNT},
    [SYC_FAMILY_SUB_GROUPS] = {"functions of sub-groups", SYC_FAMILY_COUNT},
    [SYC_FAMILY_WORK_GROUPS] = {"functions of work-groups", SYC_FAMILY_COUNT},
    [SYC_FAMILY_JOINT] = {"joint algorithms", SYC_FAMILY_COUNT},
    [SYC_FAMILY_STRIDE_WARPS] = {"reductions, warps", SYC_FAMILY_REDUCE_STRIDE},
    [SYC_FAMILY_TEAMS_WARPS] = {"warps along rows", SYC_FAMILY_TEAMS},
    [SYC_FAMILY_TEAMS_DOWN_WARPS] = {"warps down columns", SYC_FAMILY_TEAMS_DOWN},
    [SYC_FAMILY_SCAN_ROUNDS] = {"scans, rounds", SYC_FAMILY_SCAN_TILES},
};

const char *syc__selftest_family_name(syc_family family)
{
    return families[family].name;
}

syc_family syc__selftest_stand_in(syc_family family)
{
    return families[family].stand_in;
}

const char *syc__selftest_way_name(syc_family family, unsigned way)
{
    static const char *const shapes[] = {NULL, "the device's own", "by sub-groups", "by the leader alone"};
    static const char *const kinds[] = {NULL, "the device's own", "warps", "emulated"};
    static const char *const forms[] = {NULL, "a loop for each group", "a work-item for each item"};
    static const char *const one[] = {NULL, "as it is"};
    unsigned value = way & SYC_WAY_VALUE;

    if (way == SYC_WAY_NONE || value == 0 || value > 3)
        return NULL;
    if (way & SYC_WAY_PLAIN)
        return family == SYC_FAMILY_SUB_GROUPS                                  ? "emulated, not optimised"
               : family == SYC_FAMILY_WORK_GROUPS || family == SYC_FAMILY_JOINT ? "by the leader alone, not optimised"
                                                                                : "not optimised";
    switch (family) {
    case SYC_FAMILY_SUB_GROUPS:
        return kinds[value];
    case SYC_FAMILY_WORK_GROUPS:
    case SYC_FAMILY_JOINT:
        return shapes[value];
    case SYC_FAMILY_HIERARCHICAL:
        return value < sizeof forms / sizeof *forms ? forms[value] : NULL;
    default:
        return value < sizeof one / sizeof *one ? one[value] : NULL;
    }
}

/* Do its bodies' work-items take runs of elements? */
static bool has_lanes(const syc_device *device)
{
    return device->facts->items == SYC_ITEMS_LOOPED || device->facts->items == SYC_ITEMS_PACKED;
}

/* Shapes need less and less of a device, and the last of them, not optimised, least. */
static size_t shapes_from(unsigned first, unsigned char *out)
{
    size_t count = 0;
    for (unsigned shape = first; shape <= SYC_GROUP_LEADER; shape++)
        out[count++] = (unsigned char)shape;
    out[count++] = SYC_GROUP_LEADER | SYC_WAY_PLAIN;
    return count;
}

static unsigned first_shape(const syc_device *device, syc_family family)
{
    unsigned way = family == SYC_FAMILY_JOINT ? syc_device_way(device, SYC_FAMILY_WORK_GROUPS) : SYC_WAY_UNKNOWN;
    unsigned kind = syc_device_way(device, SYC_FAMILY_SUB_GROUPS);

    if (kind == SYC_WAY_NONE || (kind & SYC_WAY_VALUE) == SYC_SUB_GROUP_EMULATED)
        return SYC_GROUP_LEADER; /* others go by sub-groups, and that would be a detour */
    if (way == SYC_WAY_NONE)
        return SYC_GROUP_LEADER;
    return way != SYC_WAY_UNKNOWN ? way & SYC_WAY_VALUE : device->facts->groups;
}

size_t syc__selftest_ways(const syc_device *device, syc_family family, unsigned char out[SYC__KNOWN_WAYS])
{
    bool loops = has_lanes(device);
    size_t count = 0;

    switch (family) {
    case SYC_FAMILY_SUB_GROUPS:
        if (device->facts->sub_groups != SYC_SUB_GROUP_EMULATED)
            out[count++] = (unsigned char)device->facts->sub_groups;
        out[count++] = SYC_SUB_GROUP_EMULATED;
        out[count++] = SYC_SUB_GROUP_EMULATED | SYC_WAY_PLAIN;
        return count;
    case SYC_FAMILY_WORK_GROUPS:
    case SYC_FAMILY_JOINT:
        return shapes_from(first_shape(device, family), out);
    case SYC_FAMILY_HIERARCHICAL:
        out[count++] = loops ? SYC_HIERARCHICAL_LOOPS : SYC_HIERARCHICAL_ITEMS;
        out[count++] = loops ? SYC_HIERARCHICAL_ITEMS : SYC_HIERARCHICAL_LOOPS;
        return count;
    default: /* where another family takes its place, that is optimised */
        out[count++] = 1;
        if (families[family].stand_in == SYC_FAMILY_COUNT)
            out[count++] = 1 | SYC_WAY_PLAIN;
        return count;
    }
}

static syc_family own_reductions(const syc_device *device)
{
    return has_lanes(device) ? SYC_FAMILY_REDUCE_LANES : SYC_FAMILY_REDUCE_STRIDE;
}

syc_families syc__selftest_needs(const syc_device *device, syc_family family)
{
    syc_families needs = syc_family_bit(family);
    if (family == SYC_FAMILY_ATOMICS_64 && !device->atomic64)
        return 0; /* a program that uses them is refused */
    if (family == SYC_FAMILY_SUM_RUNNING || family == SYC_FAMILY_SUM_EXACT)
        needs |= syc_family_bit(own_reductions(device)); /* which they are in the shape of */
    if (family == SYC_FAMILY_JOINT)
        needs |= syc_family_bit(SYC_FAMILY_WORK_GROUPS);
    if (family >= SYC_FAMILY_STRIDE_WARPS)
        needs |= syc_family_bit(SYC_FAMILY_SUB_GROUPS); /* which warps are */
    if ((family == SYC_FAMILY_JOINT || family == SYC_FAMILY_WORK_GROUPS) && device->facts->groups != SYC_GROUP_LEADER)
        needs |= syc_family_bit(SYC_FAMILY_SUB_GROUPS);
    return needs;
}

/* Several, the last of them COUNT. */
static syc_families all_of(const syc_family *some)
{
    syc_families all = 0;
    for (; *some != SYC_FAMILY_COUNT; some++)
        all |= syc_family_bit(*some);
    return all;
}

syc_families syc_selftest_families(const syc_device *device)
{
    static const syc_family everywhere[] = {SYC_FAMILY_ITEM,         SYC_FAMILY_ITEM_ROWS,   SYC_FAMILY_ND_RANGE,
                                            SYC_FAMILY_HIERARCHICAL, SYC_FAMILY_SPAN_COPIES, SYC_FAMILY_SPAN_ALONE,
                                            SYC_FAMILY_SUM_RUNNING,  SYC_FAMILY_SUM_EXACT,   SYC_FAMILY_ATOMICS,
                                            SYC_FAMILY_SCAN_TILES,   SYC_FAMILY_SUB_GROUPS,  SYC_FAMILY_WORK_GROUPS,
                                            SYC_FAMILY_JOINT,        SYC_FAMILY_COUNT};
    static const syc_family lanes[] = {SYC_FAMILY_ALONG,       SYC_FAMILY_ACROSS,       SYC_FAMILY_SHORT,
                                       SYC_FAMILY_PADDED,      SYC_FAMILY_COLUMNS,      SYC_FAMILY_SPAN_FOURFOLD,
                                       SYC_FAMILY_SPAN_FOLDED, SYC_FAMILY_REDUCE_LANES, SYC_FAMILY_COUNT};
    static const syc_family groups[] = {SYC_FAMILY_TEAMS,      SYC_FAMILY_TEAMS_DOWN,    SYC_FAMILY_SPAN_SHARED,
                                        SYC_FAMILY_SPAN_LOCAL, SYC_FAMILY_REDUCE_STRIDE, SYC_FAMILY_COUNT};
    static const syc_family threads[] = {SYC_FAMILY_WIDE, SYC_FAMILY_SCAN_ROUNDS, SYC_FAMILY_SPAN_TABLE,
                                         SYC_FAMILY_SPAN_LOCAL_TABLE, SYC_FAMILY_COUNT};
    static const syc_family looped[] = {SYC_FAMILY_LOOP, SYC_FAMILY_LOOP_ROWS, SYC_FAMILY_OWN_MEMORY, SYC_FAMILY_COUNT};
    static const syc_family warps[] = {SYC_FAMILY_STRIDE_WARPS, SYC_FAMILY_TEAMS_WARPS, SYC_FAMILY_TEAMS_DOWN_WARPS,
                                       SYC_FAMILY_COUNT};
    /* Double stands in for some of float. */
    static const syc_family packs[] = {SYC_FAMILY_PACK_FLOAT, SYC_FAMILY_PACK_DOUBLE, SYC_FAMILY_REDUCE_PACK,
                                       SYC_FAMILY_COUNT};

    return all_of(everywhere) | (has_lanes(device) ? all_of(lanes) : all_of(groups)) |
           (device->facts->items == SYC_ITEMS_LOOPED ? all_of(looped) : 0) |
           (device->facts->items != SYC_ITEMS_THREADED ? syc_family_bit(SYC_FAMILY_SCAN_VECTORS) : 0) |
           ((1u << device->facts->items & SYC_ON_CPUS) != 0 ? syc_family_bit(SYC_FAMILY_SCAN_PAST) : 0) |
           (has_lanes(device) && device->fp64 ? all_of(packs) : 0) |
           (device->facts->items == SYC_ITEMS_THREADED ? all_of(threads) : 0) |
           (device->facts->sub_groups == SYC_SUB_GROUP_PTX ? all_of(warps) : 0) |
           (device->facts->items != SYC_ITEMS_SINGLY ? syc_family_bit(SYC_FAMILY_SCAN_BESIDE) : 0) |
           (device->atomic64 ? syc_family_bit(SYC_FAMILY_ATOMICS_64) : 0);
}
