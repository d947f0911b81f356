/* The unified shared memory of a context: made with the first allocation, ended with the context. */
#include "memory/usm/pool.h"

#include "base/alloc.h"
#include "cl/constants.h"
#include "cl/context.h"

struct syc__usm_memory *syc__usm_memories_locked;

static void link_locked(struct syc__usm_memory *memory)
{
    memory->next = syc__usm_memories_locked;
    if (memory->next != NULL)
        memory->next->previous = memory;
    syc__usm_memories_locked = memory;
}

static void unlink_locked(struct syc__usm_memory *memory)
{
    if (memory->previous != NULL)
        memory->previous->next = memory->next;
    else
        syc__usm_memories_locked = memory->next;
    if (memory->next != NULL)
        memory->next->previous = memory->previous;
}

static void free_memory(struct syc__usm_memory *memory)
{
    for (struct syc__usm_pool *pool = memory->pools, *next; pool != NULL; pool = next) {
        next = pool->next;
        syc_free(pool);
    }
    pthread_mutex_destroy(&memory->mapping);
    syc_free(memory);
}

/* The context ends, so nothing in it lives: what is left are empty slabs. */
static void end(void *payload)
{
    struct syc__usm_memory *memory = payload;
    struct syc__slab *slabs;
    syc__usm_lock();
    unlink_locked(memory);
    slabs = syc__usm_empty_locked(memory);
    syc__usm_unlock();
    (void)syc__slabs_free(slabs);
    syc__usm_mapper_close(memory);
    free_memory(memory);
}

syc_status syc__usm_memory_of(syc_context *context, struct syc__usm_memory **out)
{
    struct syc__usm_memory *memory, *made = NULL;
    syc_status status = SYC_OK;

    syc__usm_lock();
    memory = syc__usm_memory_locked(context);
    syc__usm_unlock();
    if (memory == NULL) {
        SYC_TRY(syc_alloc(sizeof *made, &made));
        made->context = context;
        made->provider = syc__usm_provider_of(context);
        pthread_mutex_init(&made->mapping, NULL);
        syc__usm_lock();
        memory = syc__usm_memory_locked(context);
        if (memory == NULL) { /* else another thread was faster */
            link_locked(memory = made);
            context->attached = (syc_keep){end, made};
            made = NULL;
        }
        syc__usm_unlock();
    }
    *out = memory;
done:
    if (made != NULL)
        free_memory(made);
    return status;
}

/* Host memory is for all devices of the context. */
static syc_status check_support(const struct syc__usm_memory *memory, const syc_device *device, syc_usm_kind kind)
{
    const syc_context *context = memory->context;
    syc_status status = SYC_OK;
    for (size_t i = 0; i < context->device_count; i++) {
        const syc_device *d = context->devices[i];
        SYC_CHECK((device != NULL && d != device) || memory->provider->has(d, kind), SYC_E_FEATURE_NOT_SUPPORTED,
                  "device '%s' has no %s allocations of unified shared memory (aspect usm_%s_allocations)",
                  syc_device_name(d), syc_usm_kind_name(kind), syc_usm_kind_name(kind));
    }
done:
    return status;
}

syc_status syc__usm_pool_of(struct syc__usm_memory *memory, syc_device *device, syc_usm_kind kind,
                            struct syc__usm_pool **out)
{
    struct syc__usm_pool *pool, *made = NULL;
    syc_status status = SYC_OK;

    syc__usm_lock();
    pool = syc__usm_pool_locked(memory, device, kind);
    syc__usm_unlock();
    if (pool == NULL) {
        SYC_TRY(check_support(memory, device, kind));
        SYC_TRY(syc_alloc(sizeof *made, &made));
        made->memory = memory;
        made->device = device;
        made->kind = kind;
        made->coarse = memory->provider->is_coarse(memory->context, kind);
        syc__usm_lock();
        pool = syc__usm_pool_locked(memory, device, kind);
        if (pool == NULL) {
            made->next = memory->pools;
            memory->pools = pool = made;
            made = NULL;
        }
        syc__usm_unlock();
    }
    *out = pool;
done:
    syc_free(made);
    return status;
}

syc_usm_statistics syc_usm_statistics_of(const syc_context *context, syc_usm_kind kind)
{
    const struct syc__usm_memory *memory;
    syc_usm_statistics statistics = {0};
    if (!syc_process_alive())
        return statistics;
    syc__usm_lock();
    memory = syc__usm_memory_locked(context);
    if (memory != NULL)
        statistics = memory->kinds[kind];
    syc__usm_unlock();
    return statistics;
}

syc_status syc_usm_set_limit(syc_context *context, syc_usm_kind kind, size_t bytes)
{
    struct syc__usm_memory *memory = NULL;
    syc_status status = SYC_OK;
    SYC_TRY(syc_process_check());
    SYC_TRY(syc__usm_memory_of(context, &memory));
    syc__usm_lock();
    memory->kinds[kind].limit_bytes = bytes;
    syc__usm_unlock();
done:
    return status;
}

/* A context that still lives, retained, and not one that is ending. */
static syc_context *next_context(size_t skip)
{
    syc_context *context = NULL;
    syc__usm_lock();
    for (struct syc__usm_memory *m = syc__usm_memories_locked; m != NULL && context == NULL; m = m->next) {
        long count = atomic_load(&m->context->refs.count);
        if (skip > 0) {
            skip--;
            continue;
        }
        while (count > 0 && !atomic_compare_exchange_weak(&m->context->refs.count, &count, count + 1))
            ;
        context = count > 0 ? m->context : NULL;
    }
    syc__usm_unlock();
    return context;
}

size_t syc_usm_trim_all(void)
{
    size_t bytes = 0;
    syc_context *context;
    if (!syc_process_alive())
        return 0;
    for (size_t i = 0; (context = next_context(i)) != NULL; i++) {
        bytes += syc_usm_trim(context);
        syc_context_release(context);
    }
    return bytes;
}
