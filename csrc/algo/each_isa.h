/* Includes the file that EACH_ISA names once for each set of instructions: ISA is the end of its functions' names,
 * TARGET what they are declared with. No guard: each use is another one. */
#define ISA _plain
#define TARGET
#include EACH_ISA
#undef ISA
#undef TARGET

#ifdef SYC_HOST_AVX2
#define ISA    _avx2
#define TARGET SYC_AVX2
#include EACH_ISA
#undef ISA
#undef TARGET
#endif

#ifdef SYC_HOST_AVX512
#define ISA    _avx512
#define TARGET SYC_AVX512
#include EACH_ISA
#undef ISA
#undef TARGET
#endif
