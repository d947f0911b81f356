/* A run of elements, block by block, and what all of its blocks are combined into. */
#ifndef SYC_ALGO_HOST_BLOCKS_H
#define SYC_ALGO_HOST_BLOCKS_H

#include "algo/host/folds.h"
#include "algo/host/reduce.h"

#include <stdbool.h>

/* Blocks of elements that lie one behind the other, or are brought there. */
typedef struct syc__host_blocks {
    const syc_host_run *run;
    const syc__host_folds *folds;
    size_t size;
    double gathered[SYC_HOST_BLOCK];
} syc__host_blocks;

/* false: there are none, or none of the type. */
bool syc__host_blocks_begin(syc__host_blocks *b, const syc_host_run *run);
/* The block that begins with an element: where it lies, and how many it has, at most `most`, and SYC_HOST_BLOCK where
 * they are brought together. Valid until the next. */
const void *syc__host_block_at(syc__host_blocks *b, size_t begin, size_t most, size_t *out_count);

/* What elements are combined into: of those of REALS and SQUARES, in double precision, `center` is taken off first. */
typedef enum syc__host_kind {
    SYC__HOST_SUMS,
    SYC__HOST_PRODUCTS,
    SYC__HOST_LEAST,
    SYC__HOST_MOST,
    SYC__HOST_NONZERO,
    SYC__HOST_DOTS,
    SYC__HOST_REALS,
    SYC__HOST_SQUARES
} syc__host_kind;

typedef struct syc__host_found {
    syc__host_part value;
    size_t begin; /* of the first block that has it, where it is an extreme */
} syc__host_found;

/* All blocks of a run that has some, or for DOTS of two runs of one type and length, by the team where that pays. `ns`
 * is what it takes, estimated. Which thread does which of them changes no result. */
syc__host_found syc__host_combine(syc__host_kind kind, const syc_host_run *run, const syc_host_run *other,
                                  double center, double ns);

#endif
