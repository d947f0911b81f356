/* Scans of small NumPy arrays on the calling thread: asked first, and quick to say no. */
#include "algo/host/scan_axis.h"
#include "python/functions/small_arrays.h"

#include <string.h>

/* What is asked for, besides the arrays. */
typedef struct asked {
    syc_host_scan scan;
    bool flat; /* without an axis: all elements in C's order */
    PyObject *dtype, *initial;
} asked;

/* Is the text "f4" or "float32", for float? Further names are read by NumPy. */
static bool is_called(const syc_state *state, PyObject *text, syc_dtype type)
{
    const char kind = syc_dtype_kind(type), brief[] = {kind, (char)('0' + syc_dtype_size(type)), '\0'};
    const PyTypeObject *scalar = (PyTypeObject *)state->scalars[type]; /* NULL: NumPy has none */
    const char *name = scalar != NULL ? strrchr(scalar->tp_name, '.') : NULL;
    return (kind != 'V' && PyUnicode_CompareWithASCIIString(text, brief) == 0) ||
           (name != NULL && PyUnicode_CompareWithASCIIString(text, name + 1) == 0);
}

/* A type that is asked for: a class of NumPy's scalars, a dtype or its name. 1: found; 0: none of ours; -1: an error is
 * set. */
static int type_of(const syc_state *state, PyObject *given, syc_dtype *out)
{
    PyObject *scalar = NULL, *native = NULL;
    int found = 0;
    for (int t = 0; t < SYC_DTYPE_COUNT && PyUnicode_Check(given); t++)
        if (is_called(state, given, (syc_dtype)t)) {
            *out = (syc_dtype)t;
            return 1;
        }
    if (PyType_Check(given))
        scalar = Py_NewRef(given);
    else if ((native = PyObject_GetAttrString(given, "isnative")) == Py_True)
        scalar = PyObject_GetAttrString(given, "type");
    Py_XDECREF(native);
    if (scalar == NULL && PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_AttributeError))
            return -1;
        PyErr_Clear(); /* others make a dtype of it */
    }
    for (int t = 0; t < SYC_DTYPE_COUNT && scalar != NULL && found == 0; t++)
        if (scalar == state->scalars[t]) {
            *out = (syc_dtype)t;
            found = 1;
        }
    Py_XDECREF(scalar);
    return found;
}

/* An int that the type has. false: it has it not. */
static bool whole_of(PyObject *number, syc_dtype type, uint64_t *out)
{
    const unsigned bits = (unsigned)syc_dtype_size(type) * 8;
    long long value;
    int overflow;
    if (!PyLong_Check(number))
        return false;
    value = PyLong_AsLongLongAndOverflow(number, &overflow);
    *out = (uint64_t)value;
    if (overflow > 0 && type == SYC_ULONG) {
        *out = PyLong_AsUnsignedLongLong(number);
        if (!PyErr_Occurred())
            return true;
        PyErr_Clear();
    }
    if (overflow != 0)
        return false;
    if (syc_dtype_kind(type) == 'u')
        return value >= 0 && (bits == 64 || value >> bits == 0);
    return bits == 64 || (value >> (bits - 1)) == (value < 0 ? -1 : 0);
}

/* A number of Python's, or of NumPy's of that type. false: it is none that the type has. */
static bool value_of(const syc_state *state, PyObject *given, syc_dtype type, syc_host_value *out)
{
    const bool own = (PyObject *)Py_TYPE(given) == state->scalars[type];
    PyObject *number;
    bool done;
    out->type = type;
    if (!own && !PyLong_Check(given) && !PyFloat_Check(given))
        return false;
    if (type == SYC_BOOL) {
        out->bits = given == Py_True || (own && PyObject_IsTrue(given) == 1);
        return own || PyBool_Check(given);
    }
    if (syc_dtype_kind(type) == 'f') {
        out->real = PyFloat_AsDouble(given);
        done = !PyErr_Occurred();
    } else {
        number = own ? PyNumber_Index(given) : Py_NewRef(given);
        done = number != NULL && whole_of(number, type, &out->bits);
        Py_XDECREF(number);
    }
    PyErr_Clear(); /* too large, which others refuse with better words */
    return done;
}

/* One dimension for all elements. false: they are not one behind the other. */
static bool flatten(const Py_buffer *view, syc_host_operand *array, size_t *size, ptrdiff_t *step)
{
    if (view->ndim == 1)
        return true;
    *size = (size_t)(view->len / view->itemsize);
    *step = view->itemsize;
    array->dims = 1;
    array->sizes = size;
    array->steps = step;
    return PyBuffer_IsContiguous(view, 'C');
}

static bool axis_of(PyObject *given, int dims, asked *of)
{
    int overflow = 0;
    long axis;
    of->flat = given == Py_None;
    if (of->flat)
        return true;
    if (!PyLong_CheckExact(given))
        return false;
    axis = PyLong_AsLongAndOverflow(given, &overflow);
    axis += axis < 0 ? dims : 0;
    of->scan.axis = (unsigned)axis;
    return overflow == 0 && axis >= 0 && axis < dims;
}

/* A new array of the results, in C's order. None: it is not for here. */
static PyObject *scan_to_new(const syc_state *state, const asked *of, const syc_host_operand *array, syc_dtype type)
{
    syc_host_operand results = *array;
    ptrdiff_t steps[SYC_HOST_DIMS], step = (ptrdiff_t)syc_dtype_size(type);
    Py_ssize_t shape[SYC_HOST_DIMS];
    PyObject *result;
    Py_buffer view;
    bool done;

    for (unsigned d = array->dims; d-- > 0; step *= shape[d]) {
        shape[d] = (Py_ssize_t)array->sizes[d];
        steps[d] = step;
    }
    results.type = type;
    results.steps = steps;
    results.first = NULL; /* memory of its own, of which only this is asked */
    if (!syc_host_scan_pays(&of->scan, array, &results))
        Py_RETURN_NONE;
    result = syc_py_small_array(state, shape, (int)array->dims, type);
    if (result == NULL)
        return NULL;
    if (PyObject_GetBuffer(result, &view, PyBUF_WRITABLE) < 0) {
        Py_DECREF(result);
        return NULL;
    }
    results.first = view.buf;
    done = syc_host_scan_axis(&of->scan, array, &results, view.buf);
    PyBuffer_Release(&view);
    if (!done)
        Py_SETREF(result, Py_NewRef(Py_None));
    return result;
}

/* The type of the results: what is asked for, that of the memory for them, or NumPy's. As type_of(). */
static int result_of(const syc_state *state, const asked *of, const syc_host_operand *results, syc_dtype *type)
{
    const int found = of->dtype == Py_None ? 1 : type_of(state, of->dtype, type);
    if (results == NULL || found <= 0)
        return found;
    if (of->dtype == Py_None)
        *type = results->type;
    return *type == results->type;
}

static PyObject *scan_arrays(const syc_state *state, const Py_buffer *view, const Py_buffer *out, PyObject *given,
                             asked *of)
{
    size_t sizes[SYC_HOST_DIMS], out_sizes[SYC_HOST_DIMS], size;
    syc_host_operand array, results;
    syc_dtype type;
    ptrdiff_t step;
    int found;

    if (!syc_py_small_operand(view, sizes, &array) ||
        (out != NULL && !syc_py_small_operand(out, out_sizes, &results)) ||
        syc_py_small_odd(array.first, array.type, view->ndim, sizes, array.steps) ||
        (of->flat && !flatten(view, &array, &size, &step)))
        Py_RETURN_NONE;
    type = syc_host_scan_result(of->scan.op, array.type);
    found = result_of(state, of, out != NULL ? &results : NULL, &type);
    if (found < 0)
        return NULL;
    of->scan.has_initial = of->initial != Py_None;
    if (found == 0 || (of->scan.has_initial && !value_of(state, of->initial, type, &of->scan.initial)))
        Py_RETURN_NONE;
    if (out == NULL)
        return scan_to_new(state, of, &array, type);
    if (!syc_host_scan_pays(&of->scan, &array, &results) || !syc_host_scan_axis(&of->scan, &array, &results, out->buf))
        Py_RETURN_NONE;
    return Py_NewRef(given);
}

static PyObject *scan_any(const syc_state *state, PyObject *x, PyObject *given, PyObject *axis, asked *of)
{
    PyObject *result = NULL;
    Py_buffer view, out;
    int found = syc_py_small_view(state, x, false, &view);

    if (found <= 0)
        return found < 0 ? NULL : Py_NewRef(Py_None);
    if (view.ndim > SYC_HOST_DIMS || !axis_of(axis, view.ndim, of)) {
        result = Py_NewRef(Py_None);
    } else if (given == Py_None) {
        result = scan_arrays(state, &view, NULL, given, of);
    } else if ((found = syc_py_small_view(state, given, true, &out)) > 0) {
        result = out.ndim > SYC_HOST_DIMS ? Py_NewRef(Py_None) : scan_arrays(state, &view, &out, given, of);
        PyBuffer_Release(&out);
    } else if (found == 0) {
        result = Py_NewRef(Py_None);
    }
    PyBuffer_Release(&view);
    return result;
}

PyObject *syc_py_host_scan(syc_state *state, PyObject *x, syc_host_scan_op op, PyObject *axis, PyObject *dtype)
{
    asked of = {.scan.op = op, .dtype = dtype, .initial = Py_None};
    return syc_py_small_begin(state) < 0 ? NULL : scan_any(state, x, Py_None, axis, &of);
}

static PyObject *host_scan(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    syc_state *state = PyModule_GetState(module);
    asked of = {.dtype = count > 3 ? args[3] : Py_None, .initial = count > 7 ? args[7] : Py_None};
    int exclusive = 0, reverse = 0;
    long op;

    if (count < 2 || count > 8)
        return PyErr_Format(PyExc_TypeError, "host_scan() takes 2 to 8 arguments (%zd given)", count);
    if (syc_py_small_begin(state) < 0)
        return NULL;
    op = PyLong_AsLong(args[1]);
    if (op == -1 && PyErr_Occurred())
        return NULL;
    if (op < 0 || op >= SYC_HOST_SCAN_OP_COUNT)
        return syc_py_invalid(state, "op: expected 0 to %d, got %ld", SYC_HOST_SCAN_OP_COUNT - 1, op);
    if (count > 5 && (exclusive = PyObject_IsTrue(args[5])) < 0)
        return NULL;
    if (count > 6 && (reverse = PyObject_IsTrue(args[6])) < 0)
        return NULL;
    of.scan = (syc_host_scan){.op = (syc_host_scan_op)op, .exclusive = exclusive != 0, .reverse = reverse != 0};
    return scan_any(state, args[0], count > 4 ? args[4] : Py_None, count > 2 ? args[2] : Py_None, &of);
}

PyMethodDef syc_host_scan_methods[] = {
    {"host_scan", (PyCFunction)(void (*)(void))host_scan, METH_FASTCALL,
     "host_scan($module, x, op, axis=None, dtype=None, out=None, exclusive=False, reverse=False, initial=None, /)\n"
     "--\n\n"
     "A new NumPy array, or out, scanned on the calling thread; None: as for host_reduce."},
    {NULL, NULL, 0, NULL},
};
