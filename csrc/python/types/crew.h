/* The threads that run host tasks (pysycl/host_task.py makes them). */
#ifndef SYC_PYTHON_TYPES_CREW_H
#define SYC_PYTHON_TYPES_CREW_H

#include "python/memory/memory.h"
#include "python/pins.h"

/* One object is both: what is to be called, held by the command, and the handle that the function may get. */
typedef struct InteropHandleObject {
    PyObject_HEAD syc_command *core; /* while the function runs; borrowed from the thread that runs it */
    PyObject *callable;              /* until it has run */
    PyObject *accessors;             /* list: those of the command group */
    bool wanted;                     /* the function takes the handle */
} InteropHandleObject;

/* It will not be called any more: lets go of the callable, once. */
void syc_py_host_task_retire(InteropHandleObject *self);
/* The crew that a command's pins hold, borrowed; NULL: it is no host task. */
InteropHandleObject *syc_py_host_task_of(syc_state *state, SYC_KEEP const syc_pins *pins);
/* A host task is about to be submitted: sees to a thread for it. -1 with an error set; it counts all the same, until it
 * is retired. */
int syc_py_crew_expect(void);

/* Runs one host task that is ready, on this thread, if there is no thread to run it: when the interpreter ends it
 * starts no threads any more. False when there was nothing to do. For those who wait. GIL held. */
bool syc_py_host_task_help(syc_state *state);

#endif
