/* The calls that this process may still make: none after a fork that followed the first driver, nothing after exit. */
#ifndef SYC_BASE_PROCESS_H
#define SYC_BASE_PROCESS_H

#include "base/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

extern atomic_int syc__process_state; /* 0: fine */
enum { SYC__PROCESS_FORKED = 1, SYC__PROCESS_CLOSED = 2 };

/* A driver has started threads: from now on a forked child is refused. Registers the fork handler once. */
void syc_process_mark_used(void);
/* A driver's exit handlers wait for its threads: from now on a forked child that calls exit() flushes its files and is
 * gone, without the exit handlers that were registered before the fork. */
void syc_process_mark_waits_at_exit(void);
/* Something that a driver was to do is abandoned: exit() flushes files and is gone, with its code, without the exit
 * handlers that are registered so far. Drivers' would wait for their threads, or take away what those use. */
void syc_process_leave_early(void);
/* Work that is due then all the same; it must be fine to do in a forked child, too. */
void syc_process_set_last_act(void (*function)(void));
/* Interpreter exit: the drain is over, nothing may reach OpenCL any more, objects are leaked on purpose. */
void syc_process_close(void);
/* Work of a driver's that exit() must not overtake stands between these: compilers do not outlive their library. A
 * thread that comes for some when the process has ceased to wait for it stays there for ever. */
void syc_process_begin_work(void);
void syc_process_end_work(void);
/* Nobody waits for what the work is to give, and exit() does not either; and its end, before what comes behind it. */
void syc_process_abandon_work(void);
void syc_process_resume_work(void);
/* Behind syc_process_close(): waits until no work is under way, but no longer than `patience_ns`, and for none that is
 * abandoned. False: some is. */
bool syc_process_await_work(uint64_t patience_ns);
/* The failure that says which of the two it is. */
syc_status syc__process_refuse(void) __attribute__((cold));

/* First line of every entry that reaches OpenCL. */
static inline syc_status syc_process_check(void)
{
    return __builtin_expect(atomic_load_explicit(&syc__process_state, memory_order_relaxed) == 0, 1)
               ? SYC_OK
               : syc__process_refuse();
}

/* First line of every destructor: false means leak it, the driver must not be called. */
static inline bool syc_process_alive(void)
{
    return atomic_load_explicit(&syc__process_state, memory_order_relaxed) == 0;
}

#endif
