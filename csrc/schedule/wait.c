/* Waiting for commands, and looking at those that nobody waits for: native completion is polled for, never called back,
 * so that no driver thread ever runs our code and a wait can be cut into slices that answer Ctrl-C. */
#include "cl/entries.h"
#include "schedule/companion.h"
#include "schedule/replay/recording.h"
#include "schedule/steps.h"

#include <sched.h>

static const syc_facts *facts_of(const syc_command *command)
{
    return command->queue != NULL ? command->queue->device->facts : NULL;
}

/* Short work is spun for, longer work slept for: never more than an eighth of what it has taken so far, so that the
 * wait adds little, and never so long that a bounded wait overshoots. */
static void pause_after(const syc_command *command, cl_event native, uint64_t waited, uint64_t left)
{
    enum { LONGEST_NS = 2000000, SHORT_NS = 20000 };
    const syc_facts *facts = facts_of(command);
    uint64_t nap = waited / 8 < LONGEST_NS ? waited / 8 : LONGEST_NS;
    uint64_t spin = facts != NULL && facts->wait_spin_ns > 0 ? facts->wait_spin_ns : SYC_WAIT_SPIN_NS;
    nap = nap < left ? nap : left;
    if (waited < (spin < SHORT_NS ? spin : SHORT_NS) && facts != NULL && facts->wait_spin_ns > 0)
        return; /* to ask again is all there is to do: the cores are not what it waits for */
    if (waited < spin)
        sched_yield();
    else if (facts != NULL && facts->companion)
        syc__companion_pause(syc__companion_send(command->context, native), nap);
    else
        syc_sleep_ns(nap);
}

/* Alone in flight, and done in a few milliseconds at most. */
static bool is_brief(syc_command *command)
{
    enum { BRIEF_NS = 1000000 }; /* as estimated */
    bool brief;
    syc__order_lock();
    brief =
        syc__state_of(command) == SYC__ENQUEUED && syc__pending == 1 && syc__work_cost_ns(command->work) <= BRIEF_NS;
    syc__order_unlock();
    return brief;
}

static syc_status wait_native(syc_command *command, cl_event native, uint64_t began, uint64_t timeout_ns)
{
    syc_status status = SYC_OK;
    cl_int execution = CL_QUEUED;
    int flushed = 0;

    if (command->queue != NULL)
        flushed = syc_context_cl(command->context)->Flush(command->queue->natives[command->lane]);
    /* This thread does the work itself, which is sooner done than a sleeping one woken. What the driver says of its end
     * is asked for below. */
    if (facts_of(command) != NULL && facts_of(command)->waiter_works && is_brief(command))
        (void)syc_context_cl(command->context)->WaitForEvents(1, &native);
    for (;;) {
        uint64_t waited;
        SYC_TRY(syc__event_status(command, native, &execution));
        if (execution <= CL_COMPLETE) {
            syc__finish_native(command, native, execution);
            return SYC_OK;
        }
        if (flushed != 0) /* else it may never begin */
            return syc_fail_cl(SYC_HERE, "clFlush", flushed);
        waited = syc_now_ns() - began;
        if (waited >= timeout_ns)
            return SYC_TIMEOUT;
        pause_after(command, native, waited, timeout_ns - waited);
    }
done:
    return status;
}

static syc_status wait_for_silent(syc_command *command)
{
    int execution;
    syc_status status = syc__speak(command, &execution);
    if (status == SYC_OK && execution <= CL_COMPLETE)
        syc__finish_native(command, NULL, execution);
    return status;
}

/* Without a marker nothing is known yet, and the next one may be had; unless all has ended with the context. */
static void ask_for_silent(syc_command *command)
{
    syc_status refused = syc__speak(command, NULL);
    int code = refused == SYC_OK ? CL_SUCCESS : syc_detail_of(refused).cl_code;
    if (syc__is_lost(command, code))
        syc__finish_native(command, NULL, code);
}

static syc_status wait_for_end(syc_command *command, uint64_t timeout_ns)
{
    uint64_t began = syc_now_ns();
    struct timespec deadline = syc_deadline(timeout_ns);
    syc_status status = syc_process_check();

    if (status == SYC_OK)
        status = syc__refuse_recorded(command, "wait");
    while (status == SYC_OK && !syc_command_ended(command)) {
        cl_event native = syc__hold_native(command);
        if (native != NULL) {
            status = wait_native(command, native, began, timeout_ns);
            syc_event_let_go(command->context, native);
        } else {
            status = wait_for_silent(command);
            syc__order_lock();
            int state = syc__state_of(command);
            if (state != SYC__COMPLETE && state != SYC__ENQUEUED)
                syc__order_wait_locked(&deadline);
            syc__order_unlock();
        }
        if (status == SYC_OK && !syc_command_ended(command) && syc_now_ns() - began >= timeout_ns)
            status = SYC_TIMEOUT;
    }
    return status;
}

/* Of a silent command nothing more is asked than is there to tell of it. */
static syc_status look(syc_command *command, syc_command_status *out)
{
    syc_status status = SYC_OK;
    cl_event native = NULL;
    cl_int execution = CL_QUEUED;

    SYC_TRY(syc_process_check());
    SYC_TRY(syc__refuse_recorded(command, "status"));
    native = syc__hold_native(command);
    if (native != NULL) {
        SYC_TRY(syc__event_status(command, native, &execution));
        if (execution <= CL_COMPLETE)
            syc__finish_native(command, native, execution);
    }
    if (syc_command_ended(command))
        *out = SYC_COMMAND_COMPLETE;
    else
        *out = execution == CL_RUNNING || syc__state_of(command) == SYC__RUNNING ? SYC_COMMAND_RUNNING
                                                                                 : SYC_COMMAND_SUBMITTED;
done:
    if (native != NULL)
        syc_event_let_go(command->context, native);
    return status;
}

/* The oldest command of the queue, retained, or NULL. */
static syc_command *hold_oldest(const syc_queue *queue)
{
    syc_command *oldest;
    syc__order_lock();
    oldest = queue->oldest;
    if (oldest != NULL)
        syc_command_retain(oldest);
    syc__order_unlock();
    return oldest;
}

/* Looks at the oldest command of the queue; true if it has ended, so that the next one may be looked at. */
static bool reap_one(const syc_queue *queue)
{
    syc_command_status seen = SYC_COMMAND_SUBMITTED;
    syc_command *oldest = hold_oldest(queue);
    if (oldest != NULL && look(oldest, &seen) != SYC_OK)
        seen = SYC_COMMAND_SUBMITTED; /* its own wait will say what is wrong */
    syc_command_release(oldest);
    return oldest != NULL && seen == SYC_COMMAND_COMPLETE;
}

syc_status syc_command_wait(syc_command *command, uint64_t timeout_ns)
{
    syc_status status = wait_for_end(command, timeout_ns);
    /* Commands before it have often ended with it: a program that waits for its last event only holds nothing more. */
    if (status == SYC_OK && command->queue != NULL)
        while (reap_one(command->queue))
            ;
    return status;
}

/* Of several commands that wait for each other all have ended where a late one has, which is asked for alone. The
 * latest of all may have begun just now. */
static void reap_before_newest(const syc_queue *queue)
{
    syc_command_status seen;
    syc_command *late = NULL;
    syc__order_lock();
    if (queue->newest != NULL)
        late = queue->newest->in_flight_previous;
    while (late != NULL && syc__is_silent_locked(late))
        late = late->in_flight_previous;
    late = late != queue->oldest ? late : NULL;
    if (late != NULL)
        syc_command_retain(late);
    syc__order_unlock();
    if (late != NULL)
        (void)look(late, &seen); /* its own wait will say what is wrong */
    syc_command_release(late);
}

/* A queue other than `own` with commands in flight, each in its turn, retained: one that its owner has dropped is
 * looked after by nobody else. */
static syc_queue *hold_another(const syc_queue *own)
{
    static size_t turn;
    syc_queue *found = NULL;
    size_t others = 0, chosen;

    syc__order_lock();
    if (syc__pending > own->pending) {
        for (const syc_queue *q = syc__queues_locked; q != NULL; q = q->next)
            others += q != own && q->oldest != NULL;
        chosen = turn++ % others;
        for (syc_queue *q = syc__queues_locked; q != NULL && found == NULL; q = q->next) {
            if (q != own && q->oldest != NULL && chosen-- == 0)
                found = q;
        }
        syc_queue_retain(found);
    }
    syc__order_unlock();
    return found;
}

void syc__reap(syc_queue *queue)
{
    enum { AT_MOST = 16, PAUSE_NS = 100000 }; /* to ask costs more than a tenth of a launch on some drivers */
    syc_queue *other;
    uint64_t now;
    if (atomic_load_explicit(&syc__pending, memory_order_relaxed) == 0)
        return; /* so it is for small commands; a count that is old by now only puts off what may be put off */
    now = syc_now_ns();
    if (now - atomic_load_explicit(&queue->reaped_ns, memory_order_relaxed) < PAUSE_NS)
        return;
    atomic_store_explicit(&queue->reaped_ns, now, memory_order_relaxed);
    other = hold_another(queue);
    if (other != NULL)
        syc__speak_all(other, false);
    reap_before_newest(queue);
    for (int i = 0; i < AT_MOST && reap_one(queue); i++)
        ;
    for (int i = 0; i < AT_MOST && other != NULL && reap_one(other); i++)
        ;
    syc_queue_release(other);
}

syc_status syc_command_poll(syc_command *command, syc_command_status *out)
{
    ask_for_silent(command);
    return look(command, out);
}
