/* The checks that every way to a launch shares. Inside algo/ only. Refusals are SYC_E_ND_RANGE. */
#ifndef SYC_ALGO_PLAN_CHECK_H
#define SYC_ALGO_PLAN_CHECK_H

#include "algo/plan.h"

/* Sizes multiply, and offsets and sizes add up, within 64 bits. */
syc_status syc__plan_check_extent(SYC_KEEP const syc_signature *kernel, SYC_KEEP const syc_geometry *g);
/* The device has the local memory that the kernel and its arguments take. */
syc_status syc__plan_check_local_memory(SYC_KEEP const syc_device *device, SYC_KEEP const syc_signature *kernel,
                                        SYC_KEEP const syc_kernel_limits *limits, uint64_t local_bytes,
                                        SYC_KEEP const syc_geometry *g);
/* May the calling thread run its groups, as far as their private memory goes? */
bool syc__plan_fits_caller(SYC_KEEP const syc_kernel_limits *limits, SYC_KEEP const syc_geometry *g);

#endif
