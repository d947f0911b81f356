/* First keys on the calling thread and the team. */
#include "algo/keys/top.h"

#include "algo/isa.h"
#include "algo/share.h"
#include "base/alloc.h"

#include <math.h>

enum {
    BLOCK = 64,        /* keys that are held against the bar at once, */
    SPOT = 32,         /* and of these as many again where there is one before it */
    PARTS = 64,        /* each with a list of its own */
    PART = 1 << 18,    /* keys of a line that are worth one */
    SAMPLED = 1 << 12, /* keys of a line from which on a sample gives the first bar, */
    SAMPLE = 4         /* of at most one of so many keys */
};

/* Parts are of lines, or where there is one line of its keys. */
typedef struct tops {
    const syc_host_top *of;
    size_t parts, room; /* elements of a list */
    void *lists;
    size_t *found; /* in each list */
    int64_t bar;
} tops;

/* Keys of a sample: so many that those of the line before its bar are about as many as they. */
static size_t sampled(const syc_host_top *of)
{
    const size_t wanted = (size_t)sqrt(8.0 * (double)of->size * (double)of->many);
    return of->size >= SAMPLED && wanted < of->size / SAMPLE ? wanted : 0;
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
    t.room = 3 * of->many + 4 * BLOCK;
    SYC_TRY(syc_alloc_array(t.parts, sizeof *t.found, &t.found));
    SYC_TRY(syc_alloc_array(t.parts * t.room, of->width == 8 ? sizeof(pair_64) : sizeof(pair_32), &t.lists));
    work_of(of->width)(&t);
done:
    syc_free(t.lists);
    syc_free(t.found);
    return status;
}
