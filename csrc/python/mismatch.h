/* The error for a kernel argument that does not fit: what the signature expects, what was given, and where they part.
 */
#ifndef SYC_PYTHON_MISMATCH_H
#define SYC_PYTHON_MISMATCH_H

#include "base/text.h"
#include "python/memory.h"

/* Raises the class of `status`, in general KernelArgumentError: argument `index` does not fit because of `why` ("is an
 * array of int32, not float32"). An index of -1 speaks of the call as a whole. Returns -1. */
int syc_py_mismatch(syc_state *state, syc_status status, SYC_KEEP const syc_signature *kernel, PyObject *const *given,
                    Py_ssize_t count, Py_ssize_t index, const char *why);
/* A short name for what was given: "float32[64, 3]", "Accessor read float32 (8,)", "2.5", "None". Appends to `text`. */
void syc_py_describe(syc_state *state, syc_text *text, PyObject *value);
/* NumPy's word for a buffer-protocol format: "float32"; the format itself where there is none. */
const char *syc_py_dtype_word(const char *format, Py_ssize_t item_size);

#endif
