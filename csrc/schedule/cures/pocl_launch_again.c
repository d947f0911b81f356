/* Part of program/cures/pocl_launch_clash.c: a launch that another one of its kernel kept from running. Where a driver
 * mistakes launches for each other it is made to wait natively for some that are nothing to it
 * (program/cures/pocl_launch_clash.h), and OpenCL fails what waits for a command that fails. It is enqueued again then,
 * as if it came now. */
#include "schedule/order.h"
#include "schedule/steps.h"

/* Have all commands that it depends on ended, and well? One that has not, though it was waited for, must not be
 * overtaken. */
bool syc__launch_is_innocent(const syc_command *command, int execution)
{
    const struct syc__work *work = command->work;
    if (execution != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST || work == NULL ||
        work->ops->kind != SYC_TASK_LAUNCH || command->queue == NULL ||
        !command->queue->device->facts->mistakes_launches)
        return false;
    for (size_t i = 0; i < command->after_count; i++)
        if (!syc_command_ended(command->after[i]) || syc_command_failure(command->after[i]) != NULL)
            return false;
    return true;
}

static void forget_events(syc_command *command)
{
    cl_event events[3];

    syc__order_lock();
    events[0] = command->native;
    events[1] = command->first;
    events[2] = command->launched;
    command->native = command->first = command->launched = NULL;
    syc__order_unlock();
    for (int i = 0; i < 3; i++)
        if (events[i] != NULL) {
            syc_event_let_go(command->context, events[i]);
            syc_live_add(SYC_LIVE_CL_EVENT, -1);
        }
}

syc_status syc__launch_again(syc_command *command)
{
    forget_events(command);
    for (size_t i = 0; i < command->work->binding_count; i++)
        syc_binding_clear(command->context, &command->work->bindings[i]);
    return syc__enqueue(command, command->lane, NULL, 0);
}
