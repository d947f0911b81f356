/* Few elements on the calling thread, scanned: of all types and operations, along each dimension, with gaps and
 * backwards, what a plain loop says, and nothing but the results is written. */
#include "algo/host/scan_axis.h"
#include "check.h"
#include "numbers.h"

#include <math.h>
#include <stdlib.h>

enum { ROOM = 3 * 70 * 40 * 4, MARK = 0x5a };

/* Elements and results, with room around and between them. */
static unsigned char elements[ROOM * 8 + 8] __attribute__((aligned(8))), results[ROOM * 8] __attribute__((aligned(8)));

static double combine(syc_host_scan_op op, syc_dtype type, double a, double b)
{
    unsigned char place[8] = {0};
    const long m = a >= 0x1p63 ? -1 : (long)a, n = (long)b; /* all bits of an unsigned type */
    const double both = (const double[]){
        a + b, a * b, a < b ? a : b, a > b ? a : b, (double)(m & n), (double)(m | n), (double)(m ^ n),
    }[op];
    if (type == SYC_BOOL)
        return both != 0;
    write_as(type, place, (int)both); /* what wraps */
    return read_as(type, place);
}

static double nothing(syc_host_scan_op op, syc_dtype type)
{
    const bool is_signed = syc_dtype_kind(type) == 'i', real = syc_dtype_kind(type) == 'f';
    const int bits = 8 * (int)syc_dtype_size(type);
    const double most = type == SYC_BOOL ? 1 : real ? INFINITY : (double)(UINT64_MAX >> (64 - bits + is_signed));
    if (op == SYC_HOST_SCAN_MIN || (op == SYC_HOST_SCAN_AND && !is_signed))
        return most;
    if (op == SYC_HOST_SCAN_MAX)
        return real ? -INFINITY : is_signed ? -most - 1 : 0;
    return op == SYC_HOST_SCAN_AND ? -1 : op == SYC_HOST_SCAN_PROD;
}

static ptrdiff_t place_of(const size_t *at, const ptrdiff_t *steps)
{
    return (ptrdiff_t)at[0] * steps[0] + (ptrdiff_t)at[1] * steps[1] + (ptrdiff_t)at[2] * steps[2];
}

/* Each run of results, from the run of elements. */
static void check_runs(const syc_host_scan *scan, const syc_host_operand *array, const syc_host_operand *out)
{
    const size_t *sizes = array->sizes, count = sizes[scan->axis];
    for (size_t r = 0; r < sizes[0] * sizes[1] * sizes[2]; r++) {
        size_t at[] = {r / (sizes[1] * sizes[2]), r / sizes[2] % sizes[1], r % sizes[2]};
        double all = scan->has_initial ? scan->initial.real : nothing(scan->op, out->type);
        bool right = true;
        if (at[scan->axis] != 0)
            continue;
        for (size_t k = 0; k < count; k++) {
            double before = all, found;
            at[scan->axis] = scan->reverse ? count - 1 - k : k;
            all = combine(scan->op, out->type, all,
                          read_as(array->type, (const unsigned char *)array->first + place_of(at, array->steps)));
            found = read_as(out->type, (const unsigned char *)out->first + place_of(at, out->steps));
            right = right && found == (scan->exclusive ? before : all);
        }
        CHECK(right);
    }
}

/* Is every byte as it was, but for the results? */
static bool rest_is_whole(const syc_host_operand *out)
{
    const size_t size = syc_dtype_size(out->type), *sizes = out->sizes;
    for (size_t r = 0; r < sizes[0] * sizes[1] * sizes[2]; r++) {
        const size_t at[] = {r / (sizes[1] * sizes[2]), r / sizes[2] % sizes[1], r % sizes[2]};
        memset(results + ((const unsigned char *)out->first - results) + place_of(at, out->steps), MARK, size);
    }
    for (size_t k = 0; k < sizeof results; k++)
        if (results[k] != MARK)
            return false;
    return true;
}

/* `gap` elements from each to the next of the last dimension, in an array that begins some way into its memory, which
 * is of no alignment. */
static void *lay_out(syc_dtype type, const size_t *sizes, ptrdiff_t gap, unsigned char *memory, ptrdiff_t *steps)
{
    const ptrdiff_t size = (ptrdiff_t)syc_dtype_size(type), distance = gap < 0 ? -gap : gap;
    steps[2] = gap * size;
    steps[1] = (ptrdiff_t)sizes[2] * distance * size;
    steps[0] = (ptrdiff_t)sizes[1] * steps[1];
    return memory + 8 * size + (gap < 0 ? ((ptrdiff_t)sizes[2] - 1) * -steps[2] : 0);
}

static void check_one(syc_host_scan scan, syc_dtype type, syc_dtype result, const size_t *sizes, const ptrdiff_t *gaps)
{
    ptrdiff_t steps[3], out_steps[3];
    unsigned char *const memory = elements + scan.op;
    const syc_host_operand array = {type, lay_out(type, sizes, gaps[0], memory, steps), 3, sizes, steps};
    void *first = lay_out(result, sizes, gaps[1], results + scan.op, out_steps);
    const syc_host_operand out = {result, first, 3, sizes, out_steps};
    const int most = type == SYC_BOOL ? 2 : syc_dtype_kind(type) == 'f' ? 9 : 100;

    for (size_t k = 0; k < sizes[0] * sizes[1] * sizes[2] * 2 + 16; k++) {
        const int value = (int)(next_number() % (unsigned)most) - (syc_dtype_kind(type) == 'i' ? 50 : 0);
        write_as(type, memory + k * syc_dtype_size(type),
                 scan.op == SYC_HOST_SCAN_PROD && most > 2 ? (k % 50 == 7) + 1 : value);
    }
    memset(results, MARK, sizeof results);
    scan.initial = (syc_host_value){result, 1, 1};
    CHECK(syc_host_scan_pays(&scan, &array, &out));
    CHECK(syc_host_scan_axis(&scan, &array, &out, first));
    check_runs(&scan, &array, &out);
    CHECK(rest_is_whole(&out));
}

static void test_as_a_loop(void)
{
    static const size_t sizes[][3] = {{1, 1, 1}, {1, 1, 600}, {3, 70, 5}, {2, 33, 64}, {40, 3, 2}, {5, 9, 8}};
    static const ptrdiff_t gaps[][2] = {{1, 1}, {2, 1}, {-1, 1}, {1, -2}};
    for (int t = 0; t < SYC_DTYPE_COUNT; t++)
        for (int op = 0; op < SYC_HOST_SCAN_OP_COUNT; op++)
            for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++)
                for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++) {
                    const syc_dtype type = (syc_dtype)t;
                    const uint64_t dice = next_number();
                    const syc_host_scan scan = {.op = (syc_host_scan_op)op,
                                                .axis = (unsigned)(dice % 3),
                                                .exclusive = dice >> 4 & 1,
                                                .reverse = dice >> 5 & 1,
                                                .has_initial = dice >> 6 & 1};
                    if (t == SYC_HALF || syc_dtype_size(type) == 0 ||
                        (op >= SYC_HOST_SCAN_AND && syc_dtype_kind(type) == 'f'))
                        continue;
                    check_one(scan, type, type, sizes[n], gaps[g]);
                    check_one(scan, type, syc_host_scan_result(SYC_HOST_SCAN_SUM, type), sizes[n], gaps[g]);
                }
}

/* What is not for here is said to be not, and nothing is written. */
static void test_refusals(void)
{
    static const size_t size = 100, none = 0, other = 99;
    static const ptrdiff_t step = 4, wide = 8, still = 0, back = -4;
    const syc_host_scan sum = {.op = SYC_HOST_SCAN_SUM}, bits = {.op = SYC_HOST_SCAN_OR}, far = {.axis = 1};
    const syc_host_operand x = {SYC_FLOAT, elements, 1, &size, &step};
    const syc_host_operand refused[] = {
        {SYC_INT, results, 1, &size, &step},          {SYC_HALF, results, 1, &size, &step},
        {SYC_FLOAT, results, 1, &other, &step},       {SYC_FLOAT, results, 0, &size, &step},
        {SYC_FLOAT, results, 1, &size, &still},       {SYC_FLOAT, elements + 4, 1, &size, &step},
        {SYC_FLOAT, elements, 1, &size, &wide},       {SYC_DOUBLE, elements, 1, &size, &wide},
        {SYC_FLOAT, elements + 396, 1, &size, &back},
    };
    const syc_host_operand y = {SYC_FLOAT, results, 1, &size, &step}, in_place = x;
    const syc_host_operand empty = {SYC_FLOAT, elements, 1, &none, &step};
    memset(results, MARK, sizeof results);
    memset(elements, 0, sizeof elements);
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++)
        CHECK(!syc_host_scan_axis(&sum, &x, refused + k, results) && !syc_host_scan_pays(&sum, &x, refused + k));
    CHECK(!syc_host_scan_axis(&bits, &x, &y, results));
    CHECK(!syc_host_scan_axis(&far, &x, &y, results));
    CHECK(syc_host_scan_axis(&sum, &empty, &empty, results));
    CHECK(results[0] == MARK);
    CHECK(syc_host_scan_axis(&sum, &x, &in_place, elements));
    CHECK(syc_host_scan_axis(&sum, &x, &y, results) && results[0] == 0 && results[400] == MARK);
}

/* Little work pays, and much does not. */
static void test_what_pays(void)
{
    static const size_t few = 1 << 14, many = 1 << 22;
    static const ptrdiff_t step = 4;
    const syc_host_scan sum = {.op = SYC_HOST_SCAN_SUM};
    /* Memory is not looked at. */
    syc_host_operand x = {SYC_FLOAT, (const void *)((uintptr_t)1 << 40), 1, &few, &step},
                     y = {SYC_FLOAT, (const void *)((uintptr_t)1 << 41), 1, &few, &step};
    CHECK(syc_host_scan_pays(&sum, &x, &y));
    x.sizes = y.sizes = &many;
    CHECK(!syc_host_scan_pays(&sum, &x, &y));
}

int main(void)
{
    RUN(test_as_a_loop);
    RUN(test_refusals);
    RUN(test_what_pays);
    return CHECK_EXIT_CODE;
}
