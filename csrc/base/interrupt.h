/* Waits that a signal's handler can end. The core knows no language with such handlers: a hook does. */
#ifndef SYC_BASE_INTERRUPT_H
#define SYC_BASE_INTERRUPT_H

#include "base/status.h"

#include <pthread.h>
#include <stdint.h>

/* Lets handlers run. SYC_INTERRUPTED: one of them wants the call that is under way to end. */
typedef syc_status (*syc_interrupt_hook)(void);
void syc_interrupt_set_hook(syc_interrupt_hook hook);

/* What the main thread waits for in there, to be told to whoever sits before it. */
typedef struct syc_awaited {
    const char *what, *name, *where; /* "building", a kernel or a text, a device */
    uint64_t since;                  /* ns of CLOCK_MONOTONIC */
    bool is_text;                    /* the name is a body, which a call may have made */
} syc_awaited;
/* Says so, or with NULL that it waits no more; what it waited for before. Of other threads nothing is kept. */
const syc_awaited *syc_interrupt_awaits(SYC_KEEP const syc_awaited *awaited);
/* Asked by the hook, in the main thread: NULL where nothing was said. */
const syc_awaited *syc_interrupt_awaited(void);

/* As pthread_cond_wait, for a condition made with syc_cond_init. In the process's main thread, which is the one that
 * handles signals, it returns after a moment in any case, and the hook has been asked without the lock: then
 * SYC_INTERRUPTED, or why nothing may be called any more. What is waited for may have come all the same. */
syc_status syc_interrupt_wait(pthread_cond_t *condition, pthread_mutex_t *lock);

#endif
