/* Slabs: allocation from the driver and return to it, and the lock of unified shared memory. */
#include "memory/usm/pool.h"

#include "base/alloc.h"
#include "cl/constants.h"
#include "cl/context.h"

#include <sched.h>

static atomic_flag lock = ATOMIC_FLAG_INIT;

void syc__usm_lock(void)
{
    enum { PATIENCE = 200 }; /* beyond it the holder has been suspended */
    for (int tries = 0; atomic_flag_test_and_set_explicit(&lock, memory_order_acquire); tries++) {
        if (tries >= PATIENCE)
            sched_yield();
    }
}

void syc__usm_unlock(void)
{
    atomic_flag_clear_explicit(&lock, memory_order_release);
}

/* The smallest slot, which keeps the alignment of the widest vector; each class's is twice the one before. */
enum { SMALLEST_SLOT = SYC__USM_WIDEST, SLAB_BYTES = 64 * 1024, FEWEST_SLOTS = 8 };

unsigned syc__slab_class(size_t bytes, size_t alignment)
{
    size_t slot = SMALLEST_SLOT;
    if (alignment > SMALLEST_SLOT)
        return SYC__USM_OWN;
    for (unsigned c = 0; c < SYC__USM_CLASSES; c++, slot *= 2) {
        if (bytes <= slot)
            return c;
    }
    return SYC__USM_OWN;
}

/* Drivers have several codes for memory that cannot be had. */
static syc_status no_memory(const struct syc__usm_pool *pool, size_t bytes, cl_int code)
{
    const struct syc__usm_memory *m = pool->memory;
    const syc_device *device = pool->device != NULL ? pool->device : m->context->devices[0];
    const char *entry = m->provider->allocate_names[pool->kind];
    if (code != CL_MEM_OBJECT_ALLOCATION_FAILURE && code != CL_OUT_OF_RESOURCES && code != CL_OUT_OF_HOST_MEMORY &&
        code != CL_INVALID_BUFFER_SIZE)
        return syc_fail_cl(SYC_HERE, entry, code);
    return syc_fail_cl_as(SYC_E_MEMORY_ALLOCATION, SYC_HERE, entry, code,
                          "no memory for %zu bytes of %s memory on device '%s'", bytes, syc_usm_kind_name(pool->kind),
                          syc_device_name(device));
}

static void prepare_slots(struct syc__slab *slab, char *data)
{
    const struct syc__usm_pool *pool = slab->pool;
    for (unsigned i = 0; i < slab->slot_count; i++) {
        syc_usm *usm = &slab->slots[i];
        usm->context = pool->memory->context;
        usm->device = pool->device;
        usm->kind = pool->kind;
        usm->coarse = pool->coarse;
        usm->data = data + i * slab->slot_bytes;
        usm->slab = slab;
    }
    slab->low = (uintptr_t)data;
    slab->high = slab->low + slab->slot_count * slab->slot_bytes;
}

static syc_status get_memory(struct syc__slab *slab, size_t bytes, size_t alignment)
{
    const struct syc__usm_pool *pool = slab->pool;
    const struct syc__usm_memory *m = pool->memory;
    size_t extra = alignment > SYC__USM_WIDEST ? alignment - 1 : 0;
    cl_int code = CL_MEM_OBJECT_ALLOCATION_FAILURE;

    if (!__builtin_add_overflow(bytes, extra, &slab->given_bytes))
        slab->given = m->provider->allocate(m->context, pool->device, pool->kind, slab->given_bytes,
                                            extra > 0 ? SYC__USM_WIDEST : (cl_uint)alignment, &code);
    if (slab->given == NULL)
        return no_memory(pool, bytes, code);
    syc_live_add(SYC_LIVE_SVM, 1);
    prepare_slots(slab, (char *)slab->given + (-(uintptr_t)slab->given & extra));
    return SYC_OK;
}

syc_status syc__slab_create(struct syc__usm_pool *pool, unsigned size_class, size_t bytes, size_t alignment,
                            struct syc__slab **out)
{
    struct syc__slab *slab = NULL;
    size_t slot_bytes = bytes > 0 ? bytes : 1, count = 1;
    syc_status status = SYC_OK;

    if (size_class != SYC__USM_OWN) {
        slot_bytes = (size_t)SMALLEST_SLOT << size_class;
        count = SLAB_BYTES / slot_bytes > FEWEST_SLOTS ? SLAB_BYTES / slot_bytes : FEWEST_SLOTS;
        alignment = SYC__USM_WIDEST;
    }
    SYC_TRY(syc_alloc(sizeof *slab + count * sizeof(syc_usm), &slab));
    slab->pool = pool;
    slab->size_class = size_class;
    slab->slot_bytes = slot_bytes;
    slab->slot_count = (unsigned)count;
    SYC_TRY(get_memory(slab, count * slot_bytes, alignment));
    *out = slab;
    slab = NULL;
done:
    syc_free(slab);
    return status;
}

size_t syc__slabs_free(struct syc__slab *first)
{
    size_t bytes = 0;
    for (struct syc__slab *slab = first, *next; slab != NULL; slab = next) {
        const struct syc__usm_memory *m = slab->pool->memory;
        cl_int code = m->provider->give_back(m->context, slab->given);
        next = slab->next;
        if (code != CL_SUCCESS)
            syc_report(syc_fail_cl(SYC_HERE, "clMemFreeINTEL", code));
        bytes += slab->given_bytes;
        syc_live_add(SYC_LIVE_SVM, -1);
        syc_free(slab);
    }
    return bytes;
}
