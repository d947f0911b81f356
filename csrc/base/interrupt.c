/* Ctrl-C is answered between slices of a wait: well within the 0.2 s that a person takes for "at once". */
#include "base/interrupt.h"

#include "base/clock.h"
#include "base/process.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SLICE_NS = 50000000 };

static _Atomic(syc_interrupt_hook) hook;

void syc_interrupt_set_hook(syc_interrupt_hook function)
{
    atomic_store(&hook, function);
}

static bool is_main_thread(void)
{
    return syscall(SYS_gettid) == (long)getpid();
}

static const syc_awaited *awaited_now; /* the main thread's */

const syc_awaited *syc_interrupt_awaits(const syc_awaited *awaited)
{
    const syc_awaited *before;
    if (!is_main_thread())
        return NULL;
    before = awaited_now;
    awaited_now = awaited;
    return before;
}

const syc_awaited *syc_interrupt_awaited(void)
{
    return awaited_now;
}

syc_status syc_interrupt_wait(pthread_cond_t *condition, pthread_mutex_t *lock)
{
    const syc_interrupt_hook ask = atomic_load(&hook);
    struct timespec deadline;
    syc_status status;

    if (ask == NULL || !is_main_thread()) {
        pthread_cond_wait(condition, lock);
        return SYC_OK;
    }
    deadline = syc_deadline(SLICE_NS);
    if (pthread_cond_timedwait(condition, lock, &deadline) == 0)
        return SYC_OK;
    pthread_mutex_unlock(lock);
    status = ask();
    if (status == SYC_OK)
        status = syc_process_check(); /* a handler may fork */
    pthread_mutex_lock(lock);
    return status;
}
