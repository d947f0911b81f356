/* Elements that do not lie one behind the other are brought there, since the loops over elements know no steps. */
#include "algo/host/folds.h"

/* Steps that a compiler makes loads and shuffles of where it knows them. */
#define BY(T, STEP)                                  \
    do {                                             \
        const T *from = first;                       \
        for (size_t k = 0; k < count; k++)           \
            to_##T[k] = from[(ptrdiff_t)k * (STEP)]; \
    } while (0)
#define GATHER(T)                                               \
    case sizeof(T): {                                           \
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
