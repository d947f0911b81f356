/* Integers of 8 and 16 bits, of which 32 bits hold the sum of 1024; bool is read as bytes. Their products are wrapped
 * in an unsigned type that C does not make a signed one of. */
#include "algo/host/folds.h"

#define T     int8_t
#define NAME  char
#define SUM   int32_t
#define DOT   uint8_t
#define COUNT uint8_t
#include "algo/host/fold_type.h"

#define T     uint8_t
#define NAME  uchar
#define SUM   uint32_t
#define DOT   uint8_t
#define COUNT uint8_t
#include "algo/host/fold_type.h"

#define T     int16_t
#define NAME  short
#define SUM   int32_t
#define DOT   uint32_t
#define COUNT uint16_t
#include "algo/host/fold_type.h"

#define T     uint16_t
#define NAME  ushort
#define SUM   uint32_t
#define DOT   uint32_t
#define COUNT uint16_t
#include "algo/host/fold_type.h"

const syc__host_folds *syc__host_folds_narrow(syc_dtype type)
{
    switch (type) {
    case SYC_CHAR:
        return SYC_HOST_FOLDS(char);
    case SYC_BOOL:
    case SYC_UCHAR:
        return SYC_HOST_FOLDS(uchar);
    case SYC_SHORT:
        return SYC_HOST_FOLDS(short);
    case SYC_USHORT:
        return SYC_HOST_FOLDS(ushort);
    default:
        return NULL;
    }
}
