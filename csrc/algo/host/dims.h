/* The dimensions that work on the calling thread goes over, and how long it may take. */
#ifndef SYC_ALGO_HOST_DIMS_H
#define SYC_ALGO_HOST_DIMS_H

#include <stddef.h>

/* Beyond so much estimated work, in ns, a launch is as quick: where the calling thread does it alone, and where the
 * team helps. */
enum { SYC__HOST_MOST_NS = 120000, SYC__HOST_SHARED_NS = 8000000 };

/* Indices of one dimension, or of several that are one in memory: bytes from each to the next, of elements and of
 * results. */
typedef struct syc__host_dim {
    size_t size;
    ptrdiff_t step, out;
} syc__host_dim;

/* Behind the others, or as a part of the last one, where both are one in memory. */
void syc__host_dims_add(syc__host_dim *dims, unsigned *count, syc__host_dim dim);
/* Which of them has its elements closest together, and is not one element again and again. */
unsigned syc__host_dims_nearest(const syc__host_dim *dims, unsigned count);
/* Out of the others. */
syc__host_dim syc__host_dims_take(syc__host_dim *dims, unsigned *count, unsigned which);
/* Where the elements and the results of an index of all of them begin, in C's order, from those of index 0. */
void syc__host_dims_at(const syc__host_dim *dims, unsigned count, size_t index, ptrdiff_t *out_from, ptrdiff_t *out_to);
size_t syc__host_distance(ptrdiff_t step);

#endif
