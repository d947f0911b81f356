/* Python objects into kernel arguments, by the kernel's own signature. */
#ifndef SYC_PYTHON_LAUNCH_ARGUMENT_H
#define SYC_PYTHON_LAUNCH_ARGUMENT_H

#include "python/launch/task.h"
#include "schedule/task.h"

typedef struct syc_signature syc_signature; /* source/declarations/signature.h */

/* The converted arguments of one call. Small calls need no memory beyond the struct. */
typedef struct syc_py_arguments {
    syc_argument *items;
    size_t count;
    uint64_t local_bytes;     /* sum over local arguments */
    uint64_t temporary_bytes; /* of global memory for partial results of reducers */
    char *values;             /* bytes of by-value arguments */
    syc_argument few[12];
    char small[256] __attribute__((aligned(16)));
} syc_py_arguments;

/* Where arguments are converted for: what they pin and need goes to the task. */
typedef struct syc_py_scope {
    syc_state *state;
    QueueObject *queue;
    PyObject *handler; /* NULL: one of the queue's shortcuts, whose placeholders need no require() */
    syc_py_task *task; /* gets pins of its own */
} syc_py_scope;

/* Where `value` is a Parameter, lets it be the value in it, and gives its name (borrowed); else NULL. */
PyObject *syc_py_parameter(SYC_KEEP const syc_state *state, PyObject **value);
/* The name by which a replay of the launch finds the argument. -1 with an error set. */
int syc_py_argument_name(const syc_py_scope *scope, PyObject *name, syc_argument *out);

/* With room for `hidden` arguments more, of 16 bytes each, behind the kernel's own; `count` is without them. -1 with an
 * error set; the struct is then clear, and the task is to be dropped. The kernel may write through non-const
 * pointers: what is read-only is refused there. */
int syc_py_arguments_convert(const syc_py_scope *scope, SYC_KEEP const syc_signature *kernel, PyObject *const *given,
                             Py_ssize_t count, size_t hidden, syc_py_arguments *out);
void syc_py_arguments_clear(syc_py_arguments *arguments);

#endif
