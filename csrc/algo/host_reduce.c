/* Few elements on the calling thread. Measured on PoCL 3.0: a launch and what Python does for it take some 30 us, in
 * which one thread reads more than 256 KiB. */
#include "algo/host_reduce.h"

/* At -O2 GCC makes no vectors of loops like these, and none of comparisons while somebody might look at the flags of
 * floating-point exceptions. */
#if defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#pragma GCC optimize("O3", "no-trapping-math")
#endif

enum { LANES = 16, BLOCK = 64 };

/* Integers are kept modulo 2^64; a value is converted to both, and the type says which counts. */
#define SET(t, value)                                          \
    do {                                                       \
        out->type = (t);                                       \
        if (out->type == SYC_FLOAT || out->type == SYC_DOUBLE) \
            out->real = (double)(value);                       \
        else                                                   \
            out->bits = (uint64_t)(value);                     \
    } while (0)

#define T      int8_t
#define A      uint64_t
#define NAME   char
#define MEAN   double
#define RESULT SYC_CHAR
#define WIDE   SYC_LONG
#include "algo/host_reduce_of.h"

#define T      uint8_t
#define A      uint64_t
#define NAME   uchar
#define MEAN   double
#define RESULT SYC_UCHAR
#define WIDE   SYC_ULONG
#include "algo/host_reduce_of.h"

#define T      int16_t
#define A      uint64_t
#define NAME   short
#define MEAN   double
#define RESULT SYC_SHORT
#define WIDE   SYC_LONG
#include "algo/host_reduce_of.h"

#define T      uint16_t
#define A      uint64_t
#define NAME   ushort
#define MEAN   double
#define RESULT SYC_USHORT
#define WIDE   SYC_ULONG
#include "algo/host_reduce_of.h"

#define T      int32_t
#define A      uint64_t
#define NAME   int
#define MEAN   double
#define RESULT SYC_INT
#define WIDE   SYC_LONG
#include "algo/host_reduce_of.h"

#define T      uint32_t
#define A      uint64_t
#define NAME   uint
#define MEAN   double
#define RESULT SYC_UINT
#define WIDE   SYC_ULONG
#include "algo/host_reduce_of.h"

#define T      int64_t
#define A      uint64_t
#define NAME   long
#define MEAN   double
#define RESULT SYC_LONG
#define WIDE   SYC_LONG
#include "algo/host_reduce_of.h"

#define T      uint64_t
#define A      uint64_t
#define NAME   ulong
#define MEAN   double
#define RESULT SYC_ULONG
#define WIDE   SYC_ULONG
#include "algo/host_reduce_of.h"

#define T      float
#define A      float
#define NAME   float
#define MEAN   float
#define RESULT SYC_FLOAT
#define WIDE   SYC_FLOAT
#include "algo/host_reduce_of.h"

#define T      double
#define A      double
#define NAME   double
#define MEAN   double
#define RESULT SYC_DOUBLE
#define WIDE   SYC_DOUBLE
#include "algo/host_reduce_of.h"

typedef void reducer(syc_host_op op, const char *at, size_t count, ptrdiff_t step, syc_host_value *out);

/* bool is read as bytes. */
static reducer *const reducers[SYC_DTYPE_COUNT] = {
    [SYC_BOOL] = reduce_uchar,    [SYC_CHAR] = reduce_char,   [SYC_UCHAR] = reduce_uchar,   [SYC_SHORT] = reduce_short,
    [SYC_USHORT] = reduce_ushort, [SYC_INT] = reduce_int,     [SYC_UINT] = reduce_uint,     [SYC_LONG] = reduce_long,
    [SYC_ULONG] = reduce_ulong,   [SYC_FLOAT] = reduce_float, [SYC_DOUBLE] = reduce_double,
};

bool syc_host_reduce(syc_host_op op, syc_dtype type, const void *first, size_t count, ptrdiff_t step,
                     syc_host_value *out)
{
    if (reducers[type] == NULL || count == 0)
        return false;
    *out = (syc_host_value){.type = type};
    reducers[type](op, first, count, step, out);
    if (type == SYC_BOOL && out->type == SYC_UCHAR)
        out->type = SYC_BOOL;
    else if (type == SYC_BOOL && out->type == SYC_ULONG)
        out->type = SYC_LONG;
    return true;
}
