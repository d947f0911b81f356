/* Queries of one kernel of a build, as data. */
#ifndef SYC_PROGRAM_KERNEL_INFO_H
#define SYC_PROGRAM_KERNEL_INFO_H

#include "cl/device.h"
#include "program/program.h"

typedef struct syc_signature syc_signature; /* source/declarations/signature.h */

/* clGetKernelInfo: a SYC_INFO_UINT or SYC_INFO_STRING. syc_info_clear frees the answer. */
syc_status syc_kernel_info(syc_build *build, size_t kernel, cl_uint what, syc_info_kind kind, SYC_GIVE syc_info *out);
/* clGetKernelWorkGroupInfo, for what syc_build_limits has not: sizes in three dimensions, in OpenCL's order. */
syc_status syc_kernel_group_sizes(syc_build *build, size_t kernel, SYC_KEEP const syc_device *device, cl_uint what,
                                  size_t out[3]);
/* clGetKernelSubGroupInfo for a work-group of these sizes (of the queries that take none, they are not looked at).
 * SYC_E_FEATURE_NOT_SUPPORTED: the driver has no such entry. */
syc_status syc_kernel_sub_groups(syc_build *build, size_t kernel, SYC_KEEP const syc_device *device, cl_uint what,
                                 const size_t local[3], size_t *out);

/* Work-items of the sub-groups that the program's kernels have in the context; 0: the driver chooses. */
size_t syc_kernel_sub_group_size(SYC_KEEP const syc_program *program, SYC_KEEP const syc_context *context);

/* Can the device run the kernel at all? SYC_E_KERNEL_NOT_SUPPORTED names what it lacks: fp64, fp16, or sub-groups of
 * the size that the text requires. Needs no build. */
syc_status syc_kernel_check(SYC_KEEP const syc_device *device, SYC_KEEP const syc_signature *kernel);

#endif
