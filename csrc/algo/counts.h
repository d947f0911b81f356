/* Arithmetic of how many elements, rows and work-items there are. Inside algo/ only. */
#ifndef SYC_ALGO_COUNTS_H
#define SYC_ALGO_COUNTS_H

#include <stdint.h>

static inline uint64_t syc__divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* UINT64_MAX for all that is beyond 64 bits: it is refused later. */
static inline uint64_t syc__multiply(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

#endif
