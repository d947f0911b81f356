/* Runs of equal keys in sorted memory, on the calling thread and the team. */
#ifndef SYC_ALGO_KEYS_RUNS_H
#define SYC_ALGO_KEYS_RUNS_H

#include "algo/keys/sort.h"

#include <stdint.h>

enum { SYC_HOST_RUN_PARTS = 64 };

/* Keys of `width` bytes, floating-point numbers of 4 or 8. A NaN equals another one if `as_one`. */
typedef struct syc_host_runs {
    const void *keys;
    size_t size, width;
    syc_host_order order;
    bool as_one;
    void *firsts;                          /* of each run its first key, */
    int64_t *lengths;                      /* and how many keys it has */
    size_t before[SYC_HOST_RUN_PARTS + 1]; /* runs before each part of the keys */
} syc_host_runs;

/* How many runs there are; and then, with memory for so many, the runs. */
size_t syc_host_runs_count(syc_host_runs *of);
void syc_host_runs_put(const syc_host_runs *of);

#endif
