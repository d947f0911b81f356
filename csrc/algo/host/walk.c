/* Dimensions that are one in memory are made one, and it is estimated whether results are quicker made each by itself,
 * of a run of elements, or many at a time, of rows. */
#include "algo/host/walk.h"

#include "algo/host/cost.h"
#include "algo/host/folds.h"

/* What takes how long, in ns, on one core of a Xeon of 2023 beside other work. */
#define BLOCK_NS 18.0 /* a run that is a block, besides its elements */
#define ADDED_NS 4.0  /* the same where elements are added */
#define PIECE_NS 80.0 /* neighbouring results besides their rows */
#define ROWS_NS  10.0 /* as many rows as are taken at a time, besides their elements */

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

static double run_ns(const syc__host_walk *w)
{
    if (!syc__host_is_block(w))
        return SYC__HOST_RUN_NS;
    return w->op == SYC_HOST_SUM || w->op == SYC_HOST_MEAN ? ADDED_NS : BLOCK_NS;
}

static void choose(syc__host_walk *w)
{
    const double results = (double)w->results, elements = results * (double)w->run.size;
    const unsigned near = syc__host_dims_nearest(w->kept, w->count);
    double wide, ns;

    w->ns = results * run_ns(w) + elements * syc__host_each_ns(w->op, w->type, false, w->run.step);
    if (w->count == 0 || !syc__host_has_rows(w->op))
        return;
    wide = (double)(w->kept[near].size < SYC_HOST_BLOCK ? w->kept[near].size : SYC_HOST_BLOCK);
    ns = results / wide * (PIECE_NS + (double)(w->run.size / 8 + w->run.size % 8) * ROWS_NS) +
         elements * syc__host_each_ns(w->op, w->type, true, (ptrdiff_t)syc__host_distance(w->kept[near].step));
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
