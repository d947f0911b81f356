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

TARGET static void FN(integers)(const syc_host_bins *of, const void *keys, size_t count, uint32_t *places)
{
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
        if (is_signed)
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
        memcpy(values, weights, count * sizeof(uint64_t));
    }
}

/* To as many tables in turn as there are. */
#define ADD(T, WHAT)                                                                        \
    {                                                                                       \
        T *const t0 = table;                                                                \
        T *const t1 = t0 + (a->copies > 1 ? a->stride : 0);                                 \
        T *const t2 = t0 + (a->copies > 2 ? 2 * a->stride : 0), *const t3 = t1 + (t2 - t0); \
        size_t k = 0;                                                                       \
        for (; k + 4 <= count; k += 4) {                                                    \
            t0[places[k]] += WHAT(k);                                                       \
            t1[places[k + 1]] += WHAT(k + 1);                                               \
            t2[places[k + 2]] += WHAT(k + 2);                                               \
            t3[places[k + 3]] += WHAT(k + 3);                                               \
        }                                                                                   \
        for (; k < count; k++)                                                              \
            t0[places[k]] += WHAT(k);                                                       \
    }
#define ONE(k)   1
#define REAL(k)  ((const double *)values)[k]
#define WHOLE(k) ((const uint64_t *)values)[k]

TARGET static void FN(to_tables)(const adding *a, const uint32_t *places, const void *values, size_t count, void *table)
{
    if (a->of->weights == NULL)
        ADD(uint32_t, ONE)
    else if (a->of->weight_order == SYC_HOST_ORDER_FLOAT)
        ADD(double, REAL)
    else
        ADD(uint64_t, WHOLE)
}

TARGET static void FN(add)(const void *payload, size_t first, size_t past)
{
    const adding *a = payload;
    const syc_host_bins *of = a->of;
    const size_t value = of->weights != NULL ? sizeof(uint64_t) : sizeof(uint32_t);
    for (; first < past; first++) {
        void *table = a->tables + first * a->copies * a->stride * value;
        const size_t end = of->count / a->parts * (first + 1) + (first + 1 == a->parts ? of->count % a->parts : 0);
        for (size_t from = of->count / a->parts * first; from < end; from += BLOCK) {
            const size_t count = end - from < BLOCK ? end - from : BLOCK;
            const char *keys = (const char *)of->keys + from * of->width;
            uint32_t places[BLOCK];
            uint64_t values[BLOCK];
            if (of->edges == NULL)
                FN(integers)(of, keys, count, places);
            else if (of->width == 4)
                FN(spots_32)(a, (const float *)(const void *)keys, count, places);
            else
                FN(spots_64)(a, (const double *)(const void *)keys, count, places);
            if (of->weights != NULL)
                FN(values)(of, (const char *)of->weights + from * of->weight_width, count, values);
            FN(to_tables)(a, places, values, count, table);
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
