/* Includes the file that EACH_ISA names once for each set of instructions: ISA is the end of its functions' names,
 * TARGET what they are declared with, and VECTORS is defined where that has wide vectors. UP_TO_AVX2 leaves out what
 * comes after that. No guard: each use is another one. */
#define ISA _plain
#define TARGET
#include EACH_ISA
#undef ISA
#undef TARGET

#define VECTORS 1
#ifdef SYC_HOST_AVX2
#define ISA    _avx2
#define TARGET SYC_AVX2
#include EACH_ISA
#undef ISA
#undef TARGET
#endif

#if defined SYC_HOST_AVX512 && !defined UP_TO_AVX2
#define ISA    _avx512
#define TARGET SYC_AVX512
#include EACH_ISA
#undef ISA
#undef TARGET
#endif
#undef VECTORS
