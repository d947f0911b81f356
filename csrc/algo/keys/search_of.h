/* Searches by words W for the instructions ISA; see words_of.h. */
#include "algo/keys/words_of.h"

/* Words of the first level, and behind the last one the greatest: units of BATCH words. */
TARGET static void FN(leaves)(const void *payload, size_t first, size_t past)
{
    const tree *t = payload;
    const U *keys = t->of->keys;
    W *words = t->levels[0];
    const size_t step = (size_t)1 << t->skipped, from = first * BATCH;
    const size_t end = past * BATCH < t->words ? past * BATCH : t->words;
    if (step == 1)
        FN(words)(t->of->order, 0, keys + from, end - from, words + from);
    else
        for (size_t k = from; k < end; k++)
            FN(words)(t->of->order, 0, keys + (k + 1) * step - 1, 1, words + k);
    if (end == t->words)
        for (size_t k = end; k < (end / NODE + 1) * NODE; k++)
            words[k] = MOST;
}

/* How many words of the first level are below each of some words. */
TARGET static void FN(descend)(const tree *t, const W *wanted, size_t count, size_t *places)
{
    const W *top = t->levels[t->depth - 1];
    for (size_t k = 0; k < count; k++)
        places[k] = FN(below)(top, wanted[k]);
    for (unsigned l = t->depth - 1; l-- > 0;) {
        const W *level = t->levels[l];
        for (size_t k = 0; k < count; k++)
            places[k] = places[k] * NODE + FN(below)(level + places[k] * NODE, wanted[k]);
    }
}

/* The word of a key; behind the last one the greatest. */
TARGET static inline W FN(word_at)(const syc_host_search *of, size_t at)
{
    const U key = ((const U *)of->keys)[at < of->size ? at : 0];
    const W word = of->order == SYC_HOST_ORDER_FLOAT      ? FLOAT_WORD(key)
                   : of->order == SYC_HOST_ORDER_UNSIGNED ? UNSIGNED_WORD(key)
                                                          : SIGNED_WORD(key);
    return at < of->size ? word : MOST;
}

/* The rest of the way: between words of the first level. */
TARGET static void FN(refine)(const tree *t, const W *wanted, size_t count, size_t *places)
{
    for (size_t k = 0; k < count; k++)
        places[k] <<= t->skipped;
    for (size_t half = ((size_t)1 << t->skipped) / 2; half > 0; half /= 2)
        for (size_t k = 0; k < count; k++) {
            const W word = FN(word_at)(t->of, places[k] + half - 1);
            places[k] += half & -(size_t)(word < wanted[k]);
        }
}

TARGET static void FN(store)(const tree *t, const W *words, size_t count, size_t from, const size_t *places)
{
    const syc_host_search *of = t->of;
    int64_t *to = (int64_t *)of->to + from;
    if (of->what == SYC_SEARCH_UP_TO)
        for (size_t k = 0; k < count; k++) /* behind the greatest word there is no other */
            to[k] = (int64_t)(words[k] == MOST ? of->size : places[k]);
    else
        for (size_t k = 0; k < count; k++)
            to[k] = (int64_t)places[k];
}

TARGET static void FN(mark)(const tree *t, const W *words, size_t count, size_t from, const size_t *places)
{
    const syc_host_search *of = t->of;
    const bool in = of->what == SYC_SEARCH_IS_IN, floats = of->order == SYC_HOST_ORDER_FLOAT;
    for (size_t k = 0; k < count; k++) {
        const bool number = !floats || words[k] != MOST;
        const bool is = number && places[k] < of->size && FN(word_at)(of, places[k]) == words[k];
        ((bool *)of->to)[from + k] = is == in;
    }
}

TARGET static void FN(search)(const void *payload, size_t first, size_t past)
{
    const tree *t = payload;
    const syc_host_search *of = t->of;
    const bool up_to = of->what == SYC_SEARCH_UP_TO;
    for (size_t from = first * BATCH; from < past * BATCH && from < of->count; from += BATCH) {
        const size_t count = of->count - from < BATCH ? of->count - from : BATCH;
        W words[BATCH], wanted[BATCH];
        size_t places[BATCH];
        FN(words)(of->order, 0, (const U *)of->values + from, count, words);
        for (size_t k = 0; k < count; k++) /* up to a word is before the next one */
            wanted[k] = (W)(words[k] + (up_to & (words[k] < MOST)));
        FN(descend)(t, wanted, count, places);
        if (t->skipped > 0)
            FN(refine)(t, wanted, count, places);
        (of->what <= SYC_SEARCH_UP_TO ? FN(store) : FN(mark))(t, words, count, from, places);
    }
}

#undef PASTE_AGAIN
#undef PASTE
#undef FN
#undef PLAIN
#undef SIGNED_WORD
#undef UNSIGNED_WORD
#undef BOOL_WORD
#undef FLOAT_WORD
