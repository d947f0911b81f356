/* OpenCL's types, declared here so that building needs no OpenCL headers. tests/c/cl/test_declarations.c holds them
 * against the official headers wherever those are installed. */
#ifndef SYC_CL_TYPES_H
#define SYC_CL_TYPES_H

#include <stddef.h>
#include <stdint.h>

typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef uint64_t cl_ulong;
typedef cl_uint cl_bool;
typedef cl_ulong cl_bitfield;
typedef cl_ulong cl_properties;
typedef intptr_t cl_context_properties;
typedef intptr_t cl_device_partition_property;

typedef struct _cl_platform_id *cl_platform_id;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_context *cl_context;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_mem *cl_mem;
typedef struct _cl_program *cl_program;
typedef struct _cl_kernel *cl_kernel;
typedef struct _cl_event *cl_event;
typedef struct _cl_sampler *cl_sampler;

typedef struct cl_buffer_region {
    size_t origin, size;
} cl_buffer_region;

typedef struct cl_image_format {
    cl_uint image_channel_order, image_channel_data_type;
} cl_image_format;

typedef struct cl_image_desc {
    cl_uint image_type;
    size_t image_width, image_height, image_depth, image_array_size, image_row_pitch, image_slice_pitch;
    cl_uint num_mip_levels, num_samples;
    cl_mem mem_object;
} cl_image_desc;

#endif
