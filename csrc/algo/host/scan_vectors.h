/* Vectors of 32 bytes of elements of type T, a part of scan_of.h. An element's prefix is made inside each half, by
 * taking what is 1, 2, 4 and 8 bytes before it, and so on from the element's size; then the lower half's last goes to
 * the upper half. */
#define V     FN(vector)
#define LANES (32 / sizeof(T))
typedef T V __attribute__((vector_size(32)));

TARGET static inline V FN(load)(const void *from)
{
    V v;
    memcpy(&v, from, sizeof v);
    return v;
}

TARGET static inline void FN(store)(void *to, V v)
{
    memcpy(to, &v, sizeof v);
}

/* The last elements of the halves everywhere in them: as indices of bytes. */
TARGET static inline __m256i FN(lasts)(void)
{
    return sizeof(T) == 1   ? _mm256_set1_epi8(15)
           : sizeof(T) == 2 ? _mm256_set1_epi16(0x0f0e)
           : sizeof(T) == 4 ? _mm256_set1_epi32(0x0f0e0d0c)
                            : _mm256_set1_epi64x(0x0f0e0d0c0b0a0908);
}

TARGET static inline V FN(last)(V v)
{
    return (V)_mm256_shuffle_epi8(_mm256_permute2x128_si256((__m256i)v, (__m256i)v, 0x11), FN(lasts)());
}

/* The lower half's last in the upper half; in the lower one 0, or itself. */
TARGET static inline V FN(half)(V v)
{
    const __m256i lower = _mm256_permute2x128_si256((__m256i)v, (__m256i)v, 0x08);
    return (V)_mm256_shuffle_epi8(lower, FN(lasts)());
}

TARGET static inline V FN(own_half)(V v)
{
    const __m256i each = _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, /* and above: */
                                          0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m256i lower = _mm256_permute2x128_si256((__m256i)v, (__m256i)v, 0x00);
    return (V)_mm256_shuffle_epi8(lower, _mm256_blend_epi32(each, FN(lasts)(), 0xf0));
}

/* What is some bytes before an element in its half: where that is nothing 0, or itself. */
#define BEHIND(v, bytes)     ((V)_mm256_slli_si256((__m256i)(v), bytes))
#define OWN_BEHIND(v, bytes) FN(own)(v, bytes)

TARGET static inline V FN(own)(V v, int bytes)
{
    const __m256i b1 = _mm256_setr_epi8(0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, /* and above: */
                                        0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14);
    const __m256i b2 = _mm256_setr_epi8(0, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, /* and above: */
                                        0, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13);
    return (V)(bytes == 1   ? _mm256_shuffle_epi8((__m256i)v, b1)
               : bytes == 2 ? _mm256_shuffle_epi8((__m256i)v, b2)
               : bytes == 4 ? _mm256_shuffle_epi32((__m256i)v, 0x90)
                            : _mm256_shuffle_epi32((__m256i)v, 0x44));
}

/* Operations on vectors. Of extremes no element is NaN, which is looked at before. */
#define PREFIXES(name, JOIN, BEFORE, HALF)           \
    TARGET static inline V FN(join_##name)(V u, V v) \
    {                                                \
        return JOIN;                                 \
    }                                                \
    TARGET static inline V FN(prefixes_##name)(V v)  \
    {                                                \
        if (sizeof(T) <= 1)                          \
            v = FN(join_##name)(v, BEFORE(v, 1));    \
        if (sizeof(T) <= 2)                          \
            v = FN(join_##name)(v, BEFORE(v, 2));    \
        if (sizeof(T) <= 4)                          \
            v = FN(join_##name)(v, BEFORE(v, 4));    \
        v = FN(join_##name)(v, BEFORE(v, 8));        \
        return FN(join_##name)(v, HALF(v));          \
    }
PREFIXES(min, EXTREME(min, u, v), OWN_BEHIND, FN(own_half))
PREFIXES(max, EXTREME(max, u, v), OWN_BEHIND, FN(own_half))
#if HAS_SUMS
PREFIXES(sum, u + v, BEHIND, FN(half))
#endif
#if HAS_BITS
PREFIXES(and, u &v, OWN_BEHIND, FN(own_half))
PREFIXES(or, u | v, BEHIND, FN(half))
PREFIXES(xor, u ^ v, BEHIND, FN(half))
#endif

TARGET static inline bool FN(has_nan)(V a, V b, V c, V d)
{
#if HAS_NAN
    return _mm256_movemask_epi8((__m256i)((a != a) | (b != b) | (c != c) | (d != d))) != 0;
#else
    (void)a, (void)b, (void)c, (void)d;
    return false;
#endif
}

/* 4 vectors at a time, whose totals meet by themselves, so that each waits for one operation on what is before it; and
 * what is left one by one. A carry that is more precise than the elements is a number of its own. */
#define SPLAT(number) (FN(load)((const T[LANES]){0}) + (T)(number))
#define NEXT(name, CARRY, total)                 \
    if (sizeof(CARRY) > sizeof(T)) {             \
        all += (CARRY)(total)[0];                \
        before = SPLAT(all);                     \
    } else {                                     \
        before = FN(join_##name)(before, total); \
    }
#define BY_VECTORS(name, CARRY, ODD)                                                             \
    if (!(ODD) || IS_NUMBER(all)) {                                                              \
        V before = SPLAT(all);                                                                   \
        for (; k + 4 * LANES <= count; k += 4 * LANES) {                                         \
            V a = FN(load)(x + k), b = FN(load)(x + k + LANES), c = FN(load)(x + k + 2 * LANES), \
              d = FN(load)(x + k + 3 * LANES), upto_a, upto_b, upto_c, upto_d;                   \
            if ((ODD) && FN(has_nan)(a, b, c, d))                                                \
                break;                                                                           \
            a = FN(prefixes_##name)(a);                                                          \
            b = FN(prefixes_##name)(b);                                                          \
            c = FN(prefixes_##name)(c);                                                          \
            d = FN(prefixes_##name)(d);                                                          \
            upto_a = FN(last)(a);                                                                \
            upto_b = FN(join_##name)(upto_a, FN(last)(b));                                       \
            upto_c = FN(join_##name)(upto_b, FN(last)(c));                                       \
            upto_d = FN(join_##name)(upto_c, FN(last)(d));                                       \
            FN(store)(y + k, FN(join_##name)(before, a));                                        \
            FN(store)(y + k + LANES, FN(join_##name)(FN(join_##name)(before, upto_a), b));       \
            FN(store)(y + k + 2 * LANES, FN(join_##name)(FN(join_##name)(before, upto_b), c));   \
            FN(store)(y + k + 3 * LANES, FN(join_##name)(FN(join_##name)(before, upto_c), d));   \
            NEXT(name, CARRY, upto_d)                                                            \
        }                                                                                        \
        for (; k + LANES <= count; k += LANES) {                                                 \
            V a = FN(load)(x + k), upto_a;                                                       \
            if ((ODD) && FN(has_nan)(a, a, a, a))                                                \
                break;                                                                           \
            a = FN(prefixes_##name)(a);                                                          \
            upto_a = FN(last)(a);                                                                \
            FN(store)(y + k, FN(join_##name)(before, a));                                        \
            NEXT(name, CARRY, upto_a)                                                            \
        }                                                                                        \
        if (sizeof(CARRY) == sizeof(T))                                                          \
            all = (CARRY)before[0];                                                              \
    }

/* Few columns, of at most 16 bytes, are kept where no row waits for memory; of more compilers make memory. */
#define FEW(n, CARRY, STEP)                                        \
    if (count == (n) && (n) * sizeof(CARRY) <= 16 && !exclusive) { \
        CARRY some[n];                                             \
        memcpy(some, all, sizeof some);                            \
        for (size_t j = 0; j < of->rows; j++) {                    \
            T row[n];                                              \
            memcpy(row, ROW_OF(j), sizeof row);                    \
            for (size_t k = 0; k < (n); k++) {                     \
                const CARRY a = some[k], b = (CARRY)row[k];        \
                some[k] = (CARRY)(STEP);                           \
                row[k] = (T)some[k];                               \
            }                                                      \
            memcpy(PLACE_OF(j), row, sizeof row);                  \
        }                                                          \
        memcpy(all, some, sizeof some);                            \
        return;                                                    \
    }
