/* Submission: from a task to a command on its way to the device. */
#include "base/alloc.h"
#include "base/text.h"
#include "cl/entries.h"
#include "schedule/replay/recording.h"
#include "schedule/steps.h"

/* A native edge must stay in one OpenCL context and out of the caller lane, in which an event made elsewhere may be,
 * and a command that the host finishes has no event that says so. */
static bool is_native_edge(const syc_command *command, const syc_command *on)
{
    return syc__state_of(on) == SYC__ENQUEUED && !on->write_back && on->lane == SYC_LANE_POOL &&
           on->context->native == command->context->native &&
           (on->queue != NULL || command->queue->device->lanes[SYC_LANE_CALLER] == NULL);
}

/* How a registered command gets to its device. */
enum way { WAY_START, WAY_NATIVE, WAY_DEFERRED };

struct route {
    enum way way;
    cl_event *events; /* NATIVE: those that it waits for, each retained */
    size_t count;
    syc_command *before; /* a launch that must have an event first, retained; NULL: there is none */
};

static void drop_events(const syc_command *command, struct route *route)
{
    while (route->count > 0)
        syc_event_let_go(command->context, route->events[--route->count]);
    syc_free(route->events);
    route->events = NULL;
}

/* Events of the dependencies, where native edges, and the native queue's order, can express them all. */
static bool find_edges_locked(const syc_command *command, struct route *route)
{
    const syc_cl_table *cl = syc_context_cl(command->context);
    size_t i;

    if (syc_alloc_array(command->after_count, sizeof *route->events, &route->events) != SYC_OK)
        return false;
    for (i = 0; i < command->after_count; i++) {
        const syc_command *on = command->after[i];
        cl_event event;
        if (!is_native_edge(command, on))
            break;
        if (syc__is_ordered(command, on))
            continue;
        event = syc__heard_by_locked(on);
        if (event == NULL || cl->RetainEvent(event) != 0)
            break;
        route->events[route->count++] = event;
    }
    if (route->count == 0)
        drop_events(command, route); /* no list at all, where none is named */
    return i == command->after_count && (route->count == 0 || !syc__is_silence_ahead_locked(command));
}

static bool all_ended(const syc_command *command)
{
    for (size_t i = 0; i < command->after_count; i++) {
        if (!syc_command_ended(command->after[i]))
            return false;
    }
    return true;
}

/* Only OpenCL calls can be enqueued. */
static bool may_enqueue_early(const syc_command *command)
{
    const struct syc__work *work = command->work;
    if (work->ops->enqueue == NULL || syc__work_is_on_host(work) || syc__work_empty(work) ||
        !command->queue->device->facts->out_of_order)
        return false;
    return work->ops->reads_early == NULL || !work->ops->reads_early(command);
}

/* A copy between the host's own places has no queue that could start it later. */
static void wait_here(const syc_command *command)
{
    for (size_t i = 0; i < command->after_count; i++)
        (void)syc_command_wait(command->after[i], UINT64_MAX / 4);
}

/* The command must not run: it ends with `failed`, which the caller raises, once all before it have ended. Commands
 * behind it may rely on its place in the order. */
static syc_status doom(syc_command *command, syc_status failed)
{
    syc_failure *doomed = NULL;
    syc_status status = syc_failure_capture(failed, &doomed);

    command->raised = true;
    if (status == SYC_OK) {
        command->doom = doomed;
        syc__order_lock();
        status = syc__defer_locked(command);
        syc__order_unlock();
    }
    if (status != SYC_OK) { /* neither memory nor a thread to be had: this thread waits */
        wait_here(command);
        syc__complete(command, failed);
    }
    return failed;
}

/* What the queue's order does not keep before it needs an event, to be waited for. */
static void ask_for_events(const syc_command *command)
{
    for (size_t i = 0; i < command->after_count; i++)
        if (!syc__is_ordered(command, command->after[i]))
            (void)syc__speak(command->after[i], NULL); /* without one it is waited for elsewhere */
}

/* A launch without an event must have one before the command is enqueued, which waits for events: where there is none
 * to be had, the command is put off. */
static syc_status mark_before(syc_command *command, struct route *route)
{
    syc_status status = SYC_OK;
    if (syc__speak(route->before, NULL) == SYC_OK || route->count == 0) /* or the command tells of both */
        return SYC_OK;
    drop_events(command, route);
    route->way = WAY_DEFERRED;
    syc__order_lock();
    status = syc__defer_locked(command);
    syc__order_unlock();
    return status;
}

static syc_status choose_way(syc_command *command, struct route *route)
{
    syc_status status = SYC_OK;
    if (command->after_count == 0)
        return SYC_OK;
    ask_for_events(command);
    syc__order_lock();
    if (!all_ended(command)) {
        bool native = command->doom == NULL && may_enqueue_early(command) && find_edges_locked(command, route);
        route->way = native ? WAY_NATIVE : WAY_DEFERRED;
    }
    if (route->way == WAY_DEFERRED) {
        drop_events(command, route);
        status = syc__defer_locked(command);
    }
    if (route->way == WAY_NATIVE) {
        command->silent = route->count == 0 && syc__may_be_silent_locked(command);
        route->before = syc__silent_before_locked(command, route->count > 0);
    }
    syc__order_unlock();
    return status;
}

static syc_status go(syc_command *command)
{
    struct route route = {.way = WAY_START};
    syc_status status;
    if (command->queue == NULL)
        wait_here(command);
    status = choose_way(command, &route);
    if (route.before != NULL)
        status = mark_before(command, &route);
    syc_command_release(route.before);
    if (status == SYC_OK && route.way == WAY_START)
        return syc__start(command, true);
    if (status == SYC_OK && route.way == WAY_NATIVE)
        status = syc__start_behind(command, route.events, route.count);
    return status == SYC_OK ? SYC_OK : doom(command, status);
}

static syc_status plan_and_register(syc_command *command, syc_command *const *after, size_t after_count,
                                    syc_command ***moves, size_t *move_count)
{
    syc_status status = SYC_OK;
    syc__order_lock();
    if (atomic_load(&syc__closing))
        status = syc_fail(SYC_E_CLOSED, SYC_HERE, "%s", syc_status_text(SYC_E_CLOSED));
    if (status == SYC_OK)
        status = syc__plan_moves_locked(command, moves, move_count);
    if (status == SYC_OK)
        status = syc__register_locked(command, after, after_count);
    if (status == SYC_OK)
        syc__plan_writes_locked(command);
    syc__order_unlock();
    return status;
}

/* The first failure; the others are outcomes of commands that depend on it. */
static syc_status start_moves(syc_command **moves, size_t count)
{
    syc_failure *first = NULL;
    syc_status status = SYC_OK;
    for (size_t i = 0; i < count; i++) {
        status = go(moves[i]);
        if (status != SYC_OK && first == NULL)
            (void)syc_failure_capture(status, &first);
        syc_command_release(moves[i]);
    }
    syc_free(moves);
    status = first != NULL ? syc_failure_restore(first) : SYC_OK;
    syc_failure_free(first);
    return status;
}

syc_status syc__enter(syc_command *command, syc_command *const *after, size_t after_count, bool *registered)
{
    syc_command **moves = NULL;
    size_t move_count = 0;
    syc_status status = syc__settle_needs(command), moved;

    while (status == SYC_OK) {
        status = plan_and_register(command, after, after_count, &moves, &move_count);
        if (status != SYC_TIMEOUT)
            break;
        status = syc__settle_routes(command);
    }
    *registered = status == SYC_OK;
    if (move_count == 0) {
        syc_free(moves);
        return status;
    }
    if (status != SYC_OK) { /* what is under way brings data nearer, and does no harm */
        syc_failure *failure = NULL;
        (void)syc_failure_capture(status, &failure);
        (void)start_moves(moves, move_count);
        status = syc_failure_restore(failure);
        syc_failure_free(failure);
        return status;
    }
    moved = start_moves(moves, move_count);
    return moved;
}

/* A command of its own, with nothing to do yet. */
static syc_status begin(syc_queue *queue, const syc_task *task, syc_command **out)
{
    syc_status status = SYC_OK;
    SYC_TRY(syc_process_check());
    SYC_TRY(syc__command_create(queue, queue->context, out));
    (*out)->launches = task->ops->kind == SYC_TASK_LAUNCH;
    (*out)->awaited = task->awaited;
done:
    return status;
}

/* Enters it in the order, and starts it. */
static syc_status send(syc_command *command, syc_command *const *after, size_t after_count)
{
    bool registered = false;
    syc_status status = syc__enter(command, after, after_count, &registered);
    if (status == SYC_OK)
        return go(command);
    return registered ? doom(command, status) : status;
}

syc_status syc_queue_submit(syc_queue *queue, const syc_task *task, syc_command *const *after, size_t after_count,
                            syc_keep keep, syc_site site, syc_command **out)
{
    syc_recording *recording = syc__recording_of(queue);
    syc_command *command = NULL;
    syc_status status = SYC_OK;
    if (recording != NULL)
        return syc__record(recording, task, after, after_count, keep, site, out);
    for (size_t i = 0; i < after_count && status == SYC_OK; i++)
        status = syc__refuse_recorded(after[i], "depends_on");
    SYC_TRY(status);
    SYC_TRY(begin(queue, task, &command));
    syc__reap(queue);
    if (!syc__at_once(command, task, after, after_count, site, false)) {
        SYC_TRY(syc__work_create(task, &command->work));
        command->work->keep = keep;
        command->work->site = site;
        keep = (syc_keep){0};
        SYC_TRY(send(command, after, after_count));
    }
    *out = command;
    command = NULL;
done:
    syc_command_release(command);
    syc_keep_let_go(keep);
    return status;
}

bool syc_queue_try(syc_queue *queue, const syc_task *task, syc_command *const *after, size_t after_count, syc_site site,
                   syc_command **out)
{
    syc_command *command = NULL;
    if (syc__recording_of(queue) != NULL || begin(queue, task, &command) != SYC_OK)
        return false;
    if (syc__at_once(command, task, after, after_count, site, true)) {
        *out = command;
        return true;
    }
    syc_command_release(command);
    return false;
}
