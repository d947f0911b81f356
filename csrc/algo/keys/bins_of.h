/* Bins and additions for the instructions ISA. */
#define PASTE_AGAIN(a, b) a##b
#define PASTE(a, b)       PASTE_AGAIN(a, b)
#define FN(name)          PASTE(name, ISA)

/* The bins of some integers, of the type T. */
#define PLACES(T)                                                       \
    for (size_t k = 0; k < count; k++) {                                \
        const uint64_t more = (uint64_t)((const T *)keys)[k] - of->low; \
        places[k] = (uint32_t)(more < of->bins ? more : of->bins);      \
    }
/* Of narrow ones, with 32 bits: as far as they are from the lowest is in these. */
#define NARROW_PLACES(T)                                            \
    for (size_t k = 0; k < count; k++) {                            \
        const uint32_t more = (uint32_t)((const T *)keys)[k] - low; \
        places[k] = more < bins ? more : bins;                      \
    }

TARGET static void FN(integers)(const adding *a, const void *keys, size_t count, uint32_t *places)
{
    const syc_host_bins *of = a->of;
    const uint32_t low = (uint32_t)of->low, bins = (uint32_t)of->bins;
    const bool is_signed = of->order == SYC_HOST_ORDER_SIGNED;
    switch (of->width) {
    case 1:
        if (is_signed)
            NARROW_PLACES(int8_t)
        else
            NARROW_PLACES(uint8_t)
        break;
    case 2:
        if (is_signed)
            NARROW_PLACES(int16_t)
        else
            NARROW_PLACES(uint16_t)
        break;
    case 4:
        if (a->is_near)
            NARROW_PLACES(uint32_t)
        else if (is_signed)
            PLACES(int32_t)
        else
            PLACES(uint32_t)
        break;
    default:
        PLACES(uint64_t)
    }
}

/* The bins of some numbers between even edges. Where one is within a bin is known from its place as a fraction; near an
 * edge the edges decide. */
#define EVEN(T, name)                                                                                         \
    TARGET static uint32_t FN(exact_##name)(const adding *a, T x)                                             \
    {                                                                                                         \
        const T *edges = a->of->edges;                                                                        \
        const size_t last = a->of->bins - 1;                                                                  \
        size_t k;                                                                                             \
        if (!(x >= edges[0] && x <= edges[last + 1]))                                                         \
            return (uint32_t)(last + 1);                                                                      \
        k = (size_t)((x - edges[0]) * (T)a->of->scale);                                                       \
        k = k < last ? k : last;                                                                              \
        while (x < edges[k])                                                                                  \
            k--;                                                                                              \
        while (k < last && x >= edges[k + 1])                                                                 \
            k++;                                                                                              \
        return (uint32_t)k;                                                                                   \
    }                                                                                                         \
    TARGET static void FN(spots_##name)(const adding *a, const T *keys, size_t count, uint32_t *places)       \
    {                                                                                                         \
        const T *edges = a->of->edges;                                                                        \
        const int32_t bins = (int32_t)a->of->bins;                                                            \
        const T first = edges[0], end = edges[bins], scale = (T)a->of->scale;                                 \
        const T near = (T)a->slack, far = 1 - near;                                                           \
        size_t from = 0;                                                                                      \
        for (; from + SPOT <= count; from += SPOT) {                                                          \
            int32_t unsure = 0;                                                                               \
            for (size_t k = from; k < from + SPOT; k++) {                                                     \
                const T x = keys[k];                                                                          \
                const int32_t in = (x >= first) & (x <= end);                                                 \
                const T place = in ? (x - first) * scale : 0, most = place < (T)bins ? place : (T)(bins - 1); \
                const int32_t bin = (int32_t)most;                                                            \
                const T part = place - (T)bin;                                                                \
                unsure |= in & ((part < near) | (part > far));                                                \
                places[k] = (uint32_t)(in ? bin : bins);                                                      \
            }                                                                                                 \
            for (size_t k = from; unsure && k < from + SPOT; k++)                                             \
                places[k] = FN(exact_##name)(a, keys[k]);                                                     \
        }                                                                                                     \
        for (; from < count; from++)                                                                          \
            places[from] = FN(exact_##name)(a, keys[from]);                                                   \
    }
EVEN(float, 32)
EVEN(double, 64)

#define CONVERT(T, R)                  \
    for (size_t k = 0; k < count; k++) \
        ((R *)values)[k] = (R)((const T *)weights)[k];

/* Weights as they are added. */
TARGET static void FN(values)(const syc_host_bins *of, const void *weights, size_t count, void *values)
{
    const bool is_signed = of->weight_order == SYC_HOST_ORDER_SIGNED;
    switch (of->weight_width) {
    case 1:
        if (is_signed)
            CONVERT(int8_t, int64_t)
        else
            CONVERT(uint8_t, uint64_t)
        break;
    case 2:
        if (is_signed)
            CONVERT(int16_t, int64_t)
        else
            CONVERT(uint16_t, uint64_t)
        break;
    case 4:
        if (of->weight_order == SYC_HOST_ORDER_FLOAT)
            CONVERT(float, double)
        else if (is_signed)
            CONVERT(int32_t, int64_t)
        else
            CONVERT(uint32_t, uint64_t)
        break;
    default:
        break; /* these are added as they are */
    }
}

/* To as many tables in turn as there are: a SUM, and a COUNT of what it is of. */
#define ADD(PLACE, SUM, COUNT)                                                                              \
    {                                                                                                       \
        const size_t s1 = a->copies > 1 ? a->stride : 0;                                                    \
        const size_t s2 = a->copies > 2 ? 2 * a->stride : 0, s3 = s1 + s2;                                  \
        size_t k = 0;                                                                                       \
        for (; k + 4 <= count; k += 4) {                                                                    \
            const size_t p0 = PLACE(k), p1 = PLACE(k + 1) + s1;                                             \
            const size_t p2 = PLACE(k + 2) + s2, p3 = PLACE(k + 3) + s3;                                    \
            SUM(p0, k) COUNT(p0) SUM(p1, k + 1) COUNT(p1) SUM(p2, k + 2) COUNT(p2) SUM(p3, k + 3) COUNT(p3) \
        }                                                                                                   \
        for (; k < count; k++) {                                                                            \
            const size_t p0 = PLACE(k);                                                                     \
            SUM(p0, k) COUNT(p0)                                                                            \
        }                                                                                                   \
    }
#define ONE(p)      counts[p]++;
#define REAL(p, k)  sums[p] += ((const double *)values)[k];
#define WHOLE(p, k) ((uint64_t *)(void *)sums)[p] += ((const uint64_t *)values)[k];
#define NONE(...)

/* By the places of keys, in a part's tables. */
#define TO_TABLES(name, KEY, PLACE)                                                                              \
    TARGET static void FN(name)(const adding *a, size_t part, const KEY *keys, const void *values, size_t count) \
    {                                                                                                            \
        const uint64_t low = a->of->low, bins = a->of->bins;                                                     \
        double *const sums = a->sums == NULL ? NULL : a->sums + part * a->copies * a->stride;                    \
        uint32_t *const counts = a->counts == NULL ? NULL : a->counts + part * a->copies * a->stride;            \
        (void)low, (void)bins;                                                                                   \
        if (a->sums == NULL)                                                                                     \
            ADD(PLACE, NONE, ONE)                                                                                \
        else if (a->of->weight_order == SYC_HOST_ORDER_FLOAT && a->counts == NULL)                               \
            ADD(PLACE, REAL, NONE)                                                                               \
        else if (a->of->weight_order == SYC_HOST_ORDER_FLOAT)                                                    \
            ADD(PLACE, REAL, ONE)                                                                                \
        else if (a->counts == NULL)                                                                              \
            ADD(PLACE, WHOLE, NONE)                                                                              \
        else                                                                                                     \
            ADD(PLACE, WHOLE, ONE)                                                                               \
    }
#define FOUND(k)   keys[k]
#define ITS_OWN(k) (keys[k] - low < bins ? keys[k] - low : bins)
TO_TABLES(by_places, uint32_t, FOUND)
TO_TABLES(by_keys, uint64_t, ITS_OWN)

/* Some keys, at most BLOCK. */
TARGET static void FN(block)(const adding *a, size_t part, const void *keys, const void *weights, size_t count)
{
    const syc_host_bins *of = a->of;
    uint32_t places[BLOCK];
    uint64_t values[BLOCK];
    if (of->edges == NULL)
        FN(integers)(a, keys, count, places);
    else if (of->width == 4)
        FN(spots_32)(a, keys, count, places);
    else
        FN(spots_64)(a, keys, count, places);
    if (weights != NULL && of->weight_width < sizeof *values) {
        FN(values)(of, weights, count, values);
        weights = values;
    }
    FN(by_places)(a, part, places, weights, count);
}

TARGET static void FN(add)(const void *payload, size_t first, size_t past)
{
    const adding *a = payload;
    const syc_host_bins *of = a->of;
    const bool as_they_are = of->edges == NULL && of->width == 8 && (of->weights == NULL || of->weight_width == 8);
    for (; first < past; first++) {
        const size_t end = of->count / a->parts * (first + 1) + (first + 1 == a->parts ? of->count % a->parts : 0);
        for (size_t from = of->count / a->parts * first, count; from < end; from += count) {
            const char *keys = (const char *)of->keys + from * of->width;
            const char *weights = of->weights == NULL ? NULL : (const char *)of->weights + from * of->weight_width;
            count = as_they_are || end - from < BLOCK ? end - from : BLOCK;
            if (as_they_are)
                FN(by_keys)(a, first, (const uint64_t *)(const void *)keys, weights, count);
            else
                FN(block)(a, first, keys, weights, count);
        }
    }
}

#undef PASTE_AGAIN
#undef PASTE
#undef FN
#undef PLACES
#undef NARROW_PLACES
#undef EVEN
#undef CONVERT
#undef ADD
#undef ONE
#undef REAL
#undef WHOLE
#undef NONE
#undef TO_TABLES
#undef FOUND
#undef ITS_OWN
