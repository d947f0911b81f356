/* Loops of the calling thread that are compiled several times, for processors with wider vectors too. */
#ifndef SYC_ALGO_ISA_H
#define SYC_ALGO_ISA_H

/* At -O2 GCC makes no vectors of such loops, and none of comparisons while somebody might look at the flags of
 * floating-point exceptions. Products and sums are rounded apart, whatever the processor has, so that results are one.
 */
#if defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#pragma GCC optimize("O3", "no-trapping-math", "fp-contract=off")
#endif

#if defined(__x86_64__) && defined(__GNUC__)
#define SYC_HOST_AVX2
#define SYC_AVX2 __attribute__((target("avx2")))
#if !defined(__clang__)
#define SYC_HOST_AVX512
#define SYC_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")))
#endif
#endif

/* The variant of a name that the processor can do. */
#if defined(SYC_HOST_AVX512)
#define SYC_BEST_OF(name)                                                                                           \
    (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") \
         ? name##_avx512                                                                                            \
     : __builtin_cpu_supports("avx2") ? name##_avx2                                                                 \
                                      : name##_plain)
#elif defined(SYC_HOST_AVX2)
#define SYC_BEST_OF(name) (__builtin_cpu_supports("avx2") ? name##_avx2 : name##_plain)
#else
#define SYC_BEST_OF(name) name##_plain
#endif

#endif
