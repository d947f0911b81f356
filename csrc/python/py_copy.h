/* Explicit memory operations as Python spells them, for the queue's shortcuts and the handler: copy, fill, memcpy,
 * memset, update_host, prefetch, mem_advise. */
#ifndef SYC_PYTHON_PY_COPY_H
#define SYC_PYTHON_PY_COPY_H

#include "python/argument.h"

/* X(name, parameters, what it does): the methods that Queue and Handler both have; the queue's take depends_on too. */
/* clang-format off */
#define SYC_PY_MEMORY_CALLS(X) \
    X(copy, "src, dest, count=None", "Copy from accessor, array or UsmArray to another. SYCL 2020 4.9.4.3, 4.6.5.2.") \
    X(fill, "dest, pattern, count=None", "Fill an accessor's range, or USM, with a value. SYCL 2020 4.9.4.3.") \
    X(memcpy, "dest, src, nbytes=None", "Copy bytes between USM, arrays and both. SYCL 2020 4.9.4.3.") \
    X(memset, "ptr, value, nbytes=None", "Set every byte of USM to a value from 0 to 255. SYCL 2020 4.9.4.3.") \
    X(update_host, "acc", "Bring the host's copy of the accessor's buffer up to date. SYCL 2020 4.9.4.3.") \
    X(prefetch, "ptr, nbytes=None", "Hint that the device will soon use the memory. SYCL 2020 4.9.4.3.") \
    X(mem_advise, "ptr, nbytes, advice", "Hint how the memory will be used; advice 0 takes it back. SYCL 2020 4.9.4.3.")
/* clang-format on */

typedef enum syc_py_memory_call {
#define X(name, parameters, doc) SYC_PY_CALL_##name,
    SYC_PY_MEMORY_CALLS(X)
#undef X
} syc_py_memory_call;

/* Parses the vectorcall arguments and fills in the scope's task, which must have been started (it gets pins of its
 * own); then syc_py_task_submit() submits it. `depends_on` gets the keyword's value, borrowed, or NULL; where it is
 * NULL itself (a handler) that keyword is refused. -1 with an error set, and the task is to be cleared. */
int syc_py_copy_prepare(const syc_py_scope *scope, syc_py_memory_call call, PyObject *const *args, Py_ssize_t count,
                        PyObject *names, PyObject **depends_on);

#endif
