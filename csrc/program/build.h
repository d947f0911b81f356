/* One program built for one context: the native program, a pool of native kernels, and what each device grants them.
 * Inside the core only; the public words are in program.h. */
#ifndef SYC_PROGRAM_BUILD_H
#define SYC_PROGRAM_BUILD_H

#include "cl/tenant.h"
#include "library/device_options.h"
#include "program/code_folders.h"
#include "program/cures/pocl_launch_clash.h"
#include "program/program.h"

#include <pthread.h>

/* The limits of one kernel on one device, in a list that only grows. */
struct syc__granted {
    struct syc__granted *next;
    syc_device *device; /* retained: the address must not be taken by another device */
    syc_kernel_limits limits;
    size_t struct_sizes[]; /* what limits.struct_sizes points to */
};

/* A kernel that no launch uses. */
struct syc__idle {
    cl_kernel native;
    uint64_t pointers; /* which arguments have been unified shared memory */
};

/* Native kernels of one name that no launch uses now, and the limits found so far. */
struct syc__kernel_pool {
    struct syc__idle *idle;
    size_t idle_count, idle_room;
    _Atomic(struct syc__granted *) granted; /* grows at its head, under the build's lock; read without it */
    _Atomic(struct syc_group_code *) codes; /* in the same way: group_code.c */
};

struct syc_build {
    syc_build *next;
    syc_program *program; /* the owner */
    syc_tenant tenant;    /* the build ends with its context: then it is empty, until another context takes it */
    syc_context *context; /* not retained; NULL: it is empty */
    syc_context *pinned; /* the same, retained, once a native handle was handed out that lasts as long as the program */
    cl_program native;
    unsigned turn;     /* changes places with dimension 0: cures/pocl_narrow_groups.h; or 0 */
    char *options;     /* the program's, and what the library is told of the devices; NULL: the program's alone */
    size_t most_items; /* of a group for whom kernels with scratch have some */
    /* Changes under the program's lock; a build that is BUILT stays so, which can be seen without it. */
    _Atomic enum { SYC__BUILD_NEEDED, SYC__BUILDING, SYC__BUILT, SYC__BUILD_FAILED } state;
    bool left; /* the compile was left to itself and has references of its own; under that lock */
    syc_failure *failure;
    char **
        logs; /* of a program made from machine code, one per device of the context; else NULL: the driver knows them */
    syc__code_folders code_folders;
    pthread_mutex_t lock; /* of the pools */
    struct syc__kernel_pool *pools;
    syc__launch_clash *flights; /* NULL: the driver needs none */
};

/* Compiles. No launch uses the build yet; no lock is held. May be called again after a failure. */
syc_status syc__build_compile(syc_build *build);
/* An empty one. */
syc_status syc__build_create(SYC_KEEP syc_program *program, SYC_GIVE syc_build **out);
/* Makes an empty one that of the context, with nothing compiled. */
syc_status syc__build_enter(syc_build *build, syc_context *context);
void syc__build_free(SYC_TAKE syc_build *build);
const char *syc__build_options(SYC_KEEP const syc_build *build);
/* The options of a build: the program's, and what its texts are told of the devices. `out` is empty.
 * SYC_E_KERNEL_NOT_SUPPORTED as syc__device_check says. */
syc_status syc__program_options(SYC_KEEP const syc_program *program, SYC_KEEP const syc_context *context,
                                SYC_KEEP const syc__device_choice *choice, syc_text *out);
void syc__build_drop_logs(syc_build *build); /* build_logs.c */
/* struct_size.c: bytes of the text's type `type` on the device; 0 when the compiler does not say. Compiles. */
size_t syc__struct_size(SYC_KEEP const syc_build *build, SYC_KEEP const syc_device *device, const char *type);

#endif
