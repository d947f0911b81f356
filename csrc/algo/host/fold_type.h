/* One type's loops: for any processor, and for those that have vectors of 32 bytes and comparisons of 64-bit integers.
 */
#define ISA _plain
#define TARGET
#include "algo/host/fold_of.h"
#undef ISA
#undef TARGET

#ifdef SYC_HOST_AVX2
#define ISA    _avx2
#define TARGET __attribute__((target("avx2")))
#include "algo/host/fold_of.h"
#undef ISA
#undef TARGET
#endif

#undef T
#undef NAME
#undef SUM
#undef PRODUCT
#undef PRODUCT_LANES
#undef DOT
#undef COUNT
#undef PART
#undef RESULT
#undef WINS
#undef IS_NUMBER
#undef NO_NUMBER
