/* Reductions of small NumPy arrays on the calling thread: asked first, and quick to say no. */
#include "algo/host/axis.h"
#include "python/functions/small_arrays.h"

/* Work from which on other threads of Python's get their turn meanwhile. */
enum { LONG_NS = 20000 };

/* One run of elements with a step between them: one dimension, or several that lie one behind the other in C's order
 * (where places count), or in any. false: it is none, or of no type of ours. */
static bool run_of(const Py_buffer *view, char order, syc_host_run *out)
{
    const ptrdiff_t step = view->ndim == 1 ? view->strides[0] : view->itemsize;
    *out = (syc_host_run){.first = view->buf, .count = (size_t)(view->len / view->itemsize), .step = step};
    return view->len > 0 && (uintptr_t)step % (uintptr_t)view->itemsize == 0 &&
           (view->ndim <= 1 || PyBuffer_IsContiguous(view, order)) &&
           syc_dtype_from_format(view->format, (size_t)view->itemsize, &out->type);
}

static bool is_odd_run(const syc_host_run *run)
{
    return syc_py_small_odd(run->first, run->type, 1, &run->count, &run->step);
}

static PyObject *reduce_view(const syc_state *state, const Py_buffer *view, syc_host_op op, double less)
{
    const bool places = op == SYC_HOST_ARGMIN || op == SYC_HOST_ARGMAX;
    PyThreadState *others = NULL;
    syc_host_value value;
    syc_host_run run;
    uint64_t ns;
    bool done;

    if (!run_of(view, places ? 'C' : 'A', &run) || (ns = syc_host_reduce_ns(op, &run)) == UINT64_MAX ||
        is_odd_run(&run))
        Py_RETURN_NONE;
    if (ns >= LONG_NS)
        others = PyEval_SaveThread();
    done = syc_host_reduce(op, &run, less, &value);
    if (others != NULL)
        PyEval_RestoreThread(others);
    if (!done)
        Py_RETURN_NONE;
    return syc_py_small_scalar(state, &value);
}

/* -- along a dimension -- */

/* A new array of the type, in the shape without the reduced dimensions, or with 1 in their place. */
static PyObject *array_for(const syc_state *state, const Py_buffer *view, uint32_t reduced, bool keep, syc_dtype type)
{
    Py_ssize_t sizes[SYC_HOST_DIMS];
    int count = 0;
    for (int d = 0; d < view->ndim; d++)
        if (keep || !(reduced >> d & 1))
            sizes[count++] = reduced >> d & 1 ? 1 : view->shape[d];
    return syc_py_small_array(state, sizes, count, type);
}

static PyObject *reduce_axes(const syc_state *state, const Py_buffer *view, syc_host_op op, uint32_t reduced,
                             double less, bool keep)
{
    size_t sizes[SYC_HOST_DIMS];
    syc_host_operand array;
    PyObject *result;
    Py_buffer out;
    bool done;

    if (view->len == 0 || !syc_py_small_operand(view, sizes, &array) || !syc_host_axes_pay(op, &array, reduced) ||
        syc_py_small_odd(array.first, array.type, view->ndim, sizes, array.steps))
        Py_RETURN_NONE;
    result = array_for(state, view, reduced, keep, syc_host_result(op, array.type));
    if (result == NULL)
        return NULL;
    if (PyObject_GetBuffer(result, &out, PyBUF_WRITABLE) < 0) {
        Py_DECREF(result);
        return NULL;
    }
    done = syc_host_reduce_axes(op, &array, reduced, less, out.buf);
    PyBuffer_Release(&out);
    if (!done)
        Py_SETREF(result, Py_NewRef(Py_None));
    return result;
}

/* One axis, among those that are there so far. false: it is none that is for here, or is there. */
static bool add_axis(PyObject *given, int dims, uint32_t *reduced)
{
    int overflow = 0;
    long axis;
    if (!PyLong_CheckExact(given))
        return false;
    axis = PyLong_AsLongAndOverflow(given, &overflow);
    axis += axis < 0 ? dims : 0;
    if (overflow != 0 || axis < 0 || axis >= dims || *reduced >> axis & 1)
        return false;
    *reduced |= 1u << axis;
    return true;
}

/* Which axes are asked for, as bits: None is all of them. false: as for one. */
static bool axes_of(PyObject *given, int dims, uint32_t *out)
{
    *out = 0;
    if (dims > SYC_HOST_DIMS)
        return false;
    if (given == Py_None) {
        *out = (1u << dims) - 1;
        return true;
    }
    if (!PyTuple_CheckExact(given))
        return add_axis(given, dims, out);
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(given); k++)
        if (!add_axis(PyTuple_GET_ITEM(given, k), dims, out))
            return false;
    return true;
}

/* By the quickest way: one result of one run is a number. */
static PyObject *reduce_any(const syc_state *state, const Py_buffer *view, syc_host_op op, PyObject *axis, double less,
                            bool keep)
{
    uint32_t reduced;
    if (!axes_of(axis, view->ndim, &reduced))
        Py_RETURN_NONE;
    if ((keep && view->ndim > 0) || reduced != (1u << view->ndim) - 1)
        return reduce_axes(state, view, op, reduced, less, keep);
    return reduce_view(state, view, op, less);
}

PyObject *syc_py_host_reduce(syc_state *state, PyObject *x, syc_host_op op, PyObject *axis, double less, bool keep)
{
    PyObject *result;
    Py_buffer view;
    int found = syc_py_small_begin(state) < 0 ? -1 : syc_py_small_view(state, x, false, &view);
    if (found < 0)
        return NULL;
    if (found == 0)
        Py_RETURN_NONE;
    result = reduce_any(state, &view, op, axis, less, keep);
    PyBuffer_Release(&view);
    return result;
}

static PyObject *host_reduce(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    syc_state *state = PyModule_GetState(module);
    double less = 0;
    int keep = 0;
    long op;

    if (count < 2 || count > 5)
        return PyErr_Format(PyExc_TypeError, "host_reduce() takes 2 to 5 arguments (%zd given)", count);
    op = PyLong_AsLong(args[1]);
    if (op == -1 && PyErr_Occurred())
        return NULL;
    if (op < 0 || op >= SYC_HOST_OP_COUNT)
        return syc_py_invalid(state, "op: expected 0 to %d, got %ld", SYC_HOST_OP_COUNT - 1, op);
    if (count > 3 && (less = PyFloat_AsDouble(args[3])) == -1 && PyErr_Occurred())
        return NULL;
    if (count > 4 && (keep = PyObject_IsTrue(args[4])) < 0)
        return NULL;
    return syc_py_host_reduce(state, args[0], (syc_host_op)op, count > 2 ? args[2] : Py_None, less, keep != 0);
}

static PyObject *dot_views(const syc_state *state, const Py_buffer *x, const Py_buffer *y)
{
    PyThreadState *others = NULL;
    syc_host_run left, right;
    syc_host_value value;
    uint64_t ns;
    bool done;

    if (x->ndim != 1 || y->ndim != 1 || !run_of(x, 'C', &left) || !run_of(y, 'C', &right) ||
        (ns = syc_host_dot_ns(&left)) == UINT64_MAX || syc_host_dot_ns(&right) == UINT64_MAX || is_odd_run(&left) ||
        is_odd_run(&right))
        Py_RETURN_NONE;
    if (ns >= LONG_NS)
        others = PyEval_SaveThread();
    done = syc_host_dot(&left, &right, &value);
    if (others != NULL)
        PyEval_RestoreThread(others);
    if (!done)
        Py_RETURN_NONE;
    return syc_py_small_scalar(state, &value);
}

static PyObject *host_dot(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    syc_state *state = PyModule_GetState(module);
    PyObject *result = NULL;
    Py_buffer x, y;
    int found;

    if (count != 2)
        return PyErr_Format(PyExc_TypeError, "host_dot() takes 2 arguments (%zd given)", count);
    if (syc_py_small_begin(state) < 0)
        return NULL;
    if ((found = syc_py_small_view(state, args[0], false, &x)) <= 0)
        return found < 0 ? NULL : Py_NewRef(Py_None);
    found = syc_py_small_view(state, args[1], false, &y);
    if (found > 0) {
        result = dot_views(state, &x, &y);
        PyBuffer_Release(&y);
    } else if (found == 0) {
        result = Py_NewRef(Py_None);
    }
    PyBuffer_Release(&x);
    return result;
}

PyMethodDef syc_host_reduce_methods[] = {
    {"host_reduce", (PyCFunction)(void (*)(void))host_reduce, METH_FASTCALL,
     "host_reduce($module, x, op, axis=None, less=0, keepdims=False, /)\n--\n\n"
     "A NumPy scalar, or along an axis an array, reduced on the calling thread; None: x is no NumPy array that is "
     "small "
     "and simple enough."},
    {"host_dot", (PyCFunction)(void (*)(void))host_dot, METH_FASTCALL,
     "host_dot($module, x, y, /)\n--\n\n"
     "The inner product of two vectors, on the calling thread; None: as for host_reduce."},
    {NULL, NULL, 0, NULL},
};
