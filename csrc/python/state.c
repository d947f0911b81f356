/* The state of the module: how a type comes to it, and the Python classes over the C types. */
#include "python/state.h"

/* Its functions, and what its state holds: module.c, which comes to all of them. */
struct PyModuleDef syc_core_module = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "pysycl._core",
    .m_doc = "The C core of pysycl.",
    .m_size = sizeof(syc_state),
};

syc_state *syc_state_of_type(PyTypeObject *type)
{
    PyObject *module = PyType_GetModuleByDef(type, &syc_core_module);
    return PyModule_GetState(module);
}

/* Python's class for each C type; see state.h. */
static const char *const face_names[SYC_FACE_COUNT] = {
    "Platform", "Device",     "Context",       "Queue",     "Event",     "Handler",       "Program",    "Kernel",
    "Buffer",   "Accessor",   "HostAccessor",  "UsmArray",  "Sampler",   "InteropHandle", "Stream",     "Recording",
    "NdRange",  "WorkGroups", "LocalAccessor", "Reduction", "Parameter", "SpecConstant",  "Components", "Operator",
};

PyObject *syc_py_face_bind(syc_state *state, PyObject *face)
{
    const char *name = PyType_Check(face) ? ((PyTypeObject *)face)->tp_name : "";

    for (int k = 0; k < SYC_FACE_COUNT; k++) {
        PyTypeObject *pure = k >= SYC_FACE_CONSTANT ? &PyBaseObject_Type : &PyTuple_Type;
        PyTypeObject *base = state->base[k] != NULL ? state->base[k] : pure;
        if (strcmp(name, face_names[k]) != 0)
            continue;
        if (!PyType_IsSubtype((PyTypeObject *)face, base))
            return PyErr_Format(PyExc_TypeError, "bind(): '%s' must be a subclass of %s", name, base->tp_name);
        Py_XSETREF(state->face[k], (PyTypeObject *)Py_NewRef(face));
        return Py_NewRef(face);
    }
    return PyErr_Format(PyExc_TypeError, "bind(): %R is none of the classes over the C types", face);
}

PyTypeObject *syc_py_face(syc_state *state, syc_face face)
{
    PyObject *package, *class;
    if (state->face[face] != NULL)
        return state->face[face];
    package = PyImport_ImportModule("pysycl");
    class = package != NULL ? PyObject_GetAttrString(package, face_names[face]) : NULL;
    Py_XDECREF(package);
    Py_XDECREF(class); /* `bind` keeps it */
    if (class != NULL && state->face[face] == NULL)
        PyErr_Format(PyExc_SystemError, "pysycl.%s is not bound", face_names[face]);
    return state->face[face];
}

bool syc_py_is(const syc_state *state, syc_face face, PyObject *value)
{
    return state->face[face] != NULL && PyObject_TypeCheck(value, state->face[face]);
}

PyObject *syc_face_alloc(syc_state *state, syc_face face, PyTypeObject *type)
{
    PyTypeObject *made = type != NULL ? type : syc_py_face(state, face);
    return made != NULL ? made->tp_alloc(made, 0) : NULL;
}
