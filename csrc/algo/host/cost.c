/* Estimates are careful, for memory that is in no cache and a machine that others use, too (tests/bench/README.md). */
#include "algo/host/cost.h"

#include "algo/host/dims.h"
#include "algo/host/gather.h"

/* 32 bytes of elements, by operation: of bytes in a run and in rows, and of wider elements. any and all seldom look at
 * all of a run. */
static const struct cost {
    double byte_run, byte_rows, run, rows;
} costs[SYC_HOST_OP_COUNT] = {
    [SYC_HOST_SUM] = {5, 4, 1.8, 1.3},      [SYC_HOST_PROD] = {20, 0, 6, 0},
    [SYC_HOST_MIN] = {2.5, 0.8, 1.6, 1.1},  [SYC_HOST_MAX] = {2.5, 0.8, 1.6, 1.1},
    [SYC_HOST_ANY] = {1.6, 1.3, 0.8, 1.1},  [SYC_HOST_ALL] = {1.6, 1.3, 0.8, 1.1},
    [SYC_HOST_MEAN] = {5, 4, 1.8, 1.3},     [SYC_HOST_ARGMIN] = {4.8, 2.2, 2.8, 2},
    [SYC_HOST_ARGMAX] = {4.8, 2.2, 2.8, 2}, [SYC_HOST_NONZERO] = {3.3, 1.3, 1.4, 1},
    [SYC_HOST_VAR] = {28, 20, 6, 4},        [SYC_HOST_STD] = {28, 20, 6, 4},
    [SYC_HOST_NORM] = {17, 11, 3, 2},
};

bool syc__host_has_rows(syc_host_op op)
{
    return costs[op].rows != 0;
}

double syc__host_each_ns(syc_host_op op, syc_dtype type, bool rows, ptrdiff_t step)
{
    const struct cost *cost = costs + op;
    const ptrdiff_t size = (ptrdiff_t)syc_dtype_size(type);
    const double whole = size == 1 ? (rows ? cost->byte_rows : cost->byte_run) : rows ? cost->rows : cost->run;
    return whole * (double)size / 32 + syc__host_gather_ns((size_t)size, step);
}

double syc__host_run_ns(const syc_host_run *run, syc_host_op op, unsigned runs)
{
    return SYC__HOST_RUN_NS + runs * (double)run->count * syc__host_each_ns(op, run->type, false, run->step);
}

static uint64_t limited(double ns, double most)
{
    return ns <= most ? (uint64_t)ns : UINT64_MAX;
}

uint64_t syc_host_reduce_ns(syc_host_op op, const syc_host_run *run)
{
    const bool alone = op == SYC_HOST_ANY || op == SYC_HOST_ALL;
    return limited(syc__host_run_ns(run, op, 1), alone ? SYC__HOST_MOST_NS : SYC__HOST_SHARED_NS);
}

uint64_t syc_host_dot_ns(const syc_host_run *one)
{
    return limited(syc__host_run_ns(one, SYC_HOST_SUM, 2), SYC__HOST_SHARED_NS);
}
