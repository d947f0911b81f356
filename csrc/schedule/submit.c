/* Submission: from a task to a command on its way to the device. */
#include "base/alloc.h"
#include "base/text.h"
#include "schedule/recording.h"
#include "schedule/steps.h"

/* A native edge must stay in one OpenCL context and out of the caller lane, in which an event made elsewhere may be,
 * and a command that the host finishes has no event that says so. */
static bool is_native_edge(const syc_command *command, const syc_command *on)
{
    return syc__state_of(on) == SYC__ENQUEUED && !on->write_back && on->lane == SYC_LANE_POOL &&
           on->context->native == command->context->native &&
           (on->queue != NULL || command->queue->device->lanes[SYC_LANE_CALLER] == NULL);
}

/* Events of the dependencies, each retained, when native edges can express them all; else NULL. */
static cl_event *native_edges_locked(const syc_command *command)
{
    const syc_cl_table *cl = syc_context_cl(command->context);
    cl_event *events = NULL;
    size_t count = 0;

    if (syc_alloc_array(command->after_count, sizeof *events, &events) != SYC_OK)
        return NULL;
    for (; count < command->after_count; count++) {
        const syc_command *on = command->after[count];
        if (!is_native_edge(command, on) || cl->RetainEvent(on->native) != 0)
            break;
        events[count] = on->native;
    }
    if (count == command->after_count)
        return events;
    while (count > 0)
        syc__event_let_go(command->context, events[--count]);
    syc_free(events);
    return NULL;
}

static bool all_ended(const syc_command *command)
{
    for (size_t i = 0; i < command->after_count; i++) {
        if (!syc_command_ended(command->after[i]))
            return false;
    }
    return true;
}

/* The host reads a staged array when it binds it, and some drivers any array when its copy to the device is enqueued:
 * only when all before it has ended. */
static bool launch_reads_early(const syc_command *command)
{
    const struct syc__work *work = command->work;
    const syc_facts *facts = command->queue->device->facts;
    for (size_t i = 0; i < work->launch.argument_count; i++) {
        const syc_argument *a = &work->launch.arguments[i];
        if (a->kind == SYC_ARGUMENT_SPAN &&
            (syc_span_is_staged(facts, &a->span) || (!facts->shares_host_memory && facts->reads_at_enqueue)))
            return true;
    }
    return false;
}

/* What is no OpenCL call cannot be enqueued. */
static bool may_enqueue_early(const syc_command *command)
{
    const struct syc__work *work = command->work;
    if (work->kind == SYC_TASK_HOST || syc__work_is_on_host(work) || syc__work_empty(work) ||
        !command->queue->device->facts->out_of_order)
        return false;
    if (work->kind == SYC_TASK_LAUNCH)
        return !launch_reads_early(command);
    if (work->kind == SYC_TASK_COPY)
        return !syc__copy_reads_early(command);
    if (work->kind == SYC_TASK_REPLAY)
        return !syc__replay_reads_early(work);
    return work->kind != SYC__MOVE || !syc__move_reads_early(command);
}

/* What a command may cost to be run here and now. */
static uint64_t budget_of(const syc_command *command)
{
    uint64_t one = command->queue->device->facts->caller_budget_ns;
    return command->work->kind == SYC_TASK_REPLAY ? syc__replay_budget_ns(command->work, one) : one;
}

/* The caller lane is for one thread at a time: PoCL's device for it deadlocks when two use it at once (3.0: the thread
 * that finishes one command starts the next under a lock that this one needs). Whoever finds it taken uses the pool. */
static syc_lane take_lane(const syc_command *command)
{
    const syc_queue *queue = command->queue;
    bool small = syc__work_cost_ns(command->work) <= budget_of(command);
    bool free =
        small && queue->natives[SYC_LANE_CALLER] != NULL && !atomic_exchange(&queue->device->caller_taken, true);
    return free ? SYC_LANE_CALLER : SYC_LANE_POOL;
}

static void leave_lane(const syc_command *command, syc_lane lane)
{
    if (lane == SYC_LANE_CALLER)
        atomic_store(&command->queue->device->caller_taken, false);
}

/* The command is in its native queue: waiters may poll its event now. */
static void publish(syc_command *command)
{
    syc__order_lock();
    syc__set_state(command, SYC__ENQUEUED);
    syc__order_changed_locked();
    syc__order_unlock();
}

syc_status syc__poisoned(const syc_command *origin)
{
    syc_detail detail = syc_failure_detail(origin->failure);
    syc_text message = {0};
    syc_status status;

    if (origin->poisoned) /* it names the origin already */
        return syc_failure_restore(origin->failure);
    syc_text_add(&message, "not run, because a command that it depends on, submitted at %s, failed: %s",
                 origin->failed_site != NULL ? origin->failed_site : "an unknown place", detail.message);
    status = syc_fail_cl_as(detail.status, SYC_HERE, detail.api, detail.cl_code, "%s", syc_text_get(&message));
    syc_text_clear(&message);
    return status;
}

syc_status syc__fate(syc_command *command)
{
    if (command->doom != NULL)
        return syc_failure_restore(command->doom);
    for (size_t i = 0; i < command->after_count; i++) {
        if (syc_command_failure(command->after[i]) != NULL) {
            command->poisoned = true;
            return syc__poisoned(command->after[i]);
        }
    }
    return SYC_OK;
}

/* Ends a command that was no OpenCL call. */
static void end_on_host(syc_command *command, syc_status status, uint64_t began)
{
    command->times = (syc_times){began, began, syc_now_ns()};
    command->timed = status == SYC_OK;
    syc__complete(command, status);
}

static syc_status run_on_host(syc_command *command, bool raises)
{
    uint64_t began = syc_now_ns();
    syc_status status = SYC_OK;
    if (!syc__work_empty(command->work)) {
        command->ran = true;
        status = syc__move_on_host(&command->work->move);
    }
    command->raised |= raises && status != SYC_OK;
    end_on_host(command, status, began);
    return status;
}

static syc_status run_on_device(syc_command *command, bool raises)
{
    syc_lane lane = take_lane(command);
    uint64_t began = syc_now_ns();
    syc_status status = syc__enqueue(command, lane, NULL, 0);

    if (status != SYC_OK || command->native == NULL) {
        leave_lane(command, lane);
        command->raised |= raises && status != SYC_OK;
        end_on_host(command, status, began);
        return status;
    }
    if (lane != SYC_LANE_CALLER || !syc__run_to_end(command))
        publish(command);
    leave_lane(command, lane);
    return SYC_OK;
}

syc_status syc__start(syc_command *command, bool raises)
{
    syc_status status = syc__fate(command);

    if (status != SYC_OK) {
        syc__complete(command, status);
        return SYC_OK; /* an outcome of the command, not of the call */
    }
    syc__set_state(command, SYC__RUNNING);
    if (syc__work_empty(command->work) || syc__work_is_on_host(command->work))
        return run_on_host(command, raises);
    if (command->work->kind == SYC_TASK_HOST) {
        syc__host_task_ready(command);
        return SYC_OK;
    }
    return run_on_device(command, raises);
}

/* A copy between the host's own places has no queue that could start it later. */
static void wait_here(const syc_command *command)
{
    for (size_t i = 0; i < command->after_count; i++)
        (void)syc_command_wait(command->after[i], UINT64_MAX / 4);
}

/* Commands behind it may rely on its place in the order. */
syc_status syc__doom(syc_command *command, syc_status failed)
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

/* How a registered command gets to its device. */
enum way { WAY_START, WAY_NATIVE, WAY_DEFERRED };

static syc_status choose_way(syc_command *command, enum way *way, cl_event **events)
{
    syc_status status = SYC_OK;
    syc__order_lock();
    *way = WAY_START;
    if (!all_ended(command)) {
        if (may_enqueue_early(command))
            *events = native_edges_locked(command);
        *way = *events != NULL ? WAY_NATIVE : WAY_DEFERRED;
    }
    if (*way == WAY_DEFERRED)
        status = syc__defer_locked(command);
    syc__order_unlock();
    return status;
}

/* Enqueues behind the events of the dependencies, and drops those. */
static syc_status enqueue_behind(syc_command *command, cl_event *events)
{
    size_t count = command->after_count;
    uint64_t began = syc_now_ns();
    syc_status status = syc__enqueue(command, SYC_LANE_POOL, events, (cl_uint)count);
    for (size_t i = 0; i < count; i++) {
        syc__event_let_go(command->context, events[i]);
    }
    syc_free(events);
    if (status == SYC_OK && command->native != NULL)
        publish(command);
    else if (status == SYC_OK)
        end_on_host(command, SYC_OK, began);
    return status;
}

static syc_status go(syc_command *command)
{
    cl_event *events = NULL;
    enum way way = WAY_START;
    syc_status status;
    if (command->queue == NULL)
        wait_here(command);
    status = choose_way(command, &way, &events);
    if (status == SYC_OK && way == WAY_START)
        return syc__start(command, true);
    if (status == SYC_OK && way == WAY_NATIVE)
        status = enqueue_behind(command, events);
    return status == SYC_OK ? SYC_OK : syc__doom(command, status);
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

static syc_status prepare(syc_queue *queue, const syc_task *task, syc_keep keep, syc_site site, syc_command **out)
{
    syc_command *command = NULL;
    syc_status status = SYC_OK;

    SYC_TRY(syc_process_check());
    SYC_TRY(syc__command_create(queue, queue->context, &command));
    SYC_TRY(syc__work_create(task, &command->work));
    command->work->keep = keep;
    command->work->site = site;
    *out = command;
    return SYC_OK;
done:
    syc_command_release(command);
    syc_keep_let_go(keep);
    return status;
}

syc_status syc_queue_submit(syc_queue *queue, const syc_task *task, syc_command *const *after, size_t after_count,
                            syc_keep keep, syc_site site, syc_command **out)
{
    syc_recording *recording = syc__recording_of(queue);
    syc_command *command = NULL;
    bool registered = false;
    syc_status status = SYC_OK;
    if (recording != NULL)
        return syc__record(recording, task, after, after_count, keep, site, out);
    for (size_t i = 0; i < after_count && status == SYC_OK; i++)
        status = syc__refuse_recorded(after[i], "depends_on");
    if (status == SYC_OK)
        status = prepare(queue, task, keep, site, &command);
    else
        syc_keep_let_go(keep);
    if (status != SYC_OK)
        return status;
    syc__reap(queue);
    status = syc__enter(command, after, after_count, &registered);
    if (status == SYC_OK)
        status = go(command);
    else if (registered)
        status = syc__doom(command, status);
    if (status == SYC_OK)
        *out = command;
    else
        syc_command_release(command);
    return status;
}
