/* The part of a buffer that an accessor covers: shapes out of Python, strides, and the way out through the buffer
 * protocol. */
#ifndef SYC_PYTHON_MEMORY_REGION_H
#define SYC_PYTHON_MEMORY_REGION_H

#include "python/memory/memory.h"
#include "python/pins.h"

/* One to three sizes out of an int or a sequence; -1 with InvalidParameterError that begins with `what`. */
int syc_py_sizes(syc_state *state, PyObject *value, const char *what, size_t out[3], unsigned *rank);
PyObject *syc_py_sizes_tuple(const size_t *sizes, unsigned rank);
/* The product of the sizes and `item`; -1 with an error set if no address space is as large. */
int syc_py_bytes(syc_state *state, const size_t *sizes, unsigned rank, size_t item, size_t *out);

/* -1 with an error set when the accessor's mode may not be that with its target, or with this buffer; on a buffer of
 * const elements read_write becomes read. */
int syc_py_mode_check(syc_state *state, SYC_KEEP const BufferObject *buffer, AccessorObject *accessor);
/* Lets the accessor see `buffer`: its part and shape, and `range` and `offset` (None: all) within it. The
 * buffer has a core; -1 with an error set if the range does not lie in it. The accessor is fresh, and zeroed but for
 * its mode and no_init. */
int syc_py_region_init(syc_state *state, SYC_KEEP const BufferObject *buffer, PyObject *range, PyObject *offset,
                       AccessorObject *out);
void syc_py_region_clear(AccessorObject *accessor);
size_t syc_py_region_count(SYC_KEEP const AccessorObject *accessor);
/* True if it covers less than the (sub-)buffer; and how many elements of that come before its first one. */
bool syc_py_region_is_part(SYC_KEEP const AccessorObject *accessor);
size_t syc_py_region_first(SYC_KEEP const AccessorObject *accessor);

/* bf_getbuffer: `data` is the first element of the accessor's range. */
int syc_py_region_export(SYC_KEEP AccessorObject *exporter, Py_buffer *view, int flags, char *data, bool writable);
/* Where the host sees the accessor's range, while it may (accessor->host): NULL if it is meant for the device. */
char *syc_py_region_address(SYC_KEEP const AccessorObject *accessor);

/* Attributes that accessors of commands and of the host share: rows for their tables. */
enum syc_py_region_what {
    SYC_PY_REGION_RANGE,
    SYC_PY_REGION_OFFSET,
    SYC_PY_REGION_BUFFER_SHAPE,
    SYC_PY_REGION_SIZE,
    SYC_PY_REGION_BYTES,
    SYC_PY_REGION_DTYPE,
    SYC_PY_REGION_MODE,
    SYC_PY_REGION_NO_INIT,
    SYC_PY_REGION_NULL
};
PyObject *syc_py_region_get(PyObject *self, void *what);
/* clang-format off */
#define SYC_PY_REGION_GETSET \
    {"_range", syc_py_region_get, NULL, "What it covers, as a tuple.", (void *)SYC_PY_REGION_RANGE}, \
    {"_offset", syc_py_region_get, NULL, "Where that begins in the buffer.", (void *)SYC_PY_REGION_OFFSET}, \
    {"_buffer_shape", syc_py_region_get, NULL, "The shape of the (sub-)buffer.", (void *)SYC_PY_REGION_BUFFER_SHAPE}, \
    {"size", syc_py_region_get, NULL, "The number of elements that it covers.", (void *)SYC_PY_REGION_SIZE}, \
    {"byte_size", syc_py_region_get, NULL, "The bytes of those elements.", (void *)SYC_PY_REGION_BYTES}, \
    {"dtype", syc_py_region_get, NULL, "The type of the elements; None for an empty accessor.", (void *)SYC_PY_REGION_DTYPE}, \
    {"_mode", syc_py_region_get, NULL, "0 read, 1 write, 2 read_write.", (void *)SYC_PY_REGION_MODE}, \
    {"no_init", syc_py_region_get, NULL, "True if earlier contents may be dropped.", (void *)SYC_PY_REGION_NO_INIT}, \
    {"_is_null", syc_py_region_get, NULL, "True if it was made without a buffer.", (void *)SYC_PY_REGION_NULL}
/* clang-format on */

#endif
