/* Detached threads, and the signals that a thread takes. */
#ifndef SYC_BASE_THREAD_H
#define SYC_BASE_THREAD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Starts a detached thread, to which no signal is delivered. Gives 0, or the system's error. */
int syc_thread_start(void *(*run)(void *argument), void *argument);

/* Has the process the addresses for a thread with so many bytes of stack (0: as many as threads have), and for what it
 * does then? A thread whose variables find no place ends the process. */
bool syc_thread_fits(size_t stack);

/* Bytes of the stack of a thread that says nothing of it, as drivers' do. */
size_t syc_thread_stack(void);

/* PoCL 3.0: it ends the process where its linker is killed.
 * Gone when: tests/python/faults/test_process.py::test_ctrl_c_reaches_no_linker.
 *
 * From here to syc_signals_let this thread takes none of the signals that end a whole group of processes (a terminal's
 * Ctrl-C, a supervisor's SIGTERM); nor do threads and programs that are started meanwhile, ever: a driver's linker is
 * one such program. */
void syc_signals_hold(sigset_t *before);
void syc_signals_let(const sigset_t *before);

#endif
