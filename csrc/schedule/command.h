/* A command: one unit of work submitted to a queue, and the event that stands for it.
 *
 * A command holds all that it uses (kernel arguments, pinned arrays, its queue) until it has completed, then lets go of
 * everything but its outcome, so that keeping an event keeps nothing else. */
#ifndef SYC_SCHEDULE_COMMAND_H
#define SYC_SCHEDULE_COMMAND_H

#include "base/status.h"
#include "cl/types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct syc_context syc_context; /* cl/context.h */
typedef struct syc_command syc_command;
typedef struct syc_queue syc_queue;

/* States as SYCL has them. A host access is RUNNING while the host may touch the memory. */
typedef enum syc_command_status { SYC_COMMAND_SUBMITTED, SYC_COMMAND_RUNNING, SYC_COMMAND_COMPLETE } syc_command_status;

void syc_command_retain(syc_command *command);
void syc_command_release(syc_command *command); /* NULL is fine; never blocks */

/* Waits at most `timeout_ns`. SYC_OK: it has ended, well or not. SYC_TIMEOUT: not yet. Never raises the command's own
 * failure: that is asynchronous and belongs to its queue's list. Call without the GIL. */
syc_status syc_command_wait(syc_command *command, uint64_t timeout_ns);
/* Does not block. Drives completion: a command whose work is done is COMPLETE when this says so, its arrays written
 * back. */
syc_status syc_command_poll(syc_command *command, syc_command_status *out);
bool syc_command_ended(SYC_KEEP const syc_command *command); /* no OpenCL call, no lock */
/* True if the call that submitted it waits for it: what it fails with is no late failure then. */
bool syc_command_is_awaited(SYC_KEEP const syc_command *command);
/* The submitting call waits no more and raises nothing: a failure is late, also one that has happened already. */
void syc_command_forsake(SYC_KEEP syc_command *command);
/* NULL unless the command ended in failure. Borrowed, lives as long as the command. */
const syc_failure *syc_command_failure(SYC_KEEP const syc_command *command);
/* "file:line" that submitted a command that ended in failure; of a replay, what recorded the one that failed. NULL:
 * unknown. Borrowed, lives as long as the command. */
const char *syc_command_failed_site(SYC_KEEP const syc_command *command);

typedef struct syc_times {
    uint64_t submit, start, end; /* ns on one clock per device, its driver's: host tasks and copies by the host, too */
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
