/* Calls that come again: an algorithm's call for memory of a device is its commands and a little Python around them,
 * which takes longer than they do. What a first call has submitted is kept as a plan (pysycl/_algorithms/again.py); a
 * call alike is found by its arguments, and its commands are submitted from here. */
#ifndef SYC_PYTHON_KEPT_KEPT_H
#define SYC_PYTHON_KEPT_KEPT_H

#include "python/memory/memory.h"
#include "python/pins.h"

enum { SYC_KEPT_MEMORY_MOST = 8 }; /* of a call's arguments */

/* A call's arguments, as far as they say what it does. */
typedef struct syc_py_kept_call {
    PyObject *key;
    PyObject *memory[SYC_KEPT_MEMORY_MOST]; /* borrowed, in the order of the arguments */
    int count;
    PyObject *queue; /* borrowed; NULL: none is named */
} syc_py_kept_call;

/* key.c. 1: there is a key, a new reference; 0: such calls are not kept; -1: an error is set. */
int syc_py_kept_key(syc_state *state, PyObject *const *args, Py_ssize_t count, PyObject *names, syc_py_kept_call *out);

/* plan.c: a plan's commands, with the memory in the place of that of the first call, on its queue. What the call
 * returns.
 */
PyObject *syc_py_kept_run(syc_state *state, PyObject *plan, PyObject *queue, PyObject *const *given, Py_ssize_t count,
                          bool waits);
/* The queue of a plan, a new reference; None: it is gone. NULL: an error is set. */
PyObject *syc_py_kept_queue(PyObject *plan);

/* call.c: the function's result, by a plan of `plans`, a dict of its calls, if there is one. `name`: what the commands
 * are called. */
PyObject *syc_py_kept(syc_state *state, PyObject *plans, PyObject *function, const char *name, PyObject *const *args,
                      size_t flags, PyObject *names);

/* Is it memory that calls are kept for? */
static inline bool syc_py_is_kept_for(const syc_state *state, PyObject *object)
{
    return Py_IS_TYPE(object, state->face[SYC_FACE_USM]) || Py_IS_TYPE(object, state->face[SYC_FACE_BUFFER]);
}

#endif
