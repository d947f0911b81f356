/* Allocations: made, found by address, freed; and the OpenCL calls on them. */
#include "cl/context.h"
#include "cl/entries.h"
#include "memory/usm/pool.h"

syc_status syc_usm_supported(const syc_device *device, syc_usm_kind kind, bool *out)
{
    const struct syc__usm_provider *provider = device->intel_usm ? &syc__usm_intel : &syc__usm_svm;
    syc_status status = SYC_OK;
    SYC_TRY(syc_process_check());
    *out = provider->has(device, kind);
done:
    return status;
}

static syc_status check_request(const syc_context *context, const syc_device *device, syc_usm_kind kind,
                                size_t alignment)
{
    syc_status status = SYC_OK;
    SYC_CHECK(kind < SYC_USM_UNKNOWN, SYC_E_INVALID_PARAMETER,
              "kind: memory of the kind unknown cannot be allocated; expected device, host or shared");
    SYC_CHECK((alignment & (alignment - 1)) == 0, SYC_E_INVALID_PARAMETER, "alignment: %zu is no power of two",
              alignment);
    SYC_CHECK(device != NULL || kind == SYC_USM_HOST, SYC_E_INVALID_PARAMETER, "%s memory needs a device",
              syc_usm_kind_name(kind));
    SYC_CHECK(device == NULL || syc_context_has(context, device), SYC_E_INVALID_OBJECT,
              "device '%s' is not a device of the context that was given", syc_device_name(device));
done:
    return status;
}

syc_status syc_usm_create(syc_context *context, syc_device *device, syc_usm_kind kind, size_t bytes, size_t alignment,
                          syc_usm **out)
{
    struct syc__usm_memory *memory = NULL;
    struct syc__usm_pool *pool = NULL;
    syc_status status = SYC_OK;
    syc_usm *usm;

    SYC_TRY(syc_process_check());
    if (kind == SYC_USM_HOST)
        device = NULL; /* SYCL: ignored */
    SYC_TRY(check_request(context, device, kind, alignment));
    if (alignment == 0)
        alignment = SYC__USM_WIDEST;
    usm = syc__usm_take_cached(context, device, kind, bytes, alignment);
    if (usm == NULL) {
        SYC_TRY(syc__usm_memory_of(context, &memory));
        SYC_TRY(syc__usm_pool_of(memory, device, kind, &pool));
        SYC_TRY(syc__usm_take(pool, bytes, alignment, &usm));
    }
    *out = usm;
done:
    return status;
}

void syc_usm_retain(syc_usm *usm)
{
    syc_refcount_retain(&usm->refs);
}

/* Frees slabs and a context, which must not happen under the lock. */
static void finish(struct syc__slab *slabs, syc_context *context)
{
    if (slabs != NULL)
        (void)syc__slabs_free(slabs);
    if (context != NULL)
        syc_context_release(context);
}

/* The last reference is gone: nobody finds it any more. */
static void put(syc_usm *usm)
{
    struct syc__slab *slabs = NULL;
    syc_context *context = NULL;
    syc__usm_unmap(usm);
    syc__usm_lock();
    syc__usm_put_locked(usm, &slabs, &context);
    syc__usm_unlock();
    finish(slabs, context);
}

void syc_usm_release(syc_usm *usm)
{
    if (usm != NULL && syc_process_alive() && syc_refcount_release(&usm->refs))
        put(usm);
}

syc_status syc_usm_free(syc_usm *usm)
{
    struct syc__slab *slabs = NULL;
    syc_context *context = NULL;
    syc_status status = SYC_OK;
    bool last;

    SYC_TRY(syc_process_check());
    syc__usm_lock();
    if (atomic_load_explicit(&usm->freed, memory_order_relaxed)) /* changes under the lock only */
        status = SYC_E_INVALID_OBJECT;
    atomic_store_explicit(&usm->freed, true, memory_order_relaxed);
    /* One that nobody else uses goes at once: whoever looks for its address waits for the lock. */
    last = status == SYC_OK && !usm->coarse && atomic_load_explicit(&usm->refs.count, memory_order_acquire) == 1;
    if (last) {
        atomic_store_explicit(&usm->refs.count, 0, memory_order_relaxed);
        syc__usm_put_locked(usm, &slabs, &context);
    }
    syc__usm_unlock();
    finish(slabs, context);
    if (!last)
        syc_usm_release(usm);
    SYC_CHECK(status == SYC_OK, SYC_E_INVALID_OBJECT, "the memory has been freed before");
done:
    return status;
}

/* A reference, unless the last one is being dropped. */
static bool retain_living(syc_usm *usm)
{
    long count = atomic_load_explicit(&usm->refs.count, memory_order_relaxed);
    while (count > 0 && !atomic_compare_exchange_weak(&usm->refs.count, &count, count + 1))
        ;
    return count > 0;
}

static syc_usm *find_locked(const struct syc__usm_memory *memory, uintptr_t address)
{
    struct syc__slab *slab = memory != NULL ? syc__slab_at(memory->slabs, address) : NULL;
    syc_usm *usm;
    if (slab == NULL)
        return NULL;
    usm = &slab->slots[(address - slab->low) / slab->slot_bytes];
    if (address - (uintptr_t)usm->data >= (usm->bytes > 0 ? usm->bytes : 1) || atomic_load(&usm->freed))
        return NULL;
    return retain_living(usm) ? usm : NULL;
}

syc_usm *syc_usm_find(const syc_context *context, const void *address)
{
    syc_usm *usm;
    if (!syc_process_alive())
        return NULL;
    syc__usm_lock();
    usm = find_locked(syc__usm_memory_locked(context), (uintptr_t)address);
    syc__usm_unlock();
    return usm;
}

syc_usm *syc_usm_find_any(const void *address)
{
    syc_usm *usm = NULL;
    if (!syc_process_alive())
        return NULL;
    syc__usm_lock();
    for (struct syc__usm_memory *m = syc__usm_memories_locked; m != NULL && usm == NULL; m = m->next)
        usm = find_locked(m, (uintptr_t)address);
    syc__usm_unlock();
    return usm;
}

/* -- OpenCL calls -- */

syc_status syc_usm_set_argument(const syc_context *context, cl_kernel kernel, cl_uint index, const void *pointer)
{
    const syc_cl_table *cl = syc_context_cl(context);
    syc_status status = SYC_OK;
    if (pointer != NULL)
        return syc__usm_provider_of(context)->set_argument(cl, kernel, index, pointer);
    SYC_CL(cl, SetKernelArg, (kernel, index, sizeof(cl_mem), NULL)); /* what OpenCL calls a null pointer */
done:
    return status;
}

/* Counts the event that a call gave. */
static syc_status counted(syc_status status, cl_event *out)
{
    if (status == SYC_OK && *out != NULL)
        syc_live_add(SYC_LIVE_CL_EVENT, 1);
    return status;
}

static struct syc__usm_call call_of(const syc_context *context, cl_command_queue queue, cl_uint after_count,
                                    const cl_event *after, cl_event *out)
{
    *out = NULL;
    return (struct syc__usm_call){syc_context_cl(context), queue, after_count, after, out};
}

syc_status syc_usm_enqueue_copy(const syc_context *context, cl_command_queue queue, void *to, const void *from,
                                size_t bytes, cl_uint after_count, const cl_event *after, cl_event *out)
{
    struct syc__usm_call call = call_of(context, queue, after_count, after, out);
    return counted(syc__usm_provider_of(context)->copy(&call, to, from, bytes), out);
}

syc_status syc_usm_enqueue_fill(const syc_context *context, cl_command_queue queue, void *to, const void *pattern,
                                size_t pattern_size, size_t bytes, cl_uint after_count, const cl_event *after,
                                cl_event *out)
{
    struct syc__usm_call call = call_of(context, queue, after_count, after, out);
    return counted(syc__usm_provider_of(context)->fill(&call, to, pattern, pattern_size, bytes), out);
}

syc_status syc_usm_enqueue_prefetch(const syc_context *context, cl_command_queue queue, const void *address,
                                    size_t bytes, cl_uint after_count, const cl_event *after, cl_event *out)
{
    struct syc__usm_call call = call_of(context, queue, after_count, after, out);
    if (bytes == 0 || (syc__usm_provider_of(context) == &syc__usm_svm && !context->devices[0]->facts->svm_migrates))
        return SYC_OK;
    return counted(syc__usm_provider_of(context)->prefetch(&call, address, bytes), out);
}

syc_status syc_usm_enqueue_advice(const syc_context *context, const syc_device *device, cl_command_queue queue,
                                  const void *address, size_t bytes, unsigned advice, cl_uint after_count,
                                  const cl_event *after, cl_event *out)
{
    struct syc__usm_call call = call_of(context, queue, after_count, after, out);
    (void)device;
    return bytes > 0 ? counted(syc__usm_provider_of(context)->advise(&call, address, bytes, advice), out) : SYC_OK;
}
