/* What all wrappers of core objects share: identity, and native handles that come in as integers. */
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

PyObject *syc_face_alloc(syc_state *state, syc_face face, PyTypeObject *type)
{
    PyTypeObject *made = type != NULL ? type : syc_py_face(state, face);
    return made != NULL ? made->tp_alloc(made, 0) : NULL;
}

syc_state *syc_state_of_type(PyTypeObject *type)
{
    PyObject *module = PyType_GetModuleByDef(type, &syc_core_module);
    return PyModule_GetState(module);
}

bool syc_py_is(const syc_state *state, syc_face face, PyObject *value)
{
    return state->face[face] != NULL && PyObject_TypeCheck(value, state->face[face]);
}
