/* Stable sorts of few keys on the calling thread: by digits of 8 bits, in memory of its own. */
#ifndef SYC_ALGO_KEYS_SORT_H
#define SYC_ALGO_KEYS_SORT_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* How the bits of keys are ordered. */
typedef enum syc_host_order {
    SYC_HOST_ORDER_UNSIGNED,
    SYC_HOST_ORDER_SIGNED,
    SYC_HOST_ORDER_BOOL,  /* of one byte, 0 or something else */
    SYC_HOST_ORDER_FLOAT, /* of 2, 4 or 8 bytes; NaN last, also in descending order */
    SYC_HOST_ORDER_COUNT
} syc_host_order;

/* `lines` lines of `size` keys of `width` bytes, one behind the other, each sorted by itself. To keys, or with
 * `positions` to the positions in their line, of 64 bits: then -0.0 equals 0.0, and a NaN another one. A line has less
 * than 2^32 keys; `to` may be `keys`. */
typedef struct syc_host_sort {
    const void *keys;
    void *to;
    size_t lines, size, width;
    syc_host_order order;
    bool descending, positions;
} syc_host_sort;

syc_status syc_host_sort_lines(const syc_host_sort *of);

#endif
