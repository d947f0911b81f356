/* The cost of a call of a built-in function beyond its tokens. */
#ifndef SYC_SOURCE_CALL_WEIGHT_H
#define SYC_SOURCE_CALL_WEIGHT_H

#include "source/token_stream.h"

/* In the unit of a token, about a nanosecond of the slowest CPU driver; 0 for what costs no more than its tokens. */
size_t syc__call_weight(SYC_KEEP const syc_token *name);

#endif
