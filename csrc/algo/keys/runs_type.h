/* Runs of keys of type T; NAME is its name, OTHER whether two of them differ. */
#define PASTE_AGAIN(a, b, c) a##_##b##c
#define PASTE(a, b, c)       PASTE_AGAIN(a, b, c)
#define FN(name)             PASTE(name, NAME, ISA)

#define EACH_ISA "algo/keys/runs_of.h"
#include "algo/each_isa.h"
#undef EACH_ISA

/* The runs that begin in parts. */
#define ISA
static void FN(put)(const void *payload, size_t first, size_t past)
{
    const syc_host_runs *of = payload;
    const bool as_one = of->as_one;
    const T *x = of->keys;
    T *firsts = of->firsts;
    (void)as_one;
    for (; first < past; first++) {
        const size_t end = of->before[first + 1], last = first_of(of, first + 1);
        size_t to = of->before[first];
        for (size_t k = first_of(of, first); k < last && to < end; k++) {
            firsts[to] = x[k];
            of->lengths[to] = (int64_t)k; /* where it begins */
            to += k == 0 || OTHER(x[k], x[k - 1]);
        }
    }
}
#undef ISA

#undef PASTE_AGAIN
#undef PASTE
#undef FN
#undef T
#undef NAME
