/* The fake driver's device as one with warps. */
#ifndef TEST_THREADED_H
#define TEST_THREADED_H

#include "child.h"
#include "cl/device.h"

enum { UNITS = 132, MOST_LOCAL = 49152 };

static inline syc_device *threaded_device(void)
{
    static const syc_facts facts = {.row = "test",
                                    .local_size = 64,
                                    .offset_bits = 32,
                                    .items = SYC_ITEMS_THREADED,
                                    .groups = SYC_GROUP_PARTIALS,
                                    .sub_groups = SYC_SUB_GROUP_PTX,
                                    .measured = "by nobody"};
    setenv("PYSYCL_DRIVERS", fake, 1);
    syc_device *device = first_platform()->devices[0];
    device->facts = &facts;
    device->compute_units = UNITS;
    device->max_group = 1024;
    device->max_items[0] = device->max_items[1] = device->max_items[2] = 1024;
    device->local_bytes = MOST_LOCAL;
    return device;
}

#endif
