/* Facts about drivers and devices that no OpenCL query tells, as one table of rows with how each was measured
 * (facts.c). */
#ifndef SYC_CL_FACTS_H
#define SYC_CL_FACTS_H

#include <stdbool.h>
#include <stdint.h>

/* How a device's compiler and hardware take a work-group: what a kernel's shape is chosen by (algo/lower.c). */
typedef enum syc_items {
    SYC_ITEMS_SINGLY,  /* one after another, or nobody knows */
    SYC_ITEMS_LOOPED,  /* a group is a loop, vectorised as any other loop is, with half of the widest vectors */
    SYC_ITEMS_PACKED,  /* the driver's own compiler packs work-items into vectors, but leaves loops as they are */
    SYC_ITEMS_THREADED /* each is a thread of a GPU that likes 16-byte accesses */
} syc_items;

/* How a device's work-groups reduce and scan: SYC_GROUP_SHAPE of kernels/. */
typedef enum syc_group_shape {
    SYC_GROUP_NATIVE = 1,   /* its own work_group_* functions, as far as they go, then as SYC_GROUP_LEADER */
    SYC_GROUP_PARTIALS = 2, /* sub-groups, and one partial result of each in local memory */
    SYC_GROUP_LEADER = 3    /* all values in local memory, and a loop of one work-item over them */
} syc_group_shape;

/* What its sub-groups are: SYC_SUB_GROUP_KIND of kernels/. */
typedef enum syc_sub_group_kind {
    SYC_SUB_GROUP_NATIVE = 1,  /* the driver's */
    SYC_SUB_GROUP_PTX = 2,     /* warps, by inline PTX */
    SYC_SUB_GROUP_EMULATED = 3 /* neighbours of a work-group that talk through local memory */
} syc_sub_group_kind;

enum { SYC_WAIT_SPIN_NS = 50000 };

typedef struct syc_facts {
    const char *row;         /* which row of the table applied */
    bool shares_host_memory; /* CL_MEM_USE_HOST_PTR is the array itself: no copy, ever */
    bool thread_safe;        /* the host API may be called from several threads at once */
    bool out_of_order;       /* its out-of-order queues honour wait lists and do not hang */
    bool reads_at_enqueue; /* a non-blocking write reads the host's memory when it is enqueued, whatever it waits for */
    bool flush_each;       /* without clFlush a command may never start */
    uint32_t offset_bits;  /* global offsets that reach a kernel whole */
    uint32_t local_size;   /* work-group size for a plain range, 1-D */
    syc_items items;       /* how it takes a work-group */
    syc_group_shape groups;        /* how its work-groups reduce and scan */
    bool own_scans;                /* of SYC_GROUP_NATIVE: scans too; else they go as SYC_GROUP_LEADER's */
    syc_sub_group_kind sub_groups; /* what its sub-groups are */
    bool svm;                      /* shared virtual memory works as far as the device says that it has it */
    bool svm_migrates;             /* moving shared virtual memory ahead of its use loses nothing of it */
    uint64_t release_pause_ns;     /* a queue must not be released sooner after the end of its latest command; or 0 */
    uint64_t wait_spin_ns; /* who waits spins so long before it sleeps; 0: SYC_WAIT_SPIN_NS, since its commands want the
                              cores for themselves */
    bool waiter_works;     /* a thread that waits in the driver does the work */
    bool waits_at_exit;    /* its exit handlers wait for its threads, which a forked child does not have */
    bool companion;        /* who waits long has a thread wait in the driver, too: schedule/companion.h */
    bool understates_groups;  /* what it says of the largest work-group of a kernel is less than it launches */
    bool usm_argument_sticks; /* a kernel argument that held an SVM pointer once refuses a cl_mem ever after */
    bool staged_transfers;    /* pageable host memory is slow: large transfers go through pinned memory */
    uint64_t fill_limit;      /* bytes that one fill gets right */
    uint64_t fill_reach;      /* up to where a fill with a pattern of less than 16 bytes gets it right */
    bool every_order;         /* kernels/atomic_driver.clh gives every memory order, up to the device's scope */
    bool system_scope;        /* and memory_scope_system, where the device says so */
    bool strict_cl12;         /* variadic macros are errors to its compiler where -cl-std=CL1.2 is given, and only then,
                                 though it is the default */
    bool shared_structs;      /* variables and parameters of structs that are only copied whole are one for all items of
                                 a group, across barriers: kernels/per_item.clh */
    bool forgets_writes;      /* it looks for reads of unwritten memory, and loses what was written: cl/unwritten.h */
    bool mistakes_launches;   /* of one kernel that run at a time for each other: program/flights.h */
    bool filters_unclamped;   /* samplers that filter linearly work with CL_ADDRESS_NONE */
    bool binaries;            /* a program is made again from its binaries, in much less time than from its text */
    const char
        *binary_folder; /* how the names begin of the folders that binaries name and unpack themselves to; or NULL */
    uint64_t binary_ns; /* what asking for binaries takes, per kernel and device: the driver compiles, and what it
                           answers is what it will always answer. 0: they are there */
    uint64_t caller_budget_ns; /* most estimated work for the calling thread's lane, where the device has one (device.h:
                                  syc_device_has_caller); 0: never */
    const char
        *inexact; /* functions of OpenCL C that miss its bounds of error, for which kernels/ has nothing; or NULL */
    const char *measured; /* how the row was measured */
} syc_facts;

/* The row for a device, by platform name, platform version and OpenCL device type. Never NULL: the last row is for
 * unknown devices and promises nothing. */
const syc_facts *syc_facts_find(const char *platform_name, const char *platform_version, uint64_t device_type);

#endif
