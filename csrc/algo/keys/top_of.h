/* First keys by words W for the instructions ISA; see words_of.h. */
#include "algo/keys/words_of.h"

/* Those of a line that may be among the first: all words up to the bar. */
typedef struct FN(list) {
    OWN(pair) * pairs;
    size_t size, room, many;
    W bar;
    bool ended; /* no word is before those that it has */
} FN(list);

/* As many as are wanted stay. A word that is like the last one of them comes too late from now on. */
TARGET static void FN(shrink)(FN(list) * list)
{
    W last = list->pairs[0].word;
    OWN(select)(list->pairs, list->size, list->many);
    list->size = list->many;
    for (size_t k = 0; k < list->many; k++)
        last = list->pairs[k].word > last || k == 0 ? list->pairs[k].word : last;
    list->ended = last == -MOST - 1;
    list->bar = (W)(last - !list->ended);
}

TARGET static inline bool FN(any)(const W *words, size_t count, W bar)
{
    W found = 0;
    for (size_t k = 0; k < count; k++)
        found |= (W)(words[k] <= bar);
    return found != 0;
}

/* May one of some keys be up to a bar? As few operations as that takes: a NaN with a sign may be taken for one, and who
 * looks at it sees what it is. */
TARGET static bool FN(may)(const syc_host_top *of, W bar, const U *keys, size_t count)
{
    const W turn = (W) - (W)of->descending, flip = (W)(turn ^ (of->order == SYC_HOST_ORDER_UNSIGNED ? -MOST - 1 : 0));
    W found = 0;
    if (of->order == SYC_HOST_ORDER_BOOL)
        return true;
    if (of->order == SYC_HOST_ORDER_FLOAT)
        for (size_t k = 0; k < count; k++) {
            const W bits = (W)keys[k], sign = (W)(bits >> (8 * sizeof(W) - 1));
            found |= (W)((W)(((bits ^ (sign & MOST)) - sign) ^ turn) <= bar);
        }
    else
        for (size_t k = 0; k < count; k++)
            found |= (W)((W)((W)keys[k] ^ flip) <= bar);
    return found != 0;
}

/* At most BLOCK keys. */
TARGET static inline void FN(look)(const syc_host_top *of, FN(list) * list, const U *keys, size_t at, size_t count)
{
    W words[BLOCK];
    FN(words)(of->order, (W) - (W)of->descending, keys + at, count, words);
    if (!(count == BLOCK ? FN(any)(words, BLOCK, list->bar) : FN(any)(words, count, list->bar)))
        return;
    for (size_t from = 0; from < count; from += FINE) {
        const size_t past = count - from < FINE ? count : from + FINE;
        if (past - from == FINE && !FN(any)(words + from, FINE, list->bar))
            continue;
        for (size_t k = from; k < past; k++) {
            list->pairs[list->size] = (OWN(pair)){words[k], (uint32_t)(at + k)};
            list->size += words[k] <= list->bar;
        }
    }
    if (list->size + BLOCK > list->room)
        FN(shrink)(list);
}

TARGET static void FN(gather)(const syc_host_top *of, FN(list) * list, const U *keys, size_t from, size_t past)
{
    for (size_t count; from < past && !list->ended; from += count) {
        count = past - from < STRETCH ? past - from : STRETCH;
        if (count == STRETCH ? FN(may)(of, list->bar, keys + from, STRETCH)
                             : FN(may)(of, list->bar, keys + from, count))
            for (size_t k = 0; k < count && !list->ended; k += BLOCK)
                FN(look)(of, list, keys, from + k, count - k < BLOCK ? count - k : BLOCK);
    }
}

/* A bar that about as many words of a line are up to as are wanted, if `many` of a sample are; with of->many surely as
 * many. The sample is of spots all over the line, each at a place by chance in its part. */
TARGET static W FN(first_bar)(const syc_host_top *of, FN(list) list, const U *keys, size_t many)
{
    const size_t spots = sampled(of) / SPOT, part = spots > 0 ? of->size / spots : 0;
    uint32_t chance = 1;
    if (spots * SPOT < many + SPOT)
        return MOST;
    list.many = many;
    list.room = room_of(many);
    for (size_t k = 0, spot = 0, stride = stride_of(spots); k < spots && !list.ended; k++) {
        chance = chance * 1664525 + 1013904223;
        spot = (spot + stride) % spots;
        FN(look)(of, &list, keys, part * spot + (size_t)((uint64_t)chance * (part - SPOT + 1) >> 32), SPOT);
    }
    if (!list.ended && list.size > list.many)
        FN(shrink)(&list);
    return list.ended ? list.bar : (W)(list.bar + 1); /* also a word that is like it */
}

TARGET static FN(list) FN(list_of)(const tops *t, size_t part)
{
    OWN(pair) *const lists = t->lists;
    return (FN(list)){lists + part * t->room, 0, t->room, t->of->many, MOST, false};
}

/* Lines of a part, each after the other. */
TARGET static void FN(lines)(const void *payload, size_t first, size_t past)
{
    const tops *t = payload;
    const syc_host_top *of = t->of;
    for (; first < past; first++)
        for (size_t line = of->lines * first / t->parts; line < of->lines * (first + 1) / t->parts; line++) {
            const U *keys = (const U *)of->keys + line * of->size;
            FN(list) list = FN(list_of)(t, first);
            for (size_t few = few_of(of); list.size < of->many; few = more_of(of, few)) {
                list = FN(list_of)(t, first);
                list.bar = FN(first_bar)(of, list, keys, few);
                FN(gather)(of, &list, keys, 0, of->size);
            }
            OWN(store)(list.pairs, list.size, of->many, of->to + line * of->many);
        }
}

/* Parts of one line, each with its own first ones. */
TARGET static void FN(pieces)(const void *payload, size_t first, size_t past)
{
    const tops *t = payload;
    const size_t size = t->of->size;
    for (; first < past; first++) {
        FN(list) list = FN(list_of)(t, first);
        list.bar = (W)t->bar;
        FN(gather)(t->of, &list, t->of->keys, size * first / t->parts, size * (first + 1) / t->parts);
        t->found[first] = list.size;
    }
}

/* The lists of all parts as one, at the beginning. */
TARGET static size_t FN(joined)(const tops *t)
{
    OWN(pair) *const lists = t->lists;
    size_t all = 0;
    for (size_t part = 0; part < t->parts; part++)
        for (size_t k = 0; k < t->found[part]; k++)
            lists[all++] = lists[part * t->room + k];
    return all;
}

TARGET static void FN(top)(tops *t)
{
    const syc_host_top *of = t->of;
    OWN(pair) *const lists = t->lists;
    const double ns = (double)of->lines * (double)of->size * sizeof(W) / 4;
    size_t all = 0;
    if (of->lines != 1) {
        syc__host_share(t->parts, ns, FN(lines), t);
        return;
    }
    for (size_t few = few_of(of); all < of->many; few = more_of(of, few)) {
        t->bar = FN(first_bar)(of, FN(list_of)(t, 0), of->keys, few);
        syc__host_share(t->parts, ns, FN(pieces), t);
        all = FN(joined)(t);
    }
    OWN(store)(lists, all, of->many, of->to);
}

#undef PASTE_AGAIN
#undef PASTE
#undef FN
#undef PLAIN
#undef SIGNED_WORD
#undef UNSIGNED_WORD
#undef BOOL_WORD
#undef FLOAT_WORD
