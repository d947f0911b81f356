/* Integers of 32 and 64 bits and floating-point numbers. NaN, which is not itself, is the extreme. */
#include "algo/host/folds.h"

#include <math.h>

#define T     int32_t
#define NAME  int
#define SUM   int64_t
#define DOT   uint32_t
#define COUNT uint32_t
#include "algo/host/fold_type.h"

#define T     uint32_t
#define NAME  uint
#define SUM   uint64_t
#define DOT   uint32_t
#define COUNT uint32_t
#include "algo/host/fold_type.h"

#define T     int64_t
#define NAME  long
#define SUM   uint64_t
#define DOT   uint64_t
#define COUNT uint64_t
#include "algo/host/fold_type.h"

#define T     uint64_t
#define NAME  ulong
#define SUM   uint64_t
#define DOT   uint64_t
#define COUNT uint64_t
#include "algo/host/fold_type.h"

#define T             float
#define NAME          float
#define SUM           float
#define PRODUCT       float
#define DOT           float
#define PRODUCT_LANES 32
#define COUNT         uint32_t
#define PART          real
#define RESULT        double
#define WINS(than)    ((than) | (b != b))
#define IS_NUMBER(a)  ((a) == (a))
#define NO_NUMBER     NAN
#include "algo/host/fold_type.h"

#define T             double
#define NAME          double
#define SUM           double
#define PRODUCT       double
#define DOT           double
#define PRODUCT_LANES 32
#define COUNT         uint64_t
#define PART          real
#define RESULT        double
#define WINS(than)    ((than) | (b != b))
#define IS_NUMBER(a)  ((a) == (a))
#define NO_NUMBER     NAN
#include "algo/host/fold_type.h"

const syc__host_folds *syc__host_folds_wide(syc_dtype type)
{
    switch (type) {
    case SYC_INT:
        return SYC_HOST_FOLDS(int);
    case SYC_UINT:
        return SYC_HOST_FOLDS(uint);
    case SYC_LONG:
        return SYC_HOST_FOLDS(long);
    case SYC_ULONG:
        return SYC_HOST_FOLDS(ulong);
    case SYC_FLOAT:
        return SYC_HOST_FOLDS(float);
    case SYC_DOUBLE:
        return SYC_HOST_FOLDS(double);
    default:
        return NULL;
    }
}
