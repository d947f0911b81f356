/* Words of one width: W, its name NAME, its uppermost bit TOP; where there are floating-point numbers of it,
 * HAS_FLOATS, how many NaN have a sign (NANS), and the bits of infinity (INFINITE). As kernels/device/sort_words.clh
 * has them. */
#define PASTE_(a, b) a##b
#define PASTE(a, b)  PASTE_(a, b)
#define OWN(what)    PASTE(what, NAME)

typedef struct OWN(pair_) {
    W word;
    uint32_t at;
} OWN(pair_);

/* A key, wherever it begins. */
typedef W OWN(any_) __attribute__((aligned(1)));

static void OWN(words_)(const syc_host_sort *of, const OWN(any_) * keys, W *words)
{
    const size_t size = of->size;
    switch (of->order) {
#ifdef HAS_FLOATS
    case SYC_HOST_ORDER_FLOAT:
        for (size_t k = 0; k < size; k++) {
            const W plain = (W)(keys[k] & (W)~TOP);
            const W bits = of->positions && plain == 0 ? 0 : keys[k];
            const W word = (W)((W)((bits & TOP) ? ~bits : bits | TOP) - NANS);
            words[k] = of->positions && plain > INFINITE ? (W) ~(W)0 : word;
        }
        break;
#endif
    case SYC_HOST_ORDER_SIGNED:
        for (size_t k = 0; k < size; k++)
            words[k] = (W)(keys[k] ^ TOP);
        break;
    case SYC_HOST_ORDER_BOOL:
        for (size_t k = 0; k < size; k++)
            words[k] = keys[k] != 0;
        break;
    default:
        memcpy(words, keys, size * sizeof(W));
    }
}

/* The words in the other order; done twice, it does nothing. */
static void OWN(turn_)(const syc_host_sort *of, W *words)
{
    const size_t size = of->size;
    switch (of->order) {
#ifdef HAS_FLOATS
    case SYC_HOST_ORDER_FLOAT:
        for (size_t k = 0; k < size; k++) {
            const W last = (W)((W)(INFINITE | TOP) - NANS);
            words[k] = words[k] > last ? words[k] : (W)(last - words[k]);
        }
        break;
#endif
    case SYC_HOST_ORDER_BOOL:
        for (size_t k = 0; k < size; k++)
            words[k] = words[k] == 0;
        break;
    default:
        for (size_t k = 0; k < size; k++)
            words[k] = (W)~words[k];
    }
}

static void OWN(keys_)(const syc_host_sort *of, const W *words, W *keys)
{
    const size_t size = of->size;
    switch (of->order) {
#ifdef HAS_FLOATS
    case SYC_HOST_ORDER_FLOAT:
        for (size_t k = 0; k < size; k++) {
            const W turned = (W)(words[k] + NANS);
            keys[k] = (W)((turned & TOP) ? turned ^ TOP : (W)~turned);
        }
        break;
#endif
    case SYC_HOST_ORDER_SIGNED:
        for (size_t k = 0; k < size; k++)
            keys[k] = (W)(words[k] ^ TOP);
        break;
    default:
        memcpy(keys, words, size * sizeof(W));
    }
}

/* All digits are counted at once. false: the words are in order. */
static bool OWN(count_)(const W *words, size_t size, uint32_t counts[sizeof(W)][BINS])
{
    bool descends = false;
    memset(counts, 0, sizeof(W) * sizeof counts[0]);
    for (size_t k = 0; k < size; k++) {
        descends |= k > 0 && words[k] < words[k - 1];
        for (unsigned d = 0; d < sizeof(W); d++)
            counts[d][(words[k] >> (8 * d)) & (BINS - 1)]++;
    }
    return descends;
}

/* One pass for each digit that differs; the result is in the one or the other memory. */
#define PASSES(T, word_of)                                                  \
    for (unsigned d = 0; d < sizeof(W); d++) {                              \
        uint32_t before = 0;                                                \
        if (counts[d][(word_of(a[0]) >> (8 * d)) & (BINS - 1)] == size)     \
            continue;                                                       \
        for (unsigned k = 0; k < BINS; k++) {                               \
            const uint32_t found = counts[d][k];                            \
            counts[d][k] = before;                                          \
            before += found;                                                \
        }                                                                   \
        for (size_t k = 0; k < size; k++)                                   \
            b[counts[d][(word_of(a[k]) >> (8 * d)) & (BINS - 1)]++] = a[k]; \
        T *const other = a;                                                 \
        a = b;                                                              \
        b = other;                                                          \
    }
#define WORD(w)   (w)
#define PAIRED(p) ((p).word)

static const W *OWN(sorted_)(W *a, W *b, size_t size)
{
    uint32_t counts[sizeof(W)][BINS];
    if (size <= SHORT) {
        for (size_t k = 1; k < size; k++) {
            const W held = a[k];
            size_t at = k;
            for (; at > 0 && held < a[at - 1]; at--)
                a[at] = a[at - 1];
            a[at] = held;
        }
    } else if (OWN(count_)(a, size, counts)) {
        PASSES(W, WORD)
    }
    return a;
}

static const OWN(pair_) * OWN(paired_)(OWN(pair_) * a, OWN(pair_) * b, const W *words, size_t size)
{
    uint32_t counts[sizeof(W)][BINS];
    if (size <= SHORT) {
        for (size_t k = 0; k < size; k++) {
            const OWN(pair_) held = {words[k], (uint32_t)k};
            size_t at = k;
            for (; at > 0 && held.word < a[at - 1].word; at--)
                a[at] = a[at - 1];
            a[at] = held;
        }
        return a;
    }
    for (size_t k = 0; k < size; k++)
        a[k] = (OWN(pair_)){words[k], (uint32_t)k};
    if (OWN(count_)(words, size, counts)) {
        PASSES(OWN(pair_), PAIRED)
    }
    return a;
}

static void OWN(line_)(const syc_host_sort *of, const void *from, void *to, void *room)
{
    W *const words = room;
    OWN(words_)(of, from, words);
    if (of->descending)
        OWN(turn_)(of, words);
    if (of->positions) {
        OWN(pair_) *const pairs = (OWN(pair_) *)(void *)((char *)room + SYC_HOST_SORT_ROOM(of->size, sizeof(W)));
        const OWN(pair_) *const found = OWN(paired_)(pairs, pairs + of->size, words, of->size);
        for (size_t k = 0; k < of->size; k++)
            ((int64_t *)to)[k] = found[k].at;
    } else {
        W *const found = (W *)OWN(sorted_)(words, words + of->size, of->size);
        if (of->descending)
            OWN(turn_)(of, found);
        OWN(keys_)(of, found, to);
    }
}

#undef PASTE_
#undef PASTE
#undef OWN
#undef PASSES
#undef WORD
#undef PAIRED
#undef W
#undef NAME
#undef TOP
#undef HAS_FLOATS
#undef NANS
#undef INFINITE
