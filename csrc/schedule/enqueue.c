/* From a command to its native event. */
#include "schedule/steps.h"

#include "base/alloc.h"
#include "cl/entries.h"
#include "memory/usm/usm.h"

/* Memory that the host has mapped is the device's for the time of the command. */
static syc_status unmap_allocations(struct syc__steps *steps)
{
    syc_status status = SYC_OK;
    for (size_t i = 0; i < steps->work->allocation_count; i++) {
        cl_event event = NULL;
        SYC_TRY(
            syc_usm_enqueue_unmap(steps->work->allocations[i], steps->queue, steps->after_count, steps->after, &event));
        if (event != NULL)
            SYC_TRY(syc__steps_take(steps, event));
    }
    syc__steps_next(steps);
done:
    return status;
}

static syc_status map_allocations(struct syc__steps *steps)
{
    syc_status status = SYC_OK;
    syc__steps_next(steps);
    for (size_t i = 0; i < steps->work->allocation_count; i++) {
        cl_event event = NULL;
        SYC_TRY(
            syc_usm_enqueue_map(steps->work->allocations[i], steps->queue, steps->after_count, steps->after, &event));
        if (event != NULL)
            SYC_TRY(syc__steps_take(steps, event));
    }
done:
    return status;
}

/* After a failure half-way: what was enqueued must be over before the memory under it may go. */
static void undo(struct syc__steps *steps)
{
    syc_command *command = steps->command;
    if (syc__is_silent(command))
        (void)steps->cl->Finish(steps->queue);
    command->ran |= steps->before_count + steps->current_count > 0 || command->native != NULL;
    syc__steps_clear(steps, true);
    if (command->native == NULL)
        return;
    (void)steps->cl->WaitForEvents(1, &command->native);
    syc_event_let_go(command->context, command->native);
    syc_live_add(SYC_LIVE_CL_EVENT, -1);
    command->native = NULL;
}

syc_status syc__enqueue(syc_command *command, syc_lane lane, const cl_event *after, cl_uint after_count)
{
    struct syc__steps steps;
    syc_status status = SYC_OK;

    syc__steps_init(&steps, command, command->queue->natives[lane], after, after_count);
    command->lane = lane;
    SYC_TRY(unmap_allocations(&steps));
    SYC_TRY(command->work->ops->enqueue(&steps));
    SYC_TRY(map_allocations(&steps));
    SYC_TRY(syc__steps_close(&steps));
    command->ran = true;
done:
    if (status != SYC_OK)
        undo(&steps);
    else
        syc__steps_clear(&steps, false);
    return status;
}

void syc__publish(syc_command *command)
{
    syc__order_lock();
    syc__set_state(command, SYC__ENQUEUED);
    syc__order_changed_locked();
    syc__order_unlock();
}
