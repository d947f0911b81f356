/* Where unified shared memory comes from: one table of operations, two providers. A context has one of them: Intel's
 * extension where all its devices have it, else OpenCL's shared virtual memory. */
#ifndef SYC_MEMORY_USM_PROVIDER_H
#define SYC_MEMORY_USM_PROVIDER_H

#include "memory/usm/usm.h"

typedef struct syc_cl_table syc_cl_table; /* cl/entries.h */

/* The events that an enqueued OpenCL call waits for, and the place for its own. */
struct syc__usm_call {
    const syc_cl_table *cl;
    cl_command_queue queue;
    cl_uint after_count;
    const cl_event *after;
    cl_event *out; /* stays NULL where there is nothing to enqueue */
};

struct syc__usm_provider {
    /* The driver's answer; no answer is no support. */
    bool (*has)(const syc_device *device, syc_usm_kind kind);
    /* The host may look at memory of a kind only while it is mapped. */
    bool (*is_coarse)(const syc_context *context, syc_usm_kind kind);
    /* `alignment` at most SYC__USM_WIDEST, `bytes` not 0. NULL and the driver's code, or -4 where it has none. */
    void *(*allocate)(const syc_context *context, const syc_device *device, syc_usm_kind kind, size_t bytes,
                      cl_uint alignment, cl_int *code);
    const char *allocate_names[SYC_USM_UNKNOWN]; /* the entry that it calls for each kind, for messages */
    cl_int (*give_back)(const syc_context *context, void *memory);
    syc_status (*set_argument)(const syc_cl_table *cl, cl_kernel kernel, cl_uint index, const void *pointer);
    syc_status (*copy)(const struct syc__usm_call *call, void *to, const void *from, size_t bytes);
    syc_status (*fill)(const struct syc__usm_call *call, void *to, const void *pattern, size_t pattern_size,
                       size_t bytes);
    syc_status (*prefetch)(const struct syc__usm_call *call, const void *address, size_t bytes);
    syc_status (*advise)(const struct syc__usm_call *call, const void *address, size_t bytes, unsigned advice);
};

/* Entries with the same parameters at both providers. `name` begins the functions' names. */
#define SYC__USM_SAME_CALLS(name, SetArgument, Copy, Fill)                                                           \
    static syc_status name##_set_argument(const syc_cl_table *cl, cl_kernel kernel, cl_uint index,                   \
                                          const void *pointer)                                                       \
    {                                                                                                                \
        syc_status status = SYC_OK;                                                                                  \
        SYC_CL(cl, SetArgument, (kernel, index, pointer));                                                           \
    done:                                                                                                            \
        return status;                                                                                               \
    }                                                                                                                \
    static syc_status name##_copy(const struct syc__usm_call *call, void *to, const void *from, size_t bytes)        \
    {                                                                                                                \
        syc_status status = SYC_OK;                                                                                  \
        SYC_CL(call->cl, Copy, (call->queue, CL_FALSE, to, from, bytes, call->after_count, call->after, call->out)); \
    done:                                                                                                            \
        return status;                                                                                               \
    }                                                                                                                \
    static syc_status name##_fill(const struct syc__usm_call *call, void *to, const void *pattern, size_t size,      \
                                  size_t bytes)                                                                      \
    {                                                                                                                \
        syc_status status = SYC_OK;                                                                                  \
        SYC_CL(call->cl, Fill, (call->queue, to, pattern, size, bytes, call->after_count, call->after, call->out));  \
    done:                                                                                                            \
        return status;                                                                                               \
    }

/* Bytes of the widest type of OpenCL, which is the largest alignment that drivers must know. */
enum { SYC__USM_WIDEST = 128 };

extern const struct syc__usm_provider syc__usm_svm, syc__usm_intel;
const struct syc__usm_provider *syc__usm_provider_of(SYC_KEEP const syc_context *context);

#endif
