/* Calls on a deep stack: compilers descend as deep as the text that they are given. */
#ifndef SYC_BASE_DEEP_H
#define SYC_BASE_DEEP_H

/* Runs `call(payload)` and returns when it has. It runs on a thread of its own, so it must not leave anything in
 * thread-local variables; where no such thread can be had, on this one. Work that exit() waits for (process.h). */
void syc_call_deep(void (*call)(void *payload), void *payload);

#endif
