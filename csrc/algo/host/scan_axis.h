/* Scans of few elements along a dimension, on the calling thread. */
#ifndef SYC_ALGO_HOST_SCAN_AXIS_H
#define SYC_ALGO_HOST_SCAN_AXIS_H

#include "algo/host/operand.h"
#include "base/status.h"

typedef enum syc_host_scan_op {
    SYC_HOST_SCAN_SUM,
    SYC_HOST_SCAN_PROD,
    SYC_HOST_SCAN_MIN,
    SYC_HOST_SCAN_MAX,
    SYC_HOST_SCAN_AND,
    SYC_HOST_SCAN_OR,
    SYC_HOST_SCAN_XOR,
    SYC_HOST_SCAN_OP_COUNT
} syc_host_scan_op;

/* Elements are combined from the first of the dimension on, or in reverse from the last one. An exclusive scan gives
 * what is before an element, which is the initial value or what combines to nothing before the first. */
typedef struct syc_host_scan {
    syc_host_scan_op op;
    unsigned axis;
    bool exclusive, reverse, has_initial;
    syc_host_value initial; /* of the type of the results */
} syc_host_scan;

/* The type of NumPy's results of an operation on elements of a type. */
syc_dtype syc_host_scan_result(syc_host_scan_op op, syc_dtype type);
/* Is it for here, and quicker than a launch? Results are of the elements' type, or of 64 bits and the same kind. They
 * go to `first` of `results`, apart from the elements or in their places. */
bool syc_host_scan_pays(SYC_KEEP const syc_host_scan *scan, SYC_KEEP const syc_host_operand *array,
                        SYC_KEEP const syc_host_operand *results);
/* As NumPy's accumulate() does it: integers wrap, NaN is the extreme from the first one on, products of floating-point
 * numbers are rounded one after the other. Sums of floating-point numbers are put together of vectors of 32
 * bytes, those of rows and of other processors one after the other, with a carry in double precision; where the memory
 * lies makes no difference. false: it is not for here, and nothing is done. Never blocks; any thread. */
bool syc_host_scan_axis(SYC_KEEP const syc_host_scan *scan, SYC_KEEP const syc_host_operand *array,
                        SYC_KEEP const syc_host_operand *results, void *out);

#endif
