/* Starting a command: on the calling thread, on the device, or by handing it over. */
#include "base/alloc.h"
#include "schedule/order.h"
#include "schedule/steps.h"

/* The most that a command may cost to be run here and now, where nobody waits for it. */
static uint64_t budget_of(const syc_command *command)
{
    uint64_t one = command->queue->device->facts->caller_budget_ns;
    const struct syc__work *work = command->work;
    return work->ops->budget_ns != NULL ? work->ops->budget_ns(work, one) : one;
}

/* A call that waits for its command loses nothing by doing the work, as long as others would not have done it sooner.
 */
static bool is_small(const syc_command *command)
{
    const struct syc__work *work = command->work;
    const uint64_t near = work->ops->kind == SYC_TASK_LAUNCH ? work->launch.geometry.near_ns : 0;
    return syc__work_cost_ns(work) <= budget_of(command) ||
           (command->awaited && near != 0 && near <= command->queue->device->facts->awaited_budget_ns);
}

/* PoCL 3.0: its device for the calling thread deadlocks when two threads use it at once.
 * Seen by: tests/regression/test_pocl_caller_lane.py, but not each time.
 *
 * The thread that finishes one command starts the next under a lock that this one needs. So the caller lane is for one
 * thread at a time, and one that finds it taken uses the pool. */
static syc_lane take_lane(const syc_command *command)
{
    const syc_queue *queue = command->queue;
    bool free = (is_small(command) || syc__team_seeks(command)) && queue->natives[SYC_LANE_CALLER] != NULL &&
                !atomic_exchange(&queue->device->caller_taken, true);
    return free ? SYC_LANE_CALLER : SYC_LANE_POOL;
}

static void leave_lane(const syc_command *command, syc_lane lane)
{
    if (lane == SYC_LANE_CALLER)
        atomic_store(&command->queue->device->caller_taken, false);
}

/* Ends a command that was no OpenCL call. */
static void end_on_host(syc_command *command, syc_status status, uint64_t began)
{
    syc__set_host_times(command, began, began, syc_now_ns());
    command->timed = status == SYC_OK;
    syc__complete(command, status);
}

static syc_status run_on_host(syc_command *command, bool raises)
{
    uint64_t began = syc_now_ns();
    syc_status status = SYC_OK;
    if (!syc__work_empty(command->work)) {
        command->ran = true;
        status = command->work->ops->on_host(command->work);
    }
    command->raised |= raises && status != SYC_OK;
    end_on_host(command, status, began);
    return status;
}

static syc_status run_on_device(syc_command *command, bool raises)
{
    uint64_t began = syc_now_ns();
    syc_lane lane;
    syc_status status;

    if (syc__team_runs(command)) {
        command->ran = true;
        end_on_host(command, SYC_OK, began);
        return SYC_OK;
    }
    lane = take_lane(command);
    status = syc__enqueue(command, lane, NULL, 0);

    if (status != SYC_OK || command->native == NULL) {
        leave_lane(command, lane);
        command->raised |= raises && status != SYC_OK;
        end_on_host(command, status, began);
        return status;
    }
    if (lane != SYC_LANE_CALLER || !syc__run_to_end(command))
        syc__publish(command);
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
    if (command->work->ops->hand_over != NULL) {
        command->work->ops->hand_over(command);
        return SYC_OK;
    }
    return run_on_device(command, raises);
}

/* Enqueues behind the events of the dependencies, and drops those. */
syc_status syc__start_behind(syc_command *command, cl_event *events)
{
    size_t count = command->after_count;
    uint64_t began = syc_now_ns();
    syc_status status = syc__enqueue(command, SYC_LANE_POOL, events, (cl_uint)count);
    for (size_t i = 0; i < count; i++) {
        syc_event_let_go(command->context, events[i]);
    }
    syc_free(events);
    if (status == SYC_OK && command->native != NULL)
        syc__publish(command);
    else if (status == SYC_OK)
        end_on_host(command, SYC_OK, began);
    return status;
}
