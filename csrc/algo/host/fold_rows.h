/* The loops over rows for the element type T, a part of fold_of.h: each column has a result. Rows are taken 8 at a
 * time, so that a result is read and written once for 8 elements; what a call has so far is an array of its own, which
 * no element can lie in. */
#define ROW_OF(number) ((const FN(any) *)(const void *)((const char *)of->first + (ptrdiff_t)(number)*of->step))
#define EIGHT_ROWS(from)                                                                                            \
    const FN(any) *r0 = ROW_OF(from), *r1 = ROW_OF((from) + 1), *r2 = ROW_OF((from) + 2), *r3 = ROW_OF((from) + 3), \
                  *r4 = ROW_OF((from) + 4), *r5 = ROW_OF((from) + 5), *r6 = ROW_OF((from) + 6),                     \
                  *r7 = ROW_OF((from) + 7)
#define OF_EIGHT(V, OF, k)                                                         \
    (V)((V)((V)(OF(V, r0[k]) + OF(V, r1[k])) + (V)(OF(V, r2[k]) + OF(V, r3[k]))) + \
        (V)((V)(OF(V, r4[k]) + OF(V, r5[k])) + (V)(OF(V, r6[k]) + OF(V, r7[k]))))

/* Sums in V of at most SYC_HOST_ROWS rows, which it holds, before they are added to the results. */
#define ADDED(name, V, OF, TO, GIVE)                                                                      \
    TARGET static void FN(name)(const syc__host_rows *of, TO *to)                                         \
    {                                                                                                     \
        const size_t count = of->count;                                                                   \
        for (size_t j = 0; j < of->rows;) {                                                               \
            const size_t left = of->rows - j, past = left < SYC_HOST_ROWS ? of->rows : j + SYC_HOST_ROWS; \
            V all[SYC_HOST_BLOCK];                                                                        \
            for (size_t k = 0; k < count; k++)                                                            \
                all[k] = 0;                                                                               \
            for (; j + 8 <= past; j += 8) {                                                               \
                EIGHT_ROWS(j);                                                                            \
                for (size_t k = 0; k < count; k++)                                                        \
                    all[k] = (V)(all[k] + OF_EIGHT(V, OF, k));                                            \
            }                                                                                             \
            for (; j < past; j++) {                                                                       \
                const FN(any) *r = ROW_OF(j);                                                             \
                for (size_t k = 0; k < count; k++)                                                        \
                    all[k] = (V)(all[k] + OF(V, r[k]));                                                   \
            }                                                                                             \
            for (size_t k = 0; k < count; k++)                                                            \
                GIVE;                                                                                     \
        }                                                                                                 \
    }
#define ITSELF(V, x)  (V)(x)
#define NONZERO(V, x) (V)((x) != 0)
ADDED(add, SUM, ITSELF, syc__host_part, to[k].PART += (RESULT)all[k])
ADDED(add_reals, double, ITSELF, double, to[k] += all[k])
ADDED(count, COUNT, NONZERO, syc__host_part, to[k].bits += all[k])
#undef NONZERO
#undef ITSELF
#undef ADDED

/* The squares of elements less a center. */
TARGET static void FN(add_squares)(const syc__host_rows *of, const double *centers, double *to)
{
    const size_t count = of->count;
    double all[SYC_HOST_BLOCK];
    memcpy(all, to, count * sizeof *all);
    for (size_t j = 0; j < of->rows; j++) {
        const FN(any) *r = ROW_OF(j);
        for (size_t k = 0; k < count; k++) {
            const double rest = (double)r[k] - centers[k];
            all[k] += rest * rest;
        }
    }
    memcpy(to, all, count * sizeof *all);
}

#define TAKE(r, THAN)                    \
    {                                    \
        const T b = (r)[k];              \
        best = b THAN best ? b : best;   \
        strange |= (COUNT)!IS_NUMBER(b); \
    }
#define EXTREME(name, THAN)                                                                               \
    TARGET static void FN(name)(const syc__host_rows *of, void *to)                                       \
    {                                                                                                     \
        const size_t count = of->count;                                                                   \
        size_t j = 0;                                                                                     \
        T all[SYC_HOST_BLOCK];                                                                            \
        COUNT odd[SYC_HOST_BLOCK];                                                                        \
        memcpy(all, to, count * sizeof *all);                                                             \
        for (size_t k = 0; k < count; k++)                                                                \
            odd[k] = (COUNT)!IS_NUMBER(all[k]);                                                           \
        for (; j + 8 <= of->rows; j += 8) {                                                               \
            EIGHT_ROWS(j);                                                                                \
            for (size_t k = 0; k < count; k++) {                                                          \
                T best = all[k];                                                                          \
                COUNT strange = odd[k];                                                                   \
                TAKE(r0, THAN)                                                                            \
                TAKE(r1, THAN)                                                                            \
                TAKE(r2, THAN)                                                                            \
                TAKE(r3, THAN) TAKE(r4, THAN) TAKE(r5, THAN) TAKE(r6, THAN) TAKE(r7, THAN) all[k] = best; \
                odd[k] = strange;                                                                         \
            }                                                                                             \
        }                                                                                                 \
        for (; j < of->rows; j++) {                                                                       \
            const FN(any) *r = ROW_OF(j);                                                                 \
            for (size_t k = 0; k < count; k++) {                                                          \
                T best = all[k];                                                                          \
                COUNT strange = odd[k];                                                                   \
                TAKE(r, THAN)                                                                             \
                all[k] = best;                                                                            \
                odd[k] = strange;                                                                         \
            }                                                                                             \
        }                                                                                                 \
        for (size_t k = 0; k < count; k++)                                                                \
            all[k] = odd[k] ? NO_NUMBER : all[k];                                                         \
        memcpy(to, all, count * sizeof *all);                                                             \
    }
EXTREME(lower, <)
EXTREME(raise, >)
#undef EXTREME
#undef TAKE

/* Where the first of equals is: which of at most SYC_HOST_ROWS rows, in integers as wide as the elements, 0 for none.
 */
#define PLACE(name, THAN)                                                                                  \
    TARGET static void FN(name)(const syc__host_rows *of, size_t from, void *extremes, syc__host_part *to) \
    {                                                                                                      \
        const size_t count = of->count;                                                                    \
        T all[SYC_HOST_BLOCK];                                                                             \
        memcpy(all, extremes, count * sizeof *all);                                                        \
        for (size_t j = 0, past; j < of->rows; j = past) {                                                 \
            COUNT at[SYC_HOST_BLOCK];                                                                      \
            past = of->rows - j < SYC_HOST_ROWS ? of->rows : j + SYC_HOST_ROWS;                            \
            for (size_t k = 0; k < count; k++)                                                             \
                at[k] = 0;                                                                                 \
            for (size_t n = j; n < past; n++) {                                                            \
                const FN(any) *r = ROW_OF(n);                                                              \
                const COUNT number = (COUNT)(n - j + 1);                                                   \
                for (size_t k = 0; k < count; k++) {                                                       \
                    const T a = all[k], b = r[k];                                                          \
                    const COUNT wins = (COUNT)((WINS(b THAN a)) & IS_NUMBER(a));                           \
                    all[k] = wins ? b : a;                                                                 \
                    at[k] = wins ? number : at[k];                                                         \
                }                                                                                          \
            }                                                                                              \
            for (size_t k = 0; k < count; k++)                                                             \
                to[k].bits = at[k] != 0 ? from + j + at[k] - 1 : to[k].bits;                               \
        }                                                                                                  \
        memcpy(extremes, all, count * sizeof *all);                                                        \
    }
PLACE(place_least, <)
PLACE(place_most, >)
#undef PLACE
#undef OF_EIGHT
#undef EIGHT_ROWS
#undef ROW_OF
