/* Keeps forked children and the time after exit away from the drivers. */
#include "base/process.h"

#include "base/clock.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

atomic_int syc__process_state;

static atomic_bool used;
static atomic_int owner; /* the process that started the drivers, for the message in its child */
static atomic_bool waits_at_exit;

static void (*_Atomic last_act)(void);

void syc_process_set_last_act(void (*function)(void))
{
    atomic_store(&last_act, function);
}

/* The first of the exit handlers, so none of those that came before it runs: a driver's would wait for its threads. */
static void leave(int code, void *unused)
{
    void (*act)(void) = atomic_load(&last_act);
    (void)unused;
    if (act != NULL)
        act();
    (void)fflush(NULL);
    _exit(code);
}

/* Runs in the child of a fork. Threads of a driver do not survive one, so the child's first wait would never end. */
static void forked(void)
{
    if (!atomic_load(&used) || atomic_exchange(&syc__process_state, SYC__PROCESS_FORKED) == SYC__PROCESS_FORKED)
        return;
    if (atomic_load(&waits_at_exit))
        (void)on_exit(leave, NULL);
}

static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, forked);
}

void syc_process_mark_used(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    if (!atomic_exchange(&used, true))
        atomic_store(&owner, (int)getpid());
}

void syc_process_leave_early(void)
{
    (void)on_exit(leave, NULL);
}

void syc_process_mark_waits_at_exit(void)
{
    atomic_store(&waits_at_exit, true);
}

/* A forked child stays a forked child: its message tells more. */
void syc_process_close(void)
{
    int fine = 0;
    atomic_compare_exchange_strong(&syc__process_state, &fine, SYC__PROCESS_CLOSED);
}

/* -- work under way -- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static size_t under_way, abandoned;
static bool gone; /* nobody waits any more */

static void initialise(void)
{
    syc_cond_init(&ended);
}

static void lock_work(void)
{
    pthread_once(&once, initialise);
    pthread_mutex_lock(&lock);
}

static void enter_work(size_t from_abandoned)
{
    bool late;
    lock_work();
    late = gone;
    under_way += !late;
    abandoned -= late ? 0 : from_abandoned;
    pthread_mutex_unlock(&lock);
    while (late)
        pause();
}

void syc_process_begin_work(void)
{
    enter_work(0);
}

void syc_process_resume_work(void)
{
    enter_work(1);
}

void syc_process_abandon_work(void)
{
    lock_work();
    under_way--;
    abandoned++;
    pthread_cond_broadcast(&ended);
    pthread_mutex_unlock(&lock);
}

void syc_process_end_work(void)
{
    lock_work();
    under_way--;
    pthread_cond_broadcast(&ended);
    pthread_mutex_unlock(&lock);
}

bool syc_process_await_work(uint64_t patience_ns)
{
    struct timespec deadline = syc_deadline(patience_ns);
    bool late = false;
    lock_work();
    while (under_way > 0 && !late)
        late = pthread_cond_timedwait(&ended, &lock, &deadline) != 0;
    gone = true;
    late = under_way + abandoned > 0;
    pthread_mutex_unlock(&lock);
    return !late;
}

syc_status syc__process_refuse(void)
{
    if (atomic_load(&syc__process_state) == SYC__PROCESS_CLOSED)
        return syc_fail(SYC_E_CLOSED, SYC_HERE, "pysycl is shutting down: the interpreter is exiting");
    return syc_fail(SYC_E_FORKED, SYC_HERE,
                    "process %d was forked from process %d after that had loaded an OpenCL driver, and drivers do not "
                    "survive a fork: start workers with the \"spawn\" or \"forkserver\" method, or fork before the "
                    "first use of a device",
                    (int)getpid(), atomic_load(&owner));
}
