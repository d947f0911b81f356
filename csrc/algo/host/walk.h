/* How a reduction of an array along some dimensions goes over its memory, on the calling thread. */
#ifndef SYC_ALGO_HOST_WALK_H
#define SYC_ALGO_HOST_WALK_H

#include "algo/host/axis.h"
#include "algo/host/dims.h"

typedef struct syc__host_walk {
    syc_host_op op;
    syc_dtype type, result; /* of the elements and of the results */
    const char *first;
    ptrdiff_t out; /* where the first result goes */
    size_t results;
    syc__host_dim run;   /* what a result is made of */
    syc__host_dim lanes; /* results that are made together, of rows of elements; size 0: each by itself */
    syc__host_dim kept[SYC_HOST_DIMS];
    unsigned count; /* of `kept`, the other dimensions of the results */
    double ns;      /* what all of it takes, estimated */
} syc__host_walk;

/* false: it is not for the calling thread, whatever it takes: of this type, without elements or of dimensions that are
 * not one run in memory. */
bool syc__host_walk_begin(syc_host_op op, SYC_KEEP const syc_host_operand *array, uint32_t reduced,
                          syc__host_walk *out);
/* Is it made with double precision? Sums and means of integers of up to 32 bits are exact in 64 bits; means of others
 * do not overflow there. */
bool syc__host_adds_reals(const syc__host_walk *w);
/* Is each run no more than a block, one element behind the other, and the operation one of the quickest? */
bool syc__host_is_block(const syc__host_walk *w);
/* Where the elements and the results of an index of the dimensions in `kept` begin, in C's order. */
void syc__host_walk_at(const syc__host_walk *w, size_t index, const char **out_from, ptrdiff_t *out_to);

#endif
