/* Host arrays bound to a context: in place where the device shares the host's memory and the layout allows it. */
#include "memory/host_array.h"

#include "base/alloc.h"
#include "base/refcount.h"
#include "cl/constants.h"
#include "cl/context.h"
#include "cl/entries.h"
#include "memory/strided_copy.h"

#include <stdatomic.h>
#include <stdio.h>

static struct {
    _Atomic uint64_t staged_arrays, staged_bytes, to_device_bytes, from_device_bytes;
} traffic;

void syc_traffic_add(const syc_traffic *change)
{
    atomic_fetch_add_explicit(&traffic.staged_arrays, change->staged_arrays, memory_order_relaxed);
    atomic_fetch_add_explicit(&traffic.staged_bytes, change->staged_bytes, memory_order_relaxed);
    atomic_fetch_add_explicit(&traffic.to_device_bytes, change->to_device_bytes, memory_order_relaxed);
    atomic_fetch_add_explicit(&traffic.from_device_bytes, change->from_device_bytes, memory_order_relaxed);
}

syc_traffic syc_traffic_total(void)
{
    return (syc_traffic){
        .staged_arrays = atomic_load_explicit(&traffic.staged_arrays, memory_order_relaxed),
        .staged_bytes = atomic_load_explicit(&traffic.staged_bytes, memory_order_relaxed),
        .to_device_bytes = atomic_load_explicit(&traffic.to_device_bytes, memory_order_relaxed),
        .from_device_bytes = atomic_load_explicit(&traffic.from_device_bytes, memory_order_relaxed),
    };
}

/* Vector types fault on addresses below their alignment when the kernel works on the array itself, and atomics may. */
static bool is_out_of_place(const syc_facts *facts, const syc_host_array *span)
{
    enum { WIDEST_SCALAR = 8 };
    return (uintptr_t)span->data % span->alignment != 0 &&
           (span->writable || span->alignment > WIDEST_SCALAR || !facts->reads_anywhere);
}

bool syc_host_array_is_staged(const syc_facts *facts, const syc_host_array *span)
{
    if (span->bytes == 0)
        return false;
    return !span->packed || (facts->shares_host_memory && is_out_of_place(facts, span));
}

static syc_status stage(syc_binding *binding)
{
    enum { CACHE_LINE = 64, WIDEST_VECTOR = 128 };
    size_t alignment = binding->span.alignment > CACHE_LINE ? WIDEST_VECTOR : CACHE_LINE;
    syc_status status = syc_alloc_aligned(alignment, binding->span.bytes, &binding->staging);
    if (status != SYC_OK)
        return status;
    syc_host_array_pack(&binding->span, binding->staging);
    syc_traffic_add(&(syc_traffic){.staged_arrays = 1, .staged_bytes = binding->span.bytes});
    return SYC_OK;
}

/* The driver does not tell what was too much. */
static syc_status fail_create(size_t bytes, int code)
{
    syc_status status = syc_fail_cl(SYC_HERE, "clCreateBuffer", code);
    char words[200];
    snprintf(words, sizeof words, "%s", syc_detail_of(status).message);
    return syc_fail_cl_as(status, SYC_HERE, "clCreateBuffer", code, "%s, for an array of %zu bytes", words, bytes);
}

syc_status syc_binding_create(syc_context *context, const syc_facts *facts, const syc_host_array *span,
                              syc_binding *out)
{
    enum { PLACEHOLDER_BYTES = 64 }; /* OpenCL has no empty buffer, and a NULL argument crashes PoCL */
    const syc_cl_table *cl = syc_context_cl(context);
    cl_bitfield flags = CL_MEM_READ_WRITE; /* Intel's runtime copies a read-only array that begins within a page */
    syc_binding binding = {.span = *span, .transfer = span->bytes > 0 && !facts->shares_host_memory};
    syc_status status = SYC_OK;
    size_t bytes = span->bytes > 0 ? span->bytes : PLACEHOLDER_BYTES;
    void *host = NULL;
    cl_int code = 0;

    if (syc_host_array_is_staged(facts, span))
        SYC_TRY(stage(&binding));
    if (span->bytes > 0 && !binding.transfer) {
        flags |= CL_MEM_USE_HOST_PTR;
        host = binding.staging != NULL ? binding.staging : span->data;
    }
    binding.memory = cl->CreateBuffer(context->native, flags, bytes, host, &code);
    if (code != 0 || binding.memory == NULL) {
        binding.memory = NULL;
        status = fail_create(bytes, code != 0 ? code : CL_OUT_OF_RESOURCES);
        goto done;
    }
    syc_live_add(SYC_LIVE_CL_MEM, 1);
    *out = binding;
    binding = (syc_binding){0};
done:
    syc_free(binding.staging);
    return status;
}

void syc_binding_finish(syc_binding *binding)
{
    if (binding->staging != NULL && binding->span.writable) {
        syc_host_array_unpack(&binding->span, binding->staging);
        syc_traffic_add(&(syc_traffic){.staged_bytes = binding->span.bytes});
    }
}

void syc_binding_clear(syc_context *context, syc_binding *binding)
{
    if (binding->memory != NULL && syc_process_alive()) {
        int code = syc_context_cl(context)->ReleaseMemObject(binding->memory);
        if (code != 0)
            syc_report(syc_fail_cl(SYC_HERE, "clReleaseMemObject", code));
        syc_live_add(SYC_LIVE_CL_MEM, -1);
    }
    syc_free(binding->staging);
    *binding = (syc_binding){0};
}
