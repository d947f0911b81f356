/* Pools of one context: its slabs, and their totals. */
#ifndef SYC_MEMORY_USM_POOL_H
#define SYC_MEMORY_USM_POOL_H

#include "memory/usm/slab.h"

#include <pthread.h>

/* Slabs for one kind of memory of one device. */
struct syc__usm_pool {
    struct syc__usm_pool *next;
    struct syc__usm_memory *memory;
    syc_device *device; /* retained; NULL for host memory */
    syc_usm_kind kind;
    bool coarse;
    struct {
        struct syc__slab *first, *last; /* those with a free slot; the empty ones last */
    } classes[SYC__USM_OWN + 1];        /* the last one's: allocations that were given back, the latest first */
};

/* All of a context. It hangs on the context and ends with it. While anything in it lives it holds the context; cached
 * memory alone does not. */
struct syc__usm_memory {
    syc_context *context;
    const struct syc__usm_provider *provider;
    struct syc__usm_memory *next, *previous; /* of all contexts */
    struct syc__usm_pool *pools;
    struct syc__slab *slabs; /* the tree */
    size_t live;
    syc_usm_statistics kinds[SYC_USM_UNKNOWN];
    pthread_mutex_t mapping; /* while the host maps something */
    cl_command_queue mapper; /* where that is enqueued; NULL: was not needed yet */
};

/* The context's record, made when it is first asked for. */
syc_status syc__usm_memory_of(SYC_KEEP syc_context *context, struct syc__usm_memory **out);
/* The same if it is there; lock held. */
struct syc__usm_memory *syc__usm_memory_locked(SYC_KEEP const syc_context *context);
extern struct syc__usm_memory *syc__usm_memories_locked;
/* The pool for a kind of memory, made on first use. SYC_E_FEATURE_NOT_SUPPORTED: the device has no such memory. */
syc_status syc__usm_pool_of(struct syc__usm_memory *memory, syc_device *device, syc_usm_kind kind,
                            struct syc__usm_pool **out);

/* The same if it is there; lock held. */
struct syc__usm_pool *syc__usm_pool_locked(SYC_KEEP const struct syc__usm_memory *memory,
                                           SYC_KEEP const syc_device *device, syc_usm_kind kind);

/* A slot with one reference if one is free in a slab; NULL if not, or beyond the limit. This is what makes
 * allocations fast. */
syc_usm *syc__usm_take_cached(SYC_KEEP const syc_context *context, SYC_KEEP const syc_device *device, syc_usm_kind kind,
                              size_t bytes, size_t alignment);
/* One in a new slab. SYC_E_MEMORY_ALLOCATION in words that name bytes, kind and device. */
syc_status syc__usm_take(struct syc__usm_pool *pool, size_t bytes, size_t alignment, SYC_GIVE syc_usm **out);
/* The slot's last reference is gone. `*slabs` gets what is to be freed, `*context` what is to be released, both after
 * the lock was dropped. */
void syc__usm_put_locked(syc_usm *usm, SYC_GIVE struct syc__slab **slabs, SYC_GIVE syc_context **context);
/* Takes out the slabs that hold nothing, as a list. */
struct syc__slab *syc__usm_empty_locked(struct syc__usm_memory *memory);

/* map.c. The end of an allocation that may be mapped. */
void syc__usm_unmap(syc_usm *usm);
void syc__usm_mapper_close(struct syc__usm_memory *memory);

#endif
