/* The index space of a launch. */
#ifndef SYC_SCHEDULE_GEOMETRY_H
#define SYC_SCHEDULE_GEOMETRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In OpenCL's order (dimension 0 fastest): python/ turns SYCL's order round. */
typedef struct syc_geometry {
    unsigned dims; /* 1..3 */
    size_t global[3], local[3], offset[3];
    size_t rest; /* the last items of dimension 0, done by a launch of their own in groups of one; 0: one launch does
                    all */
    uint64_t cost_ns; /* estimated work of the whole launch; UINT64_MAX when it cannot be bounded */
    uint64_t near_ns; /* the same, as near as it is known; 0: it is not */
    bool apart;       /* groups have no local memory, and none waits for another */
} syc_geometry;

#endif
