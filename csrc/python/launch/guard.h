/* Buffers that share their memory with the user under the user's mutex (use_mutex): it is taken before a submission
 * that uses one, and given back, by pysycl/_data/buffer_mutex.py, when the data is in the user's memory again. */
#ifndef SYC_PYTHON_LAUNCH_GUARD_H
#define SYC_PYTHON_LAUNCH_GUARD_H

#include "python/launch/task.h"

/* Before the submission of a task, all of whose needs are known. May wait for a mutex, without the GIL. Py_None when no
 * such buffer is concerned, which costs nothing; NULL with an error set. */
PyObject *syc_py_guards_enter(syc_state *state, SYC_KEEP const syc_py_task *task);
/* After it: `event` is the Event, or NULL when the submission failed (the error that is set stays set). Takes `guards`,
 * which may be NULL. */
void syc_py_guards_leave(SYC_TAKE PyObject *guards, PyObject *event);

#endif
