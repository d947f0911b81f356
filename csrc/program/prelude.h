/* The device library: texts of kernels/ that stand before a program when it uses one of their names. */
#ifndef SYC_PROGRAM_PRELUDE_H
#define SYC_PROGRAM_PRELUDE_H

#include "base/text.h"
#include "program/tokens.h"

/* Adds to `out` the library texts (*.clh
 * of kernels/) that define any name among the tokens which the text does not define itself, and what those texts need
 * in their turn, each once and in their order. Adds nothing when no name is used: most programs then reach the compiler
 * as they are. The text behind must be introduced by #line. */
syc_status syc__prelude_add(SYC_KEEP const syc_tokens *tokens, syc_text *out);

#endif
