/* Values that were given, in few words. */
#ifndef SYC_PYTHON_MEMORY_DESCRIBE_H
#define SYC_PYTHON_MEMORY_DESCRIBE_H

#include "base/text.h"
#include "python/memory/memory.h"

/* A short name for what was given: "float32[64, 3]", "Accessor read float32 (8,)", "2.5", "None". Appends to `text`. */
void syc_py_describe(syc_state *state, syc_text *text, PyObject *value);
/* NumPy's word for a buffer-protocol format: "float32"; the format itself where there is none. */
const char *syc_py_dtype_word(const char *format, Py_ssize_t item_size);

#endif
