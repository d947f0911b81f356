/* The commands of a queue that have not ended, and what others may see of them and of their native queue. */
#include "base/alloc.h"
#include "cl/entries.h"
#include "schedule/order.h"

/* A command whose end is the end of all that is in the native queue now, ours and others'. */
static syc_status foreign_work(const syc_queue *queue, syc_command **out)
{
    syc_status status = SYC_OK;
    cl_event event = NULL;

    SYC_TRY(syc__enqueue_marker(queue, &event));
    SYC_TRY(syc_command_from_native(event, queue->context, out));
done:
    if (event != NULL)
        syc_event_let_go(queue->context, event);
    return status;
}

syc_status syc_queue_commands(syc_queue *queue, syc_command ***out, size_t *count)
{
    syc_command **commands = NULL;
    size_t n = 0;
    syc_status status = SYC_OK;

    SYC_TRY(syc_process_check());
    syc__order_lock();
    status = syc_alloc_array(queue->pending + 1, sizeof(syc_command *), &commands);
    for (syc_command *c = queue->oldest; status == SYC_OK && c != NULL; c = c->in_flight_next) {
        syc_command_retain(c);
        commands[n++] = c;
    }
    syc__order_unlock();
    if (status == SYC_OK && atomic_load(&queue->shared)) {
        status = foreign_work(queue, &commands[n]);
        n += status == SYC_OK;
    }
    SYC_TRY(status);
    *out = commands;
    *count = n;
    commands = NULL;
    n = 0;
done:
    while (commands != NULL && n > 0)
        syc_command_release(commands[--n]);
    syc_free(commands);
    return status;
}

cl_command_queue syc_queue_native(syc_queue *queue)
{
    syc__order_lock();
    atomic_store(&queue->shared, true); /* from here on no launch is decided to be silent */
    syc__silence_is_over_locked(queue);
    syc__order_unlock();
    syc__speak_all(queue, true); /* what others put behind them may wait for anything */
    return queue->natives[SYC_LANE_POOL];
}

syc_status syc_command_native(syc_command *command, cl_event *out)
{
    const syc_cl_table *cl = syc_context_cl(command->context);
    syc_status status = SYC_OK;
    cl_event event = NULL;
    int code = 0, state;

    SYC_TRY(syc_process_check());
    SYC_TRY(syc__refuse_recorded(command, "int_ptr"));
    SYC_TRY(syc__speak(command, NULL));
    syc__order_lock();
    state = syc__state_of(command);
    event = state == SYC__ENQUEUED ? syc__heard_by_locked(command) : command->native;
    if (event != NULL)
        code = cl->RetainEvent(event);
    syc__order_unlock();
    if (code != 0)
        SYC_TRY(syc_fail_cl(SYC_HERE, "clRetainEvent", code));
    SYC_CHECK(event != NULL || state == SYC__COMPLETE, SYC_E_INVALID_OBJECT,
              "the command has no cl_event yet: it waits for work that OpenCL does not know of; wait() for it first");
    SYC_CHECK(event != NULL || command->queue != NULL, SYC_E_INVALID_OBJECT,
              "the event was made from a cl_event and has ended: that cl_event is no longer held");
    if (event == NULL)
        SYC_TRY(syc__enqueue_marker(command->queue,
                                    &event)); /* it keeps none when it has completed: this ends nearly at once */
    syc_live_add(SYC_LIVE_CL_EVENT, 1);
    *out = event;
done:
    return status;
}
