/* UsmArray: what its files share. */
#ifndef SYC_PYTHON_MEMORY_USM_ARRAY_H
#define SYC_PYTHON_MEMORY_USM_ARRAY_H

#include "python/memory/memory.h"
#include "python/pins.h"

/* New memory of a context, a device or NULL, and a kind, as C-contiguous elements. NULL with an error set. */
PyObject *syc_py_usm_allocate(syc_state *state, syc_context *context, syc_device *device, syc_usm_kind kind,
                              size_t alignment, PyObject *shape, PyObject *dtype, size_t item);
/* Frees the allocation for all its arrays. None or NULL. */
PyObject *syc_py_usm_free(syc_state *state, syc_usm *core);

#endif
