/* Whether two arrays share bytes. Exact would be a search over all indices; this is the part of it that views of one
 * array need: both are runs of bytes that start at multiples of one period, so it is enough to compare their places
 * within the period. */
#include "memory/host_array.h"

#include <string.h>

/* An array as runs of `run` bytes at multiples of `period` from its lowest address. */
struct runs {
    size_t run, period; /* period 0: one run only */
};

static size_t common_divisor(size_t a, size_t b)
{
    while (b != 0) {
        size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static size_t magnitude(ptrdiff_t stride)
{
    return stride < 0 ? (size_t)-stride : (size_t)stride;
}

/* Inner dimensions that continue each other are part of the run. */
static struct runs runs_of(const syc_host_array *span)
{
    struct runs runs = {span->packed ? span->bytes : span->item_size, 0};
    int d = span->packed ? -1 : span->rank - 1;
    for (; d >= 0 && (span->shape[d] == 1 || magnitude(span->strides[d]) == runs.run); d--)
        runs.run *= (size_t)span->shape[d];
    for (; d >= 0; d--) {
        if (span->shape[d] > 1)
            runs.period = common_divisor(runs.period, magnitude(span->strides[d]));
    }
    return runs;
}

bool syc_host_arrays_overlap(const syc_host_array *a, const syc_host_array *b)
{
    struct runs x = runs_of(a), y = runs_of(b);
    uintptr_t a_low, a_high, b_low, b_high;
    size_t period = common_divisor(x.period, y.period), apart;

    syc_host_array_extent(a, &a_low, &a_high);
    syc_host_array_extent(b, &b_low, &b_high);
    if (a_low >= b_high || b_low >= a_high)
        return false;
    if (period == 0)
        return true;
    apart = (a_low <= b_low ? b_low - a_low : period - (a_low - b_low) % period) % period;
    return apart < x.run || period - apart < y.run;
}

bool syc_host_arrays_same(const syc_host_array *a, const syc_host_array *b)
{
    size_t bytes = (size_t)a->rank * sizeof *a->shape;
    if (a->data != b->data || a->bytes != b->bytes || a->packed != b->packed)
        return false;
    return a->packed || (a->rank == b->rank && a->item_size == b->item_size && memcmp(a->shape, b->shape, bytes) == 0 &&
                         memcmp(a->strides, b->strides, bytes) == 0);
}
