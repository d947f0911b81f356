/* Where a body's text can take nothing but a whole number. */
#ifndef SYC_SOURCE_INTEGER_USE_H
#define SYC_SOURCE_INTEGER_USE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* For each of the names: does it stand, anywhere in the OpenCL C text, inside [...], in the head of a for loop, or
 * beside one of % & | ^ << >> ~? Any thread; no state. */
syc_status syc_integer_use(SYC_KEEP const char *text, SYC_KEEP const char *const *names, size_t count, bool *out);

#endif
