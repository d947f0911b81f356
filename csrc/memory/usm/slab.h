/* Slabs: runs of memory from a driver, cut into equal slots. A slab of one slot is an allocation of its own. Slabs of
 * one context stand in a balanced tree by their addresses, so that any address inside one leads to its allocation.
 *
 * One lock guards all trees, pools and figures (a leaf: nothing else is locked under it, nothing is called that could
 * block). It is held for some ten nanoseconds, so it spins. */
#ifndef SYC_MEMORY_USM_SLAB_H
#define SYC_MEMORY_USM_SLAB_H

#include "memory/usm/provider.h"

struct syc__usm_pool;

struct syc__slab {
    uintptr_t low, high;            /* of the slots; high > low */
    struct syc__slab *left, *right; /* the tree; a parent's priority is the higher one */
    uint32_t priority;
    struct syc__usm_pool *pool;
    unsigned size_class;               /* SYC__USM_OWN: one slot */
    struct syc__slab *next, *previous; /* those of the pool's class that have a free slot */
    void *given;                       /* what the driver gave; the slots begin at its first aligned address */
    size_t given_bytes, slot_bytes;
    unsigned slot_count, fresh, live; /* slots from `fresh` on were never used */
    syc_usm *free;                    /* slots that were used before */
    syc_usm slots[];
};

enum { SYC__USM_CLASSES = 9, SYC__USM_OWN = SYC__USM_CLASSES };

void syc__usm_lock(void);
void syc__usm_unlock(void);

/* -- tree.c; lock held -- */
void syc__slab_insert(struct syc__slab **root, struct syc__slab *slab);
void syc__slab_remove(struct syc__slab **root, struct syc__slab *slab);
/* The slab that the address lies in, or NULL. */
struct syc__slab *syc__slab_at(struct syc__slab *root, uintptr_t address);

/* -- slab.c; no lock held -- */
/* Memory from the driver; nothing is cached or retried here. */
syc_status syc__slab_create(struct syc__usm_pool *pool, unsigned size_class, size_t bytes, size_t alignment,
                            SYC_GIVE struct syc__slab **out);
/* The same way back, with all in the list that `next` makes. Bytes that went. */
size_t syc__slabs_free(SYC_TAKE struct syc__slab *first);

/* The class for an allocation, or SYC__USM_OWN. */
unsigned syc__slab_class(size_t bytes, size_t alignment);

#endif
