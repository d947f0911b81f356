/* Few elements on the calling thread, a block at a time: where what a launch takes is lost (cost.c). */
#include "algo/host/reduce.h"

#include "algo/host/blocks.h"
#include "algo/host/cost.h"

#include <math.h>

static syc__host_part fold(syc__host_kind kind, const syc_host_run *run, double center, double ns)
{
    return syc__host_combine(kind, run, NULL, center, ns).value;
}

static uint64_t place(syc__host_blocks *b, bool least, double ns)
{
    const syc__host_found found = syc__host_combine(least ? SYC__HOST_LEAST : SYC__HOST_MOST, b->run, NULL, 0, ns);
    size_t count;
    const void *block = syc__host_block_at(b, found.begin, SYC_HOST_LONG_BLOCK, &count);
    return found.begin + b->folds->place(block, count, found.value);
}

/* any and all: the answer where a block decides it. */
static bool truth(syc__host_blocks *b, bool every)
{
    for (size_t begin = 0, count; begin < b->run->count; begin += count) {
        const void *block = syc__host_block_at(b, begin, SYC_HOST_BLOCK, &count);
        const size_t some = b->folds->nonzero(block, count);
        if (every ? some < count : some > 0)
            return !every;
    }
    return every;
}

/* Sums of integers of up to 32 bits are exact in 64. */
static double mean(const syc_host_run *run, double ns)
{
    const bool real = syc_dtype_kind(run->type) == 'f';
    double sum;
    if (real || syc_dtype_size(run->type) < sizeof(uint64_t)) {
        const syc__host_part all = fold(SYC__HOST_SUMS, run, 0, ns);
        sum = real ? all.real : (double)(int64_t)all.bits;
    } else {
        sum = fold(SYC__HOST_REALS, run, 0, ns).real;
    }
    return sum / (double)run->count;
}

/* In two passes: the mean first. */
static double variance(const syc_host_run *run, double less, double ns)
{
    const double count = (double)run->count, center = fold(SYC__HOST_REALS, run, 0, ns / 2).real / count;
    return fold(SYC__HOST_SQUARES, run, center, ns / 2).real / (count - less);
}

static double norm(const syc_host_run *run, double ns)
{
    if (syc_dtype_kind(run->type) != 'f')
        return sqrt(fold(SYC__HOST_SQUARES, run, 0, ns).real);
    return sqrt(syc__host_combine(SYC__HOST_DOTS, run, run, 0, ns).value.real);
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
    const double ns = syc__host_run_ns(run, op, 1);
    syc__host_blocks b;

    if (!syc__host_blocks_begin(&b, run) || !((double)run->count > less))
        return false;
    switch (op) {
    case SYC_HOST_SUM:
    case SYC_HOST_PROD:
        set_part(type, fold(op == SYC_HOST_PROD ? SYC__HOST_PRODUCTS : SYC__HOST_SUMS, run, 0, ns), out);
        break;
    case SYC_HOST_MIN:
    case SYC_HOST_MAX:
        set_part(type, fold(op == SYC_HOST_MIN ? SYC__HOST_LEAST : SYC__HOST_MOST, run, 0, ns), out);
        break;
    case SYC_HOST_ANY:
    case SYC_HOST_ALL:
        set_bits(type, truth(&b, op == SYC_HOST_ALL), out);
        break;
    case SYC_HOST_MEAN:
        set_real(type, mean(run, ns), out);
        break;
    case SYC_HOST_NONZERO:
        set_bits(type, fold(SYC__HOST_NONZERO, run, 0, ns).bits, out);
        break;
    case SYC_HOST_VAR:
        set_real(type, variance(run, less, ns), out);
        break;
    case SYC_HOST_STD:
        set_real(type, sqrt(variance(run, less, ns)), out);
        break;
    case SYC_HOST_NORM:
        set_real(type, norm(run, ns), out);
        break;
    default:
        set_bits(type, place(&b, op == SYC_HOST_ARGMIN, ns), out);
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
    syc__host_part all;
    syc__host_blocks b;

    if (left->type == SYC_BOOL || left->type != right->type || left->count != right->count ||
        !syc__host_blocks_begin(&b, left))
        return false;
    all = syc__host_combine(SYC__HOST_DOTS, left, right, 0, syc__host_run_ns(left, SYC_HOST_SUM, 2)).value;
    if (syc_dtype_kind(left->type) != 'f')
        all.bits = wrapped(left->type, all.bits);
    set_part(left->type, all, out);
    return true;
}
