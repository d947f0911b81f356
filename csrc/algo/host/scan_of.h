/* The loops of scans.h for the element type T, included by scan_type.h for each set of instructions: SUM is what
 * carries of sums are in, WIDE the type of 64 bits and the same kind, PART the member of a carry and RESULT its type.
 * HAS_NAN says whether the type has NaN, HAS_SUMS whether sums and products, and HAS_BITS whether operations on bits
 * are wanted, which signed types leave to the unsigned ones. EXTREME is an operation on vectors, told its word.
 *
 * With vectors a run is taken 4 at a time; otherwise, and for what is left of it, one element after the other. */
#define PASTE_AGAIN(a, b, c) a##_##b##c
#define PASTE(a, b, c)       PASTE_AGAIN(a, b, c)
#define FN(name)             PASTE(name, NAME, ISA)

/* An element or a result, wherever it begins. */
typedef T FN(any) __attribute__((aligned(1)));

/* Is b the extreme, told the comparison? The first NaN is. */
#if HAS_NAN
#define WINS(than)   ((than) | (b != b))
#define IS_NUMBER(a) ((a) == (a))
#else
#define WINS(than)   (than)
#define IS_NUMBER(a) 1
#endif

#ifdef VECTORS
#include "algo/host/scan_vectors.h"
#else
#define BY_VECTORS(name, CARRY, ODD)
#define FEW(n, CARRY, STEP)
#endif

/* From a NaN on an extreme is NaN. */
#define RUN(name, CARRY, STEP, ODD)                                                                     \
    TARGET static void FN(run_##name)(const void *first, size_t count, syc__host_part *whole, void *to) \
    {                                                                                                   \
        const FN(any) *x = first;                                                                       \
        FN(any) *y = to;                                                                                \
        CARRY all = (CARRY)whole->PART;                                                                 \
        size_t k = 0;                                                                                   \
        BY_VECTORS(name, CARRY, ODD)                                                                    \
        for (; k < count && (!(ODD) || IS_NUMBER(all)); k++) {                                          \
            const CARRY a = all, b = (CARRY)x[k];                                                       \
            all = (CARRY)(STEP);                                                                        \
            y[k] = (T)all;                                                                              \
        }                                                                                               \
        for (; (ODD) && k < count; k++)                                                                 \
            y[k] = (T)all;                                                                              \
        whole->PART = (RESULT)all;                                                                      \
    }

#define ROW_OF(number)   ((const FN(any) *)(const void *)((const char *)of->first + (ptrdiff_t)(number)*of->step))
#define PLACE_OF(number) ((FN(any) *)(void *)((char *)to + (ptrdiff_t)(number)*step))
#define ROWS(name, CARRY, STEP)                                                                               \
    TARGET static void FN(rows_##name)(const syc__host_rows *of, bool exclusive, void *whole, ptrdiff_t step, \
                                       void *to)                                                              \
    {                                                                                                         \
        const size_t count = of->count;                                                                       \
        CARRY *all = whole;                                                                                   \
        FEW(2, CARRY, STEP)                                                                                   \
        FEW(4, CARRY, STEP)                                                                                   \
        FEW(8, CARRY, STEP)                                                                                   \
        for (size_t j = 0; j < of->rows; j++) {                                                               \
            const FN(any) *x = ROW_OF(j);                                                                     \
            FN(any) *y = PLACE_OF(j);                                                                         \
            SYC_HOST_APART                                                                                    \
            for (size_t k = 0; k < count; k++) {                                                              \
                const CARRY a = all[k], b = (CARRY)x[k], both = (CARRY)(STEP);                                \
                all[k] = both;                                                                                \
                y[k] = (T)(exclusive ? a : both);                                                             \
            }                                                                                                 \
        }                                                                                                     \
    }
#define BOTH(name, CARRY, STEP, ODD) RUN(name, CARRY, STEP, ODD) ROWS(name, CARRY, STEP)

BOTH(min, T, WINS(b < a) ? b : a, 1)
BOTH(max, T, WINS(b > a) ? b : a, 1)
#if HAS_SUMS
BOTH(sum, SUM, a + b, 0)
ROWS(prod, T, 1u * a * b) /* narrow integers are multiplied unsigned */

/* Products of integers two at a time, so that one multiplication waits for two elements; those of floating-point
 * numbers might overflow where one after the other they would not. */
TARGET static void FN(run_prod)(const void *first, size_t count, syc__host_part *whole, void *to)
{
    const FN(any) *x = first;
    FN(any) *y = to;
    T all = (T)whole->PART;
    size_t k = 0;
    for (; HAS_BITS && k + 2 <= count; k += 2) {
        const T a = x[k], both = (T)(1u * a * x[k + 1]);
        y[k] = (T)(1u * all * a);
        y[k + 1] = all = (T)(1u * all * both);
    }
    for (; k < count; k++)
        y[k] = all = (T)(1u * all * x[k]);
    whole->PART = (RESULT)all;
}
#endif
#if HAS_BITS
BOTH(and, T, a &b, 0)
BOTH(or, T, a | b, 0)
BOTH(xor, T, a ^ b, 0)
#endif

TARGET static void FN(begin)(syc_host_scan_op op, syc__host_part value, size_t count, void *whole)
{
    SUM *sums = whole;
    T *all = whole;
    for (size_t k = 0; k < count && op == SYC_HOST_SCAN_SUM; k++)
        sums[k] = (SUM)value.PART;
    for (size_t k = 0; k < count && op != SYC_HOST_SCAN_SUM; k++)
        all[k] = (T)value.PART;
}

TARGET static void FN(widen)(const void *first, size_t count, void *restrict to)
{
    const FN(any) *x = first;
    WIDE *y = to;
    for (size_t k = 0; k < count; k++)
        y[k] = (WIDE)x[k];
}

#define ROW(word, name) .runs[SYC_HOST_SCAN_##word] = FN(run_##name), .rows[SYC_HOST_SCAN_##word] = FN(rows_##name)
static const syc__host_scans FN(scans) = {
    ROW(MIN, min),      ROW(MAX, max),
#if HAS_SUMS
    ROW(SUM, sum),      ROW(PROD, prod),
#endif
#if HAS_BITS
    ROW(AND, and),      ROW(OR, or),        ROW(XOR, xor),
#endif
    .begin = FN(begin), .widen = FN(widen),
};

#undef ROW
#undef BOTH
#undef ROWS
#undef ROW_OF
#undef PLACE_OF
#undef FEW
#undef RUN
#undef BY_VECTORS
#ifdef VECTORS
#undef V
#undef LANES
#undef BEHIND
#undef OWN_BEHIND
#undef PREFIXES
#undef SPLAT
#undef NEXT
#endif
#undef WINS
#undef IS_NUMBER
#undef FN
#undef PASTE
#undef PASTE_AGAIN
