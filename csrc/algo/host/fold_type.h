/* One type's loops: for any processor, for those that have vectors of 32 bytes and comparisons of 64-bit integers, and
 * for those with vectors of 64 bytes. All have the same lanes, and so the same results. Integers are the type that says
 * no PART. */
#ifndef PART
#define PRODUCT       uint64_t
#define PRODUCT_LANES 4
#define PART          bits
#define RESULT        uint64_t
#define WINS(than)    (than)
#define IS_NUMBER(a)  1
#define NO_NUMBER     0
#endif

#define EACH_ISA "algo/host/fold_of.h"
#include "algo/each_isa.h"
#undef EACH_ISA

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
