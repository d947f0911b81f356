/* Contexts and tenants end in threads of their own, either of them first. Whoever takes a tenant out of the list ends
 * it, and the other one waits for that: `end` runs without the lock, since it asks drivers to let go of things. */
#include "cl/tenant.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all lists, and all `leaving` */
static pthread_cond_t left = PTHREAD_COND_INITIALIZER;

void syc_context_admit(syc_context *context, syc_tenant *tenant)
{
    pthread_mutex_lock(&lock);
    tenant->next = context->tenants;
    context->tenants = tenant;
    atomic_store_explicit(&tenant->context, context, memory_order_release);
    pthread_mutex_unlock(&lock);
}

/* The context is there until nothing is leaving it. */
static void end_locked(syc_context *context, syc_tenant *tenant)
{
    syc_tenant **at = &context->tenants;
    while (*at != tenant)
        at = &(*at)->next;
    *at = tenant->next;
    tenant->leaving = true;
    context->leaving++;
    pthread_mutex_unlock(&lock);
    tenant->end(tenant);
    pthread_mutex_lock(&lock);
    context->leaving--;
    tenant->leaving = false;
    atomic_store_explicit(&tenant->context, NULL, memory_order_release);
    pthread_cond_broadcast(&left);
}

void syc_tenant_dismiss(syc_tenant *tenant)
{
    syc_context *context;

    pthread_mutex_lock(&lock);
    while (tenant->leaving)
        pthread_cond_wait(&left, &lock);
    context = atomic_load_explicit(&tenant->context, memory_order_relaxed);
    if (context != NULL)
        end_locked(context, tenant);
    pthread_mutex_unlock(&lock);
}

void syc__tenants_end(syc_context *context)
{
    pthread_mutex_lock(&lock);
    while (context->tenants != NULL)
        end_locked(context, context->tenants);
    while (context->leaving > 0)
        pthread_cond_wait(&left, &lock);
    pthread_mutex_unlock(&lock);
}
