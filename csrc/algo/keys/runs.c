/* Runs on the calling thread and the team. */
#include "algo/keys/runs.h"

#include "algo/isa.h"
#include "algo/share.h"

enum { PARTS = SYC_HOST_RUN_PARTS };

static size_t first_of(const syc_host_runs *of, size_t part)
{
    return of->size / PARTS * part + (part == PARTS ? of->size % PARTS : 0);
}

#define OTHER(a, b) ((a) != (b))
#define T           uint8_t
#define NAME        8
#include "algo/keys/runs_type.h"
#define T    uint16_t
#define NAME 16
#include "algo/keys/runs_type.h"
#define T    uint32_t
#define NAME 32
#include "algo/keys/runs_type.h"
#define T    uint64_t
#define NAME 64
#include "algo/keys/runs_type.h"

#undef OTHER
#define OTHER(a, b) (((a) != (b)) & !(as_one & ((a) != (a)) & ((b) != (b))))
#define T           float
#define NAME        float
#include "algo/keys/runs_type.h"
#define T    double
#define NAME double
#include "algo/keys/runs_type.h"

typedef void runs_work(const void *payload, size_t first, size_t past);

/* By the width's half: 0, 1, 2 and 4. */
static runs_work *const puts[][5] = {{put_8, put_16, put_32, NULL, put_64}, {[2] = put_float, [4] = put_double}};

static runs_work *count_of(const syc_host_runs *of)
{
    const bool floats = of->order == SYC_HOST_ORDER_FLOAT;
    switch (of->width) {
    case 1:
        return SYC_BEST_OF(count_8);
    case 2:
        return SYC_BEST_OF(count_16);
    case 4:
        return floats ? SYC_BEST_OF(count_float) : SYC_BEST_OF(count_32);
    default:
        return floats ? SYC_BEST_OF(count_double) : SYC_BEST_OF(count_64);
    }
}

size_t syc_host_runs_count(syc_host_runs *of)
{
    syc__host_share(PARTS, (double)of->size, count_of(of), of);
    of->before[0] = 0;
    for (size_t part = 0; part < PARTS; part++)
        of->before[part + 1] += of->before[part];
    return of->before[PARTS];
}

void syc_host_runs_put(const syc_host_runs *of)
{
    const size_t count = of->before[PARTS];
    syc__host_share(PARTS, (double)of->size * 3, puts[of->order == SYC_HOST_ORDER_FLOAT][of->width / 2], of);
    for (size_t k = 0; k < count; k++)
        of->lengths[k] = (k + 1 < count ? of->lengths[k + 1] : (int64_t)of->size) - of->lengths[k];
}
