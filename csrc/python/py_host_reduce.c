/* Reductions of small NumPy arrays on the calling thread: asked first, and quick to say no. */
#include "algo/host_reduce.h"
#include "python/state.h"

#include <string.h>

/* Beyond these bytes a launch is as quick. */
enum { MOST_BYTES = 256 << 10 };

/* NumPy's names of the types of results. */
static const char *const scalar_names[SYC_DTYPE_COUNT] = {
    [SYC_BOOL] = "bool_",    [SYC_CHAR] = "int8",     [SYC_UCHAR] = "uint8",    [SYC_SHORT] = "int16",
    [SYC_USHORT] = "uint16", [SYC_INT] = "int32",     [SYC_UINT] = "uint32",    [SYC_LONG] = "int64",
    [SYC_ULONG] = "uint64",  [SYC_FLOAT] = "float32", [SYC_DOUBLE] = "float64",
};

/* NumPy's classes, once. */
static int load_scalars(syc_state *state)
{
    PyObject *numpy = PyImport_ImportModule("numpy");
    if (numpy == NULL)
        return -1;
    for (int t = 0; t < SYC_DTYPE_COUNT; t++)
        if (scalar_names[t] != NULL && state->scalars[t] == NULL &&
            (state->scalars[t] = PyObject_GetAttrString(numpy, scalar_names[t])) == NULL)
            break;
    if (!PyErr_Occurred())
        state->array = PyObject_GetAttrString(numpy, "ndarray");
    Py_DECREF(numpy);
    return state->array != NULL ? 0 : -1;
}

static PyObject *number_of(const syc_host_value *value)
{
    if (value->type == SYC_FLOAT || value->type == SYC_DOUBLE)
        return PyFloat_FromDouble(value->real);
    if (value->type == SYC_BOOL)
        return PyBool_FromLong(value->bits != 0);
    if (syc_dtype_kind(value->type) == 'i')
        return PyLong_FromLongLong((long long)value->bits);
    return PyLong_FromUnsignedLongLong(value->bits);
}

static PyObject *scalar_of(const syc_state *state, const syc_host_value *value)
{
    PyObject *number = number_of(value), *scalar;
    if (number == NULL)
        return NULL;
    scalar = PyObject_CallOneArg(state->scalars[value->type], number);
    Py_DECREF(number);
    return scalar;
}

/* One run of elements with a step between them: one dimension, or several that lie one behind the other in C's order
 * (where places count), or in any. */
static bool is_run(const Py_buffer *view, syc_host_op op, ptrdiff_t *step)
{
    uintptr_t address = (uintptr_t)view->buf;
    bool places = op == SYC_HOST_ARGMIN || op == SYC_HOST_ARGMAX;
    *step = view->ndim == 1 ? view->strides[0] : view->itemsize;
    if ((address | (uintptr_t)*step) % (uintptr_t)view->itemsize != 0)
        return false;
    return view->ndim <= 1 || PyBuffer_IsContiguous(view, places ? 'C' : 'A');
}

static PyObject *reduce_view(const syc_state *state, const Py_buffer *view, syc_host_op op)
{
    syc_host_value value;
    ptrdiff_t step;
    syc_dtype type;

    if (view->len == 0 || view->len > MOST_BYTES || !is_run(view, op, &step) ||
        !syc_dtype_from_format(view->format, (size_t)view->itemsize, &type) ||
        !syc_host_reduce(op, type, view->buf, (size_t)(view->len / view->itemsize), step, &value))
        Py_RETURN_NONE;
    return scalar_of(state, &value);
}

static PyObject *host_reduce(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    syc_state *state = PyModule_GetState(module);
    Py_buffer view;
    PyObject *result;
    long op;

    if (count != 2)
        return PyErr_Format(PyExc_TypeError, "host_reduce() takes 2 arguments (%zd given)", count);
    if (state->array == NULL && load_scalars(state) < 0)
        return NULL;
    op = PyLong_AsLong(args[1]);
    if (op == -1 && PyErr_Occurred())
        return NULL;
    if (op < 0 || op >= SYC_HOST_OP_COUNT)
        return syc_py_invalid(state, "op: expected 0 to %d, got %ld", SYC_HOST_OP_COUNT - 1, op);
    if ((PyObject *)Py_TYPE(args[0]) != state->array)
        Py_RETURN_NONE;
    if (PyObject_GetBuffer(args[0], &view, PyBUF_STRIDED_RO | PyBUF_FORMAT) < 0) {
        if (!PyErr_ExceptionMatches(PyExc_ValueError) && !PyErr_ExceptionMatches(PyExc_BufferError))
            return NULL;
        PyErr_Clear(); /* of a type that the buffer protocol has not, which is refused with better words */
        Py_RETURN_NONE;
    }
    result = reduce_view(state, &view, (syc_host_op)op);
    PyBuffer_Release(&view);
    return result;
}

PyMethodDef syc_host_reduce_methods[] = {
    {"host_reduce", (PyCFunction)(void (*)(void))host_reduce, METH_FASTCALL,
     "host_reduce($module, x, op, /)\n--\n\n"
     "A NumPy scalar, reduced on the calling thread; None: x is no NumPy array that is small and simple enough."},
    {NULL, NULL, 0, NULL},
};
