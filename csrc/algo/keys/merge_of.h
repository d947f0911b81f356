/* Merges of runs of type T; NAME is its name. */
#define PASTE_AGAIN(a, b) a##_##b
#define PASTE(a, b)       PASTE_AGAIN(a, b)
#define FN(name)          PASTE(name, NAME)

/* How many elements are before the first NaN. */
static size_t FN(numbers)(const void *run, size_t size)
{
    const T *x = run;
    size_t low = 0;
    while (size > 0) {
        const size_t half = (size + 1) / 2;
        if (x[low + half - 1] == x[low + half - 1])
            low += half;
        size -= half;
    }
    return low;
}

/* How many of the result's first `place` elements are of the first run: from low to high. */
static size_t FN(cut)(const merging *m, size_t low, size_t high, size_t place)
{
    const T *a = m->of->first, *b = m->of->second;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (b[place - 1 - middle] < a[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The next element of a stream, of which neither run is at its end. */
static inline void FN(step)(const T *a, const T *b, T *to, stream *s)
{
    const T *const x = a + s->at[0], *const y = b + s->at[1];
    const size_t second = *y < *x;
    to[s->to++] = *(second ? y : x);
    s->at[0] += 1 - second;
    s->at[1] += second;
}

static void FN(finish)(const T *a, const T *b, T *to, stream *s)
{
    for (size_t many = sure(s); many > 0; many = sure(s))
        for (; many > 0; many--)
            FN(step)(a, b, to, s);
    memcpy(to + s->to, a + s->at[0], (s->end[0] - s->at[0]) * sizeof(T));
    memcpy(to + s->to + (s->end[0] - s->at[0]), b + s->at[1], (s->end[1] - s->at[1]) * sizeof(T));
}

/* Four pieces side by side, as long as all have both runs. */
static void FN(together)(const T *a, const T *b, T *to, stream *streams)
{
    stream s0 = streams[0], s1 = streams[1], s2 = streams[2], s3 = streams[3];
    for (;;) {
        size_t many = smaller(smaller(sure(&s0), sure(&s1)), smaller(sure(&s2), sure(&s3)));
        if (many == 0)
            break;
        for (; many > 0; many--) {
            FN(step)(a, b, to, &s0);
            FN(step)(a, b, to, &s1);
            FN(step)(a, b, to, &s2);
            FN(step)(a, b, to, &s3);
        }
    }
    streams[0] = s0, streams[1] = s1, streams[2] = s2, streams[3] = s3;
}

/* Units of STREAMS pieces. */
static void FN(pieces)(const void *payload, size_t first, size_t past)
{
    const merging *m = payload;
    const T *a = m->of->first, *b = m->of->second;
    for (; first < past; first++) {
        stream streams[STREAMS];
        const size_t count = smaller(m->pieces - first * STREAMS, STREAMS);
        for (size_t k = 0; k < count; k++)
            streams[k] = stream_of(m, first * STREAMS + k);
        if (count == STREAMS)
            FN(together)(a, b, m->of->to, streams);
        for (size_t k = 0; k < count; k++)
            FN(finish)(a, b, m->of->to, &streams[k]);
    }
}

#undef FN
#undef PASTE
#undef PASTE_AGAIN
#undef T
#undef NAME
