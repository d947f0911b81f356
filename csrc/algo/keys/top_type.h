/* One width's first keys, for each set of instructions. */
#define OWN_AGAIN(a, b) a##_##b
#define OWN_(a, b)      OWN_AGAIN(a, b)
#define OWN(name)       OWN_(name, NAME)

typedef struct OWN(pair) {
    W word;
    uint32_t at;
} OWN(pair);

static inline bool OWN(before)(OWN(pair) a, OWN(pair) b)
{
    return (a.word < b.word) | ((a.word == b.word) & (a.at < b.at));
}

/* Parts `size` pairs, more than 1, by one of them, which any order of theirs may have anywhere; and its place then. */
static size_t OWN(parted)(OWN(pair) * x, size_t size, uint32_t *chance)
{
    size_t place = 0, chosen = ((uint64_t)(*chance = *chance * 1664525 + 1013904223) * size) >> 32;
    const OWN(pair) by = x[chosen];
    x[chosen] = x[size - 1];
    for (size_t k = 0; k + 1 < size; k++) {
        const OWN(pair) held = x[k];
        x[k] = x[place];
        x[place] = held;
        place += OWN(before)(held, by);
    }
    x[size - 1] = x[place];
    x[place] = by;
    return place;
}

/* The first `many` of them come first, in any order. */
static void OWN(select)(OWN(pair) * x, size_t size, size_t many)
{
    uint32_t chance = 1;
    size_t low = 0;
    while (size - low > 1) {
        const size_t place = low + OWN(parted)(x + low, size - low, &chance);
        if (place + 1 == many)
            break;
        if (place < many)
            low = place + 1;
        else
            size = place;
    }
}

static void OWN(sort)(OWN(pair) * x, size_t size)
{
    uint32_t chance = 1;
    while (size > 24) {
        const size_t place = OWN(parted)(x, size, &chance), behind = size - place - 1;
        if (place < behind) {
            OWN(sort)(x, place);
            x += place + 1;
            size = behind;
        } else {
            OWN(sort)(x + place + 1, behind);
            size = place;
        }
    }
    for (size_t k = 1; k < size; k++) {
        const OWN(pair) held = x[k];
        size_t at = k;
        for (; at > 0 && OWN(before)(held, x[at - 1]); at--)
            x[at] = x[at - 1];
        x[at] = held;
    }
}

static void OWN(store)(OWN(pair) * x, size_t size, size_t many, int64_t *to)
{
    OWN(select)(x, size, many);
    OWN(sort)(x, many);
    for (size_t k = 0; k < many; k++)
        to[k] = x[k].at;
}

#define EACH_ISA "algo/keys/top_of.h"
#include "algo/each_isa.h"
#undef EACH_ISA

#undef OWN_AGAIN
#undef OWN_
#undef OWN
#undef W
#undef U
#undef MOST
#undef INFINITE
#undef NAME
