/* Elements that do not lie one behind the other are brought there, since the loops over elements know no steps; and
 * results are taken from there. */
#include "algo/host/gather.h"

#include "algo/host/folds.h"

/* What takes how long, in ns, on one core of a Xeon of 2023 beside other work: an element that does not lie behind the
 * one before it, and one that lies two elements behind it, or before it. */
#define GATHER_NS 0.9
#define SKIP_NS   0.3

/* Steps that a compiler makes loads and shuffles of where it knows them. */
#define BY(T, STEP)                                  \
    do {                                             \
        const any *from = first;                     \
        for (size_t k = 0; k < count; k++)           \
            to_##T[k] = from[(ptrdiff_t)k * (STEP)]; \
    } while (0)
#define GATHER(T)                                               \
    case sizeof(T): {                                           \
        typedef T any __attribute__((aligned(1)));              \
        T *to_##T = to;                                         \
        const ptrdiff_t elements = step / (ptrdiff_t)sizeof(T); \
        if (elements == 2)                                      \
            BY(T, 2);                                           \
        else if (elements == 3)                                 \
            BY(T, 3);                                           \
        else if (elements == -1)                                \
            BY(T, -1);                                          \
        else                                                    \
            BY(T, elements);                                    \
        break;                                                  \
    }

void syc__host_gather(size_t size, const void *first, ptrdiff_t step, size_t count, void *restrict to)
{
    switch (size) {
        GATHER(uint8_t)
        GATHER(uint16_t)
        GATHER(uint32_t)
        GATHER(uint64_t)
    default:
        break;
    }
}

double syc__host_gather_ns(size_t size, ptrdiff_t step)
{
    const ptrdiff_t near = (ptrdiff_t)size;
    return step == near ? 0 : step == 2 * near || step == -near ? SKIP_NS : GATHER_NS;
}

#define TO(T, STEP)                                  \
    do {                                             \
        any *to_##T = to;                            \
        for (size_t k = 0; k < count; k++)           \
            to_##T[(ptrdiff_t)k * (STEP)] = from[k]; \
    } while (0)
#define SCATTER(T)                                              \
    case sizeof(T): {                                           \
        typedef T any __attribute__((aligned(1)));              \
        const T *from = values;                                 \
        const ptrdiff_t elements = step / (ptrdiff_t)sizeof(T); \
        if (elements == 1)                                      \
            memcpy(to, values, count * sizeof(T));              \
        else if (elements == -1)                                \
            TO(T, -1);                                          \
        else                                                    \
            TO(T, elements);                                    \
        break;                                                  \
    }

void syc__host_scatter(size_t size, const void *restrict values, size_t count, ptrdiff_t step, void *to)
{
    switch (size) {
        SCATTER(uint8_t)
        SCATTER(uint16_t)
        SCATTER(uint32_t)
        SCATTER(uint64_t)
    default:
        break;
    }
}
