/* The dispatcher: a thread per queue, alive only while the queue has commands that OpenCL's own wait lists cannot order
 * (another driver, another context, the host's part of a command). It starts whichever of them is ready. */
#include "base/thread.h"
#include "schedule/order.h"

#include <sched.h>

enum { WATCHED = 16 };

/* A driver that fails the question once may answer the next time; when it keeps failing, what waits is doomed, it does
 * not hang. */
static const uint64_t patience_ns = 1000000000;

static bool is_ready(const syc_command *command)
{
    for (size_t i = 0; i < command->after_count; i++) {
        if (!syc_command_ended(command->after[i]))
            return false;
    }
    return true;
}

/* The oldest that is ready, out of the list; at the end of the process any. */
static syc_command *take_ready_locked(syc_queue *queue)
{
    syc_command **link = &queue->deferred_head, *last = NULL, *found;
    bool any = atomic_load(&syc__closing);
    for (; *link != NULL && !any && !is_ready(*link); link = &(*link)->deferred_next)
        last = *link;
    found = *link;
    if (found == NULL)
        return NULL;
    *link = found->deferred_next;
    if (queue->deferred_tail == found)
        queue->deferred_tail = last;
    found->deferred_next = NULL;
    return found;
}

/* Dependencies whose end somebody must look for, retained. */
static size_t watch_locked(const syc_queue *queue, syc_command **watched)
{
    size_t count = 0;
    for (const syc_command *c = queue->deferred_head; c != NULL && count < WATCHED; c = c->deferred_next) {
        for (size_t i = 0; i < c->after_count && count < WATCHED; i++) {
            syc_command *on = c->after[i];
            if (syc__state_of(on) != SYC__ENQUEUED || (count > 0 && watched[count - 1] == on))
                continue;
            syc_command_retain(on);
            watched[count++] = on;
        }
    }
    return count;
}

/* Looks at them once. The first that the driver would not tell of, retained, or NULL. */
static syc_command *poll(syc_command **watched, size_t count, syc_status *failed)
{
    syc_command *mute = NULL;
    for (size_t i = 0; i < count; i++) {
        syc_command_status seen;
        syc_status status = syc_command_poll(watched[i], &seen);
        if (status != SYC_OK && mute == NULL) {
            *failed = status;
            mute = watched[i];
            continue;
        }
        syc_command_release(watched[i]);
    }
    return mute;
}

/* Takes out the first command that waits for `on`. */
static syc_command *take_dependent_locked(syc_queue *queue, const syc_command *on)
{
    syc_command **link = &queue->deferred_head, *last = NULL, *found;
    for (; *link != NULL; last = *link, link = &(*link)->deferred_next) {
        found = *link;
        for (size_t i = 0; i < found->after_count; i++) {
            if (found->after[i] != on)
                continue;
            *link = found->deferred_next;
            if (queue->deferred_tail == found)
                queue->deferred_tail = last;
            found->deferred_next = NULL;
            return found;
        }
    }
    return NULL;
}

/* When a driver has been mute for too long, what waits for its answer fails. */
static void give_up(syc_queue *queue, const syc_command *mute, syc_status failed)
{
    syc_command *command;
    syc__order_lock();
    command = take_dependent_locked(queue, mute);
    syc__order_unlock();
    if (command == NULL)
        return;
    syc__complete(command, failed);
    syc_command_release(command);
}

/* Short waits are spun for, longer ones slept for, until something changes. */
static void nap(uint64_t waited)
{
    enum { SPIN_NS = 50000, LONGEST_NS = 1000000 };
    uint64_t time = waited / 8 < LONGEST_NS ? waited / 8 : LONGEST_NS;
    struct timespec deadline;
    if (waited < SPIN_NS) {
        sched_yield();
        return;
    }
    deadline = syc_deadline(time);
    syc__order_lock();
    syc__order_wait_locked(&deadline);
    syc__order_unlock();
}

static void start(syc_command *command)
{
    if (atomic_load(&syc__closing) && !is_ready(command))
        syc__complete(command,
                      syc_fail(SYC_E_CLOSED, SYC_HERE, "not run: pysycl shut down before its dependencies ended"));
    else
        (void)syc__start(command, false); /* a failure is the command's outcome and in the queue's list */
    syc_command_release(command);
}

/* False when there is nothing left to do: the thread ends. */
static bool next_locked(syc_queue *queue, syc_command **ready, syc_command **watched, size_t *count)
{
    *ready = take_ready_locked(queue);
    *count = *ready == NULL ? watch_locked(queue, watched) : 0;
    if (*ready != NULL || queue->deferred_head != NULL)
        return true;
    queue->dispatching = false;
    syc__dispatchers_locked--;
    syc__order_changed_locked();
    return false;
}

static void *dispatch(void *argument)
{
    syc_queue *queue = argument;
    syc_command *ready, *mute, *watched[WATCHED];
    uint64_t idle_since = syc_now_ns(), mute_since = 0;
    size_t count;

    for (;;) {
        syc_status failed = SYC_OK;
        bool more;
        syc__order_lock();
        more = next_locked(queue, &ready, watched, &count);
        syc__order_unlock();
        if (!more)
            break;
        if (ready != NULL) {
            start(ready);
            idle_since = syc_now_ns();
            continue;
        }
        mute = poll(watched, count, &failed);
        if (mute == NULL)
            mute_since = 0;
        else if (mute_since == 0)
            mute_since = syc_now_ns();
        else if (syc_now_ns() - mute_since > patience_ns || syc_process_check() != SYC_OK)
            give_up(queue, mute, failed);
        syc_command_release(mute);
        nap(syc_now_ns() - idle_since);
    }
    syc_queue_release(queue);
    return NULL;
}

static syc_status start_thread_locked(syc_queue *queue)
{
    int error;

    syc_queue_retain(queue);
    error = syc_thread_start(dispatch, queue);
    if (error != 0) {
        syc_queue_release(queue);
        return syc_fail(SYC_E_RUNTIME, SYC_HERE, "no thread for the queue's dispatcher: error %d", error);
    }
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
