/* One width's searches, for each set of instructions. */

/* The upper levels: of every node the last word. */
#define LEVEL(name)   LEVEL_(name, NAME)
#define LEVEL_(a, b)  LEVEL__(a, b)
#define LEVEL__(a, b) a##_##b
static void LEVEL(climb)(tree *t)
{
    size_t size = t->words;
    for (unsigned l = 1; l < t->depth; l++) {
        const W *below = t->levels[l - 1];
        W *to = t->levels[l];
        size /= NODE;
        for (size_t k = 0; k < size; k++)
            to[k] = below[k * NODE + NODE - 1];
        for (size_t k = size; k < (size / NODE + 1) * NODE; k++)
            to[k] = MOST;
    }
}
#undef LEVEL__
#undef LEVEL_
#undef LEVEL

#define EACH_ISA "algo/keys/search_of.h"
#include "algo/each_isa.h"
#undef EACH_ISA

#undef W
#undef U
#undef MOST
#undef INFINITE
#undef NAME
