/* Mistakes that OpenCL C forbids and not all drivers find: PoCL ends the process over a recursion, and of two
 * attributes of one kind every driver silently takes one. On the size of long long drivers do not agree. Inside the
 * core only. */
#ifndef SYC_SOURCE_LIMITS_H
#define SYC_SOURCE_LIMITS_H

#include "source/declarations/parser.h"
#include "source/declarations/signature.h"

/* Finds the first call that is a recursion, or else a kernel's second attribute of one kind or parameter of long long;
 * leaves `out` as it is where there is neither. Only what every compiler of the text would see counts. */
syc_status syc__limits_check(syc_unit *unit, SYC_GIVE syc_refusal *out);

#endif
