/* One type's loops: for any processor, and for those that have vectors of 32 bytes. Integers are the type that says no
 * PART. */
#ifndef PART
#define PART    bits
#define RESULT  uint64_t
#define HAS_NAN 0
#endif

#define EACH_ISA "algo/host/scan_of.h"
#define UP_TO_AVX2
#include "algo/each_isa.h"
#undef UP_TO_AVX2
#undef EACH_ISA

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
