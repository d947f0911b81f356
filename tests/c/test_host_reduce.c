/* Few elements on the calling thread: of all types and operations, forwards, backwards and with gaps, what a plain loop
 * says. */
#include "algo/host_reduce.h"
#include "check.h"

#include <math.h>
#include <string.h>

enum { MOST = 200 };

static uint64_t seed = 20261122;

static uint64_t next(void)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return seed >> 33;
}

static double read_as(syc_dtype type, const unsigned char *at)
{
#define READ(word, T)                     \
    if (type == SYC_##word) {             \
        T value;                          \
        memcpy(&value, at, sizeof value); \
        return (double)value;             \
    }
    READ(BOOL, uint8_t)
    READ(CHAR, int8_t)
    READ(UCHAR, uint8_t)
    READ(SHORT, int16_t)
    READ(USHORT, uint16_t)
    READ(INT, int32_t)
    READ(UINT, uint32_t)
    READ(LONG, int64_t)
    READ(ULONG, uint64_t)
    READ(FLOAT, float)
    READ(DOUBLE, double)
#undef READ
    return 0;
}

static void write_as(syc_dtype type, unsigned char *at, int value)
{
#define WRITE(word, T)                \
    if (type == SYC_##word) {         \
        T own = (T)value;             \
        memcpy(at, &own, sizeof own); \
    }
    WRITE(BOOL, uint8_t)
    WRITE(CHAR, int8_t)
    WRITE(UCHAR, uint8_t)
    WRITE(SHORT, int16_t)
    WRITE(USHORT, uint16_t)
    WRITE(INT, int32_t)
    WRITE(UINT, uint32_t)
    WRITE(LONG, int64_t)
    WRITE(ULONG, uint64_t)
    WRITE(FLOAT, float)
    WRITE(DOUBLE, double)
#undef WRITE
}

static double number(const syc_host_value *value)
{
    if (value->type == SYC_FLOAT || value->type == SYC_DOUBLE)
        return value->real;
    return syc_dtype_kind(value->type) == 'i' ? (double)(int64_t)value->bits : (double)value->bits;
}

/* Small whole numbers, so that no sum or product of them is rounded. */
static double expected(syc_host_op op, syc_dtype type, const unsigned char *at, size_t count, ptrdiff_t step)
{
    double sum = 0, product = 1, least = INFINITY, most = -INFINITY, some = 0, every = 1, low = 0, high = 0;
    for (size_t k = 0; k < count; k++) {
        double x = read_as(type, at + (ptrdiff_t)k * step);
        sum += x;
        product *= x;
        low = x < least ? (double)k : low;
        high = x > most ? (double)k : high;
        least = x < least ? x : least;
        most = x > most ? x : most;
        some = some != 0 || x != 0;
        every = every != 0 && x != 0;
    }
    return (const double[]){sum, product, least, most, some, every, sum / (double)count, low, high}[op];
}

static void check_one(syc_host_op op, syc_dtype type, size_t count, ptrdiff_t gap, unsigned most)
{
    unsigned char memory[MOST * 8 * 3] __attribute__((aligned(8)));
    ptrdiff_t size = (ptrdiff_t)syc_dtype_size(type), step = gap * size;
    unsigned char *first = gap < 0 ? memory - (ptrdiff_t)(count - 1) * step : memory;
    syc_host_value value;
    double wanted;

    for (size_t k = 0; k < count; k++)
        write_as(type, first + (ptrdiff_t)k * step,
                 op == SYC_HOST_PROD ? (k % 40 == 7 ? 2 : 1) : (int)(next() % (type == SYC_BOOL ? 2 : most)));
    wanted = expected(op, type, first, count, step);
    CHECK(syc_host_reduce(op, type, first, count, step, &value));
    CHECK(op != SYC_HOST_MEAN || type != SYC_FLOAT ? number(&value) == wanted : fabs(number(&value) - wanted) <= 1e-5);
}

static void test_as_a_loop(void)
{
    static const size_t counts[] = {1, 2, 15, 16, 17, 63, 64, 65, 127, 128, 129, MOST};
    static const ptrdiff_t gaps[] = {1, 2, -1, -3};
    for (int t = 0; t < SYC_DTYPE_COUNT; t++)
        for (int op = 0; op < SYC_HOST_OP_COUNT; op++)
            for (size_t n = 0; n < sizeof counts / sizeof *counts; n++)
                for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++)
                    if (t != SYC_HALF && syc_dtype_size((syc_dtype)t) > 0)
                        check_one((syc_host_op)op, (syc_dtype)t, counts[n], gaps[g], n % 2 ? 100 : 2);
}

/* NaN is the extreme, its first place the extreme's; what is not for here is said to be not. */
static void test_nan_and_refusals(void)
{
    float x[100] = {0};
    syc_host_value value;
    x[3] = INFINITY;
    CHECK(syc_host_reduce(SYC_HOST_ARGMAX, SYC_FLOAT, x, 100, sizeof *x, &value) && value.bits == 3);
    x[71] = x[80] = NAN;
    CHECK(syc_host_reduce(SYC_HOST_MIN, SYC_FLOAT, x, 100, sizeof *x, &value) && isnan(value.real));
    CHECK(syc_host_reduce(SYC_HOST_MAX, SYC_FLOAT, x, 100, sizeof *x, &value) && isnan(value.real));
    CHECK(syc_host_reduce(SYC_HOST_ARGMIN, SYC_FLOAT, x, 100, sizeof *x, &value) && value.bits == 71);
    CHECK(syc_host_reduce(SYC_HOST_ARGMAX, SYC_FLOAT, x, 70, sizeof *x, &value) && value.bits == 3);
    CHECK(syc_host_reduce(SYC_HOST_SUM, SYC_FLOAT, x, 3, sizeof *x, &value) && value.type == SYC_FLOAT);
    CHECK(!syc_host_reduce(SYC_HOST_SUM, SYC_FLOAT, x, 0, sizeof *x, &value));
    CHECK(!syc_host_reduce(SYC_HOST_SUM, SYC_HALF, x, 1, 2, &value));
}

int main(void)
{
    RUN(test_as_a_loop);
    RUN(test_nan_and_refusals);
    return CHECK_EXIT_CODE;
}
