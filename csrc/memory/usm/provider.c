/* Kinds of unified shared memory, and which provider a context has them from. */
#include "memory/usm/provider.h"

#include "cl/context.h"

const char *syc_usm_kind_name(syc_usm_kind kind)
{
    static const char *const names[] = {"device", "host", "shared", "unknown"};
    return names[kind];
}

const struct syc__usm_provider *syc__usm_provider_of(const syc_context *context)
{
    for (size_t i = 0; i < context->device_count; i++) {
        if (!context->devices[i]->intel_usm)
            return &syc__usm_svm;
    }
    return &syc__usm_intel;
}
