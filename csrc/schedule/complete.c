/* The end of commands: outcome, late errors, dependents. */
#include "base/alloc.h"
#include "base/text.h"
#include "cl/device_clock.h"
#include "cl/entries.h"
#include "memory/usm/usm.h"
#include "schedule/companion.h"
#include "schedule/profile.h"
#include "schedule/steps.h"

static void append_error_locked(syc_queue *queue, struct syc__late *late)
{
    if (queue->errors_end == NULL)
        queue->errors_end = &queue->errors;
    *queue->errors_end = late;
    queue->errors_end = &late->next;
}

/* The record of a late failure; NULL (and a report, so that it is not lost) without memory. */
static struct syc__late *late_error(const syc_command *command)
{
    struct syc__late *late = NULL;
    if (syc_alloc(sizeof *late, &late) == SYC_OK)
        late->error.failure = syc_failure_copy(command->failure);
    if (late == NULL || late->error.failure == NULL) {
        syc_free(late);
        syc_report(syc_failure_restore(command->failure));
        return NULL;
    }
    if (command->failed_site != NULL)
        (void)syc_copy_string(command->failed_site, &late->error.site);
    return late;
}

static void drop_error(struct syc__late *late)
{
    if (late == NULL)
        return;
    syc_failure_free(late->error.failure);
    syc_free(late->error.site);
    syc_free(late);
}

/* By the call that submitted it; or, for a copy that did not run, by the command that it was made for. */
static bool is_said_elsewhere(const syc_command *command)
{
    return command->raised || command->queue == NULL || (command->carries && command->poisoned);
}

enum { EVENTS = 3 };

static void release_events(const syc_command *command, const cl_event *events)
{
    for (int i = 0; i < EVENTS; i++) {
        if (events[i] == NULL)
            continue;
        syc_event_let_go(command->context, events[i]);
        syc_live_add(SYC_LIVE_CL_EVENT, -1);
    }
}

static syc_status ask(struct syc__work *work, syc_status status)
{
    if (work == NULL || status != SYC_OK)
        return status;
    if (work->ops->ask != NULL)
        return work->ops->ask(work);
    return work->verdict.call != NULL ? work->verdict.call(work->verdict.payload) : SYC_OK;
}

static void call_endings(const struct syc__work *work, bool succeeded)
{
    if (work != NULL && work->ending.call != NULL)
        work->ending.call(work->ending.payload, succeeded);
    if (work != NULL && work->ops->ended != NULL)
        work->ops->ended(work, succeeded);
}

void syc__complete(syc_command *command, syc_status status)
{
    struct syc__late *late = NULL;
    struct syc__work *work = command->work;
    syc_failure *failure = NULL;
    syc_command **after;
    size_t after_count;
    cl_event events[EVENTS];
    int64_t ahead;

    status = ask(work, status);
    if (status != SYC_OK) {
        if (syc_failure_capture(status, &failure) == SYC_OK)
            command->failure = failure;
        command->failed_site = syc__command_site(command);
        if (!is_said_elsewhere(command))
            late = late_error(command);
    }
    call_endings(work, status == SYC_OK);
    ahead = syc__profile_ahead(command);
    syc__order_lock();
    syc__profile_add_locked(command, ahead);
    if (command->timed && command->queue != NULL)
        syc__graph_time_locked(command);
    syc__places_ended_locked(command);
    syc__unregister_locked(command);
    if (late != NULL && !command->awaited) {
        append_error_locked(command->queue, late);
        late = NULL;
    }
    if (command->queue != NULL && command->queue->device->facts->release_pause_ns > 0)
        command->queue->ended_ns = syc_now_ns();
    events[0] = command->native;
    events[1] = command->first;
    events[2] = command->launched;
    after = command->after;
    after_count = command->after_count;
    command->native = command->first = command->launched = NULL;
    command->work = NULL;
    command->after = NULL;
    command->after_count = command->after_room = 0;
    syc__set_state(command, SYC__COMPLETE);
    syc__order_changed_locked();
    syc__order_unlock();

    drop_error(late);
    release_events(command, events);
    for (size_t i = 0; i < after_count; i++)
        syc_command_release(after[i]);
    syc_free(after);
    syc__work_free(command, work);
    if (command->queue != NULL)
        syc_command_release(command); /* the in-flight list's reference */
}

void syc_command_forsake(syc_command *command)
{
    struct syc__late *late;
    bool failed;

    syc__order_lock();
    failed = command->awaited && syc_command_failure(command) != NULL;
    command->awaited = false;
    syc__order_unlock();
    late = failed ? late_error(command) : NULL; /* else the one who completes it finds it forsaken */
    if (late == NULL)
        return;
    syc__order_lock();
    append_error_locked(command->queue, late);
    syc__order_unlock();
}

/* Events of a device are on one clock, its driver's. */
void syc__set_host_times(syc_command *command, uint64_t submit, uint64_t start, uint64_t end)
{
    const syc_queue *queue = command->queue;
    uint64_t ahead = 0;
    if (queue != NULL && syc__keeps_times(queue) && syc_process_alive())
        ahead = (uint64_t)syc_device_clock_ahead(command->context, queue->device, end, true);
    command->times = (syc_times){submit + ahead, start + ahead, end + ahead};
}

/* The start is the first step's, the end the last one's. */
static void read_times(syc_command *command, cl_event native)
{
    const syc_cl_table *cl = syc_context_cl(command->context);
    cl_event first = command->first != NULL ? command->first : native;
    cl_ulong submit, start, end;

    if (command->queue != NULL && !syc__keeps_times(command->queue))
        return;
    command->untimed = cl->GetEventProfilingInfo(first, CL_PROFILING_COMMAND_SUBMIT, sizeof submit, &submit, NULL);
    if (command->untimed == 0)
        command->untimed = cl->GetEventProfilingInfo(first, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
    if (command->untimed == 0)
        command->untimed = cl->GetEventProfilingInfo(native, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    command->timed = command->untimed == 0;
    if (command->timed)
        command->times = (syc_times){submit, start, end};
}

/* After a kernel's fault NVIDIA's driver answers no question about what its context has had in flight, but with the
 * fault's code, and refuses everything else with that, too. Where the host has no memory left the device goes on. */
bool syc__is_lost(const syc_command *command, int code)
{
    return code < 0 && code != CL_OUT_OF_HOST_MEMORY && command->queue != NULL &&
           syc_context_cl(command->context)->Flush(command->queue->natives[command->lane]) == code;
}

/* Words for a command that the device gave up. */
static syc_status device_failure(const syc_command *command, int code)
{
    const struct syc__work *work = command->work != NULL ? syc__work_failed(command->work) : NULL;
    bool replayed = work != command->work && command->work->site.file != NULL;
    const char *api = work == NULL || work->ops->kind == SYC_TASK_LAUNCH ? "clEnqueueNDRangeKernel" : NULL;
    syc_status status = syc_fail_cl(SYC_HERE, api, code), kind;
    const char *device = command->queue != NULL ? syc_device_name(command->queue->device) : "its device";
    syc_detail detail = syc_detail_of(status);
    syc_text text = {0};
    char *words = NULL;
    if (syc_copy_string(detail.message, &words) != SYC_OK)
        return status;
    kind = api != NULL ? SYC_E_KERNEL : SYC_E_RUNTIME;
    syc_text_add(&text, "'%s'%s failed while it ran on %s", syc__command_name(command),
                 command->vague ? ", or another command in its context," : "", device);
    if (replayed)
        syc_text_add(&text, ", replayed at %s:%d", command->work->site.file, command->work->site.line);
    status = syc_fail_cl_as(status == SYC_E_MEMORY_ALLOCATION ? status : kind, SYC_HERE, api, code, "%s: %s",
                            syc_text_get(&text), words);
    syc_text_clear(&text);
    syc_free(words);
    return status;
}

/* A dependency that has not been completed, retained; NULL if all have. */
static syc_command *hold_unended(const syc_command *command)
{
    syc_command *found = NULL;
    syc__order_lock();
    for (size_t i = 0; i < command->after_count && found == NULL; i++) {
        if (!syc_command_ended(command->after[i]))
            found = command->after[i];
    }
    if (found != NULL)
        syc_command_retain(found);
    syc__order_unlock();
    return found;
}

/* It waited for this one natively, and has ended well: so has this one, which the driver need not be asked for. */
static void finish_as_well(syc_command *on, cl_event after)
{
    cl_event native = syc__hold_native(on);
    if (native != NULL || syc__is_silent(on))
        syc__finish_native(on, native != NULL ? native : after, CL_COMPLETE);
    if (native != NULL)
        syc_event_let_go(on->context, native);
}

/* A command has ended natively, and so has all that it depends on, but that may not have been looked at yet. It is
 * completed first: what is known of copies (memory/copies.h) is kept up to date in the order of the graph, and the
 * failure of one command is the reason for its dependents'. Without recursion: chains are as long as users make them.
 */
static void settle_dependencies(const syc_command *command, cl_event native, bool well)
{
    enum { SLICE_NS = 1000000 };
    syc_command **chain = NULL, *on;
    size_t count = 0, room = 0;
    int patience = 1000; /* slices; a driver that does not say how a command ended must not keep the others */

    while (patience > 0) {
        const syc_command *last = count > 0 ? chain[count - 1] : command;
        on = hold_unended(last);
        if (on != NULL && syc_grow(&chain, &room, count + 1, sizeof *chain) == SYC_OK) {
            chain[count++] = on;
            continue;
        }
        if (on == NULL && count == 0)
            break;
        if (on == NULL) /* else there is no memory to look behind it */
            on = chain[--count];
        if (well)
            finish_as_well(on, native);
        patience -= !syc_command_ended(on) && syc_command_wait(on, SLICE_NS) != SYC_OK;
        syc_command_release(on);
    }
    while (count > 0)
        syc_command_release(chain[--count]);
    syc_free(chain);
}

static void settle(const syc_command *command, cl_event native, int execution)
{
    for (size_t i = 0; i < command->after_count; i++) {
        if (!syc_command_ended(command->after[i])) {
            settle_dependencies(command, native, execution == CL_COMPLETE);
            break;
        }
    }
}

syc_status syc__event_status(const syc_command *command, cl_event native, cl_int *execution)
{
    const syc_cl_table *cl = syc_context_cl(command->context);
    int code = cl->GetEventInfo(native, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof *execution, execution, NULL);
    if (syc__is_lost(command, code))
        *execution = code; /* so has it ended */
    else if (code != 0)
        return syc_fail_cl(SYC_HERE, "clGetEventInfo", code);
    return SYC_OK;
}

/* The code of the step that failed: those behind it say only that they waited for it. */
static int own_code(const syc_command *command, int execution)
{
    const cl_event steps[] = {command->first, command->launched};
    if (command->work != NULL && command->work->ops->code != NULL)
        return command->work->ops->code(command, execution);
    for (int i = 0; i < 2 && execution == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST; i++) {
        cl_int code = 0;
        if (steps[i] != NULL && syc__event_status(command, steps[i], &code) == SYC_OK && code < 0)
            execution = code;
    }
    return execution;
}

/* OpenCL fails the dependents of a failed event by itself; the origin is known to us, so name it. Where it may be
 * another that failed, a dependent in the same native queue may have been through before. */
static syc_status outcome(syc_command *command, int execution)
{
    if (execution == CL_COMPLETE)
        return SYC_OK;
    for (size_t i = 0; i < command->after_count; i++) {
        if (syc_command_failure(command->after[i]) != NULL) {
            command->poisoned = true;
            command->vague = command->after[i]->vague && execution != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
            command->ran = command->vague;
            return syc__poisoned(command->after[i], command->vague);
        }
    }
    execution = own_code(command, execution);
    command->vague = syc__is_silent(command) || syc__is_lost(command, execution);
    return device_failure(command, execution);
}

/* The native work is over, and all that it depends on: read the times, write back, complete. Once per command, by the
 * thread that may. */
static void end_native(syc_command *command, cl_event native, int execution, int wait_code)
{
    syc_status status;

    read_times(command, native);
    status = outcome(command, execution);
    if (status == SYC_OK && wait_code != 0) /* what the kernel wrote may not be there to see */
        status = syc_fail_cl(SYC_HERE, "clWaitForEvents", wait_code);
    if (status == SYC_OK && command->work != NULL) {
        for (size_t i = 0; i < command->work->binding_count; i++)
            syc_binding_finish(&command->work->bindings[i]);
        syc__work_unpack(command->work);
    }
    syc__complete(command, status);
}

/* Has it left something that the host sees without another call of OpenCL's? A kernel in memory of the device's own has
 * not: who reads that copies or maps it, and waits for this. */
static bool reaches_host(const syc_command *command)
{
    const struct syc__work *work = command->work;
    if (work == NULL || work->ops->kind != SYC_TASK_LAUNCH || work->binding_count > 0 || command->queue == NULL ||
        command->queue->device->facts->shares_host_memory)
        return true;
    for (size_t i = 0; i < work->allocation_count; i++)
        if (syc_usm_is_open(work->allocations[i]))
            return true;
    return false;
}

static void launch_again(syc_command *command)
{
    syc_status status = syc__launch_again(command);
    if (status != SYC_OK || command->native == NULL)
        syc__complete(command, status);
    else
        syc__publish(command);
}

/* The same for a published command: of the threads that see its end, one wins. */
void syc__finish_native(syc_command *command, cl_event native, int execution)
{
    int code = 0;
    bool mine;

    if (native != NULL)
        syc__companion_recall(native);
    syc__order_lock();
    mine = syc__state_of(command) == SYC__ENQUEUED;
    if (mine)
        syc__set_state(command, SYC__FINISHING);
    syc__order_unlock();
    if (!mine)
        return;
    settle(command, native, execution);
    if (syc__launch_is_innocent(command, execution)) {
        launch_again(command);
        return;
    }
    /* Status polling is no synchronisation point of OpenCL's memory model, this call is; it returns at once, but is
     * a good part of a launch on NVIDIA's, so only commands whose writes the host may see pay for it. */
    if (execution == CL_COMPLETE && native != NULL && reaches_host(command))
        code = syc_context_cl(command->context)->WaitForEvents(1, &native);
    end_native(command, native, execution, code);
}

/* A reference to the event under which the command is enqueued, so that it outlives a completion by another thread. Of
 * a silent one NULL where nothing tells of it. */
cl_event syc__hold_native(syc_command *command)
{
    cl_event native = NULL;
    syc__order_lock();
    if (syc__state_of(command) == SYC__ENQUEUED)
        native = syc__heard_by_locked(command);
    if (native != NULL && syc_context_cl(command->context)->RetainEvent(native) != 0)
        native = NULL;
    syc__order_unlock();
    return native;
}

bool syc__run_to_end(syc_command *command)
{
    cl_event native = command->native;
    cl_int execution = CL_QUEUED;
    int code = syc_context_cl(command->context)->WaitForEvents(1, &native);

    if (syc__event_status(command, native, &execution) != SYC_OK || execution > CL_COMPLETE)
        return false;
    settle(command, native, execution);
    end_native(command, native, execution, code);
    return true;
}
