/* Unified shared memory from OpenCL's shared virtual memory. */
#include "memory/usm/provider.h"

#include "cl/constants.h"
#include "cl/context.h"
#include "cl/entries.h"

/* True if all devices of the context have all of `bits`: the memory is for every one of them. */
static bool all_have(const syc_context *context, uint64_t bits)
{
    for (size_t i = 0; i < context->device_count; i++) {
        if ((context->devices[i]->svm & bits) != bits)
            return false;
    }
    return true;
}

/* Coarse memory does for all kinds: what the host may touch is mapped for it. */
static bool svm_has(const syc_device *device, syc_usm_kind kind)
{
    (void)kind;
    return (device->svm & (CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER)) != 0;
}

static bool svm_is_coarse(const syc_context *context, syc_usm_kind kind)
{
    return kind != SYC_USM_DEVICE && !all_have(context, CL_DEVICE_SVM_FINE_GRAIN_BUFFER);
}

static void *svm_allocate(const syc_context *context, const syc_device *device, syc_usm_kind kind, size_t bytes,
                          cl_uint alignment, cl_int *code)
{
    cl_bitfield flags = CL_MEM_READ_WRITE;
    (void)device;
    if (kind != SYC_USM_DEVICE && all_have(context, CL_DEVICE_SVM_FINE_GRAIN_BUFFER)) {
        flags |= CL_MEM_SVM_FINE_GRAIN_BUFFER;
        flags |= all_have(context, CL_DEVICE_SVM_ATOMICS) ? CL_MEM_SVM_ATOMICS : 0;
    }
    *code = CL_MEM_OBJECT_ALLOCATION_FAILURE; /* what NULL means: the entry has no code */
    return syc_context_cl(context)->SVMAlloc(context->native, flags, bytes, alignment);
}

static cl_int svm_give_back(const syc_context *context, void *memory)
{
    syc_context_cl(context)->SVMFree(context->native, memory);
    return CL_SUCCESS;
}

SYC__USM_SAME_CALLS(svm, SetKernelArgSVMPointer, EnqueueSVMMemcpy, EnqueueSVMMemFill)

static syc_status svm_prefetch(const struct syc__usm_call *call, const void *address, size_t bytes)
{
    syc_status status = SYC_OK;
    if (call->cl->EnqueueSVMMigrateMem == NULL) /* came with OpenCL 2.1 */
        return SYC_OK;
    SYC_CL(call->cl, EnqueueSVMMigrateMem,
           (call->queue, 1, &address, &bytes, 0, call->after_count, call->after, call->out));
done:
    return status;
}

/* OpenCL's own has no advice. */
static syc_status svm_advise(const struct syc__usm_call *call, const void *address, size_t bytes, unsigned advice)
{
    (void)call;
    (void)address;
    (void)bytes;
    (void)advice;
    return SYC_OK;
}

const struct syc__usm_provider syc__usm_svm = {
    .has = svm_has,
    .is_coarse = svm_is_coarse,
    .allocate = svm_allocate,
    .allocate_names = {"clSVMAlloc", "clSVMAlloc", "clSVMAlloc"},
    .give_back = svm_give_back,
    .set_argument = svm_set_argument,
    .copy = svm_copy,
    .fill = svm_fill,
    .prefetch = svm_prefetch,
    .advise = svm_advise,
};
