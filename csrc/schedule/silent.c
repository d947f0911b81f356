/* Launches without an event of their own, where making one is a good part of a launch: those of a row in a queue in
 * order, of which nobody holds the event. Their end is that of what comes behind them: of the next command that has an
 * event, or of a marker that whoever must know enqueues. A failure is told in the same way, since it fails all that is
 * behind it (facts.h). At most a few are silent in a row, so a command that was looked for after all is believed to run
 * for no longer than those few.
 *
 * Commands of the user's stand in their native queue as they were submitted: each waits for the one before, or is
 * enqueued when that has been. Copies that others called for (`carries`) may stand anywhere, so they tell of nothing.
 *
 * Nothing that waits for events goes behind a silent one before that has a marker: else its end would seem to be that
 * of work which it knows nothing of, and which may wait for it. */
#include "cl/entries.h"
#include "schedule/steps.h"

enum { SILENT_MOST = 7, IN_FLIGHT_LEAST = 4 };

static bool keeps_order(const syc_queue *queue)
{
    return queue->options.in_order && queue->device->facts->silent_launches;
}

/* Other kinds of work may be no OpenCL call at all; and of a copy's failure nothing is known but its own event. */
bool syc__is_ordered(const syc_command *command, const syc_command *on)
{
    return on->queue != NULL && on->queue == command->queue && keeps_order(on->queue) && command->launches &&
           on->launches;
}

/* By more than its queue's list, and the command behind it. */
static bool is_held(const syc_command *command)
{
    return syc_refcount_count(&command->refs) > 2;
}

bool syc__may_be_silent_locked(const syc_command *command)
{
    syc_queue *queue = command->queue;
    const syc_command *on = command->in_flight_previous;
    if (!keeps_order(queue) || queue->pending < IN_FLIGHT_LEAST || command->awaited || atomic_load(&queue->shared) ||
        syc__keeps_times(queue) || !command->launches || on == NULL || is_held(on))
        return false;
    return atomic_load(&queue->silent) < SILENT_MOST;
}

static bool is_in_its_place(const syc_command *command)
{
    return syc__state_of(command) == SYC__ENQUEUED && command->lane == SYC_LANE_POOL && !command->carries;
}

/* The latest of the user's that was enqueued, from `on` back, if it is silent. */
static syc_command *latest_silent_locked(const syc_queue *queue, syc_command *on)
{
    if (!keeps_order(queue))
        return NULL;
    while (on != NULL && !is_in_its_place(on))
        on = on->in_flight_previous;
    return on != NULL && syc__is_silent_locked(on) ? on : NULL;
}

bool syc__is_silence_ahead_locked(const syc_command *command)
{
    const syc_command *on = keeps_order(command->queue) ? command->in_flight_previous : NULL;
    while (on != NULL && !is_in_its_place(on) && !(on->silent && syc__state_of(on) == SYC__NEW))
        on = on->in_flight_previous;
    return on != NULL && !is_in_its_place(on);
}

syc_command *syc__silent_before_locked(const syc_command *command, bool waits)
{
    syc_command *on = latest_silent_locked(command->queue, command->in_flight_previous);
    if (on == NULL || !(waits || is_held(on)))
        return NULL;
    syc_command_retain(on);
    return on;
}

void syc__count_silent(const syc_command *command)
{
    if (syc__is_silent(command))
        atomic_fetch_add(&command->queue->silent, 1);
    else if (!command->carries)
        atomic_store(&command->queue->silent, 0);
}

/* The latest of those in a row that begins with it. */
static syc_command *end_of_row_locked(syc_command *first)
{
    syc_command *last = first;
    for (syc_command *by = first; by != NULL && (syc__is_silent_locked(by) || by->carries); by = by->in_flight_next)
        last = by->carries ? last : by;
    return last;
}

cl_event syc__heard_by_locked(const syc_command *command)
{
    const syc_command *by = command;
    if (!syc__is_silent(command))
        return command->native;
    while (by != NULL && (syc__is_silent_locked(by) || by->carries))
        by = by->in_flight_next;
    return by != NULL && is_in_its_place(by) ? by->native : NULL;
}

static void give(syc_command *command, cl_event event)
{
    syc__order_lock();
    if (syc__is_silent_locked(command)) {
        command->native = event;
        event = NULL;
        syc_live_add(SYC_LIVE_CL_EVENT, 1);
    }
    syc__order_unlock();
    if (event != NULL)
        syc_event_let_go(command->context, event);
}

int syc__speak(syc_command *command)
{
    const syc_cl_table *cl;
    cl_command_queue queue = NULL;
    syc_command *last = NULL;
    cl_event event = NULL;
    int execution = CL_QUEUED;

    if (command->queue == NULL || !keeps_order(command->queue) || !syc_process_alive())
        return CL_QUEUED;
    cl = syc_context_cl(command->context);
    syc__order_lock();
    if (syc__is_silent_locked(command) && syc__heard_by_locked(command) == NULL) {
        queue = command->queue->natives[SYC_LANE_POOL];
        last = end_of_row_locked(command);
        syc_command_retain(last);
    }
    syc__order_unlock();
    if (queue == NULL)
        return CL_QUEUED;
    if (cl->EnqueueMarkerWithWaitList(queue, 0, NULL, &event) != 0) {
        execution = cl->Finish(queue); /* then the queue itself is asked */
    } else {
        (void)cl->Flush(queue); /* whoever waits flushes it again, and hears of it */
        give(last, event);
    }
    syc_command_release(last);
    return execution;
}

void syc__speak_all(syc_queue *queue)
{
    syc_command *latest;
    syc__order_lock();
    latest = latest_silent_locked(queue, queue->newest);
    if (latest != NULL)
        syc_command_retain(latest);
    syc__order_unlock();
    if (latest != NULL)
        (void)syc__speak(latest);
    syc_command_release(latest);
}
