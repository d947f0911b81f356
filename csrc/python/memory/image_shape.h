/* Images: what sets them apart from the buffers that they are. */
#ifndef SYC_PYTHON_MEMORY_IMAGE_SHAPE_H
#define SYC_PYTHON_MEMORY_IMAGE_SHAPE_H

#include "memory/buffer.h"
#include "python/memory/memory.h"

/* (format, range, pitch) out of Python: SYCL's name of the format; pixels along each dimension, the fastest first;
 * bytes of a row and of a slice as far as there are such dimensions, or () for packed ones. -1 with an error set. */
int syc_py_image_shape(syc_state *state, PyObject *description, syc_image_shape *out, size_t *bytes);

/* Makes the source one of an image, if there is a description; NULL: there is none. `shape` must last as long as the
 * source. -1 with an error set: the image has another number of bytes than the buffer. */
int syc_py_image_source(syc_state *state, PyObject *description, size_t bytes, syc_image_shape *shape,
                        syc_buffer_source *source);

#endif
