/* Starting a command: on the calling thread, on the device, or by handing it over. */
#include "base/alloc.h"
#include "schedule/order.h"
#include "schedule/steps.h"

/* Times of a launch are kept where they are of any: lanes do not differ in that. */
static bool is_timed(const syc_command *command)
{
    return command->work->ops->kind != SYC_TASK_LAUNCH || syc__keeps_times(command->queue);
}

static uint64_t time_of(const syc_command *command)
{
    return is_timed(command) ? syc_now_ns() : 0;
}

/* Ends a command that was no OpenCL call. */
static void end_on_host(syc_command *command, syc_status status, uint64_t began)
{
    if (is_timed(command)) {
        syc__set_host_times(command, began, began, syc_now_ns());
        command->timed = status == SYC_OK;
    }
    syc__complete(command, status);
}

static syc_status run_on_host(syc_command *command, bool raises)
{
    uint64_t began = time_of(command);
    syc_status status = SYC_OK;
    if (!syc__work_empty(command->work)) {
        command->ran = true;
        status = command->work->ops->on_host(command->work);
    }
    command->raised |= raises && status != SYC_OK;
    end_on_host(command, status, began);
    return status;
}

static void leave(const syc_command *command, syc_lane lane)
{
    if (lane == SYC_LANE_CALLER)
        syc__caller_leaves(command);
}

static syc_status run_on_device(syc_command *command, bool raises)
{
    uint64_t began = time_of(command);
    syc_lane lane;
    syc_status status;

    if (syc__team_runs(command)) {
        command->ran = true;
        end_on_host(command, SYC_OK, began);
        return SYC_OK;
    }
    lane = syc__caller_takes(command) ? SYC_LANE_CALLER : SYC_LANE_POOL;
    status = syc__enqueue(command, lane, NULL, 0);

    if (status != SYC_OK || command->native == NULL) { /* none is silent that starts alone */
        leave(command, lane);
        command->raised |= raises && status != SYC_OK;
        end_on_host(command, status, began);
        return status;
    }
    if (lane != SYC_LANE_CALLER || !syc__run_to_end(command))
        syc__publish(command);
    leave(command, lane);
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

syc_status syc__start_behind(syc_command *command, cl_event *events, size_t count)
{
    uint64_t began = time_of(command);
    syc_status status = syc__enqueue(command, SYC_LANE_POOL, events, (cl_uint)count);
    for (size_t i = 0; i < count; i++) {
        syc_event_let_go(command->context, events[i]);
    }
    syc_free(events);
    if (status == SYC_OK && (command->native != NULL || syc__is_silent(command)))
        syc__publish(command);
    else if (status == SYC_OK)
        end_on_host(command, SYC_OK, began);
    return status;
}
