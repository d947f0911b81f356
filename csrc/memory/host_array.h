/* A piece of the host's memory as a kernel argument: where it lies, how it is laid out, and whether the kernel may
 * write. */
#ifndef SYC_MEMORY_HOST_ARRAY_H
#define SYC_MEMORY_HOST_ARRAY_H

#include "base/process.h"
#include "cl/types.h"

typedef struct syc_context syc_context; /* cl/context.h */
typedef struct syc_facts syc_facts;     /* cl/facts.h */

#define SYC_MAX_RANK 32

typedef struct syc_host_array {
    char *data;       /* first element in index order */
    size_t bytes;     /* of all elements packed; 0 for an empty array */
    bool writable;    /* the kernel may write: the memory is copied back where it was copied in */
    size_t alignment; /* that the kernel's element type needs */
    /* Layout; rank 0 or C-contiguous arrays have packed = true and need none of it. */
    bool packed;
    int rank;
    size_t item_size;
    const ptrdiff_t *shape, *strides; /* owned by whoever pins the array, alive as long as the command */
} syc_host_array;

/* A span bound to a context: the cl_mem that stands for it, and what must be copied when. */
typedef struct syc_binding {
    syc_host_array span;
    cl_mem memory;
    char *staging; /* packed, aligned copy; NULL when the array itself is used */
    bool transfer; /* the device does not share host memory: write before, read after */
} syc_binding;

/* Makes the cl_mem, packing the array into staging memory where its layout or alignment demands it. Does not block on
 * the device. */
syc_status syc_binding_create(SYC_KEEP syc_context *context, const syc_facts *facts, const syc_host_array *span,
                              SYC_GIVE syc_binding *out);
/* True if the array would be packed into staging memory: its contents are read by the host when it is bound. */
bool syc_host_array_is_staged(SYC_KEEP const syc_facts *facts, SYC_KEEP const syc_host_array *span);
/* Copies staged results back into the array: after the command, before its dependents. */
void syc_binding_finish(syc_binding *binding);
void syc_binding_clear(SYC_KEEP syc_context *context, syc_binding *binding);

/* Bytes moved since the start, for sycl.statistics(): nothing is copied unseen. */
typedef struct syc_traffic {
    uint64_t staged_arrays, staged_bytes; /* hidden packed copies */
    uint64_t to_device_bytes, from_device_bytes;
} syc_traffic;
void syc_traffic_add(const syc_traffic *change);
syc_traffic syc_traffic_total(void);

/* False if no byte of one is a byte of the other. May be true of arrays that only come close to each other, when
 * neither is a regular view of the other's array. */
bool syc_host_arrays_overlap(SYC_KEEP const syc_host_array *a, SYC_KEEP const syc_host_array *b);

/* The same bytes in the same layout. */
bool syc_host_arrays_same(SYC_KEEP const syc_host_array *a, SYC_KEEP const syc_host_array *b);

/* The half-open byte range of addresses that the span's elements lie in. */
void syc_host_array_extent(const syc_host_array *span, uintptr_t *low, uintptr_t *high);

#endif
