/* Few elements on the calling thread: each run of elements along the dimension by itself, or where that is quicker rows
 * of elements, whose neighbours are each in a run of their own. */
#include "algo/host/scan_axis.h"

#include "algo/host/gather.h"
#include "algo/host/scan_walk.h"

#include <math.h>
#include <string.h>

/* -- what is before the first element -- */

static uint64_t greatest(syc_dtype type)
{
    const unsigned bits = (unsigned)syc_dtype_size(type) * 8;
    if (type == SYC_BOOL)
        return 1;
    return UINT64_MAX >> (64 - bits + (syc_dtype_kind(type) == 'i'));
}

/* What combines to nothing. */
static syc__host_part nothing(syc_host_scan_op op, syc_dtype type)
{
    const bool real = syc_dtype_kind(type) == 'f', is_signed = syc_dtype_kind(type) == 'i';
    syc__host_part part = {0};
    switch (op) {
    case SYC_HOST_SCAN_PROD:
        if (real)
            part.real = 1;
        else
            part.bits = 1;
        break;
    case SYC_HOST_SCAN_MIN:
        if (real)
            part.real = INFINITY;
        else
            part.bits = greatest(type);
        break;
    case SYC_HOST_SCAN_MAX:
        if (real)
            part.real = -INFINITY;
        else
            part.bits = is_signed ? ~greatest(type) : 0;
        break;
    case SYC_HOST_SCAN_AND:
        part.bits = type == SYC_BOOL ? 1 : UINT64_MAX;
        break;
    default:
        break;
    }
    return part;
}

static syc__host_part start_of(const syc_host_scan *scan, syc_dtype type)
{
    syc__host_part part;
    if (!scan->has_initial)
        return nothing(scan->op, type);
    if (syc_dtype_kind(type) != 'f') {
        part.bits = scan->initial.bits;
        return part;
    }
    part.real = type == SYC_FLOAT ? (double)(float)scan->initial.real : scan->initial.real;
    return part;
}

/* -- elements that are brought together and made wide -- */

/* Some in a row, in the type of the results and one behind the other; `near` and `wide` have room for a block. */
static const void *elements(const syc__scan_walk *w, const void *at, ptrdiff_t step, size_t count, void *near,
                            void *wide)
{
    if (step != (ptrdiff_t)w->size) {
        syc__host_gather(w->size, at, step, count, near);
        at = near;
    }
    if (w->widen == NULL)
        return at;
    w->widen(at, count, wide);
    return wide;
}

/* Rows, one behind the other as well. */
static const void *rows_of(const syc__scan_walk *w, const char *at, size_t rows, size_t count, void *near, void *wide)
{
    const ptrdiff_t whole = (ptrdiff_t)(count * w->size);
    if (w->lanes.step == (ptrdiff_t)w->size && w->run.step == whole)
        return elements(w, at, (ptrdiff_t)w->size, rows * count, near, wide);
    for (size_t j = 0; j < rows; j++)
        syc__host_gather(w->size, at + (ptrdiff_t)j * w->run.step, w->lanes.step, count,
                         (char *)near + (ptrdiff_t)j * whole);
    return elements(w, near, (ptrdiff_t)w->size, rows * count, near, wide);
}

/* -- runs -- */

static void scan_run(const syc__scan_walk *w, const char *from, char *to, syc__host_part all)
{
    const size_t size = w->out_size;
    const bool straight = w->run.out == (ptrdiff_t)size && !w->exclusive;
    uint64_t near[SYC_HOST_BLOCK], wide[SYC_HOST_BLOCK], made[SYC_HOST_BLOCK + 1];
    if (straight && w->run.step == (ptrdiff_t)w->size && w->widen == NULL) {
        w->scan(from, w->run.size, &all, to);
        return;
    }
    for (size_t begin = 0, count; begin < w->run.size; begin += count) {
        const size_t left = w->run.size - begin;
        const void *block;
        char *result = to + (ptrdiff_t)begin * w->run.out;
        count = left < SYC_HOST_BLOCK ? left : SYC_HOST_BLOCK;
        block = elements(w, from + (ptrdiff_t)begin * w->run.step, w->run.step, count, near, wide);
        if (straight) {
            w->scan(block, count, &all, result);
            continue;
        }
        if (w->exclusive)
            w->loops->begin(w->begins, all, 1, made);
        w->scan(block, count, &all, (char *)made + (w->exclusive ? size : 0));
        syc__host_scatter(size, made, count, w->run.out, result);
    }
}

/* -- rows -- */

static void scan_piece(const syc__scan_walk *w, const char *from, size_t count, char *to, syc__host_part start)
{
    const ptrdiff_t step = w->run.step, out = w->run.out, whole = (ptrdiff_t)(count * w->out_size);
    const bool straight = w->lanes.out == (ptrdiff_t)w->out_size;
    uint64_t near[SYC_HOST_BLOCK], wide[SYC_HOST_BLOCK], made[SYC_HOST_BLOCK], all[SYC_HOST_BLOCK];
    w->loops->begin(w->op, start, count, all);
    if (straight && w->lanes.step == (ptrdiff_t)w->size && w->widen == NULL) {
        w->rows(&(syc__host_rows){from, step, w->run.size, count}, w->exclusive, all, out, to);
        return;
    }
    for (size_t begin = 0, rows; begin < w->run.size; begin += rows) {
        const size_t left = w->run.size - begin, most = SYC_HOST_BLOCK / count;
        char *result = to + (ptrdiff_t)begin * out;
        syc__host_rows of = {.step = whole, .count = count};
        of.rows = rows = left < most ? left : most;
        of.first = rows_of(w, from + (ptrdiff_t)begin * step, rows, count, near, wide);
        w->rows(&of, w->exclusive, all, straight ? out : whole, straight ? result : (char *)made);
        for (size_t j = 0; j < rows && !straight; j++)
            syc__host_scatter(w->out_size, (const char *)made + (ptrdiff_t)j * whole, count, w->lanes.out,
                              result + (ptrdiff_t)j * out);
    }
}

/* -- both -- */

bool syc_host_scan_pays(const syc_host_scan *scan, const syc_host_operand *array, const syc_host_operand *results)
{
    syc__scan_walk w;
    return syc__scan_walk_begin(scan, array, results, &w) && w.ns <= SYC__HOST_MOST_NS;
}

bool syc_host_scan_axis(const syc_host_scan *scan, const syc_host_operand *array, const syc_host_operand *results,
                        void *out)
{
    const syc__host_part start = start_of(scan, results->type);
    syc__scan_walk w;
    if (!syc__scan_walk_begin(scan, array, results, &w))
        return false;
    for (size_t r = 0; r < w.runs; r++) {
        ptrdiff_t from, to;
        syc__host_dims_at(w.kept, w.count, r, &from, &to);
        if (w.lanes.size == 0)
            scan_run(&w, (const char *)array->first + w.from + from, (char *)out + w.to + to, start);
        for (size_t begin = 0; begin < w.lanes.size; begin += SYC_HOST_BLOCK) {
            const size_t left = w.lanes.size - begin;
            scan_piece(&w, (const char *)array->first + w.from + from + (ptrdiff_t)begin * w.lanes.step,
                       left < SYC_HOST_BLOCK ? left : SYC_HOST_BLOCK,
                       (char *)out + w.to + to + (ptrdiff_t)begin * w.lanes.out, start);
        }
    }
    return true;
}
