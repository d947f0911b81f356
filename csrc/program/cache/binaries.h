/* A program's binaries: asked of the driver, and made into a program again. */
#ifndef SYC_PROGRAM_CACHE_BINARIES_H
#define SYC_PROGRAM_CACHE_BINARIES_H

#include "cl/context.h"
#include "program/cache/entry.h"

/* The OpenCL devices of a context, lanes and all, in an order that follows from the context. */
typedef struct syc__natives {
    cl_device_id ids[SYC__PARTS / 2];
    size_t count; /* 0: more than there is room for */
} syc__natives;

syc__natives syc__natives_of(SYC_KEEP const syc_context *context);

/* One binary per device, each in memory of its own (syc_free), into out[0..natives->count). False: there are none, or
 * not for all; then `out` is untouched. */
bool syc__binaries_take(SYC_KEEP const syc_cl_table *cl, cl_program program, SYC_KEEP const syc__natives *natives,
                        syc__part *out);
/* A built program, or NULL: the driver does not want them. */
cl_program syc__binaries_build(SYC_KEEP const syc_context *context, SYC_KEEP const syc__natives *natives,
                               SYC_KEEP const syc__part *binaries, const char *options);

/* Some binaries name a folder in the driver's own cache that they are unpacked to: `first` is how such names begin
 * (facts.h). Gives each binary a name that nobody else has; false where one names no such folder. */
bool syc__binaries_rename(syc__part *binaries, size_t count, const char *first);

#endif
