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

/* Its own thread has decided, and has not made the call yet, or not said so. */
static bool is_on_its_way(const syc_command *command)
{
    return command->silent && syc__state_of(command) == SYC__NEW;
}

bool syc__is_silence_ahead_locked(const syc_command *command)
{
    const syc_command *on = keeps_order(command->queue) ? command->in_flight_previous : NULL;
    while (on != NULL && !is_in_its_place(on) && !is_on_its_way(on))
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

syc_status syc__enqueue_marker(const syc_queue *queue, cl_event *out)
{
    const syc_cl_table *cl = syc_context_cl(queue->context);
    syc_status status = SYC_OK;
    cl_event event = NULL;

    SYC_CL(cl, EnqueueMarkerWithWaitList, (queue->natives[SYC_LANE_POOL], 0, NULL, &event));
    SYC_CL(cl, Flush, (queue->natives[SYC_LANE_POOL]));
    *out = event;
    event = NULL;
done:
    if (event != NULL)
        syc_event_let_go(queue->context, event);
    return status;
}

/* Without a marker the queue itself is asked. Where the host has no memory left that is no end. */
static syc_status wait_for_all(const syc_queue *queue, int *waited)
{
    *waited = syc_context_cl(queue->context)->Finish(queue->natives[SYC_LANE_POOL]);
    if (*waited != CL_OUT_OF_HOST_MEMORY)
        return SYC_OK;
    *waited = CL_QUEUED;
    return syc_fail_cl(SYC_HERE, "clFinish", CL_OUT_OF_HOST_MEMORY);
}

syc_status syc__speak(syc_command *command, int *waited)
{
    syc_command *last = NULL;
    cl_event event = NULL;
    syc_status status;

    if (waited != NULL)
        *waited = CL_QUEUED;
    if (command->queue == NULL || !keeps_order(command->queue) || !syc_process_alive())
        return SYC_OK;
    syc__order_lock();
    if (syc__is_silent_locked(command) && syc__heard_by_locked(command) == NULL) {
        last = end_of_row_locked(command);
        syc_command_retain(last);
    }
    syc__order_unlock();
    if (last == NULL)
        return SYC_OK;
    status = syc__enqueue_marker(command->queue, &event);
    if (status == SYC_OK)
        give(last, event);
    else if (waited != NULL)
        status = wait_for_all(command->queue, waited);
    syc_command_release(last);
    return status;
}

void syc__speak_all(syc_queue *queue, bool waits)
{
    syc_command *latest;
    int waited;
    syc__order_lock();
    latest = latest_silent_locked(queue, queue->newest);
    if (latest != NULL)
        syc_command_retain(latest);
    syc__order_unlock();
    if (latest != NULL)
        (void)syc__speak(latest, waits ? &waited : NULL); /* who asks for its status is told what is wrong */
    syc_command_release(latest);
}

static bool is_silence_ahead_of_all_locked(const syc_queue *queue)
{
    const syc_command *on = keeps_order(queue) ? queue->newest : NULL;
    while (on != NULL && !is_on_its_way(on))
        on = on->in_flight_previous;
    return on != NULL;
}

void syc__silence_is_over_locked(const syc_queue *queue)
{
    enum { SLICE_NS = 1000000 };
    while (is_silence_ahead_of_all_locked(queue) && syc_process_alive()) {
        struct timespec deadline = syc_deadline(SLICE_NS);
        syc__order_wait_locked(&deadline);
    }
}
