/* A context: devices of one platform that share memory objects and programs. */
#ifndef SYC_CL_CONTEXT_H
#define SYC_CL_CONTEXT_H

#include "cl/device.h"

typedef struct syc_tenant syc_tenant;
typedef struct syc_cl_table syc_cl_table; /* cl/entries.h */

typedef struct syc_context {
    syc_refcount refs;
    syc_platform *platform;
    const syc_cl_table *cl; /* the driver's */
    cl_context native;
    syc_device **devices; /* retained */
    size_t device_count;
    syc_keep attached;   /* memory/usm/usm.c's, under its lock: let go of before the native context */
    syc_tenant *tenants; /* what ends with it (tenant.h), and how many are ending: under the lock of tenant.c */
    size_t leaving;
    bool lasts; /* the default one of a device: it is kept for ever */
} syc_context;

/* All devices must be of one platform (SYC_E_INVALID_PARAMETER names the two). Both lanes of each device go in. */
syc_status syc_context_create(syc_device *const *devices, size_t count, SYC_GIVE syc_context **out);
/* The context shared by all queues that were given a root device and no context. Made on first use; released by
 * syc_contexts_close. */
syc_status syc_context_default(syc_device *device, SYC_GIVE syc_context **out);
syc_status syc_context_from_native(cl_context native, SYC_GIVE syc_context **out); /* retains */
void syc_context_retain(syc_context *context);
void syc_context_release(syc_context *context); /* NULL is fine; the last one ends its builds */
bool syc_context_has(SYC_KEEP const syc_context *context, SYC_KEEP const syc_device *device);
/* Drops the default contexts: at interpreter exit, after the drain. */
void syc_contexts_close(void);

static inline const syc_cl_table *syc_context_cl(const syc_context *context)
{
    return context->cl;
}

#endif
