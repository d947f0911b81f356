/* Host tasks as Python sees them: a callable, the accessors that it may use, and the threads that run it
 * (pysycl/host_task.py). */
#ifndef SYC_PYTHON_PY_HOST_TASK_H
#define SYC_PYTHON_PY_HOST_TASK_H

#include "python/task.h"

/* One object is both: what is to be called, held by the command, and the handle that the function may get. */
typedef struct InteropHandleObject {
    PyObject_HEAD syc_command *core; /* while the function runs; borrowed from the thread that runs it */
    PyObject *callable;              /* until it has run */
    PyObject *accessors;             /* list: those of the command group */
    bool wanted;                     /* the function takes the handle */
} InteropHandleObject;

/* It will not be called any more: lets go of the callable, once. */
void syc_py_host_task_retire(InteropHandleObject *self);

/* Makes an initialised task (syc_py_task_init; it may have needs already) one that calls `callable`, and sees to a
 * thread that will run it. Submit it with syc_py_task_submit, or drop it with syc_py_task_clear. -1 with
 * InvalidParameterError set for what cannot be called with nothing or with an InteropHandle. */
int syc_py_host_task_prepare(syc_state *state, PyObject *callable, syc_py_task *task);

/* An accessor of the same command group, whatever its target, after prepare: it is usable in the callable while that
 * runs. Its need is the caller's business (syc_py_task_need). */
int syc_py_host_task_accessor(syc_py_task *task, AccessorObject *accessor);

/* Runs one host task that is ready, on this thread, if there is no thread to run it: when the interpreter ends it
 * starts no threads any more. False when there was nothing to do. For those who wait. GIL held. */
bool syc_py_host_task_help(syc_state *state);

#endif
