/* Platforms and devices as SYCL sees them.
 *
 * One SYCL device may own two OpenCL devices of one platform that compute on the same hardware: the *pool* lane (always
 * there) and the *caller* lane, which runs a launch on the calling thread (PoCL's `basic`). Both live in every context
 * of the device. No event edge may ever cross the two lanes (it hangs in PoCL): schedule/ sees to that. */
#ifndef SYC_CL_DEVICE_H
#define SYC_CL_DEVICE_H

#include "base/refcount.h"
#include "base/status.h"
#include "cl/facts.h"
#include "cl/family.h"
#include "cl/types.h"

#include <stdint.h>

typedef struct syc_driver syc_driver; /* cl/driver.h */

typedef struct syc_platform {
    syc_driver *driver;
    cl_platform_id id;
    char *name, *version;
    struct syc_device **devices; /* root devices; one reference each, for ever */
    size_t device_count;
} syc_platform;

typedef enum syc_lane { SYC_LANE_POOL, SYC_LANE_CALLER, SYC_LANE_COUNT } syc_lane;

/* Texts whose shape sycl.tune() measures. */
typedef enum syc_tuned_kind {
    SYC_TUNED_SUMS,      /* with reducers */
    SYC_TUNED_BUILT_INS, /* the same, that call built-ins */
    SYC_TUNED_SCANS,
    SYC_TUNED_KINDS
} syc_tuned_kind;

typedef struct syc_device {
    syc_refcount refs;
    syc_platform *platform;
    struct syc_device *parent;          /* NULL for a root device; retained */
    cl_device_id lanes[SYC_LANE_COUNT]; /* [SYC_LANE_CALLER] is NULL for most */
    const syc_facts *facts;
    atomic_bool caller_taken; /* a thread uses the caller lane: it is for one at a time */
    uint64_t type;            /* CL_DEVICE_TYPE_* without DEFAULT */
    /* Limits and abilities that launches and memory look at, read once. */
    size_t compute_units, max_group, max_items[3];
    uint64_t local_bytes, global_bytes;
    bool fp16, fp64;
    bool atomic64;                       /* atomic operations on 64 bits */
    bool writes_3d;                      /* kernels may write to three-dimensional images */
    size_t sub_buffer_alignment;         /* bytes: a sub-buffer may begin at multiples of it */
    unsigned ptx_arch;                   /* NVIDIA's compute capability, 90 for 9.0; 0: not known */
    uint64_t svm;                        /* CL_DEVICE_SVM_*: what the device can and the facts allow; 0: no SVM */
    atomic_uchar ways[SYC_FAMILY_COUNT]; /* of a root device: what the self-test has found (family.h) */
    atomic_uchar tuned[SYC_TUNED_KINDS]; /* of a root device: syc_device_tuned() */
    atomic_int clock;                    /* device_clock.c: which clock its times are of, */
    int64_t clock_ahead;                 /* and what one that is none of the system's is ahead */
    atomic_ullong clock_at;              /* the host's moment for which it was asked last, */
    atomic_llong clock_ahead_then;       /* and the answer */
    bool intel_usm; /* cl_intel_unified_shared_memory, and its driver has all of it (extensions.h) */
    bool runs_here; /* cl_intel_exec_by_local_thread: it has queues whose commands the calling thread does */
} syc_device;

/* Loads the drivers if need be and returns all platforms, immortal, in driver order. Any thread. */
syc_status syc_platforms(syc_platform *const **out, size_t *count);
/* The SYCL platform of a cl_platform_id; SYC_E_INVALID_OBJECT if none of ours. */
syc_status syc_platform_of(cl_platform_id id, syc_platform **out);

void syc_device_retain(syc_device *device);
void syc_device_release(syc_device *device);                    /* NULL is fine */
const char *syc_device_name(SYC_KEEP const syc_device *device); /* for messages; immortal */

/* Can launches be done by the calling thread: on a device of its own, or by a queue of its own? */
static inline bool syc_device_has_caller(SYC_KEEP const syc_device *device)
{
    return device->lanes[SYC_LANE_CALLER] != NULL ||
           (device->runs_here && device->parent == NULL && device->facts->caller_budget_ns > 0);
}

/* The device that it is a part of, or itself. What is found out of one holds for all of its parts. */
static inline syc_device *syc_device_root(syc_device *device)
{
    while (device->parent != NULL)
        device = device->parent;
    return device;
}

/* The way that was found to be right, or SYC_WAY_UNKNOWN or SYC_WAY_NONE. Any thread. */
static inline unsigned syc_device_way(SYC_KEEP const syc_device *device, syc_family family)
{
    while (device->parent != NULL)
        device = device->parent;
    return atomic_load_explicit(&device->ways[family], memory_order_relaxed);
}

/* Was that found of any of the families? */
static inline bool syc_device_has_way(SYC_KEEP const syc_device *device, syc_families families, unsigned way)
{
    for (syc_families rest = families; rest != 0; rest &= rest - 1)
        if (syc_device_way(device, (syc_family)__builtin_ctzll(rest)) == way)
            return true;
    return false;
}
/* Has the self-test found one of them wrong, in every way? */
static inline bool syc_device_is_wrong(SYC_KEEP const syc_device *device, syc_families families)
{
    return syc_device_has_way(device, families, SYC_WAY_NONE);
}

/* What was measured on this machine to shape such texts best (algo/lower/tuned.h). */
enum { SYC_TUNED_UNKNOWN, SYC_TUNED_NOTHING, SYC_TUNED_FIRST /* and the number of the row */ };
static inline unsigned syc_device_tuned(SYC_KEEP const syc_device *device, syc_tuned_kind kind)
{
    while (device->parent != NULL)
        device = device->parent;
    return atomic_load_explicit(&device->tuned[kind], memory_order_relaxed);
}

/* The SYCL device of a native handle, retained: a root device, or a sub-device made elsewhere (retained natively too).
 */
syc_status syc_device_from_native(cl_device_id id, SYC_GIVE syc_device **out);

/* Partitioning. `scheme` is CL_DEVICE_PARTITION_*; `values` its argument(s): one count, several counts, or one domain.
 * SYC_E_FEATURE_NOT_SUPPORTED names the device and the missing scheme or domain. Sub-devices have the pool lane only.
 */
syc_status syc_device_partition(syc_device *device, intptr_t scheme, const intptr_t *values, size_t count,
                                SYC_GIVE syc_device ***out, size_t *out_count);

/* -- info.c: queries as data -- */
typedef enum syc_info_kind {
    SYC_INFO_UINT,   /* cl_uint */
    SYC_INFO_ULONG,  /* cl_ulong, bit-fields too */
    SYC_INFO_SIZE,   /* size_t */
    SYC_INFO_BOOL,   /* cl_bool */
    SYC_INFO_STRING, /* char[] */
    SYC_INFO_SIZES,  /* size_t[] */
    SYC_INFO_WORDS,  /* intptr_t[] */
} syc_info_kind;

typedef struct syc_info {
    syc_info_kind kind;
    uint64_t number;  /* UINT ULONG SIZE BOOL */
    char *string;     /* STRING; syc_info_clear frees it */
    int64_t *numbers; /* SIZES WORDS; syc_info_clear frees it */
    size_t count;
} syc_info;

/* One query of the pool lane. SYC_E_INVALID_OBJECT etc. from the driver's code. Short or malformed answers are errors.
 */
syc_status syc_device_info(SYC_KEEP const syc_device *device, cl_uint what, syc_info_kind kind, SYC_GIVE syc_info *out);
syc_status syc_platform_info(SYC_KEEP const syc_platform *platform, cl_uint what, SYC_GIVE syc_info *out);
void syc_info_clear(syc_info *info);
/* True if the device's extension string has the word `name`. */
syc_status syc_device_has_extension(SYC_KEEP const syc_device *device, const char *name, bool *out);

#endif
