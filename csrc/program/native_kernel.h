/* Kernels that were made elsewhere, with the arguments that were set on them. */
#ifndef SYC_PROGRAM_NATIVE_KERNEL_H
#define SYC_PROGRAM_NATIVE_KERNEL_H

#include "cl/context.h"

/* Retains the cl_kernel, which is one of a loaded driver, and gives the context that it belongs to. */
syc_status syc_native_kernel_retain(cl_kernel native, SYC_GIVE syc_context **context);
void syc_native_kernel_release(SYC_KEEP const syc_context *context, cl_kernel native);

#endif
