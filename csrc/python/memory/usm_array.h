/* UsmArray: what its files share. */
#ifndef SYC_PYTHON_MEMORY_USM_ARRAY_H
#define SYC_PYTHON_MEMORY_USM_ARRAY_H

#include "python/memory/memory.h"
#include "python/pins.h"

/* A new array over [data, ...) of the allocation, as C-contiguous elements where `strides` is NULL. Takes a reference
 * to the allocation of its own. NULL with an error set. */
PyObject *syc_py_usm_new(syc_state *state, PyTypeObject *type, syc_usm *core, char *data, PyObject *shape,
                         PyObject *strides, PyObject *dtype, size_t item);
/* Bytes of a shape, a tuple of ints; -1 with an error set when it is none, or more than can be addressed. */
Py_ssize_t syc_py_usm_bytes(syc_state *state, PyObject *shape, size_t item);
/* Frees the allocation for all its arrays. None or NULL. */
PyObject *syc_py_usm_free(syc_state *state, syc_usm *core);

#endif
