/* Submission: who must come before, and by which of the three ways the command gets to its device. */
#include "base/alloc.h"
#include "base/text.h"
#include "schedule/order.h"

/* Collects dependencies through callbacks that cannot return a status. */
struct collecting {
    syc_command *command;
    syc_status status;
};

static void depend(syc_command *on, void *user)
{
    struct collecting *c = user;
    if (c->status == SYC_OK && !syc_command_ended(on))
        c->status = syc__command_depend_locked(c->command, on);
}

/* Explicit dependencies, the queue's order, and the memory that both use. */
static syc_status collect_locked(syc_command *command, syc_command *const *after, size_t after_count)
{
    struct collecting c = {command, SYC_OK};
    syc_hazards *hazards = syc__hazards_locked();
    syc_status status = SYC_OK;

    for (size_t i = 0; i < after_count; i++) {
        if (syc_command_failure(after[i]) != NULL) /* ended already, and poisons what names it */
            SYC_TRY(syc__command_depend_locked(command, after[i]));
        else
            depend(after[i], &c);
    }
    if (command->queue->options.in_order && command->queue->newest != NULL)
        depend(command->queue->newest, &c);
    for (size_t i = 0; i < command->work->argument_count; i++) {
        const syc_argument *a = &command->work->arguments[i];
        uintptr_t low, high;
        if (a->kind != SYC_ARGUMENT_SPAN)
            continue;
        SYC_CHECK(hazards != NULL, SYC_E_MEMORY_ALLOCATION, "no memory to order commands by the arrays that they use");
        syc_span_extent(&a->span, &low, &high);
        syc_hazards_visit(hazards, low, high, a->span.writable, depend, &c);
    }
    status = c.status;
done:
    return status;
}

static void remove_hazards_locked(syc_command *command)
{
    syc_hazards *hazards = syc__hazards_locked();
    for (size_t i = 0; i < command->work->argument_count; i++) {
        const syc_argument *a = &command->work->arguments[i];
        uintptr_t low, high;
        if (a->kind != SYC_ARGUMENT_SPAN)
            continue;
        syc_span_extent(&a->span, &low, &high);
        syc_hazards_remove(hazards, low, high, command);
    }
}

/* From here on other submissions see it. All or nothing. */
static syc_status register_locked(syc_command *command)
{
    syc_queue *queue = command->queue;
    syc_status status = SYC_OK;

    for (size_t i = 0; i < command->work->argument_count; i++) {
        const syc_argument *a = &command->work->arguments[i];
        uintptr_t low, high;
        if (a->kind != SYC_ARGUMENT_SPAN)
            continue;
        syc_span_extent(&a->span, &low, &high);
        SYC_TRY(syc_hazards_add(syc__hazards_locked(), low, high, a->span.writable, command));
    }
    syc_command_retain(command);
    command->in_flight_previous = queue->newest;
    if (queue->newest != NULL)
        queue->newest->in_flight_next = command;
    else
        queue->oldest = command;
    queue->newest = command;
    queue->pending++;
done:
    if (status != SYC_OK)
        remove_hazards_locked(command);
    return status;
}

/* Events of the dependencies, each retained, when native edges can express them all; else NULL. A native edge must stay
 * in one OpenCL context and out of the caller lane, and a command that the host finishes has no event that says so. */
static cl_event *native_edges_locked(const syc_command *command)
{
    const syc_cl_table *cl = syc_context_cl(command->context);
    cl_event *events = NULL;
    size_t count = 0;

    if (syc_alloc_array(command->after_count, sizeof *events, &events) != SYC_OK)
        return NULL;
    for (; count < command->after_count; count++) {
        const syc_command *on = command->after[count];
        if (syc__state_of(on) != SYC__ENQUEUED || on->write_back || on->lane != SYC_LANE_POOL ||
            on->context->native != command->context->native || cl->RetainEvent(on->native) != 0)
            break;
        events[count] = on->native;
    }
    if (count == command->after_count)
        return events;
    while (count > 0)
        (void)cl->ReleaseEvent(events[--count]);
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

/* The host reads a staged array when it binds it: only when all before it has ended. An empty command is no OpenCL
 * call. */
static bool may_enqueue_early(const syc_command *command)
{
    const struct syc__work *work = command->work;
    if (syc__work_empty(work) || !command->queue->device->facts->out_of_order)
        return false;
    for (size_t i = 0; i < work->argument_count; i++) {
        if (work->arguments[i].kind == SYC_ARGUMENT_SPAN &&
            syc_span_is_staged(command->queue->device->facts, &work->arguments[i].span))
            return false;
    }
    return true;
}

static syc_lane choose_lane(const syc_command *command)
{
    const syc_queue *queue = command->queue;
    bool small = command->work->geometry.cost_ns <= queue->device->facts->caller_budget_ns;
    return small && queue->natives[SYC_LANE_CALLER] != NULL ? SYC_LANE_CALLER : SYC_LANE_POOL;
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

/* How the command ends without running: by its own doom or by a dependency's failure. SYC_OK: it may run. */
static syc_status fate(syc_command *command)
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

syc_status syc__start(syc_command *command, bool raises)
{
    syc_lane lane = choose_lane(command);
    syc_status status = fate(command);

    if (status != SYC_OK) {
        syc__complete(command, status);
        return SYC_OK; /* an outcome of the command, not of the call */
    }
    if (syc__work_empty(command->work)) {
        uint64_t now = syc_now_ns();
        command->times = (syc_times){now, now, now};
        command->timed = true;
        syc__complete(command, SYC_OK);
        return SYC_OK;
    }
    syc__set_state(command, SYC__RUNNING);
    status = syc__enqueue(command, lane, NULL, 0);
    if (status != SYC_OK) {
        command->raised = raises;
        syc__complete(command, status);
        return status;
    }
    publish(command);
    if (lane == SYC_LANE_CALLER)
        syc__run_to_end(command);
    return SYC_OK;
}

/* A command that cannot be enqueued still keeps its place until what it depends on has ended: commands behind it may
 * rely on that order. The submitting call raises `failed`. */
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
        for (size_t i = 0; i < command->after_count; i++)
            (void)syc_command_wait(command->after[i], UINT64_MAX / 4);
        syc__complete(command, failed);
    }
    return failed;
}

/* Takes the registered command to its device, now or as soon as may be. */
static syc_status route(syc_command *command)
{
    cl_event *events = NULL;
    size_t count = command->after_count;
    syc_status status = SYC_OK;

    if (all_ended(command))
        return syc__start(command, true);
    syc__order_lock();
    if (may_enqueue_early(command))
        events = native_edges_locked(command);
    if (events == NULL)
        status = syc__defer_locked(command);
    syc__order_unlock();
    if (events != NULL) {
        status = syc__enqueue(command, SYC_LANE_POOL, events, (cl_uint)count);
        for (size_t i = 0; i < count; i++)
            (void)syc_context_cl(command->context)->ReleaseEvent(events[i]);
        syc_free(events);
        if (status == SYC_OK)
            publish(command);
    }
    return status == SYC_OK ? SYC_OK : doom(command, status);
}

static syc_status prepare(syc_queue *queue, const syc_launch *launch, syc_keep keep, syc_site site, syc_command **out)
{
    syc_command *command = NULL;
    syc_status status = SYC_OK;

    SYC_TRY(syc_process_check());
    SYC_TRY(syc__command_create(queue, queue->context, &command));
    SYC_TRY(syc__work_create(launch, &command->work));
    command->work->keep = keep;
    command->work->site = site;
    *out = command;
    return SYC_OK;
done:
    syc_command_release(command);
    if (keep.release != NULL)
        keep.release(keep.payload);
    return status;
}

syc_status syc_queue_submit(syc_queue *queue, const syc_launch *launch, syc_command *const *after, size_t after_count,
                            syc_keep keep, syc_site site, syc_command **out)
{
    syc_command *command = NULL;
    syc_status status = prepare(queue, launch, keep, site, &command);
    if (status != SYC_OK)
        return status;
    syc__reap(queue);
    syc__order_lock();
    status = atomic_load(&syc__closing) ? syc_fail(SYC_E_CLOSED, SYC_HERE, "%s", syc_status_text(SYC_E_CLOSED))
                                        : collect_locked(command, after, after_count);
    if (status == SYC_OK)
        status = register_locked(command);
    syc__order_unlock();
    if (status == SYC_OK)
        status = route(command);
    if (status == SYC_OK)
        *out = command;
    else
        syc_command_release(command);
    return status;
}
