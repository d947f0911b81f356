/* The loops of folds.h for the element type T, included by fold_type.h for each set of instructions: SUM and
 * PRODUCT are what elements are added and multiplied in, DOT what products of two are, COUNT an unsigned integer as
 * wide as T, PRODUCT_LANES how many lanes it pays to multiply in, PART the member of a result and RESULT its type, WINS
 * whether b is the extreme, told the comparison, IS_NUMBER whether a is no NaN, NO_NUMBER one.
 *
 * A fold's loop goes over lanes that do not depend on each other, which compilers make vectors of; GCC needs more than
 * 16 of them, since it takes a shorter inner loop apart before it looks for vectors. */
#define PASTE_AGAIN(a, b, c) a##_##b##c
#define PASTE(a, b, c)       PASTE_AGAIN(a, b, c)
#define FN(name)             PASTE(name, NAME, ISA)

/* An element, wherever it begins. */
typedef T FN(any) __attribute__((aligned(1)));

/* At most 128 lanes become one. Loops whose length is known become vectors. */
#define HALF_OF(n, ...)                  \
    if (LANES > n)                       \
        for (size_t l = 0; l < n; l++) { \
            enum { half = n };           \
            __VA_ARGS__                  \
        }
#define HALVES(...)          \
    HALF_OF(64, __VA_ARGS__) \
    HALF_OF(32, __VA_ARGS__) \
    HALF_OF(16, __VA_ARGS__) \
    HALF_OF(8, __VA_ARGS__)  \
    HALF_OF(4, __VA_ARGS__)  \
    HALF_OF(2, __VA_ARGS__)  \
    HALF_OF(1, __VA_ARGS__)

/* V is what a lane is, END what the result of a block is cut to, ALL how blocks meet. */
#define FOLD(name, PARAMETERS, V, LANES_OF, END, START, LOAD, STEP, ALL)                              \
    TARGET static syc__host_part FN(name) PARAMETERS                                                  \
    {                                                                                                 \
        enum { LANES = LANES_OF };                                                                    \
        const FN(any) *x = first;                                                                     \
        RESULT all = START;                                                                           \
        for (size_t k = 0; k < count;) {                                                              \
            const size_t left = count - k, past = left < SYC_HOST_BLOCK ? count : k + SYC_HOST_BLOCK; \
            V lanes[LANES];                                                                           \
            for (size_t l = 0; l < LANES; l++)                                                        \
                lanes[l] = (V)(START);                                                                \
            for (; k + LANES <= past; k += LANES)                                                     \
                for (size_t l = 0; l < LANES; l++) {                                                  \
                    const V a = lanes[l], b = LOAD(V, k + l);                                         \
                    lanes[l] = (V)(STEP);                                                             \
                }                                                                                     \
            for (size_t l = 0; k < past; k++, l++) {                                                  \
                const V a = lanes[l], b = LOAD(V, k);                                                 \
                lanes[l] = (V)(STEP);                                                                 \
            }                                                                                         \
            HALVES(const V a = lanes[l], b = lanes[l + half]; lanes[l] = (V)(STEP);)                  \
            all ALL(RESULT)(END) lanes[0];                                                            \
        }                                                                                             \
        return (syc__host_part){.PART = all};                                                         \
    }

#define MANY(V)          (sizeof(V) >= 4 ? 32 : 128 / sizeof(V))
#define LONG(V)          (sizeof(V) == 4 ? 64 : MANY(V))
#define ELEMENT(V, k)    (V) x[k]
#define PRODUCT_OF(V, k) (V) x[k] * (V)((const FN(any) *)second)[k]
FOLD(sum, (const void *first, size_t count), SUM, LONG(SUM), SUM, 0, ELEMENT, a + b, +=)
FOLD(prod, (const void *first, size_t count), PRODUCT, PRODUCT_LANES, PRODUCT, 1, ELEMENT, a *b, *=)
FOLD(products, (const void *first, const void *second, size_t count), DOT, LONG(DOT), T, 0, PRODUCT_OF, a + b, +=)
#undef PRODUCT_OF
#undef ELEMENT
#undef FOLD

/* Of few floats, which have not the lanes that others have: those of a few vectors, and the rest one by one. Results of
 * rows that follow each other do not wait for each other. */
typedef T FN(few) __attribute__((vector_size(32), aligned(1), may_alias));
typedef T FN(half) __attribute__((vector_size(16)));
TARGET static inline T FN(short_sum)(const FN(any) * x, size_t count)
{
    enum { FEW = 32 / sizeof(T) };
    FN(few) all[4] = {{0}};
    FN(half) halves[2];
    size_t k = 0;
    T rest = 0;
    for (; k + 4 * FEW <= count; k += 4 * FEW)
        for (size_t l = 0; l < 4; l++)
            all[l] += *(const FN(few) *)(const void *)(x + k + l * FEW);
    for (; k + FEW <= count; k += FEW)
        all[0] += *(const FN(few) *)(const void *)(x + k);
    for (; k < count; k++)
        rest += x[k];
    all[0] = (all[0] + all[1]) + (all[2] + all[3]);
    memcpy(halves, &all[0], sizeof all[0]);
    halves[0] += halves[1];
    for (size_t l = 0; l < FEW / 4; l++)
        halves[0][l] += halves[0][l + FEW / 4];
    return rest + (sizeof(T) == 4 ? halves[0][0] + halves[0][FEW / 4 - 1] : halves[0][0]);
}

TARGET static void FN(sums)(const syc__host_rows *of, syc__host_part *to)
{
    const char *at = of->first;
    const bool is_float = (T)0.5 != 0;
    if (is_float)
        for (size_t j = 0; j < of->rows; j++)
            to[j].PART = (RESULT)FN(short_sum)((const void *)(at + (ptrdiff_t)j * of->step), of->count);
    else
        for (size_t j = 0; j < of->rows; j++)
            to[j] = FN(sum)(at + (ptrdiff_t)j * of->step, of->count);
}

/* Extremes as if there were no NaN, which a comparison less for each element notices. */
#define EXTREME(name, THAN)                                                                                      \
    TARGET static syc__host_part FN(name)(const void *first, size_t count)                                       \
    {                                                                                                            \
        enum { LANES = MANY(T) };                                                                                \
        const FN(any) *x = first;                                                                                \
        size_t k = 0;                                                                                            \
        T lanes[LANES];                                                                                          \
        COUNT odd[LANES] = {0};                                                                                  \
        for (size_t l = 0; l < LANES; l++)                                                                       \
            lanes[l] = x[0];                                                                                     \
        for (; k + LANES <= count; k += LANES)                                                                   \
            for (size_t l = 0; l < LANES; l++) {                                                                 \
                const T a = lanes[l], b = x[k + l];                                                              \
                lanes[l] = b THAN a ? b : a;                                                                     \
                odd[l] |= (COUNT)!IS_NUMBER(b);                                                                  \
            }                                                                                                    \
        for (size_t l = 0; k < count; k++, l++) {                                                                \
            const T a = lanes[l], b = x[k];                                                                      \
            lanes[l] = b THAN a ? b : a;                                                                         \
            odd[l] |= (COUNT)!IS_NUMBER(b);                                                                      \
        }                                                                                                        \
        HALVES(const T a = lanes[l], b = lanes[l + half]; lanes[l] = b THAN a ? b : a; odd[l] |= odd[l + half];) \
        return (syc__host_part){.PART = (RESULT)(odd[0] ? NO_NUMBER : lanes[0])};                                \
    }
EXTREME(least, <)
EXTREME(most, >)
#undef EXTREME

/* Counted in integers as wide as the elements, which hold what a lane of a block can count. */
TARGET static size_t FN(nonzero)(const void *first, size_t count)
{
    enum { LANES = MANY(T) };
    const FN(any) *x = first;
    size_t k = 0, all = 0;
    COUNT lanes[LANES] = {0};
    for (; k + LANES <= count; k += LANES)
        for (size_t l = 0; l < LANES; l++)
            lanes[l] = (COUNT)(lanes[l] + (x[k + l] != 0));
    for (; k < count; k++)
        all += x[k] != 0;
    for (size_t l = 0; l < LANES; l++)
        all += lanes[l];
    return all;
}

/* Past lanes without it: the more at once, the seldomer they are brought together. */
#define PASS_BY(lanes)                            \
    for (; k + (lanes) <= count; k += (lanes)) {  \
        COUNT found = 0;                          \
        for (size_t l = 0; l < (lanes); l++)      \
            found |= (COUNT)(x[k + l] == wanted); \
        if (found)                                \
            break;                                \
    }
TARGET static size_t FN(place)(const void *first, size_t count, syc__host_part value)
{
    enum { LANES = MANY(T), MOST_LANES = 8 * LANES };
    const FN(any) *x = first;
    const T wanted = (T)value.PART;
    size_t k = 0;
    if (!IS_NUMBER(wanted)) {
        while (k < count && IS_NUMBER(x[k]))
            k++;
        return k;
    }
    PASS_BY(MOST_LANES)
    PASS_BY(LANES)
    if (k + LANES <= count) { /* the first lane that has it: a loop that ends there is foreseen by no processor */
        COUNT at = LANES;
        for (size_t l = 0; l < LANES; l++) {
            const COUNT here = x[k + l] == wanted ? (COUNT)l : (COUNT)LANES;
            at = here < at ? here : at;
        }
        return k + at;
    }
    while (k < count && x[k] != wanted)
        k++;
    return k;
}
#undef PASS_BY

TARGET static void FN(convert)(const void *first, size_t count, double center, double *out)
{
    const FN(any) *x = first;
    for (size_t k = 0; k < count; k++)
        out[k] = (double)x[k] - center;
}

#undef HALVES
#undef HALF_OF
#undef MANY
#undef LONG

#include "algo/host/fold_rows.h"

static const syc__host_folds FN(folds) = {
    .sum = FN(sum),
    .sums = FN(sums),
    .prod = FN(prod),
    .least = FN(least),
    .most = FN(most),
    .products = FN(products),
    .nonzero = FN(nonzero),
    .place = FN(place),
    .convert = FN(convert),
    .add = FN(add),
    .add_reals = FN(add_reals),
    .add_squares = FN(add_squares),
    .count = FN(count),
    .lower = FN(lower),
    .raise = FN(raise),
    .place_least = FN(place_least),
    .place_most = FN(place_most),
};

#undef FN
#undef PASTE
#undef PASTE_AGAIN
