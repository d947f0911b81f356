/* A sampler: how an image is read. Its native object is made per context, when first used there. */
#ifndef SYC_MEMORY_SAMPLER_H
#define SYC_MEMORY_SAMPLER_H

#include "base/status.h"
#include "cl/types.h"

typedef struct syc_context syc_context; /* cl/context.h */

typedef struct syc_sampler syc_sampler;

typedef struct syc_sampler_modes {
    bool normalized;
    cl_uint addressing, filtering; /* OpenCL's codes */
} syc_sampler_modes;

/* SYC_E_INVALID_PARAMETER: repeating addressing without normalized coordinates (H444), or a code that is none. */
syc_status syc_sampler_create(syc_sampler_modes modes, SYC_GIVE syc_sampler **out);
/* Retains the native object. SYC_E_INVALID_OBJECT: not a sampler of that context. */
syc_status syc_sampler_from_native(cl_sampler native, SYC_KEEP syc_context *context, SYC_GIVE syc_sampler **out);
void syc_sampler_retain(syc_sampler *sampler);
void syc_sampler_release(syc_sampler *sampler); /* NULL is fine */
syc_sampler_modes syc_sampler_modes_of(SYC_KEEP const syc_sampler *sampler);
/* Borrowed, as long as the sampler lives. SYC_E_FEATURE_NOT_SUPPORTED: no device of the context has images. Any thread.
 */
syc_status syc_sampler_native(syc_sampler *sampler, SYC_KEEP syc_context *context, cl_sampler *out);

#endif
