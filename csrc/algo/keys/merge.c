/* Merges on the calling thread and the team. */
#include "algo/keys/merge.h"

#include "algo/share.h"
#include "base/alloc.h"

#include <stdint.h>
#include <string.h>

enum {
    PIECE = 8192, /* elements of the result that are made by themselves */
    STREAMS = 4   /* pieces that are made side by side: each waits for its comparisons */
};

/* Pieces are between `cuts`: how much of the first run is before each. */
typedef struct merging {
    const syc_host_merge *of;
    size_t numbers[2]; /* elements before the first NaN */
    size_t pieces;
    size_t *cuts;
} merging;

/* What is left to merge of a piece. */
typedef struct stream {
    size_t at[2], end[2], to;
} stream;

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static stream stream_of(const merging *m, size_t piece)
{
    const size_t all = m->numbers[0] + m->numbers[1];
    const size_t from = piece * PIECE, past = smaller(from + PIECE, all);
    const size_t cut = m->cuts[piece], next = m->cuts[piece + 1];
    return (stream){{cut, from - cut}, {next, past - next}, from};
}

/* Elements that can be merged without a look at the ends. */
static size_t sure(const stream *s)
{
    return smaller(s->end[0] - s->at[0], s->end[1] - s->at[1]);
}

#define T    int8_t
#define NAME char
#include "algo/keys/merge_of.h"
#define T    uint8_t
#define NAME uchar
#include "algo/keys/merge_of.h"
#define T    int16_t
#define NAME short
#include "algo/keys/merge_of.h"
#define T    uint16_t
#define NAME ushort
#include "algo/keys/merge_of.h"
#define T    int32_t
#define NAME int
#include "algo/keys/merge_of.h"
#define T    uint32_t
#define NAME uint
#include "algo/keys/merge_of.h"
#define T    int64_t
#define NAME long
#include "algo/keys/merge_of.h"
#define T    uint64_t
#define NAME ulong
#include "algo/keys/merge_of.h"
#define T    float
#define NAME float
#include "algo/keys/merge_of.h"
#define T    double
#define NAME double
#include "algo/keys/merge_of.h"

typedef struct merges {
    size_t (*numbers)(const void *run, size_t size);
    size_t (*cut)(const merging *m, size_t low, size_t high, size_t place);
    void (*pieces)(const void *payload, size_t first, size_t past);
} merges;
#define OF(name)                                  \
    {                                             \
        numbers_##name, cut_##name, pieces_##name \
    }

/* By order, and by the width's half: 0, 1, 2 and 4. */
/* clang-format off */
static const merges types[SYC_HOST_ORDER_COUNT][5] = {
    [SYC_HOST_ORDER_UNSIGNED] = {OF(uchar), OF(ushort), OF(uint), [4] = OF(ulong)},
    [SYC_HOST_ORDER_SIGNED] = {OF(char), OF(short), OF(int), [4] = OF(long)},
    [SYC_HOST_ORDER_BOOL] = {OF(uchar)},
    [SYC_HOST_ORDER_FLOAT] = {[2] = OF(float), [4] = OF(double)},
};
/* clang-format on */

/* Each cut is looked for between the one before it and as much as the piece has: so none leaves an element out. */
static void cut_all(const merging *m, const merges *by)
{
    const size_t all = m->numbers[0] + m->numbers[1];
    for (size_t k = 1; k <= m->pieces; k++) {
        const size_t place = smaller(k * PIECE, all), before = m->cuts[k - 1], of_second = (k - 1) * PIECE - before;
        const size_t left = m->numbers[1] - of_second, length = place - (k - 1) * PIECE;
        const size_t low = before + (length > left ? length - left : 0);
        m->cuts[k] = by->cut(m, low, smaller(before + length, m->numbers[0]), place);
    }
}

syc_status syc_host_merge_keys(const syc_host_merge *of)
{
    const merges *by = &types[of->order][of->width / 2];
    const size_t width = of->width;
    merging m = {of, {by->numbers(of->first, of->sizes[0]), by->numbers(of->second, of->sizes[1])}, 0, NULL};
    const size_t all = m.numbers[0] + m.numbers[1];
    char *behind = (char *)of->to + all * width;
    syc_status status = SYC_OK;
    m.pieces = (all + PIECE - 1) / PIECE;
    SYC_TRY(syc_alloc_array(m.pieces + 1, sizeof *m.cuts, &m.cuts));
    cut_all(&m, by);
    syc__host_share((m.pieces + STREAMS - 1) / STREAMS, (double)all * 4, by->pieces, &m);
    memcpy(behind, (const char *)of->first + m.numbers[0] * width, (of->sizes[0] - m.numbers[0]) * width);
    behind += (of->sizes[0] - m.numbers[0]) * width;
    memcpy(behind, (const char *)of->second + m.numbers[1] * width, (of->sizes[1] - m.numbers[1]) * width);
done:
    syc_free(m.cuts);
    return status;
}
