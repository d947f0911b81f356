/* Host tasks as Python sees them: a callable, and the accessors that it may use. */
#ifndef SYC_PYTHON_TYPES_HOST_TASK_H
#define SYC_PYTHON_TYPES_HOST_TASK_H

#include "python/launch/task.h"
#include "python/types/crew.h"

/* Makes an initialised task (syc_py_task_init; it may have needs already) one that calls `callable`, and sees to a
 * thread that will run it. Submit it with syc_py_task_submit, or drop it with syc_py_task_clear. -1 with
 * InvalidParameterError set for what cannot be called with nothing or with an InteropHandle. */
int syc_py_host_task_prepare(syc_state *state, PyObject *callable, syc_py_task *task);

/* An accessor of the same command group, whatever its target, after prepare: it is usable in the callable while that
 * runs. Its need is the caller's business (syc_py_task_need). */
int syc_py_host_task_accessor(syc_py_task *task, AccessorObject *accessor);

#endif
