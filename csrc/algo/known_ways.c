/* In which ways each family can be computed, and what they are called. */
#include "algo/known_parts.h"

const char *syc__known_family_name(syc_family family)
{
    static const char *const names[SYC_FAMILY_COUNT] = {
        [SYC_FAMILY_ITEM] = "bodies, one item each",
        [SYC_FAMILY_LOOP] = "bodies, loops",
        [SYC_FAMILY_OWN_MEMORY] = "bodies, items with memory",
        [SYC_FAMILY_WIDE] = "bodies, neighbours",
        [SYC_FAMILY_PACK_FLOAT] = "bodies, vectors of float",
        [SYC_FAMILY_PACK_DOUBLE] = "bodies, vectors of double",
        [SYC_FAMILY_HIERARCHICAL] = "hierarchical kernels",
        [SYC_FAMILY_ATOMICS] = "atomic operations",
        [SYC_FAMILY_SUB_GROUPS] = "functions of sub-groups",
        [SYC_FAMILY_WORK_GROUPS] = "functions of work-groups",
        [SYC_FAMILY_JOINT] = "joint algorithms",
    };
    return names[family];
}

const char *syc__known_way_name(syc_family family, unsigned way)
{
    static const char *const shapes[] = {NULL, "the device's own", "by sub-groups", "by the leader alone"};
    static const char *const kinds[] = {NULL, "the device's own", "warps", "emulated"};
    static const char *const forms[] = {NULL, "a loop for each group", "a work-item for each item"};
    static const char *const one[] = {NULL, "as it is"};
    unsigned value = way & SYC_WAY_VALUE;

    if (way == SYC_WAY_NONE || value == 0 || value > 3)
        return NULL;
    if (way & SYC_WAY_PLAIN)
        return family == SYC_FAMILY_SUB_GROUPS ? "emulated, not optimised"
               : family == SYC_FAMILY_ATOMICS  ? "not optimised"
                                               : "by the leader alone, not optimised";
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

syc_family syc__known_stand_in(syc_family family)
{
    if (family == SYC_FAMILY_PACK_FLOAT || family == SYC_FAMILY_PACK_DOUBLE)
        return SYC_FAMILY_LOOP;
    return family == SYC_FAMILY_LOOP || family == SYC_FAMILY_OWN_MEMORY || family == SYC_FAMILY_WIDE ? SYC_FAMILY_ITEM
                                                                                                     : SYC_FAMILY_COUNT;
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

size_t syc__known_ways(const syc_device *device, syc_family family, unsigned char out[SYC__KNOWN_WAYS])
{
    bool loops = device->facts->items == SYC_ITEMS_LOOPED || device->facts->items == SYC_ITEMS_PACKED;
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
    case SYC_FAMILY_ATOMICS:
        out[count++] = 1;
        out[count++] = 1 | SYC_WAY_PLAIN;
        return count;
    default: /* bodies: what takes the place of a form that is wrong is another family */
        out[count++] = 1;
        return count;
    }
}

uint32_t syc__known_needs(const syc_device *device, syc_family family)
{
    uint32_t needs = 1u << family;
    if (family == SYC_FAMILY_JOINT)
        needs |= 1u << SYC_FAMILY_WORK_GROUPS;
    if ((family == SYC_FAMILY_JOINT || family == SYC_FAMILY_WORK_GROUPS) && device->facts->groups != SYC_GROUP_LEADER)
        needs |= 1u << SYC_FAMILY_SUB_GROUPS;
    return needs;
}

uint32_t syc_known_families(const syc_device *device)
{
    uint32_t families = 1u << SYC_FAMILY_HIERARCHICAL | 1u << SYC_FAMILY_ATOMICS | 1u << SYC_FAMILY_SUB_GROUPS |
                        1u << SYC_FAMILY_WORK_GROUPS | 1u << SYC_FAMILY_JOINT | 1u << SYC_FAMILY_ITEM;
    if (device->facts->items == SYC_ITEMS_LOOPED)
        families |= 1u << SYC_FAMILY_LOOP | 1u << SYC_FAMILY_OWN_MEMORY;
    if (device->facts->items == SYC_ITEMS_LOOPED && device->fp64) /* double stands in for some of float */
        families |= 1u << SYC_FAMILY_PACK_FLOAT | 1u << SYC_FAMILY_PACK_DOUBLE;
    if (device->facts->items == SYC_ITEMS_THREADED)
        families |= 1u << SYC_FAMILY_WIDE;
    return families;
}
