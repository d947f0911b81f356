/* Reductions of few elements on the calling thread: where a launch, and the way to it, would take longer than the work.
 */
#ifndef SYC_ALGO_HOST_REDUCE_H
#define SYC_ALGO_HOST_REDUCE_H

#include "base/dtype.h"

#include <stdint.h>

typedef enum syc_host_op {
    SYC_HOST_SUM,
    SYC_HOST_PROD,
    SYC_HOST_MIN,
    SYC_HOST_MAX,
    SYC_HOST_ANY,
    SYC_HOST_ALL,
    SYC_HOST_MEAN,
    SYC_HOST_ARGMIN,
    SYC_HOST_ARGMAX,
    SYC_HOST_OP_COUNT
} syc_host_op;

/* A number of a type: BOOL and the integers in `bits`, modulo 2^64 and signed or not as the type says, FLOAT and DOUBLE
 * in `real`. */
typedef struct syc_host_value {
    syc_dtype type;
    uint64_t bits;
    double real;
} syc_host_value;

/* Combines `count` elements, each `step` bytes behind the one before, as NumPy does: integers are added and multiplied
 * with 64 bits, NaN is the extreme and the first NaN its place. Sums of floating-point numbers are of 16 partial sums,
 * so of chains of count/16 + 4 additions at most. false, and nothing done: of this type, or of no elements, it is not
 * for here. Never blocks; any thread. */
bool syc_host_reduce(syc_host_op op, syc_dtype type, const void *first, size_t count, ptrdiff_t step,
                     syc_host_value *out);

#endif
