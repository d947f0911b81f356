/* A queue: where commands are submitted, in which order they may run, and where their late failures wait to be fetched.
 *
 * How a command gets to the device:
 *  - everything it depends on has completed and it is small: it runs on the calling thread's lane and is complete when
 *    submit returns;
 *  - everything it depends on is enqueued in the same OpenCL context's pool lane: it is enqueued at once with a wait
 * list;
 *  - else (another context or driver, an array to be written back first) the queue's dispatcher thread enqueues it when
 * its dependencies have ended. Submitting never blocks on other commands. A command whose dependency failed does not
 * run: it fails, naming the origin. */
#ifndef SYC_SCHEDULE_QUEUE_H
#define SYC_SCHEDULE_QUEUE_H

#include "base/keep.h"
#include "schedule/command.h"

typedef struct syc_device syc_device; /* cl/device.h */
typedef struct syc_task syc_task;     /* schedule/task.h */

typedef struct syc_queue_options {
    bool in_order, profiling;
} syc_queue_options;

syc_status syc_queue_create(syc_context *context, syc_device *device, syc_queue_options options,
                            SYC_GIVE syc_queue **out);
syc_status syc_queue_from_native(cl_command_queue native, syc_context *context, SYC_GIVE syc_queue **out); /* retains */
void syc_queue_retain(syc_queue *queue);
void syc_queue_release(syc_queue *queue); /* NULL is fine; does not wait for commands: those in flight hold the queue */

/* The caller's own object for the queue, which the core only passes on; NULL at first. One thread at a time. */
void syc_queue_set_owner(syc_queue *queue, SYC_KEEP void *owner);
void *syc_queue_owner(SYC_KEEP const syc_queue *queue);
syc_context *syc_queue_context(SYC_KEEP const syc_queue *queue); /* borrowed */
syc_device *syc_queue_device(SYC_KEEP const syc_queue *queue);   /* borrowed */
syc_queue_options syc_queue_get_options(SYC_KEEP const syc_queue *queue);
/* The pool lane's native queue, borrowed. From then on waiting for the queue waits for foreign work in it too. */
cl_command_queue syc_queue_native(syc_queue *queue);

/* OpenCL's reference count of the pool lane's native queue. */
syc_status syc_queue_reference_count(SYC_KEEP const syc_queue *queue, cl_uint *out);

/* Submits. A launch must be validated (algo/plan.h); what the task names is copied or retained, host memory is held by
 * `keep`, which the core releases exactly once, also when the submission fails. Copies that the needs call for become
 * commands of their own, before it. Call without the GIL (a first launch may compile). SYC_E_INVALID: the task is
 * awaited, and would be for ever, because the command comes after what this thread itself has to end. */
syc_status syc_queue_submit(syc_queue *queue, SYC_KEEP const syc_task *task, syc_command *const *after,
                            size_t after_count, SYC_TAKE syc_keep keep, syc_site site, SYC_GIVE syc_command **out);

/* Is it a launch of so little work that it may be done where it is submitted? */
bool syc_task_is_small(SYC_KEEP const syc_task *task);
/* Submits such a launch if it can be done here and now, in a few microseconds: the command has ended. Nothing is built,
 * no driver is asked, and nothing is waited for but others that do the same, so that the caller may keep the GIL.
 * False: nothing was done, and whatever is in the way, syc_queue_submit says so. */
bool syc_queue_try(syc_queue *queue, SYC_KEEP const syc_task *task, syc_command *const *after, size_t after_count,
                   syc_site site, SYC_GIVE syc_command **out);

/* All commands submitted so far that have not ended, oldest first, each retained; free the array with syc_free. Where
 * the native queue was handed out, one more stands for the foreign work in it. */
syc_status syc_queue_commands(syc_queue *queue, SYC_GIVE syc_command ***out, size_t *count);
/* Commands of this queue that have not ended. */
size_t syc_queue_pending(SYC_KEEP syc_queue *queue);

/* One asynchronous failure, oldest first, with the place that submitted the command; false when there is none left. A
 * failure handed out is consumed. */
typedef struct syc_async_error {
    syc_failure *failure; /* syc_failure_free */
    char *site;           /* syc_free; NULL when unknown */
} syc_async_error;
bool syc_queue_take_error(syc_queue *queue, SYC_GIVE syc_async_error *out);

/* -- all queues -- */

/* Waits at most `timeout_ns` for every command in flight; returns how many have not ended and describes them ("site:
 * kernel on device", a line each; free with syc_free). */
size_t syc_schedule_drain(uint64_t timeout_ns, SYC_GIVE char **description);
/* Ends the dispatcher threads after the drain. Deferred commands that never ran are failed with SYC_E_CLOSED. */
void syc_schedule_close(uint64_t patience_ns);
/* Nothing is submitted any more. */
void syc_schedule_refuse(void);

#endif
