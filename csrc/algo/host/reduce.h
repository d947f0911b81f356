/* Reductions of few elements on the calling thread, and the team that helps it: where a launch, and the way to it,
 * would take longer than the work. */
#ifndef SYC_ALGO_HOST_REDUCE_H
#define SYC_ALGO_HOST_REDUCE_H

#include "algo/host/operand.h"

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
    SYC_HOST_NONZERO, /* how many are */
    SYC_HOST_VAR,     /* the sum of squares of what is left when the mean is taken away, divided by the number */
    SYC_HOST_STD,     /* its root */
    SYC_HOST_NORM,    /* the root of the sum of squares */
    SYC_HOST_OP_COUNT
} syc_host_op;

/* Elements of a type, each `step` bytes, a multiple of its size, behind the one before. The first may be at any
 * address. */
typedef struct syc_host_run {
    syc_dtype type;
    const void *first;
    size_t count;
    ptrdiff_t step;
} syc_host_run;

/* Combines all elements as NumPy does: integers are added and multiplied with 64 bits, NaN is the extreme and the first
 * NaN its place. Sums of floating-point numbers are of blocks of 1024, which 64 chains of 16 additions and 6 more (of
 * doubles 32, of 32 and 5) make one number, added in double precision; variances are in double precision. Who helped
 * changes no bit. `less` is taken off the number that a variance is divided by. false, and nothing done: of this type,
 * of no elements, or divided by nothing, it is not for here. Any thread. */
bool syc_host_reduce(syc_host_op op, const syc_host_run *run, double less, syc_host_value *out);

/* What it takes, estimated; UINT64_MAX: a launch is as quick. */
uint64_t syc_host_reduce_ns(syc_host_op op, const syc_host_run *run);
uint64_t syc_host_dot_ns(const syc_host_run *one);

/* The type of the result of an operation on elements of a type. */
syc_dtype syc_host_result(syc_host_op op, syc_dtype type);

/* The sum of products of the elements of two runs of one type, modulo what an integer of it holds, and as many
 * elements. false: it is not for here, as of bool. Any thread. */
bool syc_host_dot(const syc_host_run *left, const syc_host_run *right, syc_host_value *out);

#endif
