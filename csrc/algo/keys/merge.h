/* Two sorted runs of keys as one, on the calling thread and the team: the result is cut into equal pieces, and where
 * these begin in both runs is searched for. */
#ifndef SYC_ALGO_KEYS_MERGE_H
#define SYC_ALGO_KEYS_MERGE_H

#include "algo/keys/sort.h"

/* Keys of `width` bytes, floating-point numbers of 4 or 8, ascending, NaN last; of equal ones those of the first come
 * first. Where they are in no order, neither is the result, which has all of them nevertheless. `to` has both and is
 * neither. */
typedef struct syc_host_merge {
    const void *first, *second;
    size_t sizes[2];
    void *to;
    size_t width;
    syc_host_order order;
} syc_host_merge;

syc_status syc_host_merge_keys(const syc_host_merge *of);

#endif
