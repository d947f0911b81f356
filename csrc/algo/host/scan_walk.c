/* Which loops a scan has, where its elements lie, and whether runs are quicker made each by itself or many at a time,
 * of rows. */
#include "algo/host/scan_walk.h"

#include "algo/host/gather.h"

/* What takes how long, in ns, on one core of a Xeon of 2023 beside other work. */
#define RUN_NS   6.0  /* a run besides its elements, */
#define BLOCK_NS 20.0 /* and if they are brought together, made wide or taken apart */
#define PIECE_NS 60.0 /* neighbouring runs besides their rows */
#define ROW_NS   0.7  /* a row besides its elements, */
#define BRING_NS 5.0  /* and if they are brought together or taken apart */
#define WIDEN_NS 0.2  /* an element that is made wide */
/* By operation: 32 bytes of results of a run and of rows, and a result of a run. */
static const struct cost {
    double run, rows, each;
} costs[SYC_HOST_SCAN_OP_COUNT] = {
    [SYC_HOST_SCAN_SUM] = {1.6, 1.5, 0}, [SYC_HOST_SCAN_PROD] = {0, 1.5, 0.7}, [SYC_HOST_SCAN_MIN] = {2.1, 1.6, 0},
    [SYC_HOST_SCAN_MAX] = {2.1, 1.6, 0}, [SYC_HOST_SCAN_AND] = {1.4, 1.4, 0},  [SYC_HOST_SCAN_OR] = {1.4, 1.4, 0},
    [SYC_HOST_SCAN_XOR] = {1.4, 1.4, 0},
};

syc_dtype syc_host_scan_result(syc_host_scan_op op, syc_dtype type)
{
    const char kind = syc_dtype_kind(type);
    if ((op != SYC_HOST_SCAN_SUM && op != SYC_HOST_SCAN_PROD) || kind == 'f')
        return type;
    return kind == 'u' ? SYC_ULONG : SYC_LONG;
}

const syc__host_scans *syc__host_scans_of(syc_dtype type)
{
    const syc__host_scans *narrow = syc__host_scans_narrow(type);
    return narrow != NULL ? narrow : syc__host_scans_wide(type);
}

/* -- types -- */

static syc_dtype unsigned_of(syc_dtype type)
{
    switch (type) {
    case SYC_CHAR:
        return SYC_UCHAR;
    case SYC_SHORT:
        return SYC_USHORT;
    case SYC_INT:
        return SYC_UINT;
    case SYC_LONG:
        return SYC_ULONG;
    default:
        return type;
    }
}

/* As NumPy has it, sums and products of truths are their disjunctions and conjunctions. */
static syc_host_scan_op operation(syc_host_scan_op op, syc_dtype type)
{
    if (type != SYC_BOOL)
        return op;
    return op == SYC_HOST_SCAN_SUM ? SYC_HOST_SCAN_OR : op == SYC_HOST_SCAN_PROD ? SYC_HOST_SCAN_AND : op;
}

static bool find_loops(syc__scan_walk *w, syc_host_scan_op op, syc_dtype type, syc_dtype result)
{
    const bool is_extreme = op == SYC_HOST_SCAN_MIN || op == SYC_HOST_SCAN_MAX;
    const syc__host_scans *own = syc__host_scans_of(type);

    w->op = operation(op, result);
    w->begins = SYC_HOST_SCAN_MIN;
    w->size = syc_dtype_size(type);
    w->out_size = syc_dtype_size(result);
    w->loops = syc__host_scans_of(is_extreme ? result : unsigned_of(result));
    if (own == NULL || w->loops == NULL)
        return false;
    if (type != result) {
        const syc_dtype wide = type == SYC_FLOAT ? SYC_DOUBLE : syc_host_scan_result(SYC_HOST_SCAN_SUM, type);
        if (result != wide)
            return false;
        w->widen = own->widen;
    }
    w->scan = w->loops->runs[w->op];
    w->rows = w->loops->rows[w->op];
    return w->scan != NULL;
}

/* -- memory -- */

/* The first byte of an operand and the one behind its last. */
static void ends(const syc_host_operand *o, uintptr_t *out_first, uintptr_t *out_past)
{
    *out_first = (uintptr_t)o->first;
    *out_past = *out_first + syc_dtype_size(o->type);
    for (unsigned d = 0; d < o->dims; d++)
        *(o->steps[d] < 0 ? out_first : out_past) += (uintptr_t)((ptrdiff_t)(o->sizes[d] - 1) * o->steps[d]);
}

/* Does each result have memory of its own, and no element but its own lies there? */
static bool keep_apart(const syc_host_operand *array, const syc_host_operand *results)
{
    bool same = array->first == results->first && syc_dtype_size(array->type) == syc_dtype_size(results->type);
    uintptr_t first, past, out_first, out_past;
    for (unsigned d = 0; d < results->dims; d++) {
        if (results->sizes[d] > 1 && results->steps[d] == 0)
            return false;
        same = same && (results->sizes[d] == 1 || array->steps[d] == results->steps[d]);
    }
    ends(array, &first, &past);
    ends(results, &out_first, &out_past);
    return same || past <= out_first || out_past <= first;
}

/* -- runs or rows -- */

static bool is_straight(const syc__scan_walk *w, ptrdiff_t step, ptrdiff_t out)
{
    return step == (ptrdiff_t)w->size && out == (ptrdiff_t)w->out_size;
}

static double each_ns(const syc__scan_walk *w, double cost, ptrdiff_t step, ptrdiff_t out)
{
    return cost * (double)w->out_size / 32 + (w->widen != NULL ? WIDEN_NS : 0) + syc__host_gather_ns(w->size, step) +
           syc__host_gather_ns(w->out_size, out);
}

static double runs_ns(const syc__scan_walk *w)
{
    const bool straight = is_straight(w, w->run.step, w->run.out) && w->widen == NULL && !w->exclusive;
    const double each = each_ns(w, costs[w->op].run, w->run.step, w->run.out) + costs[w->op].each;
    return (double)w->runs * (RUN_NS + (straight ? 0 : BLOCK_NS) + (double)w->run.size * each);
}

static double rows_ns(const syc__scan_walk *w, syc__host_dim lanes)
{
    const double wide = (double)(lanes.size < SYC_HOST_BLOCK ? lanes.size : SYC_HOST_BLOCK);
    const double row = ROW_NS + (is_straight(w, lanes.step, lanes.out) ? 0 : BRING_NS);
    const double each = each_ns(w, costs[w->op].rows, lanes.step, lanes.out);
    return (double)w->runs * ((PIECE_NS + (double)w->run.size * row) / wide + (double)w->run.size * each);
}

static void choose(syc__scan_walk *w)
{
    const unsigned near = syc__host_dims_nearest(w->kept, w->count);
    double ns;

    w->ns = runs_ns(w);
    if (w->count == 0 || (ns = rows_ns(w, w->kept[near])) >= w->ns)
        return;
    w->ns = ns;
    w->lanes = syc__host_dims_take(w->kept, &w->count, near);
    w->runs /= w->lanes.size;
}

bool syc__scan_walk_begin(const syc_host_scan *scan, const syc_host_operand *array, const syc_host_operand *results,
                          syc__scan_walk *out)
{
    *out = (syc__scan_walk){.exclusive = scan->exclusive, .runs = 1};
    if (!find_loops(out, scan->op, array->type, results->type) || array->dims != results->dims ||
        array->dims > SYC_HOST_DIMS || scan->axis >= array->dims)
        return false;
    for (unsigned d = 0; d < array->dims; d++) {
        const syc__host_dim dim = {array->sizes[d], array->steps[d], results->steps[d]};
        if (results->sizes[d] != dim.size)
            return false;
        if (dim.size == 0)
            out->runs = 0;
        if (d == scan->axis)
            out->run = dim;
        else
            out->runs *= dim.size;
        if (d != scan->axis)
            syc__host_dims_add(out->kept, &out->count, dim);
    }
    if (out->runs == 0)
        return true;
    if (!keep_apart(array, results))
        return false;
    if (scan->reverse) {
        out->from = (ptrdiff_t)(out->run.size - 1) * out->run.step;
        out->to = (ptrdiff_t)(out->run.size - 1) * out->run.out;
        out->run.step = -out->run.step;
        out->run.out = -out->run.out;
    }
    choose(out);
    return true;
}
