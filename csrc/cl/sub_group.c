/* The sizes of sub-groups, by what they are. */
#include "cl/sub_group.h"

#include "base/alloc.h"
#include "cl/constants.h"
#include "cl/device.h"

#include <stdlib.h>

enum {
    EMULATED = 32, /* as many items as of a warp: texts then do the same everywhere */
    LARGEST = 64   /* the most that any hardware has for them */
};

static int compare(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Drivers list them in any order, and those without the query have none that can be required. */
static syc_status ask_driver(const syc_device *device, syc_info *out)
{
    syc_info sizes = {0};
    syc_status status = syc_device_info(device, CL_DEVICE_SUB_GROUP_SIZES_INTEL, SYC_INFO_SIZES, &sizes);

    if (status == SYC_E_MEMORY_ALLOCATION)
        return status;
    if (status != SYC_OK)
        sizes = (syc_info){0};
    if (sizes.count > 1)
        qsort(sizes.numbers, sizes.count, sizeof *sizes.numbers, compare);
    *out = sizes;
    return SYC_OK;
}

syc_sub_group_kind syc_sub_group_kind_of(const syc_device *device)
{
    unsigned way = syc_device_way(device, SYC_FAMILY_SUB_GROUPS);
    return way == SYC_WAY_UNKNOWN || way == SYC_WAY_NONE ? device->facts->sub_groups
                                                         : (syc_sub_group_kind)(way & SYC_WAY_VALUE);
}

syc_status syc_sub_group_sizes(const syc_device *device, syc_info *out)
{
    syc_status status = SYC_OK;
    syc_info sizes = {0};

    if (syc_sub_group_kind_of(device) == SYC_SUB_GROUP_NATIVE)
        return ask_driver(device, out);
    SYC_TRY(syc_alloc_array(LARGEST, sizeof *sizes.numbers, &sizes.numbers));
    if (syc_sub_group_kind_of(device) == SYC_SUB_GROUP_PTX)
        sizes.numbers[sizes.count++] = SYC_WARP;
    else
        for (size_t size = 1; size <= LARGEST && size <= device->max_group; size *= 2)
            sizes.numbers[sizes.count++] = (int64_t)size;
    *out = sizes;
done:
    return status;
}

size_t syc_sub_group_default(const syc_device *device)
{
    size_t size = EMULATED;
    if (syc_sub_group_kind_of(device) == SYC_SUB_GROUP_NATIVE)
        return 0;
    if (syc_sub_group_kind_of(device) == SYC_SUB_GROUP_PTX)
        return SYC_WARP;
    while (size > 1 && size > device->max_group)
        size /= 2;
    return size;
}
