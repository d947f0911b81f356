/* What a command runs after, as Python names it, and the event of a submitted command. */
#ifndef SYC_PYTHON_LAUNCH_AFTER_H
#define SYC_PYTHON_LAUNCH_AFTER_H

#include "python/state.h"

/* Commands to run after: borrowed from a sequence that is held. */
typedef struct syc_py_after {
    PyObject *held;
    syc_command **items;
    size_t count;
    syc_command *few[8];
} syc_py_after;

/* `events`: None, an Event, or an iterable of them. */
int syc_py_after_convert(syc_state *state, PyObject *events, syc_py_after *out);
void syc_py_after_clear(syc_py_after *after);

/* An empty command that only orders, and the event for it. */
PyObject *syc_py_submit_empty(QueueObject *queue, SYC_KEEP const syc_py_after *after);

PyObject *syc_py_event(syc_state *state, QueueObject *queue, SYC_TAKE syc_command *command);

#endif
