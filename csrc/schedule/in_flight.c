/* The commands of a queue that have not ended. */
#include "base/alloc.h"
#include "cl/entries.h"
#include "schedule/order.h"

/* A command whose end is the end of all that is in the native queue now, ours and others'. */
static syc_status foreign_work(syc_queue *queue, syc_command **out)
{
    const syc_cl_table *cl = syc_context_cl(queue->context);
    syc_status status = SYC_OK;
    cl_event event = NULL;

    SYC_CL(cl, EnqueueMarkerWithWaitList, (queue->natives[SYC_LANE_POOL], 0, NULL, &event));
    SYC_CL(cl, Flush, (queue->natives[SYC_LANE_POOL]));
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
