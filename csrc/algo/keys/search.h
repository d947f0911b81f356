/* Where values stand among sorted keys, on the calling thread and the team: by a tree of nodes of 16 keys, which are
 * compared at once; many values are looked up side by side, so that their waits for memory overlap. */
#ifndef SYC_ALGO_KEYS_SEARCH_H
#define SYC_ALGO_KEYS_SEARCH_H

#include "algo/keys/sort.h"

/* The result is of int64, how many keys come before a value, or do not come behind it; or of bool, whether it is one of
 * them, or none. */
typedef enum syc_search_for {
    SYC_SEARCH_BEFORE,
    SYC_SEARCH_UP_TO,
    SYC_SEARCH_IS_IN,
    SYC_SEARCH_IS_NOT_IN,
    SYC_SEARCH_COUNT
} syc_search_for;

/* Keys and values of `width` bytes, 4 or 8. A NaN is behind all numbers, and none of the keys. */
typedef struct syc_host_search {
    const void *keys;
    size_t size;
    const void *values;
    size_t count;
    void *to;
    size_t width;
    syc_host_order order; /* not BOOL */
    syc_search_for what;
} syc_host_search;

syc_status syc_host_search_keys(const syc_host_search *of);

#endif
