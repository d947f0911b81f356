/* Few elements along some dimensions on the calling thread: each result of its run of elements, or where that is
 * quicker, as of columns, neighbouring results of rows of elements. */
#include "algo/host/axis.h"

#include "algo/host/dims.h"
#include "algo/host/folds.h"
#include "algo/host/gather.h"
#include "algo/host/walk.h"
#include "algo/share.h"

#include <math.h>
#include <string.h>

/* Elements that do not lie one behind the other are brought there first, so many at a time: where there are many rows
 * 16 of each column. */
enum { NEAR = 2048, NEAR_ROWS = 16 };

/* Some neighbouring results, while rows are added to them: what is there depends on the operation. */
typedef struct piece {
    const syc__host_walk *walk;
    const syc__host_folds *folds;
    size_t count;
    bool second; /* the pass for squares */
    syc__host_part parts[SYC_HOST_BLOCK];
    double reals[SYC_HOST_BLOCK], centers[SYC_HOST_BLOCK];
    uint64_t extremes[SYC_HOST_BLOCK]; /* as elements */
} piece;

struct reduction {
    const syc__host_walk *walk;
    double less;
    char *out;
};

/* -- results, of which each is `step` bytes behind the one before -- */

#define STORE(T, VALUE)                \
    for (size_t k = 0; k < count; k++) \
        *(T *)(void *)(to + (ptrdiff_t)k * step) = (T)(VALUE);

static void store(syc_dtype type, const syc__host_part *values, size_t count, ptrdiff_t step, char *to)
{
    switch (type) {
    case SYC_FLOAT:
        STORE(float, values[k].real)
        break;
    case SYC_DOUBLE:
        STORE(double, values[k].real)
        break;
    default:
        switch (syc_dtype_size(type)) {
        case 1:
            STORE(uint8_t, values[k].bits)
            break;
        case 2:
            STORE(uint16_t, values[k].bits)
            break;
        case 4:
            STORE(uint32_t, values[k].bits)
            break;
        default:
            STORE(uint64_t, values[k].bits)
            break;
        }
        break;
    }
}

/* -- runs -- */

static syc__host_part reduce_block(const syc__host_walk *w, const syc__host_folds *folds, const void *at)
{
    const size_t n = w->run.size;
    syc__host_part part;
    switch (w->op) {
    case SYC_HOST_MIN:
        return folds->least(at, n);
    case SYC_HOST_MAX:
        return folds->most(at, n);
    case SYC_HOST_ARGMIN:
        part.bits = folds->place(at, n, folds->least(at, n));
        return part;
    case SYC_HOST_ARGMAX:
        part.bits = folds->place(at, n, folds->most(at, n));
        return part;
    case SYC_HOST_ANY:
    case SYC_HOST_ALL:
    case SYC_HOST_NONZERO:
        part.bits = folds->nonzero(at, n);
        if (w->op != SYC_HOST_NONZERO)
            part.bits = w->op == SYC_HOST_ANY ? part.bits > 0 : part.bits == n;
        return part;
    default:
        return folds->sum(at, n);
    }
}

static void reduce_blocks(const syc__host_walk *w, const syc__host_folds *folds, const syc__host_rows *rows,
                          syc__host_part *parts)
{
    if (w->op == SYC_HOST_SUM || w->op == SYC_HOST_MEAN)
        folds->sums(rows, parts);
    else
        for (size_t k = 0; k < rows->rows; k++)
            parts[k] = reduce_block(w, folds, (const char *)rows->first + (ptrdiff_t)k * rows->step);
    for (size_t k = 0; w->op == SYC_HOST_MEAN && k < rows->rows; k++)
        parts[k].real =
            (syc_dtype_kind(w->type) == 'f' ? parts[k].real : (double)(int64_t)parts[k].bits) / (double)rows->count;
}

static syc__host_part reduce_run(const syc__host_walk *w, const void *at, double less)
{
    const syc_host_run run = {w->type, at, w->run.size, w->run.step};
    syc__host_part part;
    syc_host_value value;
    (void)syc_host_reduce(w->op, &run, less, &value); /* the walk is of runs that it takes */
    part.bits = value.bits;
    if (syc_dtype_kind(w->result) == 'f')
        part.real = value.real;
    return part;
}

static void reduce_runs(const void *payload, size_t first, size_t past)
{
    const struct reduction *all = payload;
    const syc__host_walk *w = all->walk;
    const syc__host_folds *folds = syc__host_is_block(w) ? syc__host_folds_of(w->type) : NULL;
    const syc__host_dim near = w->count > 0 ? w->kept[w->count - 1] : (syc__host_dim){1, 0, 0};
    while (first < past) {
        const size_t begin = first % near.size, left = near.size - begin;
        const size_t end = begin + (past - first < left ? past - first : left);
        const char *from;
        ptrdiff_t to;
        syc__host_walk_at(w, first - begin, &from, &to);
        first += end - begin;
        for (size_t k = begin, count; k < end; k += count) {
            const char *at = from + (ptrdiff_t)k * near.step;
            syc__host_part parts[SYC_HOST_ROWS];
            count = folds == NULL ? 1 : end - k < SYC_HOST_ROWS ? end - k : SYC_HOST_ROWS;
            if (folds != NULL)
                reduce_blocks(w, folds, &(syc__host_rows){at, near.step, count, w->run.size}, parts);
            else
                parts[0] = reduce_run(w, at, all->less);
            store(w->result, parts, count, near.out, all->out + to + (ptrdiff_t)k * near.out);
        }
    }
}

/* -- rows -- */

static void add_rows(piece *p, const syc__host_rows *rows, size_t from)
{
    const syc__host_folds *folds = p->folds;
    const syc_host_op op = p->walk->op;
    switch (op) {
    case SYC_HOST_MIN:
    case SYC_HOST_MAX:
    case SYC_HOST_ARGMIN:
    case SYC_HOST_ARGMAX:
        if (from == 0)
            memcpy(p->extremes, rows->first, p->count * syc_dtype_size(p->walk->type));
        if (op == SYC_HOST_MIN || op == SYC_HOST_MAX)
            (op == SYC_HOST_MIN ? folds->lower : folds->raise)(rows, p->extremes);
        else
            (op == SYC_HOST_ARGMIN ? folds->place_least : folds->place_most)(rows, from, p->extremes, p->parts);
        break;
    case SYC_HOST_ANY:
    case SYC_HOST_ALL:
    case SYC_HOST_NONZERO:
        folds->count(rows, p->parts);
        break;
    default:
        if (p->second)
            folds->add_squares(rows, p->centers, p->reals);
        else if (syc__host_adds_reals(p->walk))
            folds->add_reals(rows, p->reals);
        else
            folds->add(rows, p->parts);
        break;
    }
}

static bool is_near(const syc__host_walk *w)
{
    return w->lanes.step == (ptrdiff_t)syc_dtype_size(w->type);
}

static void add_all(piece *p, const char *at)
{
    const syc__host_walk *w = p->walk;
    const size_t size = syc_dtype_size(w->type), most = NEAR / p->count;
    uint64_t near[NEAR];
    if (is_near(w)) {
        add_rows(p, &(syc__host_rows){at, w->run.step, w->run.size, p->count}, 0);
        return;
    }
    for (size_t j = 0; j < w->run.size; j += most) {
        const size_t left = w->run.size - j, rows = left < most ? left : most;
        for (size_t k = 0; k < rows; k++)
            syc__host_gather(size, at + (ptrdiff_t)(j + k) * w->run.step, w->lanes.step, p->count,
                             (char *)near + k * p->count * size);
        add_rows(p, &(syc__host_rows){near, (ptrdiff_t)(p->count * size), rows, p->count}, j);
    }
}

/* The values to be stored, in `parts`. */
static void finish(piece *p, double less)
{
    const syc__host_walk *w = p->walk;
    const double n = (double)w->run.size;
    const bool reals = syc__host_adds_reals(w), real = syc_dtype_kind(w->type) == 'f';
    for (size_t k = 0; k < p->count; k++) {
        syc__host_part *part = p->parts + k;
        switch (w->op) {
        case SYC_HOST_ANY:
            part->bits = part->bits != 0;
            break;
        case SYC_HOST_ALL:
            part->bits = part->bits == w->run.size;
            break;
        case SYC_HOST_MEAN:
            part->real = (reals ? p->reals[k] : real ? part->real : (double)(int64_t)part->bits) / n;
            break;
        case SYC_HOST_VAR:
            part->real = p->reals[k] / (n - less);
            break;
        case SYC_HOST_STD:
            part->real = sqrt(p->reals[k] / (n - less));
            break;
        case SYC_HOST_NORM:
            part->real = sqrt(p->reals[k]);
            break;
        default:
            break;
        }
    }
}

static void begin_squares(piece *p)
{
    for (size_t k = 0; k < p->count; k++)
        p->centers[k] = p->walk->op == SYC_HOST_NORM ? 0 : p->reals[k] / (double)p->walk->run.size;
    memset(p->reals, 0, p->count * sizeof *p->reals);
    p->second = true;
}

static void reduce_piece(const syc__host_walk *w, const char *at, size_t count, double less, char *to)
{
    piece p; /* large: no more of it is set than is used */
    p.walk = w;
    p.folds = syc__host_folds_of(w->type);
    p.count = count;
    p.second = false;
    memset(p.parts, 0, count * sizeof *p.parts);
    memset(p.reals, 0, count * sizeof *p.reals);
    if (w->op != SYC_HOST_NORM)
        add_all(&p, at);
    if (w->op >= SYC_HOST_VAR) {
        begin_squares(&p);
        add_all(&p, at);
    }
    if (w->op == SYC_HOST_MIN || w->op == SYC_HOST_MAX) {
        syc__host_scatter(syc_dtype_size(w->type), p.extremes, count, w->lanes.out, to);
        return;
    }
    finish(&p, less);
    store(w->result, p.parts, count, w->lanes.out, to);
}

/* Neighbouring results of a piece at most. */
static size_t piece_of(const syc__host_walk *w)
{
    const size_t rows = w->run.size < NEAR_ROWS ? w->run.size : NEAR_ROWS;
    return is_near(w) || NEAR / rows > SYC_HOST_BLOCK ? SYC_HOST_BLOCK : NEAR / rows;
}

static void reduce_rows(const void *payload, size_t first, size_t past)
{
    const struct reduction *all = payload;
    const syc__host_walk *w = all->walk;
    const size_t wide = w->lanes.size, most = piece_of(w), pieces = (wide + most - 1) / most;
    for (; first < past; first++) {
        const size_t begin = first % pieces * most, left = wide - begin, count = left < most ? left : most;
        const char *from;
        ptrdiff_t to;
        syc__host_walk_at(w, first / pieces, &from, &to);
        reduce_piece(w, from + (ptrdiff_t)begin * w->lanes.step, count, all->less,
                     all->out + to + (ptrdiff_t)begin * w->lanes.out);
    }
}

/* -- both -- */

bool syc_host_axes_pay(syc_host_op op, const syc_host_operand *array, uint32_t reduced)
{
    syc__host_walk w;
    return syc__host_walk_begin(op, array, reduced, &w) && w.ns <= SYC__HOST_SHARED_NS;
}

bool syc_host_reduce_axes(syc_host_op op, const syc_host_operand *array, uint32_t reduced, double less, void *out)
{
    syc__host_walk w;
    const struct reduction all = {&w, less, out};
    if (!syc__host_walk_begin(op, array, reduced, &w) || !((double)w.run.size > less))
        return false;
    if (w.lanes.size == 0)
        syc__host_share(w.results, w.ns, reduce_runs, &all);
    else
        syc__host_share(w.results / w.lanes.size * ((w.lanes.size + piece_of(&w) - 1) / piece_of(&w)), w.ns,
                        reduce_rows, &all);
    return true;
}
