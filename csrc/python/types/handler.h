/* Questions of other objects of the binding to a command group that is being put together. */
#ifndef SYC_PYTHON_TYPES_HANDLER_H
#define SYC_PYTHON_TYPES_HANDLER_H

#include "python/memory/memory.h"

/* `object` is a Handler whose group is open: -1 with an error set else. `what` begins the error's words. */
int syc_py_handler_check(syc_state *state, PyObject *object, const char *what);
/* The group's command needs what the accessor asks for, used or not; the group keeps the accessor until it ends. Called
 * by the accessor's constructor when a handler is given (accessor->handler is set here, a new reference), and by
 * require() for placeholders. Twice is harmless. -1 with an error set: the group has ended, the accessor belongs to
 * another one, or its access conflicts with one that the group has (H048). */
int syc_py_handler_take(syc_state *state, PyObject *handler, AccessorObject *accessor);
/* True if the group has required the placeholder. */
bool syc_py_handler_has(PyObject *handler, SYC_KEEP const AccessorObject *accessor);
/* NULL when the accessor may be used by the command of the group (`handler` NULL: by a shortcut of the queue, which
 * needs no require() for placeholders); else why not, to come after its name: "is an accessor of another command
 * group". */
const char *syc_py_accessor_refusal(PyObject *handler, SYC_KEEP const AccessorObject *accessor);
/* The queue that the group is submitted to, borrowed; NULL without an error once the group has ended. */
QueueObject *syc_py_handler_queue(PyObject *handler);

#endif
