/* Unified shared memory from cl_intel_unified_shared_memory. */
#include "memory/usm/provider.h"

#include "cl/constants.h"
#include "cl/context.h"
#include "cl/entries.h"

static bool intel_has(const syc_device *device, syc_usm_kind kind)
{
    static const cl_uint queries[] = {
        [SYC_USM_DEVICE] = CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL,
        [SYC_USM_HOST] = CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL,
        [SYC_USM_SHARED] = CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL,
    };
    syc_info answer = {0};
    return syc_device_info(device, queries[kind], SYC_INFO_ULONG, &answer) == SYC_OK &&
           (answer.number & CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL) != 0;
}

static bool intel_is_coarse(const syc_context *context, syc_usm_kind kind)
{
    (void)context;
    (void)kind;
    return false;
}

static void *intel_allocate(const syc_context *context, const syc_device *device, syc_usm_kind kind, size_t bytes,
                            cl_uint alignment, cl_int *code)
{
    const syc_cl_table *cl = syc_context_cl(context);
    void *memory;
    *code = CL_SUCCESS;
    if (kind == SYC_USM_HOST)
        memory = cl->HostMemAllocINTEL(context->native, NULL, bytes, alignment, code);
    else if (kind == SYC_USM_DEVICE)
        memory = cl->DeviceMemAllocINTEL(context->native, device->lanes[SYC_LANE_POOL], NULL, bytes, alignment, code);
    else
        memory = cl->SharedMemAllocINTEL(context->native, device->lanes[SYC_LANE_POOL], NULL, bytes, alignment, code);
    if (memory == NULL && *code == CL_SUCCESS)
        *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return *code == CL_SUCCESS ? memory : NULL;
}

static cl_int intel_give_back(const syc_context *context, void *memory)
{
    return syc_context_cl(context)->MemFreeINTEL(context->native, memory);
}

SYC__USM_SAME_CALLS(intel, SetKernelArgMemPointerINTEL, EnqueueMemcpyINTEL, EnqueueMemFillINTEL)

/* Hints that a driver does not take are none. The extension's text has no flag for "to the device" and calls none
 * invalid: some drivers go by that, and Intel's for CPUs refuses advice 0 too, which takes earlier advice back. */
static syc_status unless_refused(const char *entry, cl_int code)
{
    return code == CL_SUCCESS || code == CL_INVALID_VALUE ? SYC_OK : syc_fail_cl(SYC_HERE, entry, code);
}

static syc_status intel_prefetch(const struct syc__usm_call *call, const void *address, size_t bytes)
{
    cl_int code =
        call->cl->EnqueueMigrateMemINTEL(call->queue, address, bytes, 0, call->after_count, call->after, call->out);
    return unless_refused("clEnqueueMigrateMemINTEL", code);
}

static syc_status intel_advise(const struct syc__usm_call *call, const void *address, size_t bytes, unsigned advice)
{
    cl_int code =
        call->cl->EnqueueMemAdviseINTEL(call->queue, address, bytes, advice, call->after_count, call->after, call->out);
    return advice == 0          ? unless_refused("clEnqueueMemAdviseINTEL", code)
           : code == CL_SUCCESS ? SYC_OK
                                : syc_fail_cl(SYC_HERE, "clEnqueueMemAdviseINTEL", code);
}

const struct syc__usm_provider syc__usm_intel = {
    .has = intel_has,
    .is_coarse = intel_is_coarse,
    .allocate = intel_allocate,
    .allocate_names = {[SYC_USM_DEVICE] = "clDeviceMemAllocINTEL",
                       [SYC_USM_HOST] = "clHostMemAllocINTEL",
                       [SYC_USM_SHARED] = "clSharedMemAllocINTEL"},
    .give_back = intel_give_back,
    .set_argument = intel_set_argument,
    .copy = intel_copy,
    .fill = intel_fill,
    .prefetch = intel_prefetch,
    .advise = intel_advise,
};
