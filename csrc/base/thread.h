/* Threads that look after themselves, and the signals that they take. */
#ifndef SYC_BASE_THREAD_H
#define SYC_BASE_THREAD_H

#include <signal.h>

/* Nobody joins it, and no signal is delivered to it: those are for the threads of others. 0, or the system's error. */
int syc_thread_start(void *(*run)(void *argument), void *argument);

/* From here to syc_signals_let this thread takes none of the signals that end a whole group of processes (a terminal's
 * Ctrl-C, a supervisor's SIGTERM); nor do threads and programs that are started meanwhile, ever. A driver's linker is
 * one such program, and PoCL ends the process where that is killed. */
void syc_signals_hold(sigset_t *before);
void syc_signals_let(const sigset_t *before);

#endif
