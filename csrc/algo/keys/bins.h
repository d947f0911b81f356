/* Keys that are counted in bins, or their weights added, on the calling thread and the team: each part of the keys has
 * tables of its own, and few bins have several, as an addition waits for the one before it to the same place. */
#ifndef SYC_ALGO_KEYS_BINS_H
#define SYC_ALGO_KEYS_BINS_H

#include "algo/keys/sort.h"

#include <stdint.h>

/* Integers are in the bin that they are more than `low`; those elsewhere in none. Floating-point numbers of 4 or 8
 * bytes are where `edges` say, one more than bins and of their type: these are evenly spaced from the first one on,
 * `scale` bins in a unit. Counts are of int64; sums of integers too, modulo 2^64, and those of floating-point numbers
 * are double. */
typedef struct syc_host_bins {
    const void *keys;
    size_t count, width;
    syc_host_order order;
    uint64_t low;
    const void *edges;
    double scale;
    size_t bins;         /* at most SYC_HOST_MOST_BINS */
    const void *weights; /* NULL: they are counted */
    size_t weight_width;
    syc_host_order weight_order;
    void *to;
    int64_t *counts; /* with weights: NULL, or how many keys there are in each bin */
} syc_host_bins;

enum { SYC_HOST_MOST_BINS = 1 << 30 };

syc_status syc_host_add_keys(const syc_host_bins *of);

#endif
