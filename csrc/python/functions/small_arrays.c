/* NumPy arrays for the calling thread: looked at through the buffer protocol, and made. */
#include "python/functions/small_arrays.h"

#include "python/lock.h"

static syc_py_lock lock; /* of the cells: each is written and read in one go */

/* NumPy's names of the types of results. */
static const char *const scalar_names[SYC_DTYPE_COUNT] = {
    [SYC_BOOL] = "bool_",    [SYC_CHAR] = "int8",     [SYC_UCHAR] = "uint8",    [SYC_SHORT] = "int16",
    [SYC_USHORT] = "uint16", [SYC_INT] = "int32",     [SYC_UINT] = "uint32",    [SYC_LONG] = "int64",
    [SYC_ULONG] = "uint64",  [SYC_FLOAT] = "float32", [SYC_DOUBLE] = "float64",
};

/* An array of one element, whose memory stays where it is: nobody else ever has it. */
static int load_cell(syc_state *state, int type)
{
    const Py_ssize_t one = 1;
    Py_buffer view;
    if (state->cells[type].array == NULL)
        state->cells[type].array = syc_py_small_array(state, &one, 1, (syc_dtype)type);
    if (state->cells[type].array == NULL || PyObject_GetBuffer(state->cells[type].array, &view, PyBUF_WRITABLE) < 0)
        return -1;
    state->cells[type].memory = view.buf;
    PyBuffer_Release(&view);
    return 0;
}

int syc_py_small_begin(syc_state *state)
{
    PyObject *numpy;
    if (state->cells[SYC_DOUBLE].memory != NULL)
        return 0;
    numpy = PyImport_ImportModule("numpy");
    if (numpy == NULL)
        return -1;
    SYC_PY_LOCK(&lock);
    if (state->array == NULL)
        state->array = PyObject_GetAttrString(numpy, "ndarray");
    for (int t = 0; t < SYC_DTYPE_COUNT && !PyErr_Occurred(); t++) {
        if (scalar_names[t] != NULL && state->scalars[t] == NULL)
            state->scalars[t] = PyObject_GetAttrString(numpy, scalar_names[t]);
        if (state->scalars[t] != NULL && state->cells[t].memory == NULL && load_cell(state, t) < 0)
            break;
    }
    SYC_PY_UNLOCK(&lock);
    Py_DECREF(numpy);
    return PyErr_Occurred() ? -1 : 0;
}

PyObject *syc_py_small_scalar(const syc_state *state, const syc_host_value *value)
{
    const syc_py_cell *cell = state->cells + value->type;
    PyObject *scalar;
    SYC_PY_LOCK(&lock);
    if (value->type == SYC_FLOAT)
        *(float *)cell->memory = (float)value->real;
    else if (value->type == SYC_DOUBLE)
        *(double *)cell->memory = value->real;
    else
        memcpy(cell->memory, &value->bits, syc_dtype_size(value->type)); /* little-endian: the low bytes come first */
    scalar = PySequence_GetItem(cell->array, 0);
    SYC_PY_UNLOCK(&lock);
    return scalar;
}

int syc_py_small_view(const syc_state *state, PyObject *x, bool written, Py_buffer *out)
{
    if ((PyObject *)Py_TYPE(x) != state->array)
        return 0;
    if (PyObject_GetBuffer(x, out, written ? PyBUF_RECORDS : PyBUF_RECORDS_RO) == 0)
        return 1;
    if (!PyErr_ExceptionMatches(PyExc_ValueError) && !PyErr_ExceptionMatches(PyExc_BufferError))
        return -1;
    PyErr_Clear(); /* of a type that the buffer protocol has not, which is refused with better words */
    return 0;
}

bool syc_py_small_operand(const Py_buffer *view, size_t *sizes, syc_host_operand *out)
{
    uintptr_t places = 0;
    for (int d = 0; d < view->ndim; d++) {
        sizes[d] = (size_t)view->shape[d];
        places |= (uintptr_t)view->strides[d];
    }
    *out = (syc_host_operand){.first = view->buf, .dims = (unsigned)view->ndim, .sizes = sizes, .steps = view->strides};
    return places % (uintptr_t)view->itemsize == 0 &&
           syc_dtype_from_format(view->format, (size_t)view->itemsize, &out->type);
}

bool syc_py_small_odd(const char *at, syc_dtype type, int dims, const size_t *sizes, const ptrdiff_t *steps)
{
    char seen = 0;
    if (type != SYC_BOOL)
        return false;
    if (dims == 0)
        return (*at & ~1) != 0;
    if (dims == 1) {
        for (size_t i = 0; i < sizes[0]; i++)
            seen |= at[(ptrdiff_t)i * steps[0]];
        return (seen & ~1) != 0;
    }
    for (size_t i = 0; i < sizes[0]; i++)
        if (syc_py_small_odd(at + (ptrdiff_t)i * steps[0], type, dims - 1, sizes + 1, steps + 1))
            return true;
    return false;
}

PyObject *syc_py_small_array(const syc_state *state, const Py_ssize_t *sizes, int dims, syc_dtype type)
{
    PyObject *shape = PyTuple_New(dims), *array;
    for (int d = 0; d < dims && shape != NULL; d++) {
        PyObject *size = PyLong_FromSsize_t(sizes[d]);
        if (size == NULL)
            Py_CLEAR(shape);
        else
            PyTuple_SET_ITEM(shape, d, size);
    }
    if (shape == NULL)
        return NULL;
    array = PyObject_CallFunctionObjArgs(state->array, shape, state->scalars[type], NULL);
    Py_DECREF(shape);
    return array;
}
