/* The caller's lane: a launch that is done before other threads would be awake runs on the calling thread. cl/device.h
 * and cl/platform.c have the device that does so. */
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
bool syc__caller_may(const syc_command *command)
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
bool syc__caller_takes(const syc_command *command)
{
    const syc_queue *queue = command->queue;
    return syc__caller_may(command) && queue->natives[SYC_LANE_CALLER] != NULL &&
           !atomic_exchange(&queue->device->caller_taken, true);
}

void syc__caller_leaves(const syc_command *command)
{
    atomic_store(&command->queue->device->caller_taken, false);
}
