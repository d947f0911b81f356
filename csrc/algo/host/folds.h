/* What a block of elements is combined into, by type: the loops behind host_reduce.c, which puts blocks together. */
#ifndef SYC_ALGO_HOST_FOLDS_H
#define SYC_ALGO_HOST_FOLDS_H

#include "algo/isa.h"
#include "base/dtype.h"

#include <stdint.h>
#include <string.h>

/* Vectors of 64 bytes against 32, 2^18 elements on a Sapphire Rapids, us: max of int8 9.8 and 5.2, of float 25 and 18;
 * sums of int32 29 and 21, products 97 and 74. */
#define SYC_HOST_FOLDS(name) SYC_BEST_OF(&folds_##name)

/* Elements of a block: few enough that narrow sums of narrow integers hold them. Extremes need no such bound where
 * elements lie one behind the other, and lanes become one as seldom as that. */
enum { SYC_HOST_BLOCK = 1024, SYC_HOST_LONG_BLOCK = 8 * SYC_HOST_BLOCK };

/* Rows whose sums are brought together: few enough for the numbers of the narrowest integers, and for floats. */
enum { SYC_HOST_ROWS = 64 };

/* Rows of at most SYC_HOST_BLOCK elements, each `step` bytes behind the one before. */
typedef struct syc__host_rows {
    const void *first;
    ptrdiff_t step;
    size_t rows, count;
} syc__host_rows;

/* Of integers `bits`, modulo 2^64 and sign-extended; of floating-point numbers `real`. */
typedef union syc__host_part {
    uint64_t bits;
    double real;
} syc__host_part;

typedef syc__host_part syc__host_fold(const void *first, size_t count);

/* All read `count` elements from 1 on, one behind the other; nonzero and convert at most SYC_HOST_BLOCK. */
typedef struct syc__host_folds {
    syc__host_fold *sum, *prod;   /* by blocks, of which floating-point ones meet in double precision */
    syc__host_fold *least, *most; /* NaN where there is one */
    syc__host_part (*products)(const void *first, const void *second, size_t count); /* their sum */
    void (*sums)(const syc__host_rows *of, syc__host_part *to);                      /* of each row, which is a block */
    size_t (*nonzero)(const void *first, size_t count);
    size_t (*place)(const void *first, size_t count, syc__host_part value); /* the first that is it, or `count` */
    /* The elements in double precision, less a number. */
    void (*convert)(const void *first, size_t count, double center, double *out);
    /* The others are over rows: for each column a value, that the elements of the column are added to, or the squares
     * of what they are more than a center, or how many of them are not zero; */
    void (*add)(const syc__host_rows *of, syc__host_part *to);
    void (*add_reals)(const syc__host_rows *of, double *to);
    void (*add_squares)(const syc__host_rows *of, const double *centers, double *to);
    void (*count)(const syc__host_rows *of, syc__host_part *to);
    /* that becomes the extreme, of the elements' type; and the number of the first row that has it, where a call's
     * first row has the number `from`, and earlier calls' rows had smaller ones. */
    void (*lower)(const syc__host_rows *of, void *to);
    void (*raise)(const syc__host_rows *of, void *to);
    void (*place_least)(const syc__host_rows *of, size_t from, void *extremes, syc__host_part *to);
    void (*place_most)(const syc__host_rows *of, size_t from, void *extremes, syc__host_part *to);
} syc__host_folds;

/* Which a type has; NULL: none. */
const syc__host_folds *syc__host_folds_of(syc_dtype type);
/* Of a type, for the processor that this runs on; NULL: there are none. */
const syc__host_folds *syc__host_folds_narrow(syc_dtype type); /* BOOL, as bytes, and integers of 8 and 16 bits */
const syc__host_folds *syc__host_folds_wide(syc_dtype type);   /* those of 32 and 64 bits */

#endif
