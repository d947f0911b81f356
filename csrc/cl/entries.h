/* Every OpenCL entry that the core calls, named once. A driver's table (driver.h) has one member per row, without the
 * prefix: `table->CreateBuffer(...)`. The fault layer (fault.h) grows its interposers from the same rows. The entries
 * of extensions are rows of extensions.h and members of the same table.
 *
 * X(name, slot in the ICD dispatch table, OpenCL version * 10, result, how it fails, parameters, arguments)
 * A row newer than OpenCL 1.2 may be NULL. How it fails: CODE - it returns the cl_int; OBJECT - it returns an object
 * and writes a cl_int through its last parameter; POINTER - it returns NULL; NOTHING - it cannot. */
#ifndef SYC_CL_ENTRIES_H
#define SYC_CL_ENTRIES_H

#include "cl/extensions.h"
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
    X(RetainMemObject, 17, 10, cl_int, CODE, (cl_mem m), (m)) \
    X(ReleaseMemObject, 18, 10, cl_int, CODE, (cl_mem m), (m)) \
    X(GetSupportedImageFormats, 19, 10, cl_int, CODE, (cl_context c, cl_bitfield flags, cl_uint type, cl_uint n, cl_image_format *out, cl_uint *got), (c, flags, type, n, out, got)) \
    X(GetMemObjectInfo, 20, 10, cl_int, CODE, (cl_mem m, cl_uint what, size_t size, void *value, size_t *got), (m, what, size, value, got)) \
    X(GetImageInfo, 21, 10, cl_int, CODE, (cl_mem m, cl_uint what, size_t size, void *value, size_t *got), (m, what, size, value, got)) \
    X(CreateSampler, 22, 10, cl_sampler, OBJECT, (cl_context c, cl_bool normalized, cl_uint addressing, cl_uint filtering, cl_int *code), (c, normalized, addressing, filtering, code)) \
    X(RetainSampler, 23, 10, cl_int, CODE, (cl_sampler s), (s)) \
    X(ReleaseSampler, 24, 10, cl_int, CODE, (cl_sampler s), (s)) \
    X(GetSamplerInfo, 25, 10, cl_int, CODE, (cl_sampler s, cl_uint what, size_t size, void *value, size_t *got), (s, what, size, value, got)) \
    X(CreateProgramWithSource, 26, 10, cl_program, OBJECT, (cl_context c, cl_uint n, const char **text, const size_t *length, cl_int *code), (c, n, text, length, code)) \
    X(CreateProgramWithBinary, 27, 10, cl_program, OBJECT, (cl_context c, cl_uint n, const cl_device_id *d, const size_t *size, const unsigned char **binary, cl_int *status, cl_int *code), (c, n, d, size, binary, status, code)) \
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
    X(EnqueueCopyBuffer, 50, 10, cl_int, CODE, (cl_command_queue q, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset, size_t size, cl_uint n, const cl_event *after, cl_event *event), (q, from, to, from_offset, to_offset, size, n, after, event)) \
    X(EnqueueReadImage, 51, 10, cl_int, CODE, (cl_command_queue q, cl_mem m, cl_bool block, const size_t *origin, const size_t *region, size_t row, size_t slice, void *to, cl_uint n, const cl_event *after, cl_event *event), (q, m, block, origin, region, row, slice, to, n, after, event)) \
    X(EnqueueWriteImage, 52, 10, cl_int, CODE, (cl_command_queue q, cl_mem m, cl_bool block, const size_t *origin, const size_t *region, size_t row, size_t slice, const void *from, cl_uint n, const cl_event *after, cl_event *event), (q, m, block, origin, region, row, slice, from, n, after, event)) \
    X(EnqueueMapBuffer, 56, 10, void *, OBJECT, (cl_command_queue q, cl_mem m, cl_bool block, cl_bitfield flags, size_t offset, size_t size, cl_uint n, const cl_event *after, cl_event *event, cl_int *code), (q, m, block, flags, offset, size, n, after, event, code)) \
    X(EnqueueUnmapMemObject, 58, 10, cl_int, CODE, (cl_command_queue q, cl_mem m, void *mapped, cl_uint n, const cl_event *after, cl_event *event), (q, m, mapped, n, after, event)) \
    X(EnqueueNDRangeKernel, 59, 10, cl_int, CODE, (cl_command_queue q, cl_kernel k, cl_uint dims, const size_t *offset, const size_t *global, const size_t *local, cl_uint n, const cl_event *after, cl_event *event), (q, k, dims, offset, global, local, n, after, event)) \
    X(CreateSubBuffer, 82, 11, cl_mem, OBJECT, (cl_mem m, cl_bitfield flags, cl_uint type, const void *region, cl_int *code), (m, flags, type, region, code)) \
    X(EnqueueReadBufferRect, 86, 11, cl_int, CODE, (cl_command_queue q, cl_mem m, cl_bool block, const size_t *origin, const size_t *host_origin, const size_t *region, size_t row, size_t slice, size_t host_row, size_t host_slice, void *to, cl_uint n, const cl_event *after, cl_event *event), (q, m, block, origin, host_origin, region, row, slice, host_row, host_slice, to, n, after, event)) \
    X(EnqueueWriteBufferRect, 87, 11, cl_int, CODE, (cl_command_queue q, cl_mem m, cl_bool block, const size_t *origin, const size_t *host_origin, const size_t *region, size_t row, size_t slice, size_t host_row, size_t host_slice, const void *from, cl_uint n, const cl_event *after, cl_event *event), (q, m, block, origin, host_origin, region, row, slice, host_row, host_slice, from, n, after, event)) \
    X(EnqueueCopyBufferRect, 88, 11, cl_int, CODE, (cl_command_queue q, cl_mem from, cl_mem to, const size_t *from_origin, const size_t *to_origin, const size_t *region, size_t from_row, size_t from_slice, size_t to_row, size_t to_slice, cl_uint n, const cl_event *after, cl_event *event), (q, from, to, from_origin, to_origin, region, from_row, from_slice, to_row, to_slice, n, after, event)) \
    X(CreateSubDevices, 93, 12, cl_int, CODE, (cl_device_id d, const cl_device_partition_property *props, cl_uint n, cl_device_id *out, cl_uint *got), (d, props, n, out, got)) \
    X(RetainDevice, 94, 12, cl_int, CODE, (cl_device_id d), (d)) \
    X(ReleaseDevice, 95, 12, cl_int, CODE, (cl_device_id d), (d)) \
    X(CreateImage, 96, 12, cl_mem, OBJECT, (cl_context c, cl_bitfield flags, const cl_image_format *format, const cl_image_desc *desc, void *host, cl_int *code), (c, flags, format, desc, host, code)) \
    X(CreateProgramWithBuiltInKernels, 97, 12, cl_program, OBJECT, (cl_context c, cl_uint n, const cl_device_id *d, const char *names, cl_int *code), (c, n, d, names, code)) \
    X(CompileProgram, 98, 12, cl_int, CODE, (cl_program p, cl_uint n, const cl_device_id *d, const char *options, cl_uint headers, const cl_program *header, const char **name, void (*notify)(cl_program, void *), void *user), (p, n, d, options, headers, header, name, notify, user)) \
    X(LinkProgram, 99, 12, cl_program, OBJECT, (cl_context c, cl_uint n, const cl_device_id *d, const char *options, cl_uint parts, const cl_program *part, void (*notify)(cl_program, void *), void *user, cl_int *code), (c, n, d, options, parts, part, notify, user, code)) \
    X(GetKernelArgInfo, 101, 12, cl_int, CODE, (cl_kernel k, cl_uint index, cl_uint what, size_t size, void *value, size_t *got), (k, index, what, size, value, got)) \
    X(EnqueueFillBuffer, 102, 12, cl_int, CODE, (cl_command_queue q, cl_mem m, const void *pattern, size_t pattern_size, size_t offset, size_t size, cl_uint n, const cl_event *after, cl_event *event), (q, m, pattern, pattern_size, offset, size, n, after, event)) \
    X(EnqueueMarkerWithWaitList, 105, 12, cl_int, CODE, (cl_command_queue q, cl_uint n, const cl_event *after, cl_event *event), (q, n, after, event)) \
    X(SVMAlloc, 126, 20, void *, POINTER, (cl_context c, cl_bitfield flags, size_t size, cl_uint alignment), (c, flags, size, alignment)) \
    X(SVMFree, 127, 20, void, NOTHING, (cl_context c, void *pointer), (c, pointer)) \
    X(EnqueueSVMMemcpy, 129, 20, cl_int, CODE, (cl_command_queue q, cl_bool block, void *to, const void *from, size_t size, cl_uint n, const cl_event *after, cl_event *event), (q, block, to, from, size, n, after, event)) \
    X(EnqueueSVMMemFill, 130, 20, cl_int, CODE, (cl_command_queue q, void *to, const void *pattern, size_t pattern_size, size_t size, cl_uint n, const cl_event *after, cl_event *event), (q, to, pattern, pattern_size, size, n, after, event)) \
    X(EnqueueSVMMap, 131, 20, cl_int, CODE, (cl_command_queue q, cl_bool block, cl_bitfield flags, void *pointer, size_t size, cl_uint n, const cl_event *after, cl_event *event), (q, block, flags, pointer, size, n, after, event)) \
    X(EnqueueSVMUnmap, 132, 20, cl_int, CODE, (cl_command_queue q, void *pointer, cl_uint n, const cl_event *after, cl_event *event), (q, pointer, n, after, event)) \
    X(SetKernelArgSVMPointer, 134, 20, cl_int, CODE, (cl_kernel k, cl_uint index, const void *pointer), (k, index, pointer)) \
    X(CreateProgramWithIL, 138, 21, cl_program, OBJECT, (cl_context c, const void *il, size_t size, cl_int *code), (c, il, size, code)) \
    X(EnqueueSVMMigrateMem, 139, 21, cl_int, CODE, (cl_command_queue q, cl_uint count, const void **pointers, const size_t *sizes, cl_bitfield flags, cl_uint n, const cl_event *after, cl_event *event), (q, count, pointers, sizes, flags, n, after, event)) \
    X(GetKernelSubGroupInfo, 142, 21, cl_int, CODE, (cl_kernel k, cl_device_id d, cl_uint what, size_t input_size, const void *input, size_t size, void *value, size_t *got), (k, d, what, input_size, input, size, value, got))
/* clang-format on */

/* Everything that a driver's table has. */
#define SYC_CL_ALL(X) SYC_CL_ENTRIES(X) SYC_CL_EXTENSIONS(X)

typedef struct syc_cl_table {
#define X(name, slot, since, result, fails, params, args) result(*name) params;
    SYC_CL_ALL(X)
#undef X
} syc_cl_table;

#endif
