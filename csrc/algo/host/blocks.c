/* Blocks meet in pieces, and pieces in all: the cut depends on the number of elements alone, and everything is combined
 * in its order, so results are the same whoever did what. */
#include "algo/host/blocks.h"

#include "algo/host/gather.h"
#include "algo/share.h"

enum { LEAST_PIECE = 16 * SYC_HOST_BLOCK, MOST_PIECES = 64 };

const syc__host_folds *syc__host_folds_of(syc_dtype type)
{
    const syc__host_folds *narrow = syc__host_folds_narrow(type);
    return narrow != NULL ? narrow : syc__host_folds_wide(type);
}

bool syc__host_blocks_begin(syc__host_blocks *b, const syc_host_run *run)
{
    b->run = run;
    b->folds = syc__host_folds_of(run->type);
    b->size = syc_dtype_size(run->type);
    return b->folds != NULL && run->count > 0;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

const void *syc__host_block_at(syc__host_blocks *b, size_t begin, size_t most, size_t *out_count)
{
    const ptrdiff_t step = b->run->step;
    const char *at = (const char *)b->run->first + (ptrdiff_t)begin * step;
    *out_count = smaller(b->run->count - begin, most);
    if (step == (ptrdiff_t)b->size)
        return at;
    *out_count = smaller(*out_count, SYC_HOST_BLOCK);
    syc__host_gather(b->size, at, step, *out_count, b->gathered);
    return b->gathered;
}

/* -- parts -- */

typedef struct fold {
    syc__host_kind kind;
    const syc_host_run *run, *other;
    double center;
    size_t piece;           /* elements */
    syc__host_found *parts; /* one for each piece */
} fold;

static bool is_less(char kind, syc__host_part a, syc__host_part b)
{
    if (kind == 'f')
        return a.real < b.real;
    return kind == 'i' ? (int64_t)a.bits < (int64_t)b.bits : a.bits < b.bits;
}

static bool is_nan(char kind, syc__host_part a)
{
    return kind == 'f' && a.real != a.real;
}

static bool is_extreme(const fold *f)
{
    return f->kind == SYC__HOST_LEAST || f->kind == SYC__HOST_MOST;
}

/* Sums and products go over as much as there is, block by block; where one of two runs has to be brought together
 * first, both are taken so. */
static size_t most_at_once(const fold *f, const syc__host_blocks *a, const syc__host_blocks *other, size_t left)
{
    const ptrdiff_t size = (ptrdiff_t)a->size;
    const bool plain = a->run->step == size && (f->other == NULL || other->run->step == size);
    if (is_extreme(f))
        return smaller(left, SYC_HOST_LONG_BLOCK);
    if (plain && (f->kind == SYC__HOST_SUMS || f->kind == SYC__HOST_PRODUCTS || f->kind == SYC__HOST_DOTS))
        return left;
    return smaller(left, SYC_HOST_BLOCK);
}

static syc__host_part block_part(const fold *f, syc__host_blocks *a, syc__host_blocks *other, size_t begin, size_t past,
                                 size_t *count)
{
    const size_t most = most_at_once(f, a, other, past - begin);
    const void *block = syc__host_block_at(a, begin, most, count);
    const syc__host_folds *doubles;
    double reals[SYC_HOST_BLOCK];
    size_t count_too;
    switch (f->kind) {
    case SYC__HOST_SUMS:
        return a->folds->sum(block, *count);
    case SYC__HOST_PRODUCTS:
        return a->folds->prod(block, *count);
    case SYC__HOST_LEAST:
        return a->folds->least(block, *count);
    case SYC__HOST_MOST:
        return a->folds->most(block, *count);
    case SYC__HOST_NONZERO:
        return (syc__host_part){.bits = a->folds->nonzero(block, *count)};
    case SYC__HOST_DOTS:
        return a->folds->products(block, syc__host_block_at(other, begin, most, &count_too), *count);
    default: /* in double precision */
        doubles = syc__host_folds_of(SYC_DOUBLE);
        a->folds->convert(block, *count, f->center, reals);
        return f->kind == SYC__HOST_SQUARES ? doubles->products(reals, reals, *count) : doubles->sum(reals, *count);
    }
}

/* Blocks of floating-point numbers meet in double precision. */
static void join(const fold *f, syc__host_found *all, syc__host_found next)
{
    const char kind = syc_dtype_kind(f->run->type);
    const bool real = f->kind >= SYC__HOST_REALS || (kind == 'f' && f->kind != SYC__HOST_NONZERO);
    if (is_extreme(f)) {
        if (!is_nan(kind, all->value) &&
            (is_nan(kind, next.value) || (f->kind == SYC__HOST_LEAST ? is_less(kind, next.value, all->value)
                                                                     : is_less(kind, all->value, next.value))))
            *all = next;
    } else if (f->kind == SYC__HOST_PRODUCTS) {
        if (real)
            all->value.real *= next.value.real;
        else
            all->value.bits *= next.value.bits;
    } else if (real) {
        all->value.real += next.value.real;
    } else {
        all->value.bits += next.value.bits;
    }
}

static void fold_piece(const fold *f, size_t begin, size_t past, syc__host_found *out)
{
    const size_t first = begin;
    syc__host_blocks a, b;
    syc__host_blocks_begin(&a, f->run);
    if (f->other != NULL)
        syc__host_blocks_begin(&b, f->other);
    for (size_t count; begin < past; begin += count) {
        syc__host_found next = {block_part(f, &a, &b, begin, past, &count), begin};
        if (begin == first)
            *out = next;
        else
            join(f, out, next);
    }
}

static void fold_pieces(const void *payload, size_t first, size_t past)
{
    const fold *f = payload;
    for (size_t k = first; k < past; k++) {
        const size_t begin = k * f->piece, left = f->run->count - begin;
        fold_piece(f, begin, begin + smaller(left, f->piece), f->parts + k);
    }
}

syc__host_found syc__host_combine(syc__host_kind kind, const syc_host_run *run, const syc_host_run *other,
                                  double center, double ns)
{
    const size_t share = (run->count + MOST_PIECES - 1) / MOST_PIECES;
    syc__host_found parts[MOST_PIECES];
    fold f = {kind, run, other, center, .parts = parts};
    f.piece = share < LEAST_PIECE ? LEAST_PIECE : (share + SYC_HOST_BLOCK - 1) / SYC_HOST_BLOCK * SYC_HOST_BLOCK;
    syc__host_share((run->count + f.piece - 1) / f.piece, ns, fold_pieces, &f);
    for (size_t k = 1; k * f.piece < run->count; k++)
        join(&f, parts, parts[k]);
    return parts[0];
}
