/* The dispatcher: a thread per queue, alive only while the queue has commands that OpenCL's own wait lists cannot order
 * (another driver, another context, the host's part of a command). It takes them in submission order; since a command
 * can depend on earlier ones only, that order never blocks itself. */
#include "schedule/order.h"

enum { SLICE_NS = 50000000 };

static syc_command *head_of(syc_queue *queue)
{
    syc_command *head;
    syc__order_lock();
    head = queue->deferred_head;
    if (head == NULL) {
        queue->dispatching = false;
        syc__dispatchers_locked--;
        syc__order_changed_locked();
    }
    syc__order_unlock();
    return head;
}

static void take_head(syc_queue *queue)
{
    syc__order_lock();
    syc_command *head = queue->deferred_head;
    queue->deferred_head = head->deferred_next;
    if (queue->deferred_head == NULL)
        queue->deferred_tail = NULL;
    head->deferred_next = NULL;
    syc__order_unlock();
}

/* A dependency that can no longer be waited for (the driver fails the query) dooms the command, it does not hang it. */
static syc_status wait_for_dependencies(const syc_command *command)
{
    for (size_t i = 0; i < command->after_count; i++) {
        syc_status status = SYC_TIMEOUT;
        while (status == SYC_TIMEOUT) {
            if (atomic_load(&syc__closing))
                return syc_fail(SYC_E_CLOSED, SYC_HERE, "not run: pysycl shut down before its dependencies ended");
            status = syc_command_wait(command->after[i], SLICE_NS);
        }
        if (status != SYC_OK)
            return status;
    }
    return SYC_OK;
}

static void *dispatch(void *argument)
{
    syc_queue *queue = argument;
    syc_command *command;

    while ((command = head_of(queue)) != NULL) {
        syc_status status = wait_for_dependencies(command);
        take_head(queue);
        if (status == SYC_OK)
            (void)syc__start(command, false); /* a failure is the command's outcome and in the queue's list */
        else
            syc__complete(command, status);
        syc_command_release(command);
    }
    syc_queue_release(queue);
    return NULL;
}

static syc_status start_thread_locked(syc_queue *queue)
{
    pthread_t thread;
    int error;

    syc_queue_retain(queue);
    error = pthread_create(&thread, NULL, dispatch, queue);
    if (error != 0) {
        syc_queue_release(queue);
        return syc_fail(SYC_E_RUNTIME, SYC_HERE, "no thread for the queue's dispatcher: error %d", error);
    }
    pthread_detach(thread);
    queue->dispatching = true;
    syc__dispatchers_locked++;
    return SYC_OK;
}

syc_status syc__defer_locked(syc_command *command)
{
    syc_queue *queue = command->queue;
    syc_status status = queue->dispatching ? SYC_OK : start_thread_locked(queue);
    if (status != SYC_OK)
        return status;
    syc_command_retain(command);
    syc__set_state(command, SYC__DEFERRED);
    if (queue->deferred_tail != NULL)
        queue->deferred_tail->deferred_next = command;
    else
        queue->deferred_head = command;
    queue->deferred_tail = command;
    return SYC_OK;
}
