/* A task: what one command does, as it is handed to syc_queue_submit. Everything in it is borrowed for that call; the
 * command copies it and retains the objects it names. */
#ifndef SYC_SCHEDULE_TASK_H
#define SYC_SCHEDULE_TASK_H

#include "base/keep.h"
#include "memory/box.h"
#include "memory/need.h"
#include "schedule/geometry.h"

struct syc_sampler;                     /* memory/sampler.h */
struct syc_usm;                         /* memory/usm/usm.h */
typedef struct syc_program syc_program; /* program/program.h */

/* -- kernels -- */

/* One kernel argument, already converted to what the signature wants. */
typedef enum syc_argument_kind {
    SYC_ARGUMENT_VALUE,
    SYC_ARGUMENT_SPAN, /* a host array */
    SYC_ARGUMENT_LOCAL,
    SYC_ARGUMENT_BUFFER,  /* an accessor: a buffer's bytes, or an image */
    SYC_ARGUMENT_POINTER, /* unified shared memory */
    SYC_ARGUMENT_SAMPLER
} syc_argument_kind;

typedef struct syc_argument {
    syc_argument_kind kind;
    size_t size;    /* VALUE: bytes; LOCAL: bytes of local memory; BUFFER and POINTER: bytes that it leads to */
    size_t element; /* SPAN, BUFFER and POINTER: bytes of one element, as the caller types it; 0: it has no type */
    union {
        const void *value;   /* VALUE */
        syc_host_array span; /* SPAN: the memory stays valid until the command's keep is released */
        struct {
            size_t need;      /* BUFFER: index into the task's needs */
            size_t low;       /* first byte that the pointer leads to */
            size_t alignment; /* that the kernel's element type wants */
        } buffer;
        const void *pointer;         /* POINTER: any address in one of the task's allocations; NULL too */
        struct syc_sampler *sampler; /* SAMPLER */
    };
    const char *name; /* that a replay knows it by, alive as long as the command's keep; NULL: the parameter's own */
} syc_argument;

typedef struct syc_launch {
    syc_program *program;
    size_t kernel;
    cl_kernel native; /* a kernel of the user's with its arguments set, kept by the task's keep; else NULL */
    syc_geometry geometry;
    const syc_argument *arguments;
    size_t argument_count;
    const void *told; /* the caller's own, kept by the task's keep: a recording tells it; or NULL */
} syc_launch;

/* -- explicit memory operations -- */

typedef enum syc_side_kind { SYC_SIDE_BUFFER, SYC_SIDE_ARRAY, SYC_SIDE_POINTER } syc_side_kind;

/* One end of a copy: as many bytes as the other end, in row-major order. */
typedef struct syc_side {
    syc_side_kind kind;
    size_t need;          /* BUFFER: index into the task's needs */
    syc_box box;          /* BUFFER: within the whole buffer */
    syc_host_array array; /* ARRAY: host memory of any layout */
    void *pointer;        /* POINTER: in one of the task's allocations */
    size_t bytes;         /* of them all */
} syc_side;

typedef struct syc_copy {
    syc_side to, from;
} syc_copy;

enum { SYC_PATTERN_MAX = 4096 };
typedef struct syc_fill {
    syc_side to;         /* BUFFER or POINTER */
    const void *pattern; /* repeated from the first byte on; of any size up to SYC_PATTERN_MAX */
    size_t pattern_size;
} syc_fill;

/* A hint about unified shared memory. */
typedef struct syc_hint {
    bool prefetch; /* else advice */
    const void *address;
    size_t bytes;
    unsigned advice;
} syc_hint;

/* -- host tasks -- */

/* Run by a thread of the caller's (host_task.h); everything is in the payload of the submission's keep. */

/* Asked when the native work of a command has ended well: what it says is the command's outcome. On any thread, without
 * any lock held; NULL: nothing is asked. */
typedef struct syc_verdict {
    syc_status (*call)(void *payload);
    void *payload;
} syc_verdict;

/* The kinds of work: what a task is of, and how it is done (order.h). */
typedef struct syc_task_ops syc_task_ops;
extern const syc_task_ops syc_nothing_ops; /* only orders, and brings its needs up to date (update_host) */
extern const syc_task_ops syc_launch_ops, syc_copy_ops, syc_fill_ops, syc_hint_ops, syc_host_task_ops;

typedef struct syc_task {
    const syc_task_ops *ops;
    const syc_need *needs;
    size_t need_count;
    struct syc_usm *const *allocations; /* that it may use: retained until it completes */
    size_t allocation_count;
    syc_verdict verdict;
    syc_ending ending; /* not called where the submission fails and there is no command */
    bool arrays;       /* host memory that its caller gave is among what it uses: nothing to the core but a mark */
    bool awaited;      /* the submitter waits for it, and raises what it fails with (syc_command_forsake). Recorded: no
                          matter */
    union {
        syc_launch launch;
        syc_copy copy;
        syc_fill fill;
        syc_hint hint;
        struct syc_replay *replay;
    };
} syc_task;

#endif
