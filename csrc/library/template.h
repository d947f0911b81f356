/* Device code that kernels are put together from: the macros of kernels/forms/, written out into a text. The core
 * writes declarations and the order of steps; each loop and expression stands there, as OpenCL C. Compilers, readers of
 * signatures, messages and cures see one plain text without such macros. */
#ifndef SYC_LIBRARY_TEMPLATE_H
#define SYC_LIBRARY_TEMPLATE_H

#include "base/status.h"
#include "base/text.h"

/* Adds the text; in place of each call of a macro of kernels/forms/, "SYC_REDUCTION_LEAVE(total, syc_group, x)", what
 * it stands for with these arguments. All other words stay as they are. */
void syc_template_add(syc_text *out, SYC_KEEP const char *text);

#endif
