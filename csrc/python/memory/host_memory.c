/* Host memory on its way in. */
#include "python/memory/host_memory.h"

PyObject *syc_py_host_memory_view(PyObject *object)
{
    PyObject *module = PyImport_ImportModule("pysycl._data.host_memory"), *function, *array;
    if (module == NULL)
        return NULL;
    function = PyObject_GetAttrString(module, "view_of");
    array = function != NULL ? PyObject_CallOneArg(function, object) : NULL;
    Py_XDECREF(function);
    Py_DECREF(module);
    return array;
}

/* The exceptions of an exporter that cannot export: every other one, Ctrl-C for one, is its caller's. */
static bool is_refusal(void)
{
    return PyErr_ExceptionMatches(PyExc_BufferError) || PyErr_ExceptionMatches(PyExc_TypeError) ||
           PyErr_ExceptionMatches(PyExc_ValueError);
}

static int refuse(syc_state *state, PyObject *object, const char *what, int flags)
{
    PyObject *type, *reason, *trace;
    if (!is_refusal())
        return -1;
    PyErr_Fetch(&type, &reason, &trace);
    syc_py_invalid(state, "%s: the memory of a %.200s cannot be %s%s%S", what, Py_TYPE(object)->tp_name,
                   (flags & PyBUF_WRITABLE) == PyBUF_WRITABLE ? "written" : "shared", reason != NULL ? ": " : "",
                   reason != NULL ? reason : Py_None);
    Py_XDECREF(type);
    Py_XDECREF(reason);
    Py_XDECREF(trace);
    return -1;
}

int syc_py_host_memory_pin(syc_state *state, PyObject *object, const char *what, int flags, Py_buffer *out)
{
    PyObject *array = PyObject_CheckBuffer(object) ? Py_NewRef(object) : syc_py_host_memory_view(object);
    int failed;
    if (array == NULL)
        return refuse(state, object, what, flags);
    failed = PyObject_GetBuffer(array, out, flags);
    Py_DECREF(array);
    return failed < 0 ? refuse(state, object, what, flags) : 0;
}

syc_host_array syc_py_host_memory_span(const Py_buffer *view, size_t alignment)
{
    return (syc_host_array){.data = view->buf,
                            .bytes = (size_t)view->len,
                            .writable = !view->readonly,
                            .alignment = alignment > 0 ? alignment : 1,
                            .packed = view->ndim == 0 || PyBuffer_IsContiguous(view, 'C'),
                            .rank = view->ndim,
                            .item_size = (size_t)view->itemsize,
                            .shape = view->shape,
                            .strides = view->strides};
}

/* The allocator's exception, as a failure of the core's that has it for its cause. */
static syc_status allocator_raised(syc_state *state, size_t bytes)
{
    PyObject *exception = syc_py_take_exception(), *words = PyObject_Str(exception);
    const char *text = words != NULL ? PyUnicode_AsUTF8(words) : NULL;
    syc_status status =
        syc_fail(SYC_E_MEMORY_ALLOCATION, SYC_HERE, "the buffer's allocator raised %s%s%s when asked for %zu bytes",
                 Py_TYPE(exception)->tp_name, text != NULL ? ": " : "", text != NULL ? text : "", bytes);
    PyErr_Clear();
    Py_XDECREF(words);
    syc_py_set_cause(state, exception);
    return status;
}

static syc_status check_memory(const Py_buffer *view, size_t bytes)
{
    enum { LEAST_ALIGNMENT = 16 }; /* what malloc gives: arrays of the user's come with no more */
    syc_status status = SYC_OK;
    SYC_CHECK((size_t)view->len >= bytes, SYC_E_MEMORY_ALLOCATION,
              "the buffer's allocator gave %zd bytes when asked for %zu", view->len, bytes);
    SYC_CHECK((uintptr_t)view->buf % LEAST_ALIGNMENT == 0, SYC_E_MEMORY_ALLOCATION,
              "the buffer's allocator gave memory that is not aligned to %d bytes", LEAST_ALIGNMENT);
done:
    return status;
}

/* GIL held. */
static syc_status allocate(syc_state *state, PyObject *callable, size_t bytes, syc_pins *pins, char **data)
{
    PyObject *memory = PyObject_CallFunction(callable, "n", (Py_ssize_t)bytes);
    syc_status status;

    if (memory == Py_None) {
        Py_DECREF(memory);
        return syc_fail(SYC_E_MEMORY_ALLOCATION, SYC_HERE, "the buffer's allocator has no memory for %zu bytes", bytes);
    }
    if (memory == NULL || PyObject_GetBuffer(memory, &pins->views[0], PyBUF_WRITABLE) < 0) {
        Py_XDECREF(memory);
        return allocator_raised(state, bytes);
    }
    Py_DECREF(memory);
    pins->count = 1;
    status = check_memory(&pins->views[0], bytes);
    *data = pins->views[0].buf;
    return status;
}

syc_status syc_py_host_memory_allocate(void *payload, size_t bytes, size_t alignment, char **data, syc_keep *keep)
{
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject **held = ((syc_pins *)payload)->held;
    syc_state *state = syc_state_of_type((PyTypeObject *)held[SYC_PY_ALLOCATOR_TYPE]);
    syc_pins *pins = syc_pins_new(state, 1);
    syc_status status = SYC_E_MEMORY_ALLOCATION;
    (void)alignment; /* kernels are told what they may count on by the address itself */

    if (pins != NULL)
        status = allocate(state, held[SYC_PY_ALLOCATOR_CALLABLE], bytes, pins, data);
    else
        PyErr_Clear();

    if (status == SYC_OK)
        *keep = (syc_keep){syc_pins_let_go, pins};
    else
        syc_pins_free(pins);
    PyGILState_Release(gil);
    return status;
}

/* How many hold the object that a weak reference leads to; 0 when nobody does. */
static PyObject *holders(PyObject *module, PyObject *reference)
{
    PyObject *object;
    (void)module;
    if (!PyWeakref_Check(reference)) {
        PyErr_SetString(PyExc_TypeError, "holders() takes a weak reference");
        return NULL;
    }
    object = PyWeakref_GET_OBJECT(reference);
    return PyLong_FromSsize_t(object == Py_None ? 0 : Py_REFCNT(object));
}

PyMethodDef syc_buffer_methods[] = {
    {"holders", holders, METH_O,
     "holders($module, reference, /)\n--\n\nHow many references there are to what a weak reference leads to."},
    {NULL, NULL, 0, NULL},
};
