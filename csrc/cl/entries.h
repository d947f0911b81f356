/* Every OpenCL entry that the core calls, named once. A driver's table (driver.h) has one member per row, without the
 * prefix: `table->CreateBuffer(...)`. The fault layer (fault.h) grows its interposers from the same rows.
 *
 * X(name, slot in the ICD dispatch table, OpenCL version * 10, result, how it fails, parameters, arguments)
 * how it fails: CODE - it returns the cl_int; OBJECT - it returns an object and writes a cl_int through its last
 * parameter. */
#ifndef SYC_CL_ENTRIES_H
#define SYC_CL_ENTRIES_H

#include "cl/types.h"

/* clang-format off */
#define SYC_CL_ENTRIES(X) \
    X(GetPlatformInfo, 1, 10, cl_int, CODE, (cl_platform_id p, cl_uint what, size_t size, void *value, size_t *got), (p, what, size, value, got)) \
    X(GetDeviceIDs, 2, 10, cl_int, CODE, (cl_platform_id p, cl_bitfield type, cl_uint n, cl_device_id *out, cl_uint *got), (p, type, n, out, got)) \
    X(GetDeviceInfo, 3, 10, cl_int, CODE, (cl_device_id d, cl_uint what, size_t size, void *value, size_t *got), (d, what, size, value, got)) \
    X(CreateContext, 4, 10, cl_context, OBJECT, (const cl_context_properties *props, cl_uint n, const cl_device_id *d, void (*notify)(const char *, const void *, size_t, void *), void *user, cl_int *code), (props, n, d, notify, user, code)) \
    X(RetainContext, 6, 10, cl_int, CODE, (cl_context c), (c)) \
    X(ReleaseContext, 7, 10, cl_int, CODE, (cl_context c), (c)) \
    X(GetContextInfo, 8, 10, cl_int, CODE, (cl_context c, cl_uint what, size_t size, void *value, size_t *got), (c, what, size, value, got)) \
    X(CreateCommandQueue, 9, 10, cl_command_queue, OBJECT, (cl_context c, cl_device_id d, cl_bitfield props, cl_int *code), (c, d, props, code)) \
    X(RetainCommandQueue, 10, 10, cl_int, CODE, (cl_command_queue q), (q)) \
    X(ReleaseCommandQueue, 11, 10, cl_int, CODE, (cl_command_queue q), (q)) \
    X(GetCommandQueueInfo, 12, 10, cl_int, CODE, (cl_command_queue q, cl_uint what, size_t size, void *value, size_t *got), (q, what, size, value, got)) \
    X(CreateBuffer, 14, 10, cl_mem, OBJECT, (cl_context c, cl_bitfield flags, size_t size, void *host, cl_int *code), (c, flags, size, host, code)) \
    X(ReleaseMemObject, 18, 10, cl_int, CODE, (cl_mem m), (m)) \
    X(CreateProgramWithSource, 26, 10, cl_program, OBJECT, (cl_context c, cl_uint n, const char **text, const size_t *length, cl_int *code), (c, n, text, length, code)) \
    X(RetainProgram, 28, 10, cl_int, CODE, (cl_program p), (p)) \
    X(ReleaseProgram, 29, 10, cl_int, CODE, (cl_program p), (p)) \
    X(BuildProgram, 30, 10, cl_int, CODE, (cl_program p, cl_uint n, const cl_device_id *d, const char *options, void (*notify)(cl_program, void *), void *user), (p, n, d, options, notify, user)) \
    X(GetProgramInfo, 32, 10, cl_int, CODE, (cl_program p, cl_uint what, size_t size, void *value, size_t *got), (p, what, size, value, got)) \
    X(GetProgramBuildInfo, 33, 10, cl_int, CODE, (cl_program p, cl_device_id d, cl_uint what, size_t size, void *value, size_t *got), (p, d, what, size, value, got)) \
    X(CreateKernel, 34, 10, cl_kernel, OBJECT, (cl_program p, const char *name, cl_int *code), (p, name, code)) \
    X(RetainKernel, 36, 10, cl_int, CODE, (cl_kernel k), (k)) \
    X(ReleaseKernel, 37, 10, cl_int, CODE, (cl_kernel k), (k)) \
    X(SetKernelArg, 38, 10, cl_int, CODE, (cl_kernel k, cl_uint index, size_t size, const void *value), (k, index, size, value)) \
    X(GetKernelInfo, 39, 10, cl_int, CODE, (cl_kernel k, cl_uint what, size_t size, void *value, size_t *got), (k, what, size, value, got)) \
    X(GetKernelWorkGroupInfo, 40, 10, cl_int, CODE, (cl_kernel k, cl_device_id d, cl_uint what, size_t size, void *value, size_t *got), (k, d, what, size, value, got)) \
    X(WaitForEvents, 41, 10, cl_int, CODE, (cl_uint n, const cl_event *e), (n, e)) \
    X(GetEventInfo, 42, 10, cl_int, CODE, (cl_event e, cl_uint what, size_t size, void *value, size_t *got), (e, what, size, value, got)) \
    X(RetainEvent, 43, 10, cl_int, CODE, (cl_event e), (e)) \
    X(ReleaseEvent, 44, 10, cl_int, CODE, (cl_event e), (e)) \
    X(GetEventProfilingInfo, 45, 10, cl_int, CODE, (cl_event e, cl_uint what, size_t size, void *value, size_t *got), (e, what, size, value, got)) \
    X(Flush, 46, 10, cl_int, CODE, (cl_command_queue q), (q)) \
    X(Finish, 47, 10, cl_int, CODE, (cl_command_queue q), (q)) \
    X(EnqueueReadBuffer, 48, 10, cl_int, CODE, (cl_command_queue q, cl_mem m, cl_bool block, size_t offset, size_t size, void *to, cl_uint n, const cl_event *after, cl_event *event), (q, m, block, offset, size, to, n, after, event)) \
    X(EnqueueWriteBuffer, 49, 10, cl_int, CODE, (cl_command_queue q, cl_mem m, cl_bool block, size_t offset, size_t size, const void *from, cl_uint n, const cl_event *after, cl_event *event), (q, m, block, offset, size, from, n, after, event)) \
    X(EnqueueNDRangeKernel, 59, 10, cl_int, CODE, (cl_command_queue q, cl_kernel k, cl_uint dims, const size_t *offset, const size_t *global, const size_t *local, cl_uint n, const cl_event *after, cl_event *event), (q, k, dims, offset, global, local, n, after, event)) \
    X(CreateSubDevices, 93, 12, cl_int, CODE, (cl_device_id d, const cl_device_partition_property *props, cl_uint n, cl_device_id *out, cl_uint *got), (d, props, n, out, got)) \
    X(RetainDevice, 94, 12, cl_int, CODE, (cl_device_id d), (d)) \
    X(ReleaseDevice, 95, 12, cl_int, CODE, (cl_device_id d), (d)) \
    X(EnqueueMarkerWithWaitList, 105, 12, cl_int, CODE, (cl_command_queue q, cl_uint n, const cl_event *after, cl_event *event), (q, n, after, event))
/* clang-format on */

typedef struct syc_cl_table {
#define X(name, slot, since, result, fails, params, args) result(*name) params;
    SYC_CL_ENTRIES(X)
#undef X
} syc_cl_table;

#endif
