/* Host memory on its way in: pinned Python buffers, and memory from a user's allocator. */
#ifndef SYC_PYTHON_MEMORY_HOST_MEMORY_H
#define SYC_PYTHON_MEMORY_HOST_MEMORY_H

#include "memory/host_array.h"
#include "python/pins.h"

/* Pins the memory of anything that has some: the buffer protocol itself, else by way of NumPy (__array_interface__,
 * __dlpack__, __array__). `flags` as for PyObject_GetBuffer. -1 with InvalidParameterError, which begins with `what`,
 * or with what the object raised. */
int syc_py_host_memory_pin(syc_state *state, PyObject *object, const char *what, int flags, Py_buffer *out);
/* An array over the object's own memory, by whichever protocol of pysycl/_data/host_memory.py it has; it keeps that
 * memory alive. A new reference, or NULL with what was raised: TypeError, BufferError or ValueError where there is
 * none. */
PyObject *syc_py_host_memory_view(PyObject *object);
/* The view as the core describes host memory; it points into the view. */
syc_host_array syc_py_host_memory_span(SYC_KEEP const Py_buffer *view, size_t alignment);

/* The core's hook for memory from a Python callable: allocator(bytes) gives something with a writable buffer, or None.
 * The payload is a syc_pins that holds the callable, and a type of the module. Takes the GIL. */
enum { SYC_PY_ALLOCATOR_CALLABLE, SYC_PY_ALLOCATOR_TYPE };
syc_status syc_py_host_memory_allocate(void *payload, size_t bytes, size_t alignment, SYC_GIVE char **data,
                                       SYC_GIVE syc_keep *keep);

#endif
