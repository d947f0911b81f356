/* Reductions of few elements along some dimensions, on the calling thread. */
#ifndef SYC_ALGO_HOST_AXIS_H
#define SYC_ALGO_HOST_AXIS_H

#include "algo/host/operand.h"
#include "algo/host/reduce.h"
#include "base/status.h"

/* Is it for here, and quicker than a launch? `reduced`: the dimensions, as bits, that are no more in the result. */
bool syc_host_axes_pay(syc_host_op op, SYC_KEEP const syc_host_operand *array, uint32_t reduced);

/* Each result as syc_host_reduce() has it, in the type that syc_host_result() says, in C's order of the dimensions that
 * are left. false: as there, and what is in `out` means nothing. Any thread. */
bool syc_host_reduce_axes(syc_host_op op, SYC_KEEP const syc_host_operand *array, uint32_t reduced, double less,
                          void *out);

#endif
