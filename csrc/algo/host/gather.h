/* Elements brought together, and taken apart again. */
#ifndef SYC_ALGO_HOST_GATHER_H
#define SYC_ALGO_HOST_GATHER_H

#include <stddef.h>

/* Elements of `size` bytes, 1, 2, 4 or 8, each `step` bytes behind the one before, one behind the other; */
void syc__host_gather(size_t size, const void *first, ptrdiff_t step, size_t count, void *restrict to);
/* and what lies one behind the other, each `step` bytes behind the one before. */
void syc__host_scatter(size_t size, const void *restrict values, size_t count, ptrdiff_t step, void *to);
/* What either takes for each element besides the work on it, estimated. */
double syc__host_gather_ns(size_t size, ptrdiff_t step);

#endif
