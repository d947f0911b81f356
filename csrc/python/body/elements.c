/* The element types and shapes of a body's arguments. */
#include "python/body/asked.h"

/* The Layout of a structured dtype: made once, by pysycl/_data/struct_types.py, and kept. Borrowed; NULL with an error
 * set.
 */
static PyObject *layout_of(syc_state *state, PyObject *dtype)
{
    PyObject *layout = PyDict_GetItemWithError(state->layouts, dtype), *made, *module;

    if (layout != NULL || PyErr_Occurred())
        return layout;
    module = PyImport_ImportModule("pysycl._data.struct_types");
    made = module != NULL ? PyObject_CallMethod(module, "layout", "(O)", dtype) : NULL;
    Py_XDECREF(module);
    if (made == NULL)
        return NULL;
    layout = PyDict_SetDefault(state->layouts, dtype, made); /* entries are never removed, nor replaced */
    Py_DECREF(made);
    return layout;
}

int syc__asked_refuse_raised(const struct asked *a, const char *before)
{
    PyObject *type, *value, *trace, *words;
    const char *text;
    if (!PyErr_ExceptionMatches(PyExc_ValueError) && !PyErr_ExceptionMatches(PyExc_TypeError) &&
        !PyErr_ExceptionMatches(PyExc_BufferError))
        return -1;
    PyErr_Fetch(&type, &value, &trace);
    words = value != NULL ? PyObject_Str(value) : NULL;
    text = words != NULL ? PyUnicode_AsUTF8(words) : NULL;
    PyErr_Clear();
    REFUSE(a, "%s%s", before, text != NULL ? text : "(no reason given)");
    Py_XDECREF(words);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return -1;
}

static int take_layout(const struct asked *a, PyObject *dtype)
{
    syc_py_class *class = &a->out->class;
    class->type = SYC_STRUCT;
    class->layout = dtype != NULL ? layout_of(a->call->state, dtype) : NULL;
    return class->layout != NULL ? 0 : syc__asked_refuse_raised(a, "");
}

/* The dtype of something with elements that are structs: a new reference. */
static PyObject *dtype_of(PyObject *value)
{
    PyObject *dtype = PyObject_GetAttrString(value, "dtype"), *module;
    if (dtype != NULL || !PyErr_ExceptionMatches(PyExc_AttributeError))
        return dtype;
    PyErr_Clear();
    module = PyImport_ImportModule("pysycl._data.struct_types");
    dtype = module != NULL ? PyObject_CallMethod(module, "dtype_of", "(O)", value) : NULL;
    Py_XDECREF(module);
    return dtype;
}

int syc__asked_refuse_type(const struct asked *a, const char *format)
{
    PyObject *dtype = PyObject_GetAttrString(a->value, "dtype"), *words = dtype != NULL ? PyObject_Str(dtype) : NULL;
    const char *text = words != NULL ? PyUnicode_AsUTF8(words) : NULL;
    PyErr_Clear();
    (void)REFUSE(a, "is of %s, for which OpenCL C has no type", text != NULL ? text : format);
    Py_XDECREF(words);
    Py_XDECREF(dtype);
    return -1;
}

int syc__asked_format(const struct asked *a, const char *format, size_t item, PyObject *dtype)
{
    syc_py_class *class = &a->out->class;
    syc_dtype type;
    unsigned width;
    PyObject *own;
    int failed;

    class->width = 1;
    class->complex = syc_dtype_from_complex_format(format, &type);
    if (class->complex) {
        class->type = (uint8_t)type;
        class->width = 2;
        return 0;
    }
    if (syc_dtype_from_format(format, item, &type)) {
        class->boolean = type == SYC_BOOL;
        class->type = type == SYC_BOOL ? SYC_UCHAR : (uint8_t)type;
        return 0;
    }
    if (syc_dtype_from_vector_format(format, item, &type, &width)) {
        class->type = (uint8_t)type;
        class->width = (uint8_t)width;
        return 0;
    }
    if (format == NULL || (strchr(format, '{') == NULL && *format != 'T'))
        return syc__asked_refuse_type(a, format);
    if (dtype != NULL)
        return take_layout(a, dtype);
    own = dtype_of(a->value);
    failed = take_layout(a, own);
    Py_XDECREF(own);
    return failed;
}

int syc__asked_dtype(const struct asked *a, PyObject *dtype, size_t item)
{
    const char *format = syc_py_dtype_format(a->call->state, dtype);
    return format != NULL ? syc__asked_format(a, format, item, dtype) : -1;
}

void syc__asked_shape(const struct asked *a, const size_t *shape, int rank, size_t elements)
{
    syc_py_given *out = a->out;
    out->class.rank = rank >= 1 && rank <= 3 ? (uint8_t)rank : 1;
    out->shape[0] = elements;
    for (int d = 0; rank >= 1 && rank <= 3 && d < rank; d++)
        out->shape[d] = shape[d];
}
