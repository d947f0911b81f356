/* Shared by all wrappers of core objects: identity, arguments that are wrappers or native handles, and the tuples and
 * lists that they give. */
#include "python/state.h"

/* Every wrapper begins with its core pointer. */
static void *core_of(PyObject *self)
{
    return (void *)((PlatformObject *)self)->core;
}

PyObject *syc_py_handle_compare(PyObject *a, PyObject *b, int operation)
{
    syc_state *state = syc_state_of(a);
    bool same;
    int kind = -1;

    for (int k = 0; k < SYC_FACE_COUNT; k++) {
        if (state->base[k] != NULL && PyObject_TypeCheck(a, state->base[k]))
            kind = k;
    }
    if (kind < 0 || (operation != Py_EQ && operation != Py_NE) || !PyObject_TypeCheck(b, state->base[kind]))
        Py_RETURN_NOTIMPLEMENTED;
    /* Objects without a core, like the default event, are equal to themselves only. */
    same = a == b || (core_of(a) != NULL && core_of(a) == core_of(b));
    return PyBool_FromLong(same == (operation == Py_EQ));
}

Py_hash_t syc_py_handle_hash(PyObject *self)
{
    void *core = core_of(self);
    return _Py_HashPointer(core != NULL ? core : (void *)self);
}

void *syc_py_core(syc_state *state, syc_face face, PyObject *value, const char *name)
{
    if (PyObject_TypeCheck(value, state->base[face]))
        return core_of(value);
    return syc_py_invalid(state, "%s: expected a %s, got %R", name, strrchr(state->base[face]->tp_name, '.') + 1,
                          value);
}

int syc_py_no_keywords(const char *type, PyObject *keywords)
{
    if (keywords == NULL || PyDict_GET_SIZE(keywords) == 0)
        return 0;
    PyErr_Format(PyExc_TypeError, "%s() takes no keyword arguments", type);
    return -1;
}

void syc_py_put(PyObject **sequence, size_t i, PyObject *item)
{
    if (item == NULL)
        Py_CLEAR(*sequence);
    else if (PyTuple_CheckExact(*sequence))
        PyTuple_SET_ITEM(*sequence, (Py_ssize_t)i, item);
    else
        PyList_SET_ITEM(*sequence, (Py_ssize_t)i, item);
}

void syc_py_append(PyObject **list, PyObject *item)
{
    if (item == NULL || PyList_Append(*list, item) < 0)
        Py_CLEAR(*list);
    Py_XDECREF(item);
}

int syc_py_native_handle(syc_state *state, PyObject *value, const char *what, void **out)
{
    PyObject *index = PyNumber_Index(value);
    void *handle;

    if (index == NULL) {
        PyErr_Clear();
        syc_py_invalid(state, "%s: expected an integer handle, got %R", what, value);
        return -1;
    }
    handle = PyLong_AsVoidPtr(index);
    Py_DECREF(index);
    if (handle == NULL || (intptr_t)handle < 0) {
        PyErr_Clear();
        syc_py_invalid(state, "%s: %R is not a native handle", what, value);
        return -1;
    }
    *out = handle;
    return 0;
}

int syc_py_native_in(syc_state *state, PyObject *value, PyObject *context, const char *what, void **out)
{
    if (PyObject_TypeCheck(context, state->base[SYC_FACE_CONTEXT]))
        return syc_py_native_handle(state, value, what, out);
    syc_py_invalid(state, "context: expected a Context, got %R", context);
    return -1;
}

PyObject *syc_py_platform(syc_state *state, syc_platform *platform)
{
    PyObject *self = syc_face_alloc(state, SYC_FACE_PLATFORM, NULL);
    if (self != NULL)
        ((PlatformObject *)self)->core = platform;
    return self;
}
