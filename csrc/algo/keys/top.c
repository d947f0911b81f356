/* First keys on the calling thread and the team. */
#include "algo/keys/top.h"

#include "algo/isa.h"
#include "algo/share.h"
#include "base/alloc.h"

#include <math.h>

enum {
    STRETCH = 256,     /* keys that are held against the bar at once, */
    BLOCK = 64,        /* of these so many where one may be up to it, */
    FINE = 8,          /* and so many where one is */
    SPOT = 32,         /* keys of a sample that lie together */
    PARTS = 64,        /* each with a list of its own */
    PART = 1 << 18,    /* keys of a line that are worth one */
    SAMPLED = 1 << 12, /* keys of a line from which on a sample gives the first bar, */
    SAMPLE = 4,        /* of at most one of so many keys, */
    FEW = 16           /* whose bar is about this one of it */
};

/* Parts are of lines, or where there is one line of its keys. */
typedef struct tops {
    const syc_host_top *of;
    size_t parts, room; /* elements of a list */
    void *lists;
    size_t *found; /* in each list */
    int64_t bar;
} tops;

static size_t room_of(size_t many)
{
    return 3 * many + 4 * BLOCK;
}

/* Keys of a sample: one of it costs about as much as a fortieth of one before the bar, which is the FEWth or an earlier
 * one of it. */
static size_t sampled(const syc_host_top *of)
{
    const double few = of->many < FEW ? (double)of->many : FEW;
    const size_t some = (size_t)sqrt(40 * few * (double)of->size);
    return of->size < SAMPLED ? 0 : some < of->size / SAMPLE ? some : of->size / SAMPLE;
}

/* So many of a sample make a bar that lines seldom have less keys before than are wanted: as many of these as there are
 * in it by the mean, and five deviations. */
static size_t few_of(const syc_host_top *of)
{
    const double mean = (double)sampled(of) * (double)of->many / (double)of->size;
    const size_t some = (size_t)(mean + 5 * sqrt(mean)) + 4;
    return some < of->many ? some : of->many;
}

/* And where it had less, so many more; of->many are surely enough. */
static size_t more_of(const syc_host_top *of, size_t few)
{
    return 4 * few < of->many ? 4 * few : of->many;
}

static bool have_no_factor(size_t a, size_t b)
{
    while (b > 0) {
        const size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a == 1;
}

/* From one spot to the next, modulo their number: all are come to, and neighbours long after each other. Spots of
 * sorted keys, each before all that are known so far, would fill the list again and again. */
static size_t stride_of(size_t spots)
{
    size_t stride = spots * 5 / 8 + 1;
    while (!have_no_factor(stride, spots))
        stride++;
    return stride;
}

#define W    int8_t
#define U    uint8_t
#define MOST INT8_MAX
#define NAME 8
#include "algo/keys/top_type.h"

#define W        int16_t
#define U        uint16_t
#define MOST     INT16_MAX
#define INFINITE 0x7c00u
#define NAME     16
#include "algo/keys/top_type.h"

#define W        int32_t
#define U        uint32_t
#define MOST     INT32_MAX
#define INFINITE 0x7f800000u
#define NAME     32
#include "algo/keys/top_type.h"

#define W        int64_t
#define U        uint64_t
#define MOST     INT64_MAX
#define INFINITE 0x7ff0000000000000u
#define NAME     64
#include "algo/keys/top_type.h"

typedef void top_work(tops *t);

static top_work *work_of(size_t width)
{
    switch (width) {
    case 1:
        return SYC_BEST_OF(top_8);
    case 2:
        return SYC_BEST_OF(top_16);
    case 4:
        return SYC_BEST_OF(top_32);
    default:
        return SYC_BEST_OF(top_64);
    }
}

syc_status syc_host_top_keys(const syc_host_top *of)
{
    tops t = {.of = of, .parts = of->lines > 1 ? of->lines : of->size / PART + 1};
    syc_status status = SYC_OK;
    t.parts = t.parts < PARTS ? t.parts : PARTS;
    t.room = room_of(of->many);
    SYC_TRY(syc_alloc_array(t.parts, sizeof *t.found, &t.found));
    SYC_TRY(syc_alloc_array(t.parts * t.room, of->width == 8 ? sizeof(pair_64) : sizeof(pair_32), &t.lists));
    work_of(of->width)(&t);
done:
    syc_free(t.lists);
    syc_free(t.found);
    return status;
}
