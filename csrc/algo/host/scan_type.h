/* One type's loops: for any processor, and for those that have vectors of 32 bytes. Integers are the type that says no
 * PART. */
#ifndef PART
#define PART    bits
#define RESULT  uint64_t
#define HAS_NAN 0
#endif

#define ISA _plain
#define TARGET
#include "algo/host/scan_of.h"
#undef ISA
#undef TARGET

#ifdef SYC_HOST_AVX2
#define ISA     _avx2
#define TARGET  SYC_AVX2
#define VECTORS 1
#include "algo/host/scan_of.h"
#undef VECTORS
#undef ISA
#undef TARGET
#endif

#undef T
#undef NAME
#undef EXTREME
#undef SUM
#undef WIDE
#undef PART
#undef RESULT
#undef HAS_NAN
#undef HAS_SUMS
#undef HAS_BITS
