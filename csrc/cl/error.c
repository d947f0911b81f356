/* One switch names OpenCL's error codes, one turns them into statuses. */
#include "cl/error.h"

#include "cl/constants.h"

#include <stdbool.h>
#include <string.h>

const char *syc_cl_error_name(int code)
{
    switch (code) {
#define X(name, value) \
    case value:        \
        return #name;
        SYC_CL_ERRORS(X)
#undef X
    default:
        return "an unknown error code";
    }
}

/* Entries that give memory, or nothing. */
static bool allocates(const char *api)
{
    static const char *const entries[] = {"clCreateBuffer", "clCreateSubBuffer", "clCreateImage"};
    for (size_t i = 0; api != NULL && i < sizeof entries / sizeof entries[0]; i++) {
        if (strcmp(api, entries[i]) == 0)
            return true;
    }
    return false;
}

/* The status for a failure that is known by its code alone; SYC_OK for CL_SUCCESS only.
 * CL_OUT_OF_RESOURCES is a lack of memory only where memory was asked for: drivers also say it of a kernel that ran
 * into a fault. */
static syc_status status_of(const char *api, int code)
{
    switch (code) {
    case CL_OUT_OF_RESOURCES:
        return allocates(api) ? SYC_E_MEMORY_ALLOCATION : SYC_E_RUNTIME;
    case CL_SUCCESS:
        return SYC_OK;
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_INVALID_BUFFER_SIZE: /* larger than the device gives: nothing asks for 0 bytes */
        return SYC_E_MEMORY_ALLOCATION;
    case CL_BUILD_PROGRAM_FAILURE:
    case CL_INVALID_BUILD_OPTIONS:
        return SYC_E_BUILD;
    case CL_COMPILE_PROGRAM_FAILURE:
    case CL_INVALID_COMPILER_OPTIONS:
        return SYC_E_COMPILE_PROGRAM;
    case CL_LINK_PROGRAM_FAILURE:
    case CL_INVALID_LINKER_OPTIONS:
        return SYC_E_LINK_PROGRAM;
    case CL_PROFILING_INFO_NOT_AVAILABLE:
        return SYC_E_PROFILING;
    case CL_INVALID_PLATFORM:
    case CL_PLATFORM_NOT_FOUND_KHR:
        return SYC_E_PLATFORM;
    case CL_COMPILER_NOT_AVAILABLE:
    case CL_LINKER_NOT_AVAILABLE:
    case CL_DEVICE_PARTITION_FAILED:
    case CL_IMAGE_FORMAT_NOT_SUPPORTED:
    case CL_KERNEL_ARG_INFO_NOT_AVAILABLE:
        return SYC_E_FEATURE_NOT_SUPPORTED;
    case CL_INVALID_EVENT:
    case CL_INVALID_EVENT_WAIT_LIST:
        return SYC_E_EVENT;
    case CL_INVALID_WORK_DIMENSION:
    case CL_INVALID_WORK_GROUP_SIZE:
    case CL_INVALID_WORK_ITEM_SIZE:
    case CL_INVALID_GLOBAL_OFFSET:
    case CL_INVALID_GLOBAL_WORK_SIZE:
        return SYC_E_ND_RANGE;
    case CL_INVALID_ARG_INDEX:
    case CL_INVALID_ARG_VALUE:
    case CL_INVALID_ARG_SIZE:
    case CL_INVALID_KERNEL_ARGS:
        return SYC_E_KERNEL_ARGUMENT;
    case CL_INVALID_KERNEL_NAME:
    case CL_INVALID_KERNEL_DEFINITION:
        return SYC_E_KERNEL;
    case CL_INVALID_DEVICE:
    case CL_INVALID_CONTEXT:
    case CL_INVALID_COMMAND_QUEUE:
    case CL_INVALID_MEM_OBJECT:
    case CL_INVALID_SAMPLER:
    case CL_INVALID_PROGRAM:
    case CL_INVALID_PROGRAM_EXECUTABLE:
    case CL_INVALID_KERNEL:
    case CL_INVALID_GL_OBJECT:
    case CL_INVALID_DEVICE_QUEUE:
        return SYC_E_INVALID_OBJECT;
    case CL_MEM_COPY_OVERLAP:
    case CL_IMAGE_FORMAT_MISMATCH:
    case CL_MISALIGNED_SUB_BUFFER_OFFSET:
    case CL_INVALID_VALUE:
    case CL_INVALID_DEVICE_TYPE:
    case CL_INVALID_QUEUE_PROPERTIES:
    case CL_INVALID_HOST_PTR:
    case CL_INVALID_IMAGE_FORMAT_DESCRIPTOR:
    case CL_INVALID_IMAGE_SIZE:
    case CL_INVALID_BINARY:
    case CL_INVALID_MIP_LEVEL:
    case CL_INVALID_PROPERTY:
    case CL_INVALID_IMAGE_DESCRIPTOR:
    case CL_INVALID_DEVICE_PARTITION_COUNT:
    case CL_INVALID_PIPE_SIZE:
    case CL_INVALID_SPEC_ID:
    case CL_MAX_SIZE_RESTRICTION_EXCEEDED:
        return SYC_E_INVALID_PARAMETER;
    case CL_INVALID_OPERATION:
        return SYC_E_INVALID;
    default:
        return SYC_E_RUNTIME;
    }
}

void syc_cl_errors_install(void)
{
    syc_status_set_cl_words(syc_cl_error_name, status_of);
}
