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

/* Other commands may have been put before it since it was the head. */
static void take(syc_queue *queue, syc_command *command)
{
    syc_command **link = &queue->deferred_head, *last = NULL;
    syc__order_lock();
    for (; *link != command; link = &(*link)->deferred_next)
        last = *link;
    *link = command->deferred_next;
    if (queue->deferred_tail == command)
        queue->deferred_tail = last;
    command->deferred_next = NULL;
    syc__order_unlock();
}

static bool is_head(syc_queue *queue, const syc_command *command)
{
    bool head;
    syc__order_lock();
    head = queue->deferred_head == command;
    syc__order_unlock();
    return head;
}

/* Waits for one dependency, a slice at a time. SYC_TIMEOUT: another command has come before this one. A driver that
 * fails the question once may answer the next time; when it keeps failing, the command is doomed, it does not hang. */
static syc_status wait_for(syc_queue *queue, const syc_command *command, syc_command *on)
{
    enum { ATTEMPTS = 20 };
    int failed = 0;
    for (;;) {
        syc_status status = syc_command_wait(on, SLICE_NS);
        if (status == SYC_OK)
            return SYC_OK;
        if (status != SYC_TIMEOUT && (++failed == ATTEMPTS || syc_process_check() != SYC_OK))
            return status;
        if (atomic_load(&syc__closing))
            return syc_fail(SYC_E_CLOSED, SYC_HERE, "not run: pysycl shut down before its dependencies ended");
        if (!is_head(queue, command))
            return SYC_TIMEOUT;
        if (status != SYC_TIMEOUT)
            syc_sleep_ns(SLICE_NS);
    }
}

static syc_status wait_for_dependencies(syc_queue *queue, const syc_command *command)
{
    syc_status status = SYC_OK;
    for (size_t i = 0; i < command->after_count && status == SYC_OK; i++)
        status = wait_for(queue, command, command->after[i]);
    return status;
}

static void *dispatch(void *argument)
{
    syc_queue *queue = argument;
    syc_command *command;

    while ((command = head_of(queue)) != NULL) {
        syc_status status = wait_for_dependencies(queue, command);
        if (status == SYC_TIMEOUT)
            continue;
        take(queue, command);
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

syc_status syc__defer_locked(syc_command *command, bool first)
{
    syc_queue *queue = command->queue;
    syc_status status = queue->dispatching ? SYC_OK : start_thread_locked(queue);
    if (status != SYC_OK)
        return status;
    syc_command_retain(command);
    syc__set_state(command, SYC__DEFERRED);
    if (first) {
        command->deferred_next = queue->deferred_head;
        queue->deferred_head = command;
    } else {
        if (queue->deferred_tail != NULL)
            queue->deferred_tail->deferred_next = command;
        else
            queue->deferred_head = command;
        queue->deferred_tail = command;
    }
    if (queue->deferred_tail == NULL)
        queue->deferred_tail = command;
    return SYC_OK;
}
