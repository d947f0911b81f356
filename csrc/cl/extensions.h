/* The entries of OpenCL extensions that the core calls: those of cl_intel_unified_shared_memory. They stand in no
 * dispatch table, so a driver is asked for each by name when it is opened.
 *
 * How to use them: they are members of the same table as all other entries (entries.h), so everything that works there
 * works here, the fault layer included:
 *
 *     if (device->intel_usm)    // the device names the extension, and its driver has every row below
 *         SYC_CL_OBJECT(cl, memory, HostMemAllocINTEL, (native_context, NULL, bytes, alignment, &code));
 *     SYC_CL(cl, MemFreeINTEL, (native_context, memory));
 *
 * A row is NULL where the driver lacks it. What a device can do with each kind of memory is asked of it: the queries
 * CL_DEVICE_{HOST,DEVICE,SINGLE_DEVICE_SHARED,CROSS_DEVICE_SHARED,SHARED_SYSTEM}_MEM_CAPABILITIES_INTEL.
 *
 * Rows are as in entries.h, but without a slot and a version of OpenCL: both are 0. */
#ifndef SYC_CL_EXTENSIONS_H
#define SYC_CL_EXTENSIONS_H

#include "cl/types.h"

/* clang-format off */
#define SYC_CL_EXTENSIONS(X) \
    X(HostMemAllocINTEL, 0, 0, void *, OBJECT, (cl_context c, const cl_properties *props, size_t size, cl_uint alignment, cl_int *code), (c, props, size, alignment, code)) \
    X(DeviceMemAllocINTEL, 0, 0, void *, OBJECT, (cl_context c, cl_device_id d, const cl_properties *props, size_t size, cl_uint alignment, cl_int *code), (c, d, props, size, alignment, code)) \
    X(SharedMemAllocINTEL, 0, 0, void *, OBJECT, (cl_context c, cl_device_id d, const cl_properties *props, size_t size, cl_uint alignment, cl_int *code), (c, d, props, size, alignment, code)) \
    X(MemFreeINTEL, 0, 0, cl_int, CODE, (cl_context c, void *pointer), (c, pointer)) \
    X(SetKernelArgMemPointerINTEL, 0, 0, cl_int, CODE, (cl_kernel k, cl_uint index, const void *pointer), (k, index, pointer)) \
    X(EnqueueMemFillINTEL, 0, 0, cl_int, CODE, (cl_command_queue q, void *to, const void *pattern, size_t pattern_size, size_t size, cl_uint n, const cl_event *after, cl_event *event), (q, to, pattern, pattern_size, size, n, after, event)) \
    X(EnqueueMemcpyINTEL, 0, 0, cl_int, CODE, (cl_command_queue q, cl_bool block, void *to, const void *from, size_t size, cl_uint n, const cl_event *after, cl_event *event), (q, block, to, from, size, n, after, event)) \
    X(EnqueueMigrateMemINTEL, 0, 0, cl_int, CODE, (cl_command_queue q, const void *pointer, size_t size, cl_bitfield flags, cl_uint n, const cl_event *after, cl_event *event), (q, pointer, size, flags, n, after, event)) \
    X(EnqueueMemAdviseINTEL, 0, 0, cl_int, CODE, (cl_command_queue q, const void *pointer, size_t size, cl_uint advice, cl_uint n, const cl_event *after, cl_event *event), (q, pointer, size, advice, n, after, event))
/* clang-format on */

#endif
