/* The private memory that the text of a function asks for. Inside the core only. */
#ifndef SYC_SOURCE_PRIVATE_SIZE_H
#define SYC_SOURCE_PRIVATE_SIZE_H

#include "source/declarations/parser.h"

/* Adds up what the function's own text declares into f->own. What a compiler may leave out, keep in registers, or put
 * elsewhere does not count, nor does what only a compiler knows the size of: it is never too much. */
syc_status syc__private_read(syc_unit *unit, syc_function *f);
/* A called function has its memory beside that of its caller, once for each call: so it is on PoCL, where all calls are
 * put in place. */
void syc__private_add(syc_private *to, SYC_KEEP const syc_private *called);

#endif
