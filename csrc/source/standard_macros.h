/* The macros that OpenCL C has: their names can be no argument's and no member's. */
#ifndef SYC_SOURCE_STANDARD_MACROS_H
#define SYC_SOURCE_STANDARD_MACROS_H

#include "base/status.h"

#include <stdbool.h>

/* M_PI, FLT_MAX_F, CLK_LOCAL_MEM_FENCE, INT_MAX, __LINE__ and their like, in every version. */
bool syc__is_standard_macro(SYC_KEEP const char *name);

#endif
