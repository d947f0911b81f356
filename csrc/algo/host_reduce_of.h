/* The functions of host_reduce.c for one type, included there for each: T, its accumulator A, the name's end NAME, and
 * RESULT and WIDE, the types of extremes and of sums. Elements that lie one behind the other get code of their own,
 * which a compiler makes vectors of: the 16 lanes do not depend on each other. */
#define PASTE_AGAIN(a, b) a##_##b
#define PASTE(a, b)       PASTE_AGAIN(a, b)
#define FN(name)          PASTE(name, NAME)
#define AT(k)             (*(const T *)(at + (ptrdiff_t)(k)*step))

#define FOLD(name, V, START, STEP)                                                                                  \
    static inline __attribute__((always_inline)) V FN(name##_by)(const char *at, size_t count, ptrdiff_t step)      \
    {                                                                                                               \
        V lanes[LANES];                                                                                             \
        size_t k = 0;                                                                                               \
        for (size_t l = 0; l < LANES; l++)                                                                          \
            lanes[l] = START;                                                                                       \
        for (; k + LANES <= count; k += LANES)                                                                      \
            for (size_t l = 0; l < LANES; l++) {                                                                    \
                const V a = lanes[l], b = (V)AT(k + l);                                                             \
                lanes[l] = STEP;                                                                                    \
            }                                                                                                       \
        for (size_t l = 0; k < count; k++, l++) {                                                                   \
            const V a = lanes[l], b = (V)AT(k);                                                                     \
            lanes[l] = STEP;                                                                                        \
        }                                                                                                           \
        for (size_t half = LANES / 2; half > 0; half /= 2)                                                          \
            for (size_t l = 0; l < half; l++) {                                                                     \
                const V a = lanes[l], b = lanes[l + half];                                                          \
                lanes[l] = STEP;                                                                                    \
            }                                                                                                       \
        return lanes[0];                                                                                            \
    }                                                                                                               \
    static V FN(name)(const char *at, size_t count, ptrdiff_t step)                                                 \
    {                                                                                                               \
        return step == (ptrdiff_t)sizeof(T) ? FN(name##_by)(at, count, sizeof(T)) : FN(name##_by)(at, count, step); \
    }

FOLD(sum, A, 0, (A)(a + b))
FOLD(prod, A, 1, (A)(a *b))
FOLD(mean, MEAN, 0, a + b)
FOLD(zeros, A, 0, a + b * 0)
FOLD(lower, T, AT(0), b < a ? b : a)
FOLD(higher, T, AT(0), b > a ? b : a)
#undef FOLD

/* Here and below: whether a block has it is asked for all of the block's elements, which makes vectors. */
static inline __attribute__((always_inline)) bool FN(any_by)(const char *at, size_t count, ptrdiff_t step)
{
    size_t k = 0;
    for (; k + BLOCK <= count; k += BLOCK) {
        unsigned some = 0;
        for (size_t l = 0; l < BLOCK; l++)
            some |= AT(k + l) != 0;
        if (some)
            return true;
    }
    while (k < count && AT(k) == 0)
        k++;
    return k < count;
}

static bool FN(any)(const char *at, size_t count, ptrdiff_t step)
{
    return step == (ptrdiff_t)sizeof(T) ? FN(any_by)(at, count, sizeof(T)) : FN(any_by)(at, count, step);
}

static inline __attribute__((always_inline)) bool FN(all_by)(const char *at, size_t count, ptrdiff_t step)
{
    size_t k = 0;
    for (; k + BLOCK <= count; k += BLOCK) {
        unsigned none = 0;
        for (size_t l = 0; l < BLOCK; l++)
            none |= AT(k + l) == 0;
        if (none)
            return false;
    }
    while (k < count && AT(k) != 0)
        k++;
    return k == count;
}

static bool FN(all)(const char *at, size_t count, ptrdiff_t step)
{
    return step == (ptrdiff_t)sizeof(T) ? FN(all_by)(at, count, sizeof(T)) : FN(all_by)(at, count, step);
}

/* The first that is it. */
static inline __attribute__((always_inline)) size_t FN(first_by)(const char *at, size_t count, ptrdiff_t step, T value)
{
    size_t k = 0;
    for (; k + BLOCK <= count; k += BLOCK) {
        unsigned found = 0;
        for (size_t l = 0; l < BLOCK; l++)
            found |= AT(k + l) == value;
        if (found)
            break;
    }
    while (k < count && AT(k) != value)
        k++;
    return k;
}

/* Where the first NaN is, `count`: nowhere. Comparisons, and so the extremes, go past it. The sum of zeros, quick as it
 * is, is NaN where there is one, or an infinity. */
static size_t FN(nan)(const char *at, size_t count, ptrdiff_t step)
{
    size_t k = 0;
    A zeros;
    if (RESULT != SYC_FLOAT && RESULT != SYC_DOUBLE)
        return count;
    zeros = FN(zeros)(at, count, step);
    if (zeros == 0)
        return count;
    while (k < count && AT(k) == AT(k))
        k++;
    return k;
}

/* Where the extreme is. */
static size_t FN(place)(const char *at, size_t count, ptrdiff_t step, bool least)
{
    size_t nan = FN(nan)(at, count, step);
    T value;
    if (nan < count)
        return nan;
    value = least ? FN(lower)(at, count, step) : FN(higher)(at, count, step);
    return step == (ptrdiff_t)sizeof(T) ? FN(first_by)(at, count, sizeof(T), value)
                                        : FN(first_by)(at, count, step, value);
}

static T FN(extreme)(const char *at, size_t count, ptrdiff_t step, bool least)
{
    size_t nan = FN(nan)(at, count, step);
    if (nan < count)
        return AT(nan);
    return least ? FN(lower)(at, count, step) : FN(higher)(at, count, step);
}

static void FN(reduce)(syc_host_op op, const char *at, size_t count, ptrdiff_t step, syc_host_value *out)
{
    switch (op) {
    case SYC_HOST_SUM:
        SET(WIDE, FN(sum)(at, count, step));
        break;
    case SYC_HOST_PROD:
        SET(WIDE, FN(prod)(at, count, step));
        break;
    case SYC_HOST_MIN:
        SET(RESULT, FN(extreme)(at, count, step, true));
        break;
    case SYC_HOST_MAX:
        SET(RESULT, FN(extreme)(at, count, step, false));
        break;
    case SYC_HOST_ANY:
        SET(SYC_BOOL, FN(any)(at, count, step));
        break;
    case SYC_HOST_ALL:
        SET(SYC_BOOL, FN(all)(at, count, step));
        break;
    case SYC_HOST_MEAN:
        SET(RESULT == SYC_FLOAT ? SYC_FLOAT : SYC_DOUBLE, FN(mean)(at, count, step) / (MEAN)count);
        break;
    case SYC_HOST_ARGMIN:
        SET(SYC_LONG, FN(place)(at, count, step, true));
        break;
    default:
        SET(SYC_LONG, FN(place)(at, count, step, false));
        break;
    }
}

#undef T
#undef A
#undef NAME
#undef MEAN
#undef RESULT
#undef WIDE
#undef AT
#undef FN
#undef PASTE
#undef PASTE_AGAIN
