/* A command: one unit of work submitted to a queue, and the event that stands for it.
 *
 * A command holds all that it uses (kernel arguments, pinned arrays, its queue) until it has completed, then lets go of
 * everything but its outcome, so that keeping an event keeps nothing else. */
#ifndef SYC_SCHEDULE_COMMAND_H
#define SYC_SCHEDULE_COMMAND_H

#include "memory/span.h"
#include "program/program.h"

typedef struct syc_command syc_command;
typedef struct syc_queue syc_queue;

typedef enum syc_command_status { SYC_COMMAND_SUBMITTED, SYC_COMMAND_RUNNING, SYC_COMMAND_COMPLETE } syc_command_status;

/* Something that a command keeps alive for its caller. `release` may be called on any thread, without any lock held. */
typedef struct syc_keep {
    void (*release)(void *payload);
    void *payload;
} syc_keep;

/* One kernel argument, already converted to what the signature wants. */
typedef enum syc_argument_kind { SYC_ARGUMENT_VALUE, SYC_ARGUMENT_SPAN, SYC_ARGUMENT_LOCAL } syc_argument_kind;
typedef struct syc_argument {
    syc_argument_kind kind;
    size_t size;       /* VALUE: bytes; LOCAL: bytes of local memory */
    const void *value; /* VALUE: borrowed for the submit call only */
    syc_span span;     /* SPAN: the memory stays valid until the command's keep is released */
} syc_argument;

/* Index space in OpenCL's order (dimension 0 fastest): python/ turns SYCL's order round. */
typedef struct syc_geometry {
    unsigned dims; /* 1..3 */
    size_t global[3], local[3], offset[3];
    size_t rest; /* the last items of dimension 0, done by a launch of their own in groups of one; 0: one launch does
                    all */
    uint64_t cost_ns; /* estimated work of the whole launch; UINT64_MAX when it cannot be bounded */
} syc_geometry;

typedef struct syc_launch {
    syc_program *program; /* NULL: an empty command, that only orders */
    size_t kernel;
    syc_geometry geometry;
    const syc_argument *arguments;
    size_t argument_count;
} syc_launch;

/* Where the user's code submitted it: resolved only when something goes wrong. Called with `payload` of the keep.
 * Returns a string to be freed with syc_free, or NULL. May be called on any thread; it must not need the GIL. */
typedef char *(*syc_site)(const void *payload);

void syc_command_retain(syc_command *command);
void syc_command_release(syc_command *command); /* NULL is fine; never blocks */

/* Waits at most `timeout_ns`. SYC_OK: it has ended, well or not. SYC_TIMEOUT: not yet. Never raises the command's own
 * failure: that is asynchronous and belongs to its queue's list. Call without the GIL. */
syc_status syc_command_wait(syc_command *command, uint64_t timeout_ns);
/* Does not block. Drives completion: a command whose work is done is COMPLETE when this says so, its arrays written
 * back. */
syc_status syc_command_poll(syc_command *command, syc_command_status *out);
bool syc_command_ended(SYC_KEEP const syc_command *command); /* no OpenCL call, no lock */
/* NULL unless the command ended in failure. Borrowed, lives as long as the command. */
const syc_failure *syc_command_failure(SYC_KEEP const syc_command *command);

typedef struct syc_times {
    uint64_t submit, start, end; /* ns on one clock per device */
} syc_times;
/* The command must have ended. SYC_E_INVALID_OBJECT: its queue has no profiling. SYC_E_PROFILING: it failed. */
syc_status syc_command_times(SYC_KEEP const syc_command *command, syc_times *out);

/* Direct dependencies that had not completed when it was submitted, retained; free the array with syc_free after
 * releasing. */
syc_status syc_command_dependencies(SYC_KEEP syc_command *command, SYC_GIVE syc_command ***out, size_t *count);

/* NULL for a foreign event and for the default event. Borrowed. */
syc_queue *syc_command_queue(SYC_KEEP const syc_command *command);
syc_status syc_command_from_native(cl_event native, SYC_KEEP syc_context *context, SYC_GIVE syc_command **out);
/* A retained cl_event to be handed out. A command that has completed gets a marker that ends at once.
 * SYC_E_INVALID_OBJECT: it waits for work that OpenCL does not know of. */
syc_status syc_command_native(SYC_KEEP syc_command *command, SYC_GIVE cl_event *out);
void syc_command_native_release(SYC_KEEP syc_command *command, SYC_TAKE cl_event native);

#endif
