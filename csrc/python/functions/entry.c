/* Functions of the package's face. Errors of pysycl's own that leave them carry the user's frames and none of the
 * package: a mistake in a call is the caller's, and what is beneath it tells him nothing. A frame cannot be kept from
 * being added, so this is no function of Python's, which would add one itself.
 * A method may be declared in Python, with its types and its docstring, and done by the C type below its class.
 * Or the C type does a call with an instance alone, and the function all others.
 * A reduction or a scan of nothing but an array, an axis, and of running sums and products a dtype, is done here, if it
 * is small: a function of Python's takes as long as one of 2000 elements. And a call for memory of a device that comes
 * again is done by what is kept of the first (python/kept). */
#include "python/functions/frames.h"
#include "python/functions/small_arrays.h"
#include "python/kept/kept.h"

#include <stddef.h>
#include <structmember.h>

typedef struct EntryObject {
    PyObject_HEAD vectorcallfunc call;
    PyObject *function; /* of the package */
    PyObject *does;     /* it, or the C type's method; NULL while a declaration belongs to no class */
    PyObject *alone;    /* the C type's method for an instance alone, its name while there is no class; or NULL */
    int op;             /* a syc_host_op, of a reduction, */
    int scan;           /* or a syc_host_scan_op; else -1 */
    PyObject *plans;    /* of calls that come again: a dict; NULL: of a method */
    const char *name;   /* of their commands */
} EntryObject;

static PyObject *entry_call(PyObject *self, PyObject *const *args, size_t flags, PyObject *names)
{
    EntryObject *e = (EntryObject *)self;
    syc_state *state = syc_state_of(e);
    PyObject *result;
    if (e->plans != NULL && PyVectorcall_NARGS(flags) > 0 && syc_py_is_kept_for(state, args[0]))
        result = syc_py_kept(state, e->plans, e->does, e->name, args, flags, names);
    else
        result = PyObject_Vectorcall(e->does, args, flags, names);
    return __builtin_expect(result != NULL, 1) ? result : syc_py_frames_drop(state, e->function);
}

/* The C type's method itself: what it would do first is done here. */
static PyObject *method_call(PyObject *self, PyObject *const *args, size_t flags, PyObject *names)
{
    EntryObject *e = (EntryObject *)self;
    const Py_ssize_t count = PyVectorcall_NARGS(flags);
    const PyMethodDef *method;
    PyObject *result;

    if (__builtin_expect(count == 0 || !PyObject_TypeCheck(args[0], PyDescr_TYPE(e->does)), 0))
        return entry_call(self, args, flags, names);
    method = ((PyMethodDescrObject *)e->does)->d_method;
    result = ((_PyCFunctionFastWithKeywords)(void (*)(void))method->ml_meth)(args[0], args + 1, count - 1, names);
    return __builtin_expect(result != NULL, 1) ? result : syc_py_frames_drop(syc_state_of(e), e->function);
}

static PyObject *alone_call(PyObject *self, PyObject *const *args, size_t flags, PyObject *names)
{
    EntryObject *e = (EntryObject *)self;
    PyObject *result;
    if (PyVectorcall_NARGS(flags) != 1 || names != NULL || !PyObject_TypeCheck(args[0], PyDescr_TYPE(e->alone)))
        return entry_call(self, args, flags, names);
    result = ((PyMethodDescrObject *)e->alone)->d_method->ml_meth(args[0], NULL);
    return result != NULL ? result : syc_py_frames_drop(syc_state_of(e), e->function);
}

static bool is_sum_or_product(const EntryObject *e)
{
    return e->scan == SYC_HOST_SCAN_SUM || e->scan == SYC_HOST_SCAN_PROD;
}

/* Has the call an array, maybe an axis and a dtype, and nothing else? These are None where they are not there. */
static bool is_plain(const EntryObject *e, PyObject *const *args, Py_ssize_t count, PyObject *names, PyObject **axis,
                     PyObject **dtype)
{
    const Py_ssize_t named = names != NULL ? PyTuple_GET_SIZE(names) : 0;
    bool has_axis = count == 2;
    *axis = has_axis ? args[1] : Py_None;
    *dtype = Py_None;
    for (Py_ssize_t k = 0; k < named; k++) {
        PyObject *name = PyTuple_GET_ITEM(names, k), *given = args[count + k];
        if (!has_axis && PyUnicode_CompareWithASCIIString(name, "axis") == 0)
            has_axis = true, *axis = given;
        else if (is_sum_or_product(e) && PyUnicode_CompareWithASCIIString(name, "dtype") == 0)
            *dtype = given;
        else
            return false;
    }
    return (count == 1 || count == 2) && (!has_axis || PyLong_CheckExact(*axis));
}

static PyObject *at_once_call(PyObject *self, PyObject *const *args, size_t flags, PyObject *names)
{
    EntryObject *e = (EntryObject *)self;
    const Py_ssize_t count = PyVectorcall_NARGS(flags);
    PyObject *axis, *dtype, *result;
    if (!is_plain(e, args, count, names, &axis, &dtype))
        return entry_call(self, args, flags, names);
    result = e->op >= 0 ? syc_py_host_reduce(syc_state_of(e), args[0], (syc_host_op)e->op, axis, 0, false)
                        : syc_py_host_scan(syc_state_of(e), args[0], (syc_host_scan_op)e->scan, axis, dtype);
    if (result != Py_None)
        return result;
    Py_DECREF(result);
    return entry_call(self, args, flags, names);
}

/* -- a function like any other -- */

static PyObject *unbound_call(PyObject *self, PyObject *const *args, size_t flags, PyObject *names)
{
    (void)self, (void)args, (void)flags, (void)names;
    PyErr_SetString(PyExc_TypeError, "a method is called that no class has");
    return NULL;
}

static PyObject *entry_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    PyObject *function, *alone = NULL;
    int declares = 0, op = -1, scan = -1;
    EntryObject *self;
    if (named != NULL ||
        !PyArg_ParseTuple(args, "O!|piiU:entry", &PyFunction_Type, &function, &declares, &op, &scan, &alone))
        return named == NULL ? NULL : PyErr_Format(PyExc_TypeError, "entry() takes a function");
    if (op >= SYC_HOST_OP_COUNT)
        return PyErr_Format(PyExc_ValueError, "op: %d is no reduction", op);
    if (scan >= SYC_HOST_SCAN_OP_COUNT)
        return PyErr_Format(PyExc_ValueError, "scan: %d is no scan", scan);
    self = (EntryObject *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->op = op;
    self->scan = scan;
    self->alone = Py_XNewRef(alone);
    self->call = declares ? unbound_call : op >= 0 || scan >= 0 ? at_once_call : entry_call;
    self->function = Py_NewRef(function);
    self->does = declares ? NULL : Py_NewRef(function);
    self->name = syc_pins_name(function);
    return (PyObject *)self;
}

/* The method of that name of the first class above that has one: a C type's. NULL with an error set. */
static PyObject *method_above(PyTypeObject *owner, PyObject *name)
{
    PyObject *found = NULL;
    for (Py_ssize_t i = 1; found == NULL && i < PyTuple_GET_SIZE(owner->tp_mro); i++) {
        found = PyObject_GetAttr(PyTuple_GET_ITEM(owner->tp_mro, i), name);
        if (found == NULL && !PyErr_ExceptionMatches(PyExc_AttributeError))
            return NULL;
        PyErr_Clear();
    }
    if (found != NULL && Py_IS_TYPE(found, &PyMethodDescr_Type))
        return found;
    Py_XDECREF(found);
    return PyErr_Format(PyExc_TypeError, "no C type above %s has a method %U", owner->tp_name, name);
}

static PyObject *entry_set_name(PyObject *self, PyObject *args)
{
    EntryObject *e = (EntryObject *)self;
    PyObject *owner, *name;
    if (!PyArg_ParseTuple(args, "O!U:__set_name__", &PyType_Type, &owner, &name))
        return NULL;
    if (e->does == NULL)
        e->does = method_above((PyTypeObject *)owner, name);
    if (e->does == NULL)
        return NULL;
    if (e->alone != NULL && PyUnicode_Check(e->alone)) {
        Py_SETREF(e->alone, method_above((PyTypeObject *)owner, e->alone));
        if (e->alone == NULL || ((PyMethodDescrObject *)e->alone)->d_method->ml_flags != METH_NOARGS)
            return e->alone == NULL ? NULL : PyErr_Format(PyExc_TypeError, "%U takes arguments", name);
    }
    e->call = e->alone != NULL ? alone_call : entry_call;
    if (Py_IS_TYPE(e->does, &PyMethodDescr_Type) &&
        ((PyMethodDescrObject *)e->does)->d_method->ml_flags == (METH_FASTCALL | METH_KEYWORDS))
        e->call = method_call;
    Py_RETURN_NONE;
}

static int entry_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(((EntryObject *)self)->function);
    Py_VISIT(((EntryObject *)self)->does);
    Py_VISIT(((EntryObject *)self)->alone);
    Py_VISIT(((EntryObject *)self)->plans);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

static int entry_clear(PyObject *self)
{
    ((EntryObject *)self)->call = unbound_call;
    Py_CLEAR(((EntryObject *)self)->function);
    Py_CLEAR(((EntryObject *)self)->does);
    Py_CLEAR(((EntryObject *)self)->alone);
    Py_CLEAR(((EntryObject *)self)->plans);
    return 0;
}

static void entry_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    (void)entry_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *entry_get(PyObject *self, PyObject *object, PyObject *type)
{
    (void)type;
    return object == NULL || object == Py_None ? Py_NewRef(self) : PyMethod_New(self, object);
}

/* Other attributes are the function's. */
static PyObject *entry_attribute(PyObject *self, PyObject *name)
{
    PyObject *found = PyObject_GenericGetAttr(self, name);
    if (found != NULL || !PyErr_ExceptionMatches(PyExc_AttributeError))
        return found;
    PyErr_Clear();
    return PyObject_GetAttr(((EntryObject *)self)->function, name);
}

static PyObject *entry_of_function(PyObject *self, void *name)
{
    return PyObject_GetAttrString(((EntryObject *)self)->function, name);
}

/* With the texts that it shares with docstrings of others. */
static PyObject *entry_doc(PyObject *self, void *name)
{
    PyObject *text = entry_of_function(self, name), *module, *filled;
    if (text == NULL || !PyUnicode_Check(text))
        return text;
    module = PyImport_ImportModule("pysycl._runtime.shared_docs");
    filled = module != NULL ? PyObject_CallMethod(module, "filled", "OO", text, ((EntryObject *)self)->function) : NULL;
    Py_XDECREF(module);
    Py_DECREF(text);
    return filled;
}

static PyObject *entry_repr(PyObject *self)
{
    return PyObject_Repr(((EntryObject *)self)->function);
}

/* By its name, as functions are pickled. */
static PyObject *entry_reduce(PyObject *self, PyObject *unused)
{
    (void)unused;
    return PyObject_GetAttrString(((EntryObject *)self)->function, "__qualname__");
}

static PyMemberDef entry_members[] = {
    {"__wrapped__", T_OBJECT, offsetof(EntryObject, function), READONLY, NULL},
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(EntryObject, call), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};
static PyGetSetDef entry_properties[] = {
    {"__doc__", entry_doc, NULL, NULL, "__doc__"},
    {"__module__", entry_of_function, NULL, NULL, "__module__"},
    {"__name__", entry_of_function, NULL, NULL, "__name__"},
    {"__qualname__", entry_of_function, NULL, NULL, "__qualname__"},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyMethodDef entry_methods[] = {
    {"__reduce__", entry_reduce, METH_NOARGS, NULL},
    {"__set_name__", entry_set_name, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot entry_slots[] = {
    {Py_tp_new, entry_new},
    {Py_tp_traverse, entry_traverse},
    {Py_tp_clear, entry_clear},
    {Py_tp_dealloc, entry_dealloc},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_descr_get, entry_get},
    {Py_tp_getattro, entry_attribute},
    {Py_tp_repr, entry_repr},
    {Py_tp_members, entry_members},
    {Py_tp_getset, entry_properties},
    {Py_tp_methods, entry_methods},
    {0, NULL},
};
PyType_Spec syc_entry_spec = {
    .name = "pysycl._core.function", /* for help(), which says what a thing is by its type's name */
    .basicsize = sizeof(EntryObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR |
             Py_TPFLAGS_IMMUTABLETYPE,
    .slots = entry_slots,
};

static PyObject *debug_traceback(PyObject *module, PyObject *args)
{
    int given;
    (void)module;
    if (!PyArg_ParseTuple(args, "p:debug_traceback", &given))
        return NULL;
    syc_py_frames_keep(given != 0);
    Py_RETURN_NONE;
}

static PyObject *entry_of(PyObject *module, PyObject *arguments)
{
    PyObject *type = PyObject_GetAttrString(module, "Entry");
    PyObject *entry = type != NULL && arguments != NULL ? PyObject_CallObject(type, arguments) : NULL;
    Py_XDECREF(type);
    Py_XDECREF(arguments);
    return entry;
}

static PyObject *make_entry(PyObject *module, PyObject *args)
{
    PyObject *function, *entry;
    int op = -1, scan = -1, kept = 0;
    if (!PyArg_ParseTuple(args, "O|iip:entry", &function, &op, &scan, &kept))
        return NULL;
    entry = entry_of(module, Py_BuildValue("(OOii)", function, Py_False, op, scan));
    if (entry != NULL && kept && (((EntryObject *)entry)->plans = PyDict_New()) == NULL)
        Py_CLEAR(entry);
    return entry;
}

static PyObject *make_method(PyObject *module, PyObject *args)
{
    PyObject *function, *alone = NULL;
    if (!PyArg_ParseTuple(args, "O|U:method", &function, &alone))
        return NULL;
    return entry_of(module, alone == NULL ? Py_BuildValue("(OO)", function, Py_True)
                                          : Py_BuildValue("(OOiiO)", function, Py_False, -1, -1, alone));
}

PyMethodDef syc_entry_methods[] = {
    {"entry", make_entry, METH_VARARGS,
     "entry($module, function, op=-1, scan=-1, kept=False, /)\n--\n\nThe function, whose errors carry no frames of the "
     "package; of a reduction or a scan which one it is, that calls with a small array alone are done at once; and "
     "whether "
     "calls for memory of a device are kept."},
    {"method", make_method, METH_VARARGS,
     "method($module, declaration, alone=None, /)\n--\n\nDeclares a method of the C type below the class: its types, "
     "its docstring; or names the one of C's that is called with an instance alone, where others are the function's."},
    {"debug_traceback", debug_traceback, METH_VARARGS,
     "debug_traceback($module, on, /)\n--\n\nErrors keep the package's frames, or not."},
    {NULL, NULL, 0, NULL},
};
