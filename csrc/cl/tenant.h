/* Guests of a context, which end with it and do not keep it: the builds of programs that live on. */
#ifndef SYC_CL_TENANT_H
#define SYC_CL_TENANT_H

#include "cl/context.h"

#include <stdatomic.h>
#include <stdbool.h>

/* A member of what ends. Zeroed, it is in no context. */
struct syc_tenant {
    struct syc_tenant *next;
    _Atomic(syc_context *) context;         /* NULL: it is in none, or has ended */
    void (*end)(struct syc_tenant *tenant); /* lets go of all that it has in the context; no lock is held */
    bool leaving;                           /* `end` is under way */
};

/* It ends with the context, if not before. The caller holds the context. */
void syc_context_admit(syc_context *context, syc_tenant *tenant);
/* Ends it now, if it has not ended; if it is ending, when that is over. Nothing of it is touched afterwards. */
void syc_tenant_dismiss(syc_tenant *tenant);
/* A holder of the context sees whether the tenant is in it, without a lock. */
static inline bool syc_tenant_is_in(SYC_KEEP const syc_tenant *tenant, SYC_KEEP const syc_context *context)
{
    return atomic_load_explicit(&tenant->context, memory_order_acquire) == context;
}

/* -- within cl/ -- */

/* Ends all of them. Nobody holds the context any more. */
void syc__tenants_end(syc_context *context);

#endif
