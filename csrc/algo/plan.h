/* Geometry: from a SYCL range to a launch that the device takes, with every limit checked and every choice explained.
 */
#ifndef SYC_ALGO_PLAN_H
#define SYC_ALGO_PLAN_H

#include "base/status.h"
#include "schedule/geometry.h"

typedef struct syc_device syc_device;               /* cl/device.h */
typedef struct syc_kernel_limits syc_kernel_limits; /* program/program.h */
typedef struct syc_signature syc_signature;         /* source/declarations/signature.h */

/* A range without groups: picks the work-group size from the device's facts and the kernel's limits. It is a power of
 * two, so that drivers which compile a kernel anew for each group size have few to compile. Where it does not divide
 * the range, and the kernel cannot tell, the rest is a launch of its own; a kernel that can tell gets a divisor, so
 * that what it sees is what the user asked for. An empty range gives global 0 in some dimension. */
syc_status syc_plan_range(SYC_KEEP syc_device *device, SYC_KEEP const syc_signature *kernel,
                          SYC_KEEP const syc_kernel_limits *limits, uint64_t local_bytes, syc_geometry *geometry);
/* An nd-range: checks divisibility, the device's and the kernel's limits, the required size and local memory
 * (`local_bytes` from arguments). SYC_E_ND_RANGE says which number is too large and what the limit is. */
syc_status syc_plan_nd_range(SYC_KEEP syc_device *device, SYC_KEEP const syc_signature *kernel,
                             SYC_KEEP const syc_kernel_limits *limits, uint64_t local_bytes, syc_geometry *geometry);

#endif
