/* Unified shared memory: allocations with one address for the host and the devices of a context.
 *
 * Two providers stand behind one table of operations (provider.h): OpenCL's SVM and Intel's extension. Small
 * allocations come from slabs (usm_pool.c). Where the host may touch an allocation only while it is mapped (coarse
 * SVM), the core maps it for the host and unmaps it for commands: see `syc_usm_hold_host`. */
#ifndef SYC_MEMORY_USM_USM_H
#define SYC_MEMORY_USM_USM_H

#include "base/process.h"
#include "base/refcount.h"
#include "cl/types.h"

typedef struct syc_context syc_context; /* cl/context.h */
typedef struct syc_device syc_device;   /* cl/device.h */

typedef enum syc_usm_kind { SYC_USM_DEVICE, SYC_USM_HOST, SYC_USM_SHARED, SYC_USM_UNKNOWN } syc_usm_kind;

typedef struct syc_usm {
    syc_refcount refs;    /* the user's, one per command that uses it, one per export; 0: no allocation */
    syc_context *context; /* its slab keeps it while anything in there lives */
    syc_device *device;   /* likewise; NULL for host memory */
    syc_usm_kind kind;
    bool coarse; /* the host may touch it only while it is mapped. False for device memory, which it never may */
    char *data;
    size_t bytes, alignment;
    atomic_bool freed;     /* free() was called: no new command may use it */
    atomic_int host_holds; /* host views alive */
    atomic_bool mapped;    /* for the host now; only if coarse */
    struct syc__slab *slab;
    struct syc_usm *next_free; /* in its slab */
    void *binding;             /* python/'s, under the GIL */
} syc_usm;

/* "device", "host", "shared". */
const char *syc_usm_kind_name(syc_usm_kind kind);
/* True if the device can have the kind at all, by its driver's answers. */
syc_status syc_usm_supported(SYC_KEEP const syc_device *device, syc_usm_kind kind, bool *out);
/* 0 bytes is an allocation too: it has an address. `alignment` 0: the default (the widest vector).
 * SYC_E_INVALID_PARAMETER: alignment that is no power of two. SYC_E_FEATURE_NOT_SUPPORTED names device and kind.
 * SYC_E_MEMORY_ALLOCATION. `device` NULL for host memory. */
syc_status syc_usm_create(SYC_KEEP syc_context *context, SYC_KEEP syc_device *device, syc_usm_kind kind, size_t bytes,
                          size_t alignment, SYC_GIVE syc_usm **out);
void syc_usm_retain(syc_usm *usm);
void syc_usm_release(syc_usm *usm); /* NULL is fine. The last one gives the memory back; commands hold theirs */
/* Drops the user's reference, whatever the status: never blocks. SYC_E_INVALID_OBJECT when it was freed before. */
syc_status syc_usm_free(SYC_TAKE syc_usm *usm);

/* The live allocation of `context` that the address lies in (its end excluded; a 0-byte one: its address), retained;
 * NULL if none. */
syc_usm *syc_usm_find(SYC_KEEP const syc_context *context, const void *address);
/* The same in any context. */
syc_usm *syc_usm_find_any(const void *address);

typedef struct syc_usm_statistics {
    size_t live_bytes, live_count, peak_bytes, cached_bytes, limit_bytes;
} syc_usm_statistics;
/* Of one context and kind. limit 0: none. */
syc_usm_statistics syc_usm_statistics_of(SYC_KEEP const syc_context *context, syc_usm_kind kind);
syc_status syc_usm_set_limit(SYC_KEEP syc_context *context, syc_usm_kind kind, size_t bytes);
/* Gives cached memory back to the driver; how much that was. */
size_t syc_usm_trim(SYC_KEEP const syc_context *context);
/* The same for all contexts: at the end of the process, before drivers go. */
size_t syc_usm_trim_all(void);

/* The host may look at it from now on. Where memory must be mapped for that, commands that use it map it again when
 * they end, as long as somebody holds it. May block on the device. SYC_E_INVALID_OBJECT for device memory. */
syc_status syc_usm_hold_host(syc_usm *usm);
void syc_usm_drop_host(syc_usm *usm);
/* The host sees it without another call of OpenCL's. */
bool syc_usm_is_open(SYC_KEEP const syc_usm *usm);
/* A command that uses it maps it again at its end. */
bool syc_usm_is_wanted(SYC_KEEP const syc_usm *usm);

/* -- OpenCL calls, for schedule/ -- */
syc_status syc_usm_set_argument(SYC_KEEP const syc_context *context, cl_kernel kernel, cl_uint index,
                                const void *pointer);
/* Either side may be host memory. The event is counted as live. */
syc_status syc_usm_enqueue_copy(SYC_KEEP const syc_context *context, cl_command_queue queue, void *to, const void *from,
                                size_t bytes, cl_uint after_count, const cl_event *after, SYC_GIVE cl_event *out);
/* `pattern_size` a power of two up to 128. */
syc_status syc_usm_enqueue_fill(SYC_KEEP const syc_context *context, cl_command_queue queue, void *to,
                                const void *pattern, size_t pattern_size, size_t bytes, cl_uint after_count,
                                const cl_event *after, SYC_GIVE cl_event *out);
/* Hints: `*out` stays NULL where the driver has nothing to enqueue for it. */
syc_status syc_usm_enqueue_prefetch(SYC_KEEP const syc_context *context, cl_command_queue queue, const void *address,
                                    size_t bytes, cl_uint after_count, const cl_event *after, SYC_GIVE cl_event *out);
syc_status syc_usm_enqueue_advice(SYC_KEEP const syc_context *context, SYC_KEEP const syc_device *device,
                                  cl_command_queue queue, const void *address, size_t bytes, unsigned advice,
                                  cl_uint after_count, const cl_event *after, SYC_GIVE cl_event *out);
/* Before and after a command's own calls: unmap what the host had mapped; map it again while it is held. Both leave
 * *out NULL when there is nothing to do. */
syc_status syc_usm_enqueue_unmap(syc_usm *usm, cl_command_queue queue, cl_uint after_count, const cl_event *after,
                                 SYC_GIVE cl_event *out);
syc_status syc_usm_enqueue_map(syc_usm *usm, cl_command_queue queue, cl_uint after_count, const cl_event *after,
                               SYC_GIVE cl_event *out);

#endif
