/* How a scan of an array along a dimension goes over its memory, on the calling thread. */
#ifndef SYC_ALGO_HOST_SCAN_WALK_H
#define SYC_ALGO_HOST_SCAN_WALK_H

#include "algo/host/dims.h"
#include "algo/host/scans.h"

typedef struct syc__scan_walk {
    syc_host_scan_op op, begins; /* and one whose carry is of the results' type */
    bool exclusive;
    size_t size, out_size; /* of elements and results */
    const syc__host_scans *loops;
    syc__host_scan_run *scan;
    syc__host_scan_rows *rows;
    void (*widen)(const void *first, size_t count, void *to); /* NULL: the elements are of the results' type */
    ptrdiff_t from, to;                                       /* where the first run's first element is, in bytes */
    syc__host_dim run;
    syc__host_dim lanes; /* runs that are made together, of rows of elements; size 0: each by itself */
    syc__host_dim kept[SYC_HOST_DIMS];
    unsigned count; /* of `kept`, the other dimensions */
    size_t runs;    /* how many indices they have */
    double ns;      /* what all of it takes, estimated */
} syc__scan_walk;

/* false: it is not for the calling thread, whatever it takes: of these types, of results that lie in each other's place
 * or in another element's. */
bool syc__scan_walk_begin(SYC_KEEP const syc_host_scan *scan, SYC_KEEP const syc_host_operand *array,
                          SYC_KEEP const syc_host_operand *results, syc__scan_walk *out);

#endif
