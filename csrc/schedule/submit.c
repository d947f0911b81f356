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

/* The bytes that argument `i` uses; false for an argument that is no array. */
static bool extent_of(const syc_command *command, size_t i, uintptr_t *low, uintptr_t *high)
{
    const syc_argument *a = &command->work->arguments[i];
    if (a->kind != SYC_ARGUMENT_SPAN)
        return false;
    syc_span_extent(&a->span, low, high);
    return true;
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
        uintptr_t low, high;
        if (!extent_of(command, i, &low, &high))
            continue;
        SYC_CHECK(hazards != NULL, SYC_E_MEMORY_ALLOCATION, "no memory to order commands by the arrays that they use");
        syc_hazards_visit(hazards, low, high, command->work->arguments[i].span.writable, depend, &c);
    }
    status = c.status;
done:
    return status;
}

static void remove_hazards_locked(syc_command *command)
{
    uintptr_t low, high;
    for (size_t i = 0; i < command->work->argument_count; i++) {
        if (extent_of(command, i, &low, &high))
            syc_hazards_remove(syc__hazards_locked(), low, high, command);
    }
}

/* From here on other submissions see it. All or nothing: what a recorded use replaces cannot be brought back, so room
 * for all of them is made before the first. */
static syc_status register_locked(syc_command *command)
{
    syc_hazards *hazards = syc__hazards_locked();
    syc_queue *queue = command->queue;
    const syc_argument *a = command->work->arguments;
    uintptr_t low, high;
    syc_status status = SYC_OK;

    for (size_t i = 0; i < command->work->argument_count; i++) {
        if (extent_of(command, i, &low, &high))
            SYC_TRY(syc_hazards_reserve(hazards, low, high, a[i].span.writable));
    }
    for (size_t i = 0; i < command->work->argument_count; i++) {
        if (extent_of(command, i, &low, &high))
            syc_hazards_use(hazards, low, high, a[i].span.writable, command);
    }
    syc_command_retain(command);
    command->in_flight_previous = queue->newest;
    if (queue->newest != NULL)
        queue->newest->in_flight_next = command;
    else
        queue->oldest = command;
    queue->newest = command;
    queue->pending++;
    syc__pending++;
done:
    if (status != SYC_OK)
        remove_hazards_locked(command);
    return status;
}

/* A native edge must stay in one OpenCL context and out of the caller lane, in which an event made elsewhere may be,
 * and a command that the host finishes has no event that says so. */
static bool is_native_edge(const syc_command *command, const syc_command *on)
{
    return syc__state_of(on) == SYC__ENQUEUED && !on->write_back && on->lane == SYC_LANE_POOL &&
           on->context->native == command->context->native &&
           (on->queue != NULL || command->queue->natives[SYC_LANE_CALLER] == NULL);
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
static bool is_read_at_enqueue(const syc_facts *facts, const syc_argument *argument)
{
    return argument->kind == SYC_ARGUMENT_SPAN &&
           (syc_span_is_staged(facts, &argument->span) || (!facts->shares_host_memory && facts->reads_at_enqueue));
}

/* An empty command is no OpenCL call, so it cannot be enqueued. */
static bool may_enqueue_early(const syc_command *command)
{
    const struct syc__work *work = command->work;
    const syc_facts *facts = command->queue->device->facts;
    if (syc__work_empty(work) || !facts->out_of_order)
        return false;
    for (size_t i = 0; i < work->argument_count; i++) {
        if (is_read_at_enqueue(facts, &work->arguments[i]))
            return false;
    }
    return true;
}

/* The caller lane is for one thread at a time: PoCL's device for it deadlocks when two use it at once (3.0: the thread
 * that finishes one command starts the next under a lock that this one needs). Whoever finds it taken uses the pool. */
static syc_lane take_lane(const syc_command *command)
{
    const syc_queue *queue = command->queue;
    bool small = command->work->geometry.cost_ns <= queue->device->facts->caller_budget_ns;
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
    syc_status status = fate(command);
    syc_lane lane;

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
    lane = take_lane(command);
    status = syc__enqueue(command, lane, NULL, 0);
    if (status != SYC_OK) {
        leave_lane(command, lane);
        command->raised = raises;
        syc__complete(command, status);
        return status;
    }
    if (lane != SYC_LANE_CALLER || !syc__run_to_end(command))
        publish(command);
    leave_lane(command, lane);
    return SYC_OK;
}

/* A command that cannot be enqueued still keeps its place until what it depends on has ended: commands behind it may
 * rely on that order. Such commands may be with the dispatcher already, so it goes before them. The submitting call
 * raises `failed`. */
static syc_status doom(syc_command *command, syc_status failed)
{
    syc_failure *doomed = NULL;
    syc_status status = syc_failure_capture(failed, &doomed);

    command->raised = true;
    if (status == SYC_OK) {
        command->doom = doomed;
        syc__order_lock();
        status = syc__defer_locked(command, true);
        syc__order_unlock();
    }
    if (status != SYC_OK) { /* neither memory nor a thread to be had: this thread waits */
        for (size_t i = 0; i < command->after_count; i++)
            (void)syc_command_wait(command->after[i], UINT64_MAX / 4);
        syc__complete(command, failed);
    }
    return failed;
}

/* How a registered command gets to its device. */
enum way { WAY_START, WAY_NATIVE, WAY_DEFERRED };

/* Chosen in one go with the registration: a command that depends on this one, submitted by another thread, must not get
 * into the dispatcher's list before it. */
static syc_status choose_way_locked(syc_command *command, enum way *way, cl_event **events)
{
    *way = WAY_START;
    if (all_ended(command))
        return SYC_OK;
    if (may_enqueue_early(command))
        *events = native_edges_locked(command);
    *way = *events != NULL ? WAY_NATIVE : WAY_DEFERRED;
    return *way == WAY_DEFERRED ? syc__defer_locked(command, false) : SYC_OK;
}

/* Enqueues behind the events of the dependencies, and drops those. */
static syc_status enqueue_behind(syc_command *command, cl_event *events)
{
    size_t count = command->after_count;
    syc_status status = syc__enqueue(command, SYC_LANE_POOL, events, (cl_uint)count);
    for (size_t i = 0; i < count; i++) {
        syc__event_let_go(command->context, events[i]);
    }
    syc_free(events);
    if (status == SYC_OK)
        publish(command);
    return status;
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
    cl_event *events = NULL;
    enum way way = WAY_START;
    bool registered = false;
    syc_status status = prepare(queue, launch, keep, site, &command);
    if (status != SYC_OK)
        return status;
    syc__reap(queue);
    syc__order_lock();
    status = atomic_load(&syc__closing) ? syc_fail(SYC_E_CLOSED, SYC_HERE, "%s", syc_status_text(SYC_E_CLOSED))
                                        : collect_locked(command, after, after_count);
    if (status == SYC_OK)
        status = register_locked(command);
    if (status == SYC_OK) {
        registered = true;
        status = choose_way_locked(command, &way, &events);
    }
    syc__order_unlock();
    if (status == SYC_OK && way == WAY_START)
        status = syc__start(command, true);
    else if (status == SYC_OK && way == WAY_NATIVE)
        status = enqueue_behind(command, events);
    if (status != SYC_OK && registered && way != WAY_START)
        status = doom(command, status);
    if (status == SYC_OK)
        *out = command;
    else
        syc_command_release(command);
    return status;
}
