/* The first keys of lines in order, on the calling thread and the team: most keys are only held against a bar, which is
 * the last one of the first so far. */
#ifndef SYC_ALGO_KEYS_TOP_H
#define SYC_ALGO_KEYS_TOP_H

#include "algo/keys/sort.h"

#include <stdint.h>

/* Of each of `lines` lines of `size` keys of `width` bytes the positions of the first `many`, at least 1, in order: of
 * equal ones the first, and NaN last, also in descending order. A line has less than 2^32 keys. */
typedef struct syc_host_top {
    const void *keys;
    int64_t *to;
    size_t lines, size, many, width;
    syc_host_order order;
    bool descending;
} syc_host_top;

syc_status syc_host_top_keys(const syc_host_top *of);

#endif
