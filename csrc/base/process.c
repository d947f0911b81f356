/* Keeps forked children and the time after exit away from the drivers. */
#include "base/process.h"

#include <pthread.h>
#include <unistd.h>

atomic_int syc__process_state;

static atomic_bool used;
static atomic_int owner; /* the process that started the drivers, for the message in its child */

/* Runs in the child of a fork. Threads of a driver do not survive one, so the child's first wait would never end. */
static void forked(void)
{
    if (atomic_load(&used))
        atomic_store(&syc__process_state, SYC__PROCESS_FORKED);
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

/* A forked child stays a forked child: its message tells more. */
void syc_process_close(void)
{
    int fine = 0;
    atomic_compare_exchange_strong(&syc__process_state, &fine, SYC__PROCESS_CLOSED);
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
