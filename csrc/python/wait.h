/* Waiting that drops the GIL and answers Ctrl-C. */
#ifndef SYC_PYTHON_WAIT_H
#define SYC_PYTHON_WAIT_H

#include "python/state.h"

/* Waits for all commands. -1 with an error set: a signal handler raised, or a driver failed the wait. The commands' own
 * failures are not raised: they are asynchronous. */
int syc_py_wait(syc_state *state, syc_command *const *commands, size_t count);

#endif
