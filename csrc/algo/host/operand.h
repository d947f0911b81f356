/* What arrays and numbers are for those that work on the calling thread. */
#ifndef SYC_ALGO_HOST_OPERAND_H
#define SYC_ALGO_HOST_OPERAND_H

#include "base/dtype.h"

#include <stdint.h>

enum { SYC_HOST_DIMS = 8 };

/* Elements of a type in some dimensions, each index of a dimension `steps` bytes behind the one before: multiples of
 * the type's size. The first may be at any address. */
typedef struct syc_host_operand {
    syc_dtype type;
    const void *first;
    unsigned dims; /* at most SYC_HOST_DIMS */
    const size_t *sizes;
    const ptrdiff_t *steps;
} syc_host_operand;

/* A number of a type: BOOL and the integers in `bits`, modulo 2^64 and signed or not as the type says, FLOAT and DOUBLE
 * in `real`. */
typedef struct syc_host_value {
    syc_dtype type;
    uint64_t bits;
    double real;
} syc_host_value;

#endif
