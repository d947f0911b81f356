/* Dimensions that are one in memory are made one, and it is estimated whether results are quicker made each by itself,
 * of a run of elements, or many at a time, of rows. */
#include "algo/host/walk.h"

#include "algo/host/folds.h"
#include "algo/host/gather.h"

/* What takes how long, in ns, on one core of a Xeon of 2023 beside other work. */
#define BLOCK_NS 18.0 /* a run that is a block, besides its elements */
#define RUN_NS   60.0 /* another one */
#define PIECE_NS 80.0 /* neighbouring results besides their rows */
#define ROWS_NS  10.0 /* as many rows as are taken at a time, besides their elements */
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

static bool keeps_order(syc_host_op op)
{
    return op == SYC_HOST_ARGMIN || op == SYC_HOST_ARGMAX;
}

/* -- dimensions -- */

static void turn(syc__host_walk *w, syc__host_dim *dim)
{
    if (dim->step >= 0)
        return;
    w->first += (ptrdiff_t)(dim->size - 1) * dim->step;
    w->out += (ptrdiff_t)(dim->size - 1) * dim->out;
    dim->step = -dim->step;
    dim->out = -dim->out;
}

/* Larger distances come first; where the order does not matter it is memory's. */
static void sort(syc__host_dim *dims, unsigned count)
{
    for (unsigned k = 1; k < count; k++)
        for (unsigned j = k; j > 0 && dims[j].step > dims[j - 1].step; j--) {
            const syc__host_dim other = dims[j];
            dims[j] = dims[j - 1];
            dims[j - 1] = other;
        }
}

/* false: it is none. */
static bool find_run(syc__host_walk *w, syc__host_dim *reduced, unsigned count)
{
    syc__host_dim all[SYC_HOST_DIMS];
    unsigned found = 0;
    if (!keeps_order(w->op)) {
        for (unsigned k = 0; k < count; k++)
            turn(w, reduced + k);
        sort(reduced, count);
    }
    for (unsigned k = 0; k < count; k++)
        syc__host_dims_add(all, &found, reduced[k]);
    if (found > 1)
        return false;
    w->run = found == 1 ? all[0] : (syc__host_dim){1, (ptrdiff_t)syc_dtype_size(w->type), 0};
    return true;
}

/* -- runs or rows -- */

bool syc__host_adds_reals(const syc__host_walk *w)
{
    return w->op >= SYC_HOST_VAR ||
           (w->op == SYC_HOST_MEAN && syc_dtype_kind(w->type) != 'f' && syc_dtype_size(w->type) == sizeof(uint64_t));
}

bool syc__host_is_block(const syc__host_walk *w)
{
    return w->run.size <= SYC_HOST_BLOCK && w->run.step == (ptrdiff_t)syc_dtype_size(w->type) &&
           w->op != SYC_HOST_PROD && !syc__host_adds_reals(w);
}

static double each_ns(const syc__host_walk *w, bool rows, ptrdiff_t step)
{
    const struct cost *cost = costs + w->op;
    const ptrdiff_t size = (ptrdiff_t)syc_dtype_size(w->type);
    const double whole = size == 1 ? (rows ? cost->byte_rows : cost->byte_run) : rows ? cost->rows : cost->run;
    return whole * (double)size / 32 + syc__host_gather_ns((size_t)size, step);
}

/* A careful estimate, for memory that is in no cache and a machine that others use, too (tests/bench/README.md). A dot
 * of two runs reads both. */
double syc__host_run_ns(const syc_host_run *run, syc_host_op op, unsigned runs)
{
    const syc__host_walk w = {.op = op, .type = run->type};
    return RUN_NS + runs * (double)run->count * each_ns(&w, false, run->step);
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

static void choose(syc__host_walk *w)
{
    const double results = (double)w->results, elements = results * (double)w->run.size;
    const unsigned near = syc__host_dims_nearest(w->kept, w->count);
    double wide, ns;

    w->ns = results * (syc__host_is_block(w) ? BLOCK_NS : RUN_NS) + elements * each_ns(w, false, w->run.step);
    if (w->count == 0 || costs[w->op].rows == 0)
        return;
    wide = (double)(w->kept[near].size < SYC_HOST_BLOCK ? w->kept[near].size : SYC_HOST_BLOCK);
    ns = results / wide * (PIECE_NS + (double)(w->run.size / 8 + w->run.size % 8) * ROWS_NS) +
         elements * each_ns(w, true, (ptrdiff_t)syc__host_distance(w->kept[near].step));
    if (ns >= w->ns)
        return;
    w->ns = ns;
    w->lanes = syc__host_dims_take(w->kept, &w->count, near);
    turn(w, &w->lanes);
}

bool syc__host_walk_begin(syc_host_op op, const syc_host_operand *array, uint32_t reduced, syc__host_walk *out)
{
    syc__host_dim kept[SYC_HOST_DIMS], others[SYC_HOST_DIMS];
    unsigned several = 0;
    ptrdiff_t step;

    *out = (syc__host_walk){.op = op, .type = array->type, .result = syc_host_result(op, array->type), .results = 1};
    out->first = array->first;
    if (syc__host_folds_of(array->type) == NULL || array->dims > SYC_HOST_DIMS)
        return false;
    step = (ptrdiff_t)syc_dtype_size(out->result);
    for (unsigned d = array->dims; d-- > 0;) {
        const bool is_reduced = reduced >> d & 1;
        kept[d] = (syc__host_dim){array->sizes[d], array->steps[d], is_reduced ? 0 : step};
        step *= is_reduced ? 1 : (ptrdiff_t)array->sizes[d];
        out->results *= is_reduced ? 1 : array->sizes[d];
        if (array->sizes[d] == 0)
            return false;
    }
    for (unsigned d = 0; d < array->dims; d++) {
        if (reduced >> d & 1)
            others[several++] = kept[d];
        else
            syc__host_dims_add(out->kept, &out->count, kept[d]);
    }
    if (!find_run(out, others, several))
        return false;
    choose(out);
    return true;
}

void syc__host_walk_at(const syc__host_walk *w, size_t index, const char **out_from, ptrdiff_t *out_to)
{
    ptrdiff_t from;
    syc__host_dims_at(w->kept, w->count, index, &from, out_to);
    *out_from = w->first + from;
    *out_to += w->out;
}
