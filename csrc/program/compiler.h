/* Calls of a driver's compiler: on a deep stack, and with nothing written to standard error where its options can keep
 * it from that. Each gives the call's code. Inside the core only. */
#ifndef SYC_PROGRAM_COMPILER_H
#define SYC_PROGRAM_COMPILER_H

#include "cl/context.h"

/* clBuildProgram for one device or, where that is NULL, for all that the program has. */
cl_int syc__native_build(SYC_KEEP const syc_context *context, cl_program native, const cl_device_id *device,
                         const char *options);
/* The same for machine code, which may be the text of an assembly language, as it is. */
cl_int syc__native_assemble(SYC_KEEP const syc_cl_table *cl, cl_program native, const char *options);
/* clCompileProgram for as many devices as the context has. */
cl_int syc__native_compile(SYC_KEEP const syc_context *context, cl_program native, const cl_device_id *devices,
                           const char *options);
/* clLinkProgram for these. Drivers that cannot link give an object with the log, or nothing. */
cl_int syc__native_link(SYC_KEEP const syc_context *context, const cl_device_id *devices, const char *options,
                        SYC_KEEP const cl_program *parts, size_t count, SYC_GIVE cl_program *out);
void syc__native_release(SYC_KEEP const syc_context *context, SYC_TAKE cl_program native); /* NULL is fine */

/* Codes that speak of the options, and those that speak of the text or the options; all others are failures of the
 * machine. */
bool syc__refuses_options(int code);
bool syc__blames_text(int code);

#endif
