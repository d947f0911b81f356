/* Builds that are told of the built-in functions which the text names, and of no others
 * (library/cures/pocl_built_ins.h). */
#ifndef SYC_PROGRAM_CURES_POCL_SHORT_BUILTINS_H
#define SYC_PROGRAM_CURES_POCL_SHORT_BUILTINS_H

#include "program/recipe.h"

/* Makes a program of the texts and builds it: for one device or, where that is NULL, for all of the context. `user`:
 * what of the texts somebody else has written. Gives NULL where this is no way to build them, or where the compiler has
 * something to say against it: then they must be built with all declarations, whose log is the one to show. */
syc_status syc__build_brief(SYC_KEEP const syc_context *context, SYC_KEEP const struct syc__program_texts *texts,
                            syc_slice user, const cl_device_id *device, const char *options, SYC_GIVE cl_program *out);

#endif
