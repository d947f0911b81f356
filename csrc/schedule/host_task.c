/* Host tasks that are ready, in the order in which they became so, until workers take them. */
#include "schedule/host_task.h"

#include "base/alloc.h"
#include "schedule/order.h"

/* A leaf: nothing is locked or called under it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived;
static pthread_once_t once = PTHREAD_ONCE_INIT;
/* Linked by deferred_next, which a RUNNING command has no other use for; one reference each. */
static syc_command *head, **end = &head;
static size_t count;
static bool closed;

static void initialise(void)
{
    syc_cond_init(&arrived);
}

static void lock_ready(void)
{
    pthread_once(&once, initialise);
    pthread_mutex_lock(&lock);
}

static void end_closed(SYC_TAKE syc_command *command)
{
    syc__complete(command, syc_fail(SYC_E_CLOSED, SYC_HERE, "not run: pysycl shut down before the host task could"));
    syc_command_release(command);
}

static void make_ready(syc_command *command)
{
    bool late;
    command->times.submit = syc_now_ns(); /* on the host's clock till it has ended */
    syc_command_retain(command);
    lock_ready();
    late = closed;
    if (!late) {
        command->deferred_next = NULL;
        *end = command;
        end = &command->deferred_next;
        count++;
        pthread_cond_signal(&arrived);
    }
    pthread_mutex_unlock(&lock);
    if (late)
        end_closed(command);
}

const syc_task_ops syc_host_task_ops = {.kind = SYC_TASK_HOST, .word = "host task", .hand_over = make_ready};

static syc_command *pop_locked(void)
{
    syc_command *command = head;
    if (command == NULL)
        return NULL;
    head = command->deferred_next;
    if (head == NULL)
        end = &head;
    command->deferred_next = NULL;
    count--;
    return command;
}

syc_status syc_host_task_take(uint64_t timeout_ns, syc_command **out, void **payload)
{
    struct timespec deadline = syc_deadline(timeout_ns);
    syc_command *command;
    bool none_left, waited_out = false;
    syc_status status = syc_process_check();

    if (status != SYC_OK)
        return status;
    lock_ready();
    while ((command = pop_locked()) == NULL && !closed && !waited_out)
        waited_out = pthread_cond_timedwait(&arrived, &lock, &deadline) != 0;
    none_left = closed;
    pthread_mutex_unlock(&lock);
    if (command == NULL)
        return none_left ? syc_fail(SYC_E_CLOSED, SYC_HERE, "%s", syc_status_text(SYC_E_CLOSED)) : SYC_TIMEOUT;
    command->ran = true; /* from here on it may have written */
    syc__order_lock();
    command->owner = pthread_self(); /* what waits for it cannot be waited for on this thread */
    command->granted = true;
    syc__order_unlock();
    command->times.start = syc_now_ns();
    *payload = command->work->keep.payload;
    *out = command;
    return SYC_OK;
}

void syc_host_task_finish(syc_command *command, syc_status status)
{
    syc__set_host_times(command, command->times.submit, command->times.start, syc_now_ns());
    command->timed = true;
    syc__complete(command, status);
    syc_command_release(command);
}

/* The need that covers the bytes where the queue's device works. */
static const syc_need *find_need(const struct syc__work *work, const syc_buffer *buffer, size_t low, size_t bytes)
{
    for (size_t i = 0; i < work->need_count; i++) {
        const syc_need *need = &work->needs[i];
        if (need->buffer == buffer && !need->at_host && low >= need->low && low + bytes <= need->low + need->bytes)
            return need;
    }
    return NULL;
}

syc_status syc_host_task_memory(syc_command *command, const syc_buffer *buffer, size_t low, size_t bytes, cl_mem *out)
{
    struct syc__work *work = command->work;
    const syc_need *need = find_need(work, buffer, low, bytes);
    syc_status status = SYC_OK;
    cl_mem memory = NULL;

    SYC_TRY(syc_process_check());
    SYC_CHECK(need != NULL, SYC_E_INVALID_OBJECT,
              "the host task has no device accessor for these bytes of buffer %llu: only what its command group has "
              "required has native memory in it",
              buffer->id);
    SYC_TRY(syc_grow(&work->held, &work->held_room, work->held_count + 1, sizeof *work->held));
    SYC_TRY(syc_buffer_hold_view(need->buffer, need->place, command->context, low, bytes, &memory));
    SYC_CHECK(memory != NULL, SYC_E_INVALID_OBJECT,
              "the device has no cl_mem that begins at byte %zu of buffer %llu: its sub-buffers must be aligned more; "
              "use an accessor to the whole buffer",
              low, buffer->id);
    work->held[work->held_count++] = (struct syc__held){need->buffer, memory};
    *out = memory;
done:
    return status;
}

void syc__host_tasks_close(void)
{
    syc_command *command;
    if (!syc_process_alive()) /* a forked child: what is ready is its parent's, and so may be the lock */
        return;
    lock_ready();
    closed = true;
    pthread_cond_broadcast(&arrived);
    pthread_mutex_unlock(&lock);
    for (;;) {
        lock_ready();
        command = pop_locked();
        pthread_mutex_unlock(&lock);
        if (command == NULL)
            return;
        end_closed(command);
    }
}
