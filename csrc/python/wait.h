/* Waiting that drops the GIL and answers Ctrl-C, and which submissions wait for their command. */
#ifndef SYC_PYTHON_WAIT_H
#define SYC_PYTHON_WAIT_H

#include "python/state.h"

/* Waits of the core's look for signals from now on: base/interrupt.h. */
void syc_py_wait_init(syc_state *state);

/* Waits for all commands. -1 with an error set: a signal handler raised, or a driver failed the wait. The commands' own
 * failures are not raised: they are asynchronous. */
int syc_py_wait(syc_state *state, syc_command *const *commands, size_t count);

/* Waits at most `seconds` until a host access is granted: 1, or 0 when time ran out. -1 with an error set: a signal
 * handler raised, or it will never be granted. */
int syc_py_access_wait(syc_state *state, SYC_KEEP syc_command *access, double seconds);

/* The values of wait=. */
typedef enum syc_py_waiting {
    SYC_PY_WAIT_FOR_ARRAYS, /* nothing, or None: where host memory is among the arguments, as NumPy's functions do */
    SYC_PY_WAIT_NEVER,
    SYC_PY_WAIT_ALWAYS
} syc_py_waiting;

/* `value`: NULL, None or a bool. -1 with an error set. */
int syc_py_waiting_convert(syc_state *state, PyObject *value, syc_py_waiting *out);
/* Is the submission to wait? `arrays`: host memory is among the arguments. With the word "sync" of pysycl.debug all do.
 */
bool syc_py_waits(syc_py_waiting asked, bool arrays);
/* Every submission returns its event through this; NULL with an error set stays that. A command that is awaited
 * (schedule/task.h) is waited for, and its failure raised. */
PyObject *syc_py_submitted(syc_state *state, SYC_TAKE PyObject *event);

#endif
