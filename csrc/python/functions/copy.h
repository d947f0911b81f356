/* Explicit memory operations as Python spells them, for the queue's shortcuts and the handler: copy, fill, memcpy,
 * memset, update_host, prefetch, mem_advise. */
#ifndef SYC_PYTHON_FUNCTIONS_COPY_H
#define SYC_PYTHON_FUNCTIONS_COPY_H

#include "python/launch/argument.h"

/* Keywords of the queue's methods that are not the operation's. */
enum { SYC_PY_COPY_DEPENDS_ON, SYC_PY_COPY_WAIT, SYC_PY_COPY_WORDS };

/* The methods that Queue and Handler both have; the queue's take depends_on and wait too. */
#define SYC_PY_MEMORY_CALLS(X) X(copy) X(fill) X(memcpy) X(memset) X(update_host) X(prefetch) X(mem_advise)

typedef enum syc_py_memory_call {
#define X(name) SYC_PY_CALL_##name,
    SYC_PY_MEMORY_CALLS(X)
#undef X
} syc_py_memory_call;

/* Parses the vectorcall arguments and fills in the scope's task, which must have been started (it gets pins of its
 * own); then syc_py_task_submit() submits it. `own` gets the values of the queue's keywords, borrowed, which are NULL
 * before; where it is NULL itself (a handler) those are refused. -1 with an error set, and the task is to be cleared.
 */
int syc_py_copy_prepare(const syc_py_scope *scope, syc_py_memory_call call, PyObject *const *args, Py_ssize_t count,
                        PyObject *names, PyObject **own);

#endif
