/* Images as Python describes them. */
#include "python/memory/image_shape.h"

#include "memory/image.h"
#include "python/memory/region.h"

static int take_pitch(syc_state *state, PyObject *pitch, syc_image_shape *out)
{
    size_t pitches[3] = {0};
    unsigned count = 0;
    bool given = !PyTuple_Check(pitch) || PyTuple_GET_SIZE(pitch) > 0;

    if (!given)
        return 0;
    if (syc_py_sizes(state, pitch, "pitch", pitches, &count) < 0)
        return -1;
    if (count + 1 != out->rank) {
        syc_py_invalid(state, "pitch: an image of %u dimension%s has %u pitch%s, not %u", out->rank,
                       out->rank == 1 ? "" : "s", out->rank - 1, out->rank == 2 ? "" : "es", count);
        return -1;
    }
    out->row_pitch = pitches[0];
    out->slice_pitch = count > 1 ? pitches[1] : 0;
    return 0;
}

int syc_py_image_shape(syc_state *state, PyObject *description, syc_image_shape *out, size_t *bytes)
{
    syc_image_shape shape = {0};
    const char *format;
    PyObject *range, *pitch;
    syc_status status;

    if (!PyArg_ParseTuple(description, "sOO:image", &format, &range, &pitch) ||
        syc_py_sizes(state, range, "range", shape.extent, &shape.rank) < 0)
        return -1;
    if (!syc_image_format_find(format, &shape)) {
        syc_py_invalid(state, "format: '%s' is no image format", format);
        return -1;
    }
    if (take_pitch(state, pitch, &shape) < 0)
        return -1;
    status = syc_image_layout(&shape, bytes);
    if (status != SYC_OK) {
        syc_py_raise(state, status);
        return -1;
    }
    *out = shape;
    return 0;
}

int syc_py_image_source(syc_state *state, PyObject *description, size_t bytes, syc_image_shape *shape,
                        syc_buffer_source *source)
{
    size_t wanted;
    if (description == NULL)
        return 0;
    if (syc_py_image_shape(state, description, shape, &wanted) < 0)
        return -1;
    source->image = shape;
    if (wanted == bytes)
        return 0;
    syc_py_invalid(state, "image: has %zu bytes, but the buffer has %zu", wanted, bytes);
    return -1;
}
