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
    SMALL = 16500   /* which have so many bytes: the first cache holds what is read besides */
};

/* A part's tables lie one behind the other; behind each table's bins is one for keys that are in none. */
typedef struct adding {
    const syc_host_bins *of;
    size_t parts, copies, stride; /* stride: elements from one table to the next */
    char *tables;
    double slack; /* so near to an edge, in bins, the edges themselves decide */
} adding;

#define EACH_ISA "algo/keys/bins_of.h"
#include "algo/each_isa.h"
#undef EACH_ISA

/* The tables' values together, in their order. */
static void join(const adding *a)
{
    const syc_host_bins *of = a->of;
    const size_t tables = a->parts * a->copies;
    const bool reals = of->weights != NULL && of->weight_order == SYC_HOST_ORDER_FLOAT;
    memset(of->to, 0, of->bins * sizeof(int64_t));
    for (size_t t = 0; t < tables; t++) {
        const char *from = a->tables + t * a->stride * (of->weights != NULL ? sizeof(uint64_t) : sizeof(uint32_t));
        for (size_t k = 0; k < of->bins; k++)
            if (reals)
                ((double *)of->to)[k] += ((const double *)(const void *)from)[k];
            else if (of->weights != NULL)
                ((uint64_t *)of->to)[k] += ((const uint64_t *)(const void *)from)[k];
            else
                ((uint64_t *)of->to)[k] += ((const uint32_t *)(const void *)from)[k];
    }
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

syc_status syc_host_add_keys(const syc_host_bins *of)
{
    const size_t value = of->weights != NULL ? sizeof(uint64_t) : sizeof(uint32_t);
    adding a = {.of = of, .copies = 1, .stride = of->bins + 1};
    void *tables = NULL;
    syc_status status = SYC_OK;
    size_t most = of->count / (BIN * a.stride);
    while (a.copies < COPIES && 2 * a.copies * a.stride * value <= SMALL)
        a.copies *= 2;
    a.parts = of->count / PART < most ? of->count / PART : most;
    a.parts = (a.parts < PARTS ? a.parts : PARTS) + 1;
    if (of->count >> 31 >= a.parts)
        a.parts = (of->count >> 31) + 1; /* as counts of a part have 32 bits */
    if (of->edges != NULL)
        a.slack = slack_of(of);
    SYC_TRY(syc_alloc_array(a.parts * a.copies * a.stride, value, &tables));
    a.tables = tables;
    syc__host_share(a.parts, (double)of->count * 4, SYC_BEST_OF(add), &a);
    join(&a);
done:
    syc_free(tables);
    return status;
}
