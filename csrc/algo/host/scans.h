/* What elements are combined into one after the other, by type: the loops behind scan_axis.c. */
#ifndef SYC_ALGO_HOST_SCANS_H
#define SYC_ALGO_HOST_SCANS_H

#include "algo/host/folds.h"
#include "algo/host/scan_axis.h"

#ifdef SYC_HOST_AVX2
#include <immintrin.h>
/* What 64-bit integers lack of extremes. */
__attribute__((target("avx2"))) static inline __m256i syc__host_max_epi64(__m256i u, __m256i v)
{
    return _mm256_blendv_epi8(v, u, _mm256_cmpgt_epi64(u, v));
}
__attribute__((target("avx2"))) static inline __m256i syc__host_min_epi64(__m256i u, __m256i v)
{
    return _mm256_blendv_epi8(u, v, _mm256_cmpgt_epi64(u, v));
}
__attribute__((target("avx2"))) static inline __m256i syc__host_above_epu64(__m256i u, __m256i v)
{
    const __m256i top = _mm256_set1_epi64x(INT64_MIN);
    return _mm256_cmpgt_epi64(_mm256_xor_si256(u, top), _mm256_xor_si256(v, top));
}
__attribute__((target("avx2"))) static inline __m256i syc__host_max_epu64(__m256i u, __m256i v)
{
    return _mm256_blendv_epi8(v, u, syc__host_above_epu64(u, v));
}
__attribute__((target("avx2"))) static inline __m256i syc__host_min_epu64(__m256i u, __m256i v)
{
    return _mm256_blendv_epi8(u, v, syc__host_above_epu64(u, v));
}
#define SYC_HOST_SCANS(name) (__builtin_cpu_supports("avx2") ? &scans_##name##_avx2 : &scans_##name##_plain)
#else
#define SYC_HOST_SCANS(name) (&scans_##name##_plain)
#endif

/* Elements of one loop do not depend on each other, though results may lie in their places. */
#ifdef __clang__
#define SYC_HOST_APART _Pragma("clang loop vectorize(assume_safety)")
#else
#define SYC_HOST_APART _Pragma("GCC ivdep")
#endif

/* `count` elements that lie one behind the other, to results that do. `all` is what is before the first one, and then
 * what the last one has. */
typedef void syc__host_scan_run(const void *first, size_t count, syc__host_part *all, void *to);
/* Rows, to rows that are `step` bytes apart: for each column a number of what is before it, as `begin` makes them. */
typedef void syc__host_scan_rows(const syc__host_rows *of, bool exclusive, void *all, ptrdiff_t step, void *to);

typedef struct syc__host_scans {
    syc__host_scan_run *runs[SYC_HOST_SCAN_OP_COUNT];  /* NULL: the type has it not, */
    syc__host_scan_rows *rows[SYC_HOST_SCAN_OP_COUNT]; /* or it is that of the unsigned type */
    void (*begin)(syc_host_scan_op op, syc__host_part value, size_t count, void *all); /* with 8 bytes for each */
    void (*widen)(const void *first, size_t count, void *to); /* to 64 bits; NULL: it has them */
} syc__host_scans;

/* Of a type, for the processor that this runs on; NULL: there are none. */
const syc__host_scans *syc__host_scans_of(syc_dtype type);
const syc__host_scans *syc__host_scans_narrow(syc_dtype type); /* BOOL, as bytes, and integers of 8 and 16 bits */
const syc__host_scans *syc__host_scans_wide(syc_dtype type);   /* those of 32 and 64 bits */

#endif
