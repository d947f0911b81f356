/* Declarations of kernels in OpenCL C: made from signatures, or from what a driver tells of a built program. Their
 * bodies say no more than which types the kernel needs. Inside the core only. */
#ifndef SYC_PROGRAM_DECLARE_H
#define SYC_PROGRAM_DECLARE_H

#include "base/text.h"
#include "cl/context.h"
#include "source/declarations/signature.h"

void syc__declare(SYC_KEEP const syc_signature *kernel, syc_text *out);
/* Of the kernels of a built native program; `names` are theirs with ';' between, or NULL to ask the driver.
 * SYC_E_INVALID_OBJECT: it does not tell the arguments of one. */
syc_status syc__declare_natives(SYC_KEEP const syc_context *context, cl_program native, SYC_KEEP const char *names,
                                syc_text *out);

#endif
