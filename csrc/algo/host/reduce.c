/* Few elements on the calling thread, a block at a time: where what a launch takes is lost (walk.c). */
#include "algo/host/reduce.h"

#include "algo/host/folds.h"
#include "algo/host/gather.h"

#include <math.h>

/* Blocks of elements that lie one behind the other, or are brought there. */
typedef struct blocks {
    const syc_host_run *run;
    const syc__host_folds *folds;
    size_t size;
    double gathered[SYC_HOST_BLOCK];
} blocks;

const syc__host_folds *syc__host_folds_of(syc_dtype type)
{
    const syc__host_folds *narrow = syc__host_folds_narrow(type);
    return narrow != NULL ? narrow : syc__host_folds_wide(type);
}

static bool begin_blocks(blocks *b, const syc_host_run *run)
{
    b->run = run;
    b->folds = syc__host_folds_of(run->type);
    b->size = syc_dtype_size(run->type);
    return b->folds != NULL && run->count > 0;
}

/* The block that begins with an element: where it lies, and how many it has. Valid until the next. */
static const void *block_at(blocks *b, size_t begin, size_t *out_count)
{
    const ptrdiff_t step = b->run->step;
    const char *at = (const char *)b->run->first + (ptrdiff_t)begin * step;
    const size_t left = b->run->count - begin, count = left < SYC_HOST_BLOCK ? left : SYC_HOST_BLOCK;
    *out_count = count;
    if (step == (ptrdiff_t)b->size)
        return at;
    syc__host_gather(b->size, at, step, count, b->gathered);
    return b->gathered;
}

/* The sum or the product of all. Blocks of floating-point numbers meet in double precision. */
static syc__host_part total(blocks *b, bool product)
{
    const bool real = syc_dtype_kind(b->run->type) == 'f';
    syc__host_part all = {.bits = product};
    if (real)
        all.real = product;
    for (size_t begin = 0, count; begin < b->run->count; begin += count) {
        const void *block = block_at(b, begin, &count);
        const syc__host_part part = (product ? b->folds->prod : b->folds->sum)(block, count);
        if (real)
            all.real = product ? all.real * part.real : all.real + part.real;
        else
            all.bits = product ? all.bits * part.bits : all.bits + part.bits;
    }
    return all;
}

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

/* The extreme, and where the first block begins that has it. */
static syc__host_part extreme(blocks *b, bool least, size_t *out_begin)
{
    const char kind = syc_dtype_kind(b->run->type);
    syc__host_part best = {0};
    *out_begin = 0;
    for (size_t begin = 0, count; begin < b->run->count && !is_nan(kind, best); begin += count) {
        const void *block = block_at(b, begin, &count);
        const syc__host_part part = (least ? b->folds->least : b->folds->most)(block, count);
        if (begin == 0 || is_nan(kind, part) || (least ? is_less(kind, part, best) : is_less(kind, best, part))) {
            best = part;
            *out_begin = begin;
        }
    }
    return best;
}

static uint64_t place(blocks *b, bool least)
{
    size_t begin, count;
    const syc__host_part value = extreme(b, least, &begin);
    const void *block = block_at(b, begin, &count);
    return begin + b->folds->place(block, count, value);
}

static size_t nonzero(blocks *b)
{
    size_t all = 0;
    for (size_t begin = 0, count; begin < b->run->count; begin += count) {
        const void *block = block_at(b, begin, &count);
        all += b->folds->nonzero(block, count);
    }
    return all;
}

/* any and all: the answer where a block decides it. */
static bool truth(blocks *b, bool every)
{
    for (size_t begin = 0, count; begin < b->run->count; begin += count) {
        const void *block = block_at(b, begin, &count);
        const size_t some = b->folds->nonzero(block, count);
        if (every ? some < count : some > 0)
            return !every;
    }
    return every;
}

/* In double precision, the elements less a center: their sum, or that of their squares. */
static double sum_of_reals(blocks *b, double center, bool squares)
{
    const syc__host_folds *doubles = syc__host_folds_of(SYC_DOUBLE);
    double all = 0, reals[SYC_HOST_BLOCK];
    for (size_t begin = 0, count; begin < b->run->count; begin += count) {
        const void *block = block_at(b, begin, &count);
        b->folds->convert(block, count, center, reals);
        all += squares ? doubles->products(reals, reals, count).real : doubles->sum(reals, count).real;
    }
    return all;
}

/* Sums of integers of up to 32 bits are exact in 64. */
static double mean(blocks *b)
{
    const char kind = syc_dtype_kind(b->run->type);
    double sum;
    if (kind == 'f')
        sum = total(b, false).real;
    else if (b->size == sizeof(uint64_t))
        sum = sum_of_reals(b, 0, false);
    else
        sum = (double)(int64_t)total(b, false).bits;
    return sum / (double)b->run->count;
}

/* In two passes: the mean first. */
static double variance(blocks *b, double less)
{
    const double count = (double)b->run->count, center = sum_of_reals(b, 0, false) / count;
    return sum_of_reals(b, center, true) / (count - less);
}

static double norm(blocks *b)
{
    double all = 0;
    if (syc_dtype_kind(b->run->type) != 'f')
        return sqrt(sum_of_reals(b, 0, true));
    for (size_t begin = 0, count; begin < b->run->count; begin += count) {
        const void *block = block_at(b, begin, &count);
        all += b->folds->products(block, block, count).real;
    }
    return sqrt(all);
}

static void set_real(syc_dtype type, double value, syc_host_value *out)
{
    *out = (syc_host_value){.type = type, .real = type == SYC_FLOAT ? (double)(float)value : value};
}

static void set_bits(syc_dtype type, uint64_t value, syc_host_value *out)
{
    *out = (syc_host_value){.type = type, .bits = value};
}

static void set_part(syc_dtype type, syc__host_part value, syc_host_value *out)
{
    if (syc_dtype_kind(type) == 'f')
        set_real(type, value.real, out);
    else
        set_bits(type, value.bits, out);
}

/* The type of sums: integers are made as wide as can be. */
static syc_dtype widened(syc_dtype type)
{
    const char kind = syc_dtype_kind(type);
    if (kind == 'f')
        return type;
    return kind == 'u' ? SYC_ULONG : SYC_LONG;
}

syc_dtype syc_host_result(syc_host_op op, syc_dtype type)
{
    switch (op) {
    case SYC_HOST_SUM:
    case SYC_HOST_PROD:
        return widened(type);
    case SYC_HOST_MIN:
    case SYC_HOST_MAX:
        return type;
    case SYC_HOST_ANY:
    case SYC_HOST_ALL:
        return SYC_BOOL;
    case SYC_HOST_MEAN:
    case SYC_HOST_VAR:
    case SYC_HOST_STD:
    case SYC_HOST_NORM:
        return type == SYC_FLOAT ? SYC_FLOAT : SYC_DOUBLE;
    default:
        return SYC_LONG;
    }
}

bool syc_host_reduce(syc_host_op op, const syc_host_run *run, double less, syc_host_value *out)
{
    const syc_dtype type = syc_host_result(op, run->type);
    size_t begin;
    blocks b;

    if (!begin_blocks(&b, run) || !((double)run->count > less))
        return false;
    switch (op) {
    case SYC_HOST_SUM:
    case SYC_HOST_PROD:
        set_part(type, total(&b, op == SYC_HOST_PROD), out);
        break;
    case SYC_HOST_MIN:
    case SYC_HOST_MAX:
        set_part(type, extreme(&b, op == SYC_HOST_MIN, &begin), out);
        break;
    case SYC_HOST_ANY:
    case SYC_HOST_ALL:
        set_bits(type, truth(&b, op == SYC_HOST_ALL), out);
        break;
    case SYC_HOST_MEAN:
        set_real(type, mean(&b), out);
        break;
    case SYC_HOST_NONZERO:
        set_bits(type, nonzero(&b), out);
        break;
    case SYC_HOST_VAR:
        set_real(type, variance(&b, less), out);
        break;
    case SYC_HOST_STD:
        set_real(type, sqrt(variance(&b, less)), out);
        break;
    case SYC_HOST_NORM:
        set_real(type, norm(&b), out);
        break;
    default:
        set_bits(type, place(&b, op == SYC_HOST_ARGMIN), out);
        break;
    }
    return true;
}

/* As a value of a type has it. */
static uint64_t wrapped(syc_dtype type, uint64_t bits)
{
    const unsigned unused = 64 - 8 * (unsigned)syc_dtype_size(type);
    return syc_dtype_kind(type) == 'i' ? (uint64_t)((int64_t)(bits << unused) >> unused) : bits << unused >> unused;
}

bool syc_host_dot(const syc_host_run *left, const syc_host_run *right, syc_host_value *out)
{
    const bool real = syc_dtype_kind(left->type) == 'f';
    syc__host_part all = {0};
    blocks a, b;

    if (left->type == SYC_BOOL || left->type != right->type || left->count != right->count || !begin_blocks(&a, left) ||
        !begin_blocks(&b, right))
        return false;
    for (size_t begin = 0, count; begin < left->count; begin += count) {
        const void *first = block_at(&a, begin, &count), *second = block_at(&b, begin, &count);
        const syc__host_part part = a.folds->products(first, second, count);
        if (real)
            all.real += part.real;
        else
            all.bits += part.bits;
    }
    if (!real)
        all.bits = wrapped(left->type, all.bits);
    set_part(left->type, all, out);
    return true;
}
