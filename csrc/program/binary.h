/* Programs that come from elsewhere than OpenCL C, and what a built one is on its device. They are bound to one
 * context. The signatures of their kernels come from declarations in OpenCL C that are given with them, or else from
 * the driver, where it tells (SYC_E_INVALID_OBJECT where it does not). */
#ifndef SYC_PROGRAM_BINARY_H
#define SYC_PROGRAM_BINARY_H

#include "program/program.h"

/* Made and built at once, but for the binary of a compiled object, which is a part for syc_program_link. The bytes are
 * copied; `declarations` may be NULL. SYC_E_INVALID_OBJECT: the driver refuses them. */
syc_status syc_program_from_binary(syc_context *context, SYC_KEEP const void *data, size_t size,
                                   SYC_KEEP const char *declarations, SYC_GIVE syc_program **out);
/* SPIR-V. SYC_E_FEATURE_NOT_SUPPORTED: the driver has no entry for it. */
syc_status syc_program_from_il(syc_context *context, SYC_KEEP const void *data, size_t size,
                               SYC_KEEP const char *declarations, SYC_GIVE syc_program **out);
/* Kernels of the devices themselves, ';' between their names. */
syc_status syc_program_from_built_in(syc_context *context, SYC_KEEP const char *names,
                                     SYC_KEEP const char *declarations, SYC_GIVE syc_program **out);

/* The one context where the program can be built, borrowed; NULL: in any. */
syc_context *syc_program_home(SYC_KEEP const syc_program *program);
/* The program as its driver stores it for a device of the build's context. Free with syc_free. */
syc_status syc_build_binary(SYC_KEEP const syc_build *build, SYC_KEEP const syc_device *device, SYC_GIVE char **out,
                            size_t *size);
/* OpenCL C that declares the program's kernels and nothing else, from which the same signatures are read. */
syc_status syc_program_declarations(SYC_KEEP const syc_program *program, SYC_GIVE char **out);

#endif
