/* Python objects into kernel arguments, by the kernel's own signature. */
#ifndef SYC_PYTHON_ARGUMENT_H
#define SYC_PYTHON_ARGUMENT_H

#include "python/pins.h"

/* The converted arguments of one call. Small calls need no memory beyond the struct. */
typedef struct syc_py_arguments {
    syc_argument *items;
    size_t count;
    uint64_t local_bytes; /* sum over local arguments */
    syc_pins *pins;       /* owned until given to a command */
    char *values;         /* bytes of by-value arguments */
    syc_argument few[12];
    char small[256] __attribute__((aligned(16)));
} syc_py_arguments;

/* -1 with an error set; the struct is then clear. The kernel may write through non-const pointers: read-only arrays are
 * refused there. */
int syc_py_arguments_convert(syc_state *state, SYC_KEEP const syc_signature *kernel, PyObject *const *given,
                             Py_ssize_t count, syc_py_arguments *out);
void syc_py_arguments_clear(syc_py_arguments *arguments);

#endif
