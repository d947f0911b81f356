/* Integers of 32 and 64 bits and floating-point numbers. NaN, which is not itself, is the extreme. */
#include "algo/host/scans.h"

#define T                   int32_t
#define EXTREME(word, u, v) (V) _mm256_##word##_epi32((__m256i)(u), (__m256i)(v))
#define NAME                int
#define SUM                 int32_t
#define WIDE                int64_t
#define HAS_SUMS            0
#define HAS_BITS            0
#include "algo/host/scan_type.h"

#define T                   uint32_t
#define EXTREME(word, u, v) (V) _mm256_##word##_epu32((__m256i)(u), (__m256i)(v))
#define NAME                uint
#define SUM                 uint32_t
#define WIDE                uint64_t
#define HAS_SUMS            1
#define HAS_BITS            1
#include "algo/host/scan_type.h"

#define T                   int64_t
#define EXTREME(word, u, v) (V) syc__host_##word##_epi64((__m256i)(u), (__m256i)(v))
#define NAME                long
#define SUM                 int64_t
#define WIDE                int64_t
#define HAS_SUMS            0
#define HAS_BITS            0
#include "algo/host/scan_type.h"

#define T                   uint64_t
#define EXTREME(word, u, v) (V) syc__host_##word##_epu64((__m256i)(u), (__m256i)(v))
#define NAME                ulong
#define SUM                 uint64_t
#define WIDE                uint64_t
#define HAS_SUMS            1
#define HAS_BITS            1
#include "algo/host/scan_type.h"

#define T                   float
#define EXTREME(word, u, v) (V) _mm256_##word##_ps((__m256)(u), (__m256)(v))
#define NAME                float
#define SUM                 double
#define WIDE                double
#define PART                real
#define RESULT              double
#define HAS_NAN             1
#define HAS_SUMS            1
#define HAS_BITS            0
#include "algo/host/scan_type.h"

#define T                   double
#define EXTREME(word, u, v) (V) _mm256_##word##_pd((__m256d)(u), (__m256d)(v))
#define NAME                double
#define SUM                 double
#define WIDE                double
#define PART                real
#define RESULT              double
#define HAS_NAN             1
#define HAS_SUMS            1
#define HAS_BITS            0
#include "algo/host/scan_type.h"

const syc__host_scans *syc__host_scans_wide(syc_dtype type)
{
    switch (type) {
    case SYC_INT:
        return SYC_HOST_SCANS(int);
    case SYC_UINT:
        return SYC_HOST_SCANS(uint);
    case SYC_LONG:
        return SYC_HOST_SCANS(long);
    case SYC_ULONG:
        return SYC_HOST_SCANS(ulong);
    case SYC_FLOAT:
        return SYC_HOST_SCANS(float);
    case SYC_DOUBLE:
        return SYC_HOST_SCANS(double);
    default:
        return NULL;
    }
}
