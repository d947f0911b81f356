/* Facts about drivers and devices that no OpenCL query tells, as one table of rows with how each was measured
 * (facts.c): what they can do, and under a heading of their own the defects that are cured. */
#ifndef SYC_CL_FACTS_H
#define SYC_CL_FACTS_H

#include <stdbool.h>
#include <stdint.h>

/* How a device's compiler and hardware take a work-group: what a kernel's shape is chosen by (algo/lower/lower.c). */
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

/* The kind of its sub-groups: SYC_SUB_GROUP_KIND of kernels/. */
typedef enum syc_sub_group_kind {
    SYC_SUB_GROUP_NATIVE = 1,  /* the driver's */
    SYC_SUB_GROUP_PTX = 2,     /* warps, by inline PTX */
    SYC_SUB_GROUP_EMULATED = 3 /* neighbours of a work-group that talk through local memory */
} syc_sub_group_kind;

/* A driver that loads kernels' machine code as objects into the process (program/group_code.h). */
typedef struct syc_code_facts {
    const char *symbol;    /* of the function that does a work-group; %s is the kernel */
    const char *folder;    /* how the name of a folder begins that is one build's alone */
    const char *variables; /* the name of what it makes for programs with variables of their own */
    const char *plain[2],
        *with_variables[1]; /* versions in which that function is given one thing or the other; NULL */
} syc_code_facts;

enum { SYC_WAIT_SPIN_NS = 50000 };

typedef struct syc_facts {
    const char *row;               /* which row of the table applied */
    const char *measured;          /* how the row was measured */
    bool shares_host_memory;       /* CL_MEM_USE_HOST_PTR is the array itself: no copy, ever */
    bool reads_anywhere;           /* of such an array, elements of up to 8 bytes, at addresses of no alignment, too */
    bool out_of_order;             /* its out-of-order queues honour wait lists and do not hang */
    bool flush_each;               /* without clFlush a command may never start */
    bool silent_launches;          /* a launch without an event costs less, and whatever is in a queue behind one that
                                      failed fails as well: schedule/silent.c */
    uint32_t local_size;           /* work-group size for a plain range, 1-D */
    syc_items items;               /* how it takes a work-group */
    syc_group_shape groups;        /* how its work-groups reduce and scan */
    syc_sub_group_kind sub_groups; /* what its sub-groups are */
    bool svm;                      /* shared virtual memory works as far as the device says that it has it */
    uint64_t wait_spin_ns; /* a waiting thread spins so long before it sleeps; 0: SYC_WAIT_SPIN_NS, since its commands
                              want the cores for themselves */
    bool waiter_works;     /* a thread that waits in the driver does the work */
    bool companion;        /* a long wait has a thread wait in the driver, too: schedule/companion.h */
    bool staged_transfers; /* pageable host memory is slow: large transfers go through pinned memory */
    bool every_order;      /* kernels/atomic/atomic_driver.clh gives every memory order, up to the device's scope */
    bool system_scope;     /* and memory_scope_system, where the device says so */
    bool binaries;         /* a program is made again from its binaries, in much less time than from its text */
    uint64_t binary_ns;    /* what asking for binaries takes, per kernel and device: the driver compiles, and what it
                              answers is what it will always answer. 0: they are there */
    uint64_t caller_budget_ns; /* most estimated work for the calling thread's lane, where the device has one (device.h:
                                  syc_device_has_caller); 0: never */
    uint64_t awaited_budget_ns; /* the same where the call waits for the command, of an estimate that is near */
    const syc_code_facts *code; /* NULL: none that is known */
    uint64_t team_least_ns;     /* estimated work for the team's lane, from here, where the code of its kernels is known
                                   (program/group_code.h), */
    uint64_t team_most_ns;      /* to here; 0: never */

    /* -- Defects. The comment of each says of which driver, and when the fact can go. Unknown drivers are taken to have
     * those that lose data. -- */

    /* Oclgrind 21.10: its host API is for one thread at a time, so calls are made in turn (serial.c).
     * Seen by: its issues 28 and 202. */
    bool thread_safe;
    /* NVIDIA 580: a write that does not block reads the host's memory when it is enqueued, whatever it waits for.
     * Seen by: a write that waited for a read into the same array, and sent what was there before. */
    bool reads_at_enqueue;
    /* NVIDIA 580: of global offsets the lower half reaches a kernel.
     * Gone when: tests/python/bodies/test_geometry.py::test_far_offsets_reach_the_kernel. */
    uint32_t offset_bits; /* those that reach it */
    /* NVIDIA 580: memory that is moved ahead of its use by clEnqueueSVMMigrateMem may be zeros.
     * Seen by: zeros after a migration behind an unmap. */
    bool svm_migrates; /* it loses nothing */
    /* Intel 2026.2: a queue waits for itself without end if its last reference goes just after the end of its last
     * command. Seen by: a process that hung so, once. */
    uint64_t release_pause_ns; /* no release sooner after that; or 0 */
    /* Intel 2026.2: its exit handlers wait for its threads, which a forked child does not have.
     * Gone when: tests/python/faults/test_process.py::test_a_forked_child_ends_like_any_other. */
    bool waits_at_exit;
    /* NVIDIA 580: the largest work-group that it tells of a kernel is less than what it launches.
     * Seen by: kernels that require groups of 1024, of which it says 256. */
    bool understates_groups;
    /* NVIDIA 580: a kernel argument that held an SVM pointer once refuses a cl_mem ever after, NULL too.
     * Seen by: launches that failed. */
    bool usm_argument_sticks;
    /* NVIDIA 580: fills of many bytes, and those with short patterns far into a buffer, go wrong.
     * Seen by: fills of all of a large buffer. */
    uint64_t fill_limit; /* bytes that one fill gets right */
    uint64_t fill_reach; /* up to where a fill with a pattern of less than 16 bytes gets it right */
    /* NVIDIA 580: variadic macros are errors where -cl-std=CL1.2 is given, and only then, though it is the default.
     * Seen by: programs that name that version. */
    bool strict_cl12;
    bool shared_structs;    /* library/cures/pocl_per_item.c */
    bool items_on_stack;    /* program/cures/pocl_stack.c */
    bool loses_ones;        /* program/cures/intel_ones.c */
    bool drops_minus;       /* program/cures/nvidia_minus.c */
    bool forgets_writes;    /* cures/oclgrind_unwritten.c */
    bool mistakes_launches; /* program/cures/pocl_launch_clash.c */
    bool repeats_first;     /* program/cures/pocl_narrow_groups.c */
    /* Oclgrind 21.10: samplers of CL_ADDRESS_NONE that filter linearly give wrong colours within the image.
     * Gone when: tests/conformance/4_6_runtime/test_4_7_6_image_accessors.py::test_sampled_reads. */
    bool filters_unclamped; /* they are right */
    /* PoCL 3.0 to 3.1: binaries unpack themselves to a folder that they name, which two programs then share, and lose.
     * Seen by: two programs of one binary. */
    const char *binary_folder; /* how the names of such folders begin; or NULL */
    /* PoCL 3.0 to 7.1, Oclgrind 21.10: the compiler writes to the process's standard error, beside the log.
     * Gone when: tests/regression/test_silent_builds.py::test_a_wrong_text. */
    const char *quiet; /* options that keep it from that; or NULL */
    /* Oclgrind 21.10: of what its optimiser makes of functions that return structs and of loops, some ends the process,
     * and some is wrong. Gone when: tests/regression/test_optimised_programs.py::test_what_the_optimiser_makes. */
    const char *plain; /* options that leave it out; or NULL */
    /* Oclgrind 21.10: functions of OpenCL C miss their bounds of error, and kernels/ has nothing in their place.
     * Gone when: tests/conformance/4_14_library/test_4_19_common.py::test_common_functions. */
    const char *inexact; /* their names; or NULL */
} syc_facts;

/* The row for a device, by platform name, platform version and OpenCL device type. Never NULL: the last row is for
 * unknown devices and promises nothing. */
const syc_facts *syc_facts_find(const char *platform_name, const char *platform_version, uint64_t device_type);

#endif
