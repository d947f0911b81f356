/* Counts and sums in bins on the calling thread and the team. */
#include "algo/keys/bins.h"

#include "algo/isa.h"
#include "algo/share.h"
#include "base/alloc.h"

#include <float.h>
#include <string.h>

enum {
    BLOCK = 512, /* keys whose bins are found before they are added to */
    SPOT = 32,   /* and of these as many are looked at again where one is near an edge; GCC makes no vectors of 16 */
    PARTS = 64,
    PART = 1 << 16, /* keys that are worth a part, */
    BIN = 4,        /* and so many for each of its bins */
    COPIES = 4,     /* of a table at most, */
    COUNTS = 4125,  /* which have so many counts */
    SUMS = 1032     /* or sums: the first cache holds what is read besides */
};

/* A part's tables lie one behind the other; behind each table's bins is one for keys that are in none. */
typedef struct adding {
    const syc_host_bins *of;
    size_t parts, copies, stride; /* stride: elements from one table to the next */
    double *sums;                 /* of integers: their bits. NULL: none */
    uint32_t *counts;
    bool is_near; /* all bins are of numbers that keys of 32 bits can be */
    double slack; /* so near to an edge, in bins, the edges themselves decide */
} adding;

#define EACH_ISA "algo/keys/bins_of.h"
#include "algo/each_isa.h"
#undef EACH_ISA

/* The tables' values together, in their order. */
#define JOIN(T, to, from)                             \
    for (size_t t = 0; t < a->parts * a->copies; t++) \
        for (size_t k = 0; k < a->of->bins; k++)      \
            (to)[k] += ((const T *)(from))[t * a->stride + k];

static void join(const adding *a)
{
    const syc_host_bins *of = a->of;
    void *const sums = a->sums;
    int64_t *const counts = a->sums != NULL ? of->counts : of->to;
    memset(of->to, 0, of->bins * sizeof(int64_t));
    if (a->counts != NULL) {
        memset(counts, 0, of->bins * sizeof *counts);
        JOIN(uint32_t, counts, a->counts)
    }
    if (a->sums != NULL && of->weight_order == SYC_HOST_ORDER_FLOAT)
        JOIN(double, (double *)of->to, sums)
    else if (a->sums != NULL)
        JOIN(uint64_t, (uint64_t *)of->to, sums)
}

static double edge_at(const syc_host_bins *of, size_t k)
{
    return of->width == 8 ? ((const double *)of->edges)[k] : (double)((const float *)of->edges)[k];
}

/* How far from an edge a number's place may be reckoned on its other side: the edges are rounded, and so is the place.
 */
static double slack_of(const syc_host_bins *of)
{
    const double rounding = of->width == 8 ? DBL_EPSILON : (double)FLT_EPSILON;
    double most = 0;
    for (size_t k = 0; k <= of->bins; k++) {
        const double off = (edge_at(of, k) - edge_at(of, 0)) * of->scale - (double)k;
        most = off > most ? off : -off > most ? -off : most;
    }
    return most + 4 * rounding * (double)of->bins;
}

static bool is_near(const syc_host_bins *of)
{
    const int64_t low = (int64_t)of->low, last = (int64_t)(of->low + of->bins - 1);
    const bool is_signed = of->order == SYC_HOST_ORDER_SIGNED;
    return low >= (is_signed ? INT32_MIN : 0) && last >= low && last <= (is_signed ? INT32_MAX : (int64_t)UINT32_MAX);
}

/* How many parts and tables; counts of a part have 32 bits. */
static void divide(adding *a)
{
    const syc_host_bins *of = a->of;
    const size_t most = of->count / (BIN * a->stride), small = of->weights != NULL ? SUMS : COUNTS;
    while (a->copies < COPIES && 2 * a->copies * a->stride <= small)
        a->copies *= 2;
    a->parts = of->count / PART < most ? of->count / PART : most;
    a->parts = (a->parts < PARTS ? a->parts : PARTS) + 1;
    if (of->count >> 31 >= a->parts)
        a->parts = (of->count >> 31) + 1;
}

syc_status syc_host_add_keys(const syc_host_bins *of)
{
    adding a = {.of = of, .copies = 1, .stride = of->bins + 1, .is_near = is_near(of)};
    syc_status status = SYC_OK;
    divide(&a);
    if (of->edges != NULL)
        a.slack = slack_of(of);
    if (of->weights != NULL)
        SYC_TRY(syc_alloc_array(a.parts * a.copies * a.stride, sizeof *a.sums, &a.sums));
    if (of->weights == NULL || of->counts != NULL)
        SYC_TRY(syc_alloc_array(a.parts * a.copies * a.stride, sizeof *a.counts, &a.counts));
    syc__host_share(a.parts, (double)of->count * 4, SYC_BEST_OF(add), &a);
    join(&a);
done:
    syc_free(a.sums);
    syc_free(a.counts);
    return status;
}
