/* Integers of 8 and 16 bits; bool is read as bytes. */
#include "algo/host/scans.h"

#define T                   int8_t
#define EXTREME(word, u, v) (V) _mm256_##word##_epi8((__m256i)(u), (__m256i)(v))
#define NAME                char
#define SUM                 int8_t
#define WIDE                int64_t
#define HAS_SUMS            0
#define HAS_BITS            0
#include "algo/host/scan_type.h"

#define T                   uint8_t
#define EXTREME(word, u, v) (V) _mm256_##word##_epu8((__m256i)(u), (__m256i)(v))
#define NAME                uchar
#define SUM                 uint8_t
#define WIDE                uint64_t
#define HAS_SUMS            1
#define HAS_BITS            1
#include "algo/host/scan_type.h"

#define T                   int16_t
#define EXTREME(word, u, v) (V) _mm256_##word##_epi16((__m256i)(u), (__m256i)(v))
#define NAME                short
#define SUM                 int16_t
#define WIDE                int64_t
#define HAS_SUMS            0
#define HAS_BITS            0
#include "algo/host/scan_type.h"

#define T                   uint16_t
#define EXTREME(word, u, v) (V) _mm256_##word##_epu16((__m256i)(u), (__m256i)(v))
#define NAME                ushort
#define SUM                 uint16_t
#define WIDE                uint64_t
#define HAS_SUMS            1
#define HAS_BITS            1
#include "algo/host/scan_type.h"

const syc__host_scans *syc__host_scans_narrow(syc_dtype type)
{
    switch (type) {
    case SYC_CHAR:
        return SYC_HOST_SCANS(char);
    case SYC_BOOL:
    case SYC_UCHAR:
        return SYC_HOST_SCANS(uchar);
    case SYC_SHORT:
        return SYC_HOST_SCANS(short);
    case SYC_USHORT:
        return SYC_HOST_SCANS(ushort);
    default:
        return NULL;
    }
}
