/* PoCL 3.0: its clang descends as deep as the text, and ends the process where the stack ends; other clangs do too.
 * Gone when: tests/regression/test_deep_programs.py::test_long_expressions_do_not_end_the_process.
 *
 * Calls on a deep stack. */
#ifndef SYC_BASE_DEEP_H
#define SYC_BASE_DEEP_H

/* Runs `call(payload)` and returns when it has. It runs on a thread of its own, which takes no Ctrl-C and starts no
 * process that does (thread.h), so it must not leave anything in thread-local variables; where no such thread can be
 * had, or this one's stack is deep already, on this one. Work that exit() waits for (process.h). */
void syc_call_deep(void (*call)(void *payload), void *payload);
/* As syc_call_deep, but may return before the call has ended, or begun. */
void syc_start_deep(void (*call)(void *payload), void *payload);

#endif
