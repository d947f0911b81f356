/* Images as Python sees them: descriptions in, descriptions out. An image is a Buffer of bytes, the rows of its pixels;
 * pysycl/_images/image.py gives them their shape. */
#include "python/memory/image_shape.h"

#include "memory/image.h"
#include "python/memory/region.h"

/* (format, range, pitch, bytes) */
static PyObject *describe(const syc_image_shape *shape, size_t bytes)
{
    const size_t pitches[] = {shape->row_pitch, shape->slice_pitch};
    PyObject *range = syc_py_sizes_tuple(shape->extent, shape->rank);
    PyObject *pitch = syc_py_sizes_tuple(pitches, shape->rank - 1);
    PyObject *whole =
        range != NULL && pitch != NULL
            ? Py_BuildValue("sOOn", syc_image_format_name(shape->order, shape->type), range, pitch, (Py_ssize_t)bytes)
            : NULL;
    Py_XDECREF(range);
    Py_XDECREF(pitch);
    return whole;
}

static PyObject *image_layout(PyObject *module, PyObject *args)
{
    syc_image_shape shape;
    size_t bytes;
    if (syc_py_image_shape(PyModule_GetState(module), args, &shape, &bytes) < 0)
        return NULL;
    return describe(&shape, bytes);
}

static PyObject *image_description(PyObject *module, PyObject *object)
{
    syc_state *state = PyModule_GetState(module);
    const BufferObject *image = (const BufferObject *)object;
    if (!syc_py_is_buffer(state, object) || syc_py_buffer_check(state, image, "image") < 0)
        return PyErr_Occurred() ? NULL : syc_py_invalid(state, "image: expected an image, got %R", object);
    if (image->core->image.rank == 0)
        return syc_py_invalid(state, "image: %R is no image", object);
    return describe(&image->core->image, image->bytes);
}

/* True if the host may touch the memory now. */
static bool usable(const syc_state *state, PyObject *accessor)
{
    if (PyObject_TypeCheck(accessor, state->base[SYC_FACE_HOST_ACCESSOR]))
        return ((HostAccessorObject *)accessor)->granted;
    return syc_py_is_accessor(state, accessor) && ((AccessorObject *)accessor)->host != NULL;
}

/* Where the first pixel lies; the memory stays as long as the accessor. */
static PyObject *image_address(PyObject *module, PyObject *accessor)
{
    syc_state *state = PyModule_GetState(module);
    if (!usable(state, accessor))
        return syc_py_refuse(
            state, SYC_E_INVALID_OBJECT,
            "the accessor has no pixels now: one of the host has them until it is closed, one of a host "
            "task while that runs, any other never");
    return PyLong_FromVoidPtr(syc_py_region_address((AccessorObject *)accessor));
}

PyMethodDef syc_image_methods[] = {
    {"image_layout", image_layout, METH_VARARGS,
     "image_layout($module, format, range, pitch, /)\n--\n\nFormat, range, pitches in bytes, and bytes in all."},
    {"image_description", image_description, METH_O,
     "image_description($module, image, /)\n--\n\nThe same of an image."},
    {"image_address", image_address, METH_O,
     "image_address($module, accessor, /)\n--\n\nThe address of the first pixel, where the host may touch it."},
    {NULL, NULL, 0, NULL},
};
