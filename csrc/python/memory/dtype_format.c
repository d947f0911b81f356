/* The buffer-protocol format of a dtype: asked of NumPy once, and kept. */
#include "python/memory/memory.h"

/* The format of NumPy's own export of an empty array of the dtype; a new bytes object or NULL. */
static PyObject *ask_numpy(syc_state *state, PyObject *dtype)
{
    PyObject *numpy = PyImport_ImportModule("numpy"), *empty = NULL, *format = NULL;
    Py_buffer view;

    if (numpy != NULL)
        empty = PyObject_CallMethod(numpy, "empty", "iO", 0, dtype);
    Py_XDECREF(numpy);
    if (empty == NULL)
        return NULL;
    if (PyObject_GetBuffer(empty, &view, PyBUF_STRIDES | PyBUF_FORMAT) == 0) {
        format = PyBytes_FromString(view.format != NULL ? view.format : "B");
        PyBuffer_Release(&view);
    } else if (PyErr_ExceptionMatches(PyExc_ValueError) || PyErr_ExceptionMatches(PyExc_BufferError)) {
        PyErr_Clear();
        syc_py_invalid(state, "dtype: %R has no format that the buffer protocol knows; use an integer view of it",
                       dtype);
    }
    Py_DECREF(empty);
    return format;
}

const char *syc_py_dtype_format(syc_state *state, PyObject *dtype)
{
    PyObject *format = PyDict_GetItemWithError(state->formats, dtype), *asked;

    if (format != NULL)
        return PyBytes_AS_STRING(format);
    if (PyErr_Occurred() || (asked = ask_numpy(state, dtype)) == NULL)
        return NULL;
    format = PyDict_SetDefault(state->formats, dtype, asked); /* entries are never removed, nor replaced */
    Py_DECREF(asked);
    return format != NULL ? PyBytes_AS_STRING(format) : NULL;
}
