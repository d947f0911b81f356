/* Reference counts, and how many objects of each kind are alive: the leak tests read these, in every build. */
#ifndef SYC_BASE_REFCOUNT_H
#define SYC_BASE_REFCOUNT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* Our own objects first, then the OpenCL objects that the core holds references to. */
#define SYC_LIVE_MAP(X)             \
    X(CONTEXT, "context")           \
    X(DEVICE, "device")             \
    X(PROGRAM, "program")           \
    X(BODY, "body")                 \
    X(QUEUE, "queue")               \
    X(COMMAND, "command")           \
    X(FAILURE, "failure")           \
    X(BUFFER, "buffer")             \
    X(USM, "usm")                   \
    X(SAMPLER, "sampler")           \
    X(RECORDING, "recording")       \
    X(CL_CONTEXT, "cl_context")     \
    X(CL_DEVICE, "cl_device_id")    \
    X(CL_QUEUE, "cl_command_queue") \
    X(CL_EVENT, "cl_event")         \
    X(CL_MEM, "cl_mem")             \
    X(CL_PROGRAM, "cl_program")     \
    X(CL_KERNEL, "cl_kernel")       \
    X(CL_SAMPLER, "cl_sampler")     \
    X(SVM, "svm_allocation")

typedef enum syc_live {
#define X(kind, name) SYC_LIVE_##kind,
    SYC_LIVE_MAP(X)
#undef X
        SYC_LIVE_COUNT
} syc_live;

void syc_live_add(syc_live kind, long change);
/* For a kind that changes under one lock only: cheaper. */
void syc_live_set(syc_live kind, long count);
long syc_live_count(syc_live kind);
const char *syc_live_name(syc_live kind);

typedef struct syc_refcount {
    atomic_long count;
} syc_refcount;

static inline void syc_refcount_init(syc_refcount *r)
{
    atomic_init(&r->count, 1);
}

static inline void syc_refcount_retain(syc_refcount *r)
{
    atomic_fetch_add_explicit(&r->count, 1, memory_order_relaxed);
}

/* False: the last reference is gone, and the object is about to be destroyed. For lists that objects leave by
 * themselves, under the lock that they leave them with. */
static inline bool syc_refcount_retain_alive(syc_refcount *r)
{
    long count = atomic_load_explicit(&r->count, memory_order_relaxed);
    while (count > 0)
        if (atomic_compare_exchange_weak(&r->count, &count, count + 1))
            return true;
    return false;
}

/* True for the caller that dropped the last reference and must destroy the object. */
static inline bool syc_refcount_release(syc_refcount *r)
{
    return atomic_fetch_sub_explicit(&r->count, 1, memory_order_acq_rel) == 1;
}

/* For a guess: others may change it at any time. */
static inline long syc_refcount_count(const syc_refcount *r)
{
    return atomic_load_explicit(&r->count, memory_order_relaxed);
}

#endif
