/* The companion: one thread for the process, which ends when it has had nothing to do for a while. */
#include "schedule/companion.h"

#include "base/clock.h"
#include "base/thread.h"
#include "cl/entries.h"
#include "schedule/order.h"

/* An event, and what keeps it; both NULL: nothing. */
typedef struct errand {
    syc_context *context;
    cl_event event;
} errand;

/* A leaf: nothing is locked under it, and nothing called but for a reference to an event. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t sent, returned;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static errand next, current;
static bool alive, closed;
static atomic_bool busy;    /* is there an errand? Whoever sees none need not take the lock to look */
static unsigned long turns; /* how often it has come back */

static void initialise(void)
{
    syc_cond_init(&sent);
    syc_cond_init(&returned);
}

static void lock_companion(void)
{
    pthread_once(&once, initialise);
    pthread_mutex_lock(&lock);
}

static void drop(errand gone)
{
    if (gone.event == NULL)
        return;
    syc_event_let_go(gone.context, gone.event);
    syc_context_release(gone.context);
}

static errand take_next_locked(void)
{
    errand taken = next;
    next = (errand){NULL, NULL};
    return taken;
}

/* The next errand becomes the current one. False: there has been none for so long that the thread ends. */
static bool await_errand_locked(void)
{
    enum { IDLE_NS = 1000000000 };
    struct timespec deadline = syc_deadline(IDLE_NS);
    bool late = false;
    while (next.event == NULL && !closed && !late)
        late = pthread_cond_timedwait(&sent, &lock, &deadline) != 0;
    current = take_next_locked();
    atomic_store(&busy, current.event != NULL);
    return current.event != NULL;
}

static void *run_errands(void *unused)
{
    errand done;
    lock_companion();
    while (await_errand_locked()) {
        done = current;
        pthread_mutex_unlock(&lock);
        /* The waiting thread asks how the command ended; a failure here only shortens its wait. */
        (void)syc_context_cl(done.context)->WaitForEvents(1, &done.event);
        drop(done);
        lock_companion();
        current = (errand){NULL, NULL};
        atomic_store(&busy, next.event != NULL);
        turns++;
        pthread_cond_broadcast(&returned);
    }
    alive = false;
    pthread_cond_broadcast(&returned);
    pthread_mutex_unlock(&lock);
    return unused;
}

static bool is_there_locked(void)
{
    if (!alive)
        alive = syc_thread_start(run_errands, NULL) == 0;
    return alive;
}

unsigned long syc__companion_send(syc_context *context, cl_event event)
{
    errand replaced = {NULL, NULL};
    unsigned long turn;
    lock_companion();
    turn = turns;
    if (!closed && event != next.event && event != current.event && is_there_locked() &&
        syc_context_cl(context)->RetainEvent(event) == 0) {
        replaced = next;
        syc_context_retain(context);
        next = (errand){context, event};
        atomic_store(&busy, true);
        pthread_cond_signal(&sent);
    }
    pthread_mutex_unlock(&lock);
    drop(replaced);
    return turn;
}

void syc__companion_pause(unsigned long turn, uint64_t ns)
{
    struct timespec deadline = syc_deadline(ns);
    bool late = false;
    lock_companion();
    while (turns == turn && !late)
        late = pthread_cond_timedwait(&returned, &lock, &deadline) != 0;
    pthread_mutex_unlock(&lock);
}

void syc__companion_recall(cl_event event)
{
    enum { PATIENCE_NS = 2000000 };
    struct timespec deadline = syc_deadline(PATIENCE_NS);
    errand unsent = {NULL, NULL};
    bool late = false;
    if (!atomic_load(&busy))
        return;
    lock_companion();
    if (next.event == event)
        unsent = take_next_locked();
    while (current.event == event && !late)
        late = pthread_cond_timedwait(&returned, &lock, &deadline) != 0;
    pthread_mutex_unlock(&lock);
    drop(unsent);
}

void syc__companion_close(uint64_t patience_ns)
{
    struct timespec deadline = syc_deadline(patience_ns);
    errand unsent;
    bool late = false;
    lock_companion();
    closed = true;
    unsent = take_next_locked();
    pthread_cond_broadcast(&sent);
    while (alive && !late)
        late = pthread_cond_timedwait(&returned, &lock, &deadline) != 0;
    pthread_mutex_unlock(&lock);
    drop(unsent);
}
