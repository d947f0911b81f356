/* Few elements on the calling thread: of all types and operations, forwards, backwards and with gaps, what a plain loop
 * says. */
#include "algo/host/axis.h"
#include "base/team.h"
#include "check.h"
#include "numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 2054 };

static double number(const syc_host_value *value)
{
    if (value->type == SYC_FLOAT || value->type == SYC_DOUBLE)
        return value->real;
    return syc_dtype_kind(value->type) == 'i' ? (double)(int64_t)value->bits : (double)value->bits;
}

/* Small whole numbers, so that no sum or product of them is rounded. */
static double expected(syc_host_op op, syc_dtype type, const unsigned char *at, size_t count, ptrdiff_t step)
{
    double rest = 0, squares = 0, mean;
    double sum = 0, product = 1, least = INFINITY, most = -INFINITY, some = 0, every = 1, low = 0, high = 0,
           nonzero = 0;
    for (size_t k = 0; k < count; k++) {
        double x = read_as(type, at + (ptrdiff_t)k * step);
        sum += x;
        squares += x * x;
        product *= x;
        low = x < least ? (double)k : low;
        high = x > most ? (double)k : high;
        least = x < least ? x : least;
        most = x > most ? x : most;
        some = some != 0 || x != 0;
        nonzero += x != 0;
        every = every != 0 && x != 0;
    }
    mean = sum / (double)count;
    for (size_t k = 0; k < count; k++)
        rest += pow(read_as(type, at + (ptrdiff_t)k * step) - mean, 2);
    rest /= (double)count;
    return (const double[]){sum, product, least,   most, some,       every,        mean,
                            low, high,    nonzero, rest, sqrt(rest), sqrt(squares)}[op];
}

static bool is_exact(syc_host_op op)
{
    return op != SYC_HOST_MEAN && op != SYC_HOST_VAR && op != SYC_HOST_STD && op != SYC_HOST_NORM;
}

static void check_one(syc_host_op op, syc_dtype type, size_t count, ptrdiff_t gap, unsigned most)
{
    static unsigned char memory[MOST * 8 * 3 + 8] __attribute__((aligned(8)));
    ptrdiff_t size = (ptrdiff_t)syc_dtype_size(type), step = gap * size;
    unsigned char *at = memory + (count + (size_t)op) % 8; /* of no alignment */
    unsigned char *first = gap < 0 ? at - (ptrdiff_t)(count - 1) * step : at;
    syc_host_value value;
    double wanted;

    for (size_t k = 0; k < count; k++)
        write_as(type, first + (ptrdiff_t)k * step,
                 op == SYC_HOST_PROD ? (k % 100 == 7 ? 2 : 1) : (int)(next_number() % (type == SYC_BOOL ? 2 : most)));
    wanted = expected(op, type, first, count, step);
    CHECK(syc_host_reduce(op, &(syc_host_run){type, first, count, step}, 0, &value));
    CHECK(is_exact(op) ? number(&value) == wanted
                       : fabs(number(&value) - wanted) <= (type == SYC_FLOAT ? 1e-6 : 1e-13) * (wanted + 1));
}

static void test_as_a_loop(void)
{
    static const size_t counts[] = {1, 2, 31, 32, 33, 63, 65, 127, 128, 129, 1023, 1024, 1025, MOST};
    static const ptrdiff_t gaps[] = {1, 2, -1, -3};
    for (int t = 0; t < SYC_DTYPE_COUNT; t++)
        for (int op = 0; op < SYC_HOST_OP_COUNT; op++)
            for (size_t n = 0; n < sizeof counts / sizeof *counts; n++)
                for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++)
                    if (t != SYC_HALF && syc_dtype_size((syc_dtype)t) > 0)
                        check_one((syc_host_op)op, (syc_dtype)t, counts[n], gaps[g], n % 2 ? 100 : 2);
}

/* NaN is the extreme, its first place the extreme's, also in a block that is not the first; what is not for here is
 * said to be not. */
static void test_nan_and_refusals(void)
{
    static float x[2000];
    const syc_host_run run = {SYC_FLOAT, x, 2000, sizeof *x}, before = {SYC_FLOAT, x, 1000, sizeof *x};
    syc_host_run none = before, halves = {SYC_HALF, x, 1, 2};
    syc_host_value value;
    none.count = 0;
    x[3] = INFINITY;
    CHECK(syc_host_reduce(SYC_HOST_ARGMAX, &run, 0, &value) && value.bits == 3);
    x[1700] = -1;
    CHECK(syc_host_reduce(SYC_HOST_ARGMIN, &run, 0, &value) && value.bits == 1700);
    x[1371] = x[1480] = NAN;
    CHECK(syc_host_reduce(SYC_HOST_MIN, &run, 0, &value) && isnan(value.real));
    CHECK(syc_host_reduce(SYC_HOST_MAX, &run, 0, &value) && isnan(value.real));
    CHECK(syc_host_reduce(SYC_HOST_ARGMIN, &run, 0, &value) && value.bits == 1371);
    CHECK(syc_host_reduce(SYC_HOST_ARGMAX, &before, 0, &value) && value.bits == 3);
    CHECK(syc_host_reduce(SYC_HOST_NONZERO, &run, 0, &value) && value.bits == 4);
    CHECK(syc_host_reduce(SYC_HOST_SUM, &before, 0, &value) && value.type == SYC_FLOAT);
    CHECK(!syc_host_reduce(SYC_HOST_VAR, &before, 1000, &value));
    CHECK(!syc_host_reduce(SYC_HOST_SUM, &none, 0, &value));
    CHECK(!syc_host_reduce(SYC_HOST_SUM, &halves, 0, &value));
}

/* Wherever it stands in its block and its piece, the first of several, forwards and with gaps. */
static void test_places_of_extremes(void)
{
    enum { COUNT = 40000 };
    static const size_t places[] = {0, 1, 1023, 1024, 8191, 8192, 16383, 16384, 24575, 24576, 39999};
    static int16_t x[2 * COUNT];
    syc_host_value value;
    for (size_t k = 0; k < sizeof places / sizeof *places; k++)
        for (ptrdiff_t gap = 1; gap <= 2; gap++) {
            const syc_host_run run = {SYC_SHORT, x, COUNT, gap * (ptrdiff_t)sizeof *x};
            for (size_t i = 0; i < 2 * COUNT; i++)
                x[i] = (int16_t)(-100 - (int)(i % 1000));
            x[(size_t)gap * places[k]] = x[2 * COUNT - 2] = x[(size_t)gap * (COUNT - 1)] = -7;
            CHECK(syc_host_reduce(SYC_HOST_MAX, &run, 0, &value) && (int64_t)value.bits == -7);
            CHECK(syc_host_reduce(SYC_HOST_ARGMAX, &run, 0, &value) && value.bits == places[k]);
            for (size_t i = 0; i < 2 * COUNT; i++)
                x[i] = (int16_t)-x[i];
            CHECK(syc_host_reduce(SYC_HOST_MIN, &run, 0, &value) && value.bits == 7);
            CHECK(syc_host_reduce(SYC_HOST_ARGMIN, &run, 0, &value) && value.bits == places[k]);
        }
}

/* Integers are added modulo 2^64, whatever a narrow type or a block could hold. */
static void test_the_ends_of_types(void)
{
    static int8_t bytes[3000];
    static uint16_t shorts[3000];
    static int64_t longs[3000];
    syc_host_value value;
    for (size_t k = 0; k < 3000; k++) {
        bytes[k] = -128;
        shorts[k] = 65535;
        longs[k] = INT64_MIN + 7;
    }
    CHECK(syc_host_reduce(SYC_HOST_SUM, &(syc_host_run){SYC_CHAR, bytes, 3000, 1}, 0, &value));
    CHECK((int64_t)value.bits == -128 * 3000);
    CHECK(syc_host_reduce(SYC_HOST_NONZERO, &(syc_host_run){SYC_CHAR, bytes, 3000, 1}, 0, &value) &&
          value.bits == 3000);
    CHECK(syc_host_reduce(SYC_HOST_SUM, &(syc_host_run){SYC_USHORT, shorts + 2999, 3000, -2}, 0, &value));
    CHECK(value.bits == 65535 * 3000);
    CHECK(syc_host_reduce(SYC_HOST_SUM, &(syc_host_run){SYC_LONG, longs, 3000, 8}, 0, &value) && value.bits == 21000);
    CHECK(syc_host_reduce(SYC_HOST_MEAN, &(syc_host_run){SYC_LONG, longs, 3000, 8}, 0, &value));
    CHECK(value.real == (double)INT64_MIN);
}

static void test_dot(void)
{
    static float x[1500];
    static int32_t n[1500];
    static int8_t bytes[1501];
    static uint16_t all_ones[3000];
    int sum = 9;
    syc_host_run a = {SYC_FLOAT, x, 1500, 4}, b = {SYC_FLOAT, x + 1499, 1500, -4}, c = {SYC_INT, n, 1500, 4};
    syc_host_value value;
    for (int k = 0; k < 1500; k++) {
        x[k] = (float)(k % 5);
        n[k] = -3;
        bytes[k] = (int8_t)(k % 7 - 3);
    }
    memset(all_ones, 0xff, sizeof all_ones);
    CHECK(syc_host_dot(&a, &a, &value) && value.real == 300 * 30);
    CHECK(syc_host_dot(&a, &b, &value) && value.real == 300 * (0 * 4 + 1 * 3 + 2 * 2 + 3 * 1 + 4 * 0));
    CHECK(syc_host_dot(&c, &c, &value) && (int64_t)value.bits == 13500 && value.type == SYC_INT);
    CHECK(!syc_host_dot(&a, &c, &value));
    for (size_t count = 1; count <= 1500; sum += bytes[count] * bytes[count], count++) {
        c = (syc_host_run){SYC_CHAR, bytes, count, 1}; /* wrapped as the type is */
        CHECK(syc_host_dot(&c, &c, &value) && (int64_t)value.bits == (int8_t)sum);
    }
    c = (syc_host_run){SYC_USHORT, all_ones, 3000, 2};
    CHECK(syc_host_dot(&c, &c, &value) && value.bits == 3000); /* each is 1 modulo 2^16 */
    c.type = SYC_BOOL;
    CHECK(!syc_host_dot(&c, &c, &value));
}

/* Along an axis: each result is that of its run, and nothing but the array is read. */
static void check_axis(syc_host_op op, syc_dtype type, const size_t *sizes, unsigned axis)
{
    const size_t size = syc_dtype_size(type), wide = syc_dtype_size(syc_host_result(op, type));
    const size_t count = sizes[0] * sizes[1] * sizes[2], results = count / sizes[axis];
    const ptrdiff_t steps[] = {(ptrdiff_t)(sizes[1] * sizes[2] * size), (ptrdiff_t)(sizes[2] * size), (ptrdiff_t)size};
    unsigned char *room = malloc(count * size + 8), *memory = room + (op + axis) % 8, *found = malloc(results * wide);
    const syc_host_operand array = {type, memory, 3, sizes, steps};

    for (size_t k = 0; k < count; k++)
        write_as(type, memory + k * size, op == SYC_HOST_PROD ? 1 : (int)(next_number() % (type == SYC_BOOL ? 2 : 50)));
    CHECK(op != SYC_HOST_SUM || syc_host_axes_pay(op, &array, 1u << axis));
    CHECK(syc_host_reduce_axes(op, &array, 1u << axis, 0, found));
    for (size_t r = 0; r < results; r++) {
        const size_t inner = axis == 0 ? sizes[1] * sizes[2] : axis == 1 ? sizes[2] : 1;
        const unsigned char *first = memory + (r / inner * inner * sizes[axis] + r % inner) * size;
        const double own = read_as(syc_host_result(op, type), found + r * wide);
        const double wanted = expected(op, type, first, sizes[axis], steps[axis]);
        CHECK(is_exact(op) ? own == wanted : fabs(own - wanted) <= (type == SYC_FLOAT ? 1e-6 : 1e-13) * (wanted + 1));
    }
    free(room);
    free(found);
}

static void test_along_an_axis(void)
{
    static const size_t sizes[][3] = {{1, 1, 1}, {3, 70, 5}, {9, 2, 130}, {2, 17, 600}, {1, 700, 3}};
    for (int t = 0; t < SYC_DTYPE_COUNT; t++)
        for (int op = 0; op < SYC_HOST_OP_COUNT; op++)
            for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++)
                for (unsigned axis = 0; axis < 3; axis++)
                    if (t != SYC_HALF && syc_dtype_size((syc_dtype)t) > 0)
                        check_axis((syc_host_op)op, (syc_dtype)t, sizes[n], axis);
}

/* -- by the team -- */

enum { MANY = 400 * 333 }; /* so much work that the team helps with all of it */

static void fill(syc_dtype type, unsigned char *memory)
{
    for (size_t k = 0; k < MANY; k++) {
        unsigned char *at = memory + k * syc_dtype_size(type);
        const double real = 0.999 + (double)(next_number() % 1000) * 2e-6; /* sums of such are rounded */
        write_as(type, at, (int)(next_number() % (type == SYC_BOOL ? 2 : 100)));
        if (type == SYC_FLOAT)
            memcpy(at, &(float){(float)real}, sizeof(float));
        if (type == SYC_DOUBLE)
            memcpy(at, &real, sizeof real);
    }
}

/* Each operation once for all, and once along each axis: the bytes of all results. */
static size_t reduce_all(syc_dtype type, const unsigned char *memory, unsigned char *out)
{
    const ptrdiff_t size = (ptrdiff_t)syc_dtype_size(type);
    const syc_host_operand array = {type, memory, 2, (const size_t[]){400, 333}, (const ptrdiff_t[]){333 * size, size}};
    const syc_host_run run = {type, memory, MANY, size};
    size_t used = 0;
    for (int k = 0; k < SYC_HOST_OP_COUNT; k++) {
        const syc_host_op op = (syc_host_op)k;
        syc_host_value value = {.bits = 0};
        CHECK(syc_host_reduce(op, &run, 1, &value));
        memcpy(out + used, &value.bits, sizeof value.bits);
        memcpy(out + used + 8, &value.real, sizeof value.real);
        used += 16;
        for (uint32_t reduced = 1; reduced <= 2; reduced++) {
            CHECK(syc_host_reduce_axes(op, &array, reduced, 1, out + used));
            used += ((reduced == 1 ? 333 : 400) * syc_dtype_size(syc_host_result(op, type)) + 7) / 8 * 8;
        }
    }
    return used;
}

static void test_the_team_changes_no_bit(void)
{
    enum { ROOM = SYC_HOST_OP_COUNT * (16 + 800 * 8) };
    unsigned char *memory = malloc(MANY * 8), *alone = calloc(ROOM, 1), *together = calloc(ROOM, 1);
    for (int t = 0; t < SYC_DTYPE_COUNT; t++) {
        const syc_dtype type = (syc_dtype)t;
        syc_team_counts before, after;
        if (t == SYC_HALF || syc_dtype_size(type) == 0)
            continue;
        fill(type, memory);
        syc_team_limit(0);
        size_t used = reduce_all(type, memory, alone);
        syc_team_limit(SYC_TEAM_MOST);
        syc_team_insist(true);
        syc_team_count(&before);
        CHECK_EQUAL(reduce_all(type, memory, together), used);
        syc_team_count(&after);
        syc_team_insist(false);
        CHECK(after.jobs - before.jobs > SYC_HOST_OP_COUNT / 2);
        CHECK(memcmp(alone, together, used) == 0);
    }
    free(memory);
    free(alone);
    free(together);
}

int main(void)
{
    RUN(test_the_team_changes_no_bit);
    RUN(test_the_ends_of_types);
    RUN(test_places_of_extremes);
    RUN(test_dot);
    RUN(test_as_a_loop);
    RUN(test_along_an_axis);
    RUN(test_nan_and_refusals);
    return CHECK_EXIT_CODE;
}
