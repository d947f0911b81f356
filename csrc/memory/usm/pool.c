/* Taking slots out of slabs and putting them back. */
#include "memory/usm/pool.h"

#include "base/alloc.h"
#include "cl/constants.h"
#include "cl/context.h"
#include "cl/device.h"

/* Free slots that a context keeps of one kind of memory; whole empty slabs beyond that go back to the driver. Of a
 * device's own memory it is a share: a driver that hands it out page by page takes longer than a kernel that fills it.
 */
enum { MOST_CACHED = 16 * 1024 * 1024, SHARE = 8 };
/* The part of an allocation that one may be larger that stands in for it. */
enum { SLACK = 8 };

static long handles; /* alive; lock held */

static void count_handles(long change)
{
    handles += change;
    syc_live_set(SYC_LIVE_USM, handles);
}

struct syc__usm_memory *syc__usm_memory_locked(const syc_context *context)
{
    return context->attached.payload;
}

struct syc__usm_pool *syc__usm_pool_locked(const struct syc__usm_memory *memory, const syc_device *device,
                                           syc_usm_kind kind)
{
    struct syc__usm_pool *pool = memory->pools;
    while (pool != NULL && (pool->kind != kind || pool->device != device))
        pool = pool->next;
    return pool;
}

static bool is_full(const struct syc__slab *slab)
{
    return slab->free == NULL && slab->fresh == slab->slot_count;
}

static void unlink_slab(struct syc__slab *slab)
{
    struct syc__usm_pool *pool = slab->pool;
    if (slab->previous != NULL)
        slab->previous->next = slab->next;
    else
        pool->classes[slab->size_class].first = slab->next;
    if (slab->next != NULL)
        slab->next->previous = slab->previous;
    else
        pool->classes[slab->size_class].last = slab->previous;
    slab->next = slab->previous = NULL;
}

static void link_first(struct syc__slab *slab)
{
    struct syc__usm_pool *pool = slab->pool;
    slab->next = pool->classes[slab->size_class].first;
    if (slab->next != NULL)
        slab->next->previous = slab;
    else
        pool->classes[slab->size_class].last = slab;
    pool->classes[slab->size_class].first = slab;
}

/* Empty slabs are used last, so that some stay empty and can go. */
static void move_last(struct syc__slab *slab)
{
    struct syc__usm_pool *pool = slab->pool;
    if (slab->next == NULL)
        return;
    unlink_slab(slab);
    slab->previous = pool->classes[slab->size_class].last;
    slab->previous->next = slab;
    pool->classes[slab->size_class].last = slab;
}

static size_t most_cached(const struct syc__usm_pool *pool)
{
    const syc_device *device = pool->device;
    if (device == NULL || device->facts->shares_host_memory || device->global_bytes / SHARE < MOST_CACHED)
        return MOST_CACHED;
    return (size_t)(device->global_bytes / SHARE);
}

/* Allocations of their own are kept as slabs of one slot, but for those that the host maps, and those that are large
 * beside all that may be kept. */
static bool is_kept(const struct syc__slab *slab)
{
    return !slab->pool->coarse && slab->slot_bytes <= most_cached(slab->pool) / 2;
}

static syc_usm *take_locked(struct syc__slab *slab, size_t bytes, size_t alignment)
{
    struct syc__usm_memory *m = slab->pool->memory;
    syc_usm_statistics *s = &m->kinds[slab->pool->kind];
    syc_usm *usm = slab->free;

    if (usm != NULL)
        slab->free = usm->next_free;
    else
        usm = &slab->slots[slab->fresh++];
    slab->live++;
    usm->bytes = bytes;
    usm->alignment = alignment;
    usm->binding = NULL;
    atomic_store_explicit(&usm->freed, false, memory_order_relaxed);
    atomic_store_explicit(&usm->refs.count, 1, memory_order_relaxed);
    s->cached_bytes -= slab->slot_bytes;
    if (is_full(slab))
        unlink_slab(slab);
    s->live_count++;
    if (s->live_bytes > s->peak_bytes)
        s->peak_bytes = s->live_bytes;
    if (m->live++ == 0)
        syc_context_retain(m->context);
    count_handles(1);
    return usm;
}

static void add_slab_locked(struct syc__slab *slab)
{
    struct syc__usm_memory *m = slab->pool->memory;
    syc__slab_insert(&m->slabs, slab);
    m->kinds[slab->pool->kind].cached_bytes += slab->slot_count * slab->slot_bytes;
    link_first(slab);
}

static void drop_slab_locked(struct syc__slab *slab, struct syc__slab **list)
{
    struct syc__usm_memory *m = slab->pool->memory;
    m->kinds[slab->pool->kind].cached_bytes -= slab->slot_count * slab->slot_bytes;
    unlink_slab(slab);
    syc__slab_remove(&m->slabs, slab);
    slab->next = *list;
    *list = slab;
}

/* Those that were used last are at hand first, and the others go. */
static void keep_own_locked(struct syc__slab *slab, struct syc__slab **list)
{
    struct syc__usm_pool *pool = slab->pool;
    const syc_usm_statistics *s = &pool->memory->kinds[pool->kind];
    if (!is_kept(slab))
        drop_slab_locked(slab, list);
    while (s->cached_bytes > most_cached(pool) && pool->classes[SYC__USM_OWN].last != NULL)
        drop_slab_locked(pool->classes[SYC__USM_OWN].last, list);
}

void syc__usm_put_locked(syc_usm *usm, struct syc__slab **slabs, syc_context **context)
{
    struct syc__slab *slab = usm->slab;
    struct syc__usm_memory *m = slab->pool->memory;
    syc_usm_statistics *s = &m->kinds[slab->pool->kind];
    bool was_full = is_full(slab);

    s->live_bytes -= usm->bytes;
    s->live_count--;
    slab->live--;
    usm->next_free = slab->free;
    slab->free = usm;
    s->cached_bytes += slab->slot_bytes;
    if (was_full)
        link_first(slab);
    if (slab->size_class == SYC__USM_OWN)
        keep_own_locked(slab, slabs);
    else if (slab->live == 0 && s->cached_bytes > most_cached(slab->pool))
        drop_slab_locked(slab, slabs);
    else if (slab->live == 0)
        move_last(slab);
    if (--m->live == 0)
        *context = m->context;
    count_handles(-1);
}

struct syc__slab *syc__usm_empty_locked(struct syc__usm_memory *memory)
{
    struct syc__slab *list = NULL;
    for (struct syc__usm_pool *pool = memory->pools; pool != NULL; pool = pool->next) {
        for (unsigned c = 0; c <= SYC__USM_OWN; c++) {
            for (struct syc__slab *slab = pool->classes[c].first, *next; slab != NULL; slab = next) {
                next = slab->next;
                if (slab->live == 0)
                    drop_slab_locked(slab, &list);
            }
        }
    }
    return list;
}

size_t syc_usm_trim(const syc_context *context)
{
    struct syc__usm_memory *memory;
    struct syc__slab *slabs = NULL;
    if (!syc_process_alive())
        return 0;
    syc__usm_lock();
    memory = syc__usm_memory_locked(context);
    if (memory != NULL)
        slabs = syc__usm_empty_locked(memory);
    syc__usm_unlock();
    return syc__slabs_free(slabs);
}

/* Counts the bytes as live before they are; lock held. */
static syc_status reserve_locked(const struct syc__usm_pool *pool, size_t bytes)
{
    syc_usm_statistics *s = &pool->memory->kinds[pool->kind];
    size_t live;
    if (__builtin_add_overflow(s->live_bytes, bytes, &live) || (s->limit_bytes > 0 && live > s->limit_bytes))
        return SYC_E_MEMORY_ALLOCATION;
    s->live_bytes = live;
    return SYC_OK;
}

/* One that was kept and has the bytes, and few more. */
static struct syc__slab *find_own(const struct syc__usm_pool *pool, size_t bytes, size_t alignment)
{
    struct syc__slab *slab = pool->classes[SYC__USM_OWN].first;
    while (slab != NULL && (slab->slot_bytes < bytes || slab->slot_bytes - bytes > bytes / SLACK ||
                            (uintptr_t)slab->slots[0].data % alignment != 0))
        slab = slab->next;
    return slab;
}

syc_usm *syc__usm_take_cached(const syc_context *context, const syc_device *device, syc_usm_kind kind, size_t bytes,
                              size_t alignment)
{
    unsigned size_class = syc__slab_class(bytes, alignment);
    const struct syc__usm_memory *memory;
    struct syc__usm_pool *pool;
    struct syc__slab *slab = NULL;
    syc_usm *usm = NULL;

    syc__usm_lock();
    memory = syc__usm_memory_locked(context);
    pool = memory != NULL ? syc__usm_pool_locked(memory, device, kind) : NULL;
    if (pool != NULL)
        slab = size_class != SYC__USM_OWN ? pool->classes[size_class].first : find_own(pool, bytes, alignment);
    if (slab != NULL && reserve_locked(pool, bytes) == SYC_OK)
        usm = take_locked(slab, bytes, alignment);
    syc__usm_unlock();
    return usm;
}

static syc_status over_limit(const struct syc__usm_pool *pool, size_t bytes)
{
    syc_usm_statistics s;
    syc__usm_lock();
    s = pool->memory->kinds[pool->kind];
    syc__usm_unlock();
    return syc_fail(SYC_E_MEMORY_ALLOCATION, SYC_HERE,
                    "%zu bytes more of %s memory than the %zu that are alive would pass the limit of %zu", bytes,
                    syc_usm_kind_name(pool->kind), s.live_bytes, s.limit_bytes);
}

/* A driver that refuses memory may have some once the cached slabs have gone back to it. */
static syc_status create_slab(struct syc__usm_pool *pool, unsigned size_class, size_t bytes, size_t alignment,
                              struct syc__slab **out)
{
    syc_status status = syc__slab_create(pool, size_class, bytes, alignment, out);
    if (status == SYC_E_MEMORY_ALLOCATION && syc_usm_trim(pool->memory->context) > 0)
        status = syc__slab_create(pool, size_class, bytes, alignment, out);
    return status;
}

/* There may be a slot by now: then the new slab serves the next. */
static syc_status take_new(struct syc__usm_pool *pool, size_t bytes, size_t alignment, syc_usm **out)
{
    unsigned size_class = pool->coarse ? SYC__USM_OWN : syc__slab_class(bytes, alignment);
    struct syc__slab *slab = NULL;
    syc_status status = create_slab(pool, size_class, bytes, alignment, &slab);

    syc__usm_lock();
    if (status == SYC_OK) {
        add_slab_locked(slab);
        *out = take_locked(slab, bytes, alignment);
    } else {
        pool->memory->kinds[pool->kind].live_bytes -= bytes;
    }
    syc__usm_unlock();
    return status;
}

syc_status syc__usm_take(struct syc__usm_pool *pool, size_t bytes, size_t alignment, syc_usm **out)
{
    syc_status status;
    syc__usm_lock();
    status = reserve_locked(pool, bytes);
    syc__usm_unlock();
    return status == SYC_OK ? take_new(pool, bytes, alignment, out) : over_limit(pool, bytes);
}
