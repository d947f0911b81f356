/* What reductions on the calling thread take, in ns on one core of a Xeon of 2023 beside other work. */
#ifndef SYC_ALGO_HOST_COST_H
#define SYC_ALGO_HOST_COST_H

#include "algo/host/reduce.h"

#include <stdbool.h>

/* A run, besides its elements. */
#define SYC__HOST_RUN_NS 60.0

/* An element in a run, or in rows that are so far apart. */
double syc__host_each_ns(syc_host_op op, syc_dtype type, bool rows, ptrdiff_t step);
/* Is it done by rows at all? */
bool syc__host_has_rows(syc_host_op op);
/* A run of elements, or so many of them one beside the other. */
double syc__host_run_ns(const syc_host_run *run, syc_host_op op, unsigned runs);

#endif
