/* The error for a kernel argument that does not fit: what the signature expects, what was given, and where they part.
 */
#ifndef SYC_PYTHON_LAUNCH_MISMATCH_H
#define SYC_PYTHON_LAUNCH_MISMATCH_H

#include "python/memory/memory.h"

typedef struct syc_signature syc_signature; /* source/declarations/signature.h */

struct syc_py_conversion; /* conversion.h */

/* Raises the class of `status`, in general KernelArgumentError: argument `index` does not fit because of `why` ("is an
 * array of int32, not float32"). An index of -1 speaks of the call as a whole. Returns -1. */
int syc_py_mismatch(syc_state *state, syc_status status, SYC_KEEP const syc_signature *kernel, PyObject *const *given,
                    Py_ssize_t count, Py_ssize_t index, const char *why);
/* The same for the argument that is being converted, in the words of the kernel, the body or the replay that it is for:
 * "kernel(): argument 2, 'x', " and the words. Always -1. */
int syc_py_conversion_refuse(const struct syc_py_conversion *c, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));
/* The same as another class. */
int syc_py_conversion_refuse_as(const struct syc_py_conversion *c, syc_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));
/* -1 with an error set when `value`, which is no kernel's argument, is a Parameter. */
int syc_py_parameter_refuse(syc_state *state, SYC_KEEP PyObject *value, const char *what);

#endif
