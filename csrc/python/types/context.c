/* Context: made over a list of devices, or around a native context. */
#include "python/state.h"

#include "base/alloc.h"
#include "base/process.h"
#include "cl/constants.h"
#include "cl/context.h"
#include "cl/entries.h"

#include <structmember.h>

static ContextObject *self_of(PyObject *self)
{
    return (ContextObject *)self;
}

/* The last reference may call the driver, which may take its time. */
static void release_core(syc_context *core)
{
    Py_BEGIN_ALLOW_THREADS;
    syc_context_release(core);
    Py_END_ALLOW_THREADS;
}

PyObject *syc_py_context(syc_state *state, PyTypeObject *type, syc_context *context, PyObject *handler)
{
    ContextObject *self = (ContextObject *)syc_face_alloc(state, SYC_FACE_CONTEXT, type);
    if (self == NULL) {
        release_core(context);
        return NULL;
    }
    self->core = context;
    self->handler = Py_NewRef(handler == NULL ? Py_None : handler);
    return (PyObject *)self;
}

static int context_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self_of(self)->handler);
    return 0;
}

static int context_clear(PyObject *self)
{
    Py_CLEAR(self_of(self)->handler);
    return 0;
}

static void context_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    syc_context *core = self_of(self)->core;

    PyObject_GC_UnTrack(self);
    if (self_of(self)->weakrefs != NULL)
        PyObject_ClearWeakRefs(self);
    context_clear(self);
    self_of(self)->core = NULL;
    release_core(core);
    type->tp_free(self);
    Py_DECREF(type);
}

/* Borrows the core devices of a list; -1 with an error set. */
static int collect_devices(syc_state *state, PyObject *list, syc_device ***out)
{
    Py_ssize_t count = PyList_GET_SIZE(list);
    syc_device **devices;
    syc_status status = syc_alloc_array((size_t)count, sizeof *devices, &devices);

    if (status != SYC_OK) {
        syc_py_raise(state, status);
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *device = PyList_GET_ITEM(list, i);
        if (!PyObject_TypeCheck(device, state->base[SYC_FACE_DEVICE])) {
            PyErr_Format(PyExc_TypeError, "devices[%zd] must be a Device, not %.80s", i, Py_TYPE(device)->tp_name);
            syc_free(devices);
            return -1;
        }
        devices[i] = ((DeviceObject *)device)->core;
    }
    *out = devices;
    return 0;
}

static int check_handler(PyObject *handler)
{
    if (handler == Py_None || PyCallable_Check(handler))
        return 0;
    PyErr_Format(PyExc_TypeError, "async_handler must be callable or None, not %.80s", Py_TYPE(handler)->tp_name);
    return -1;
}

static PyObject *context_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    syc_state *state = syc_state_of_type(type);
    PyObject *list, *handler = Py_None;
    syc_device **devices;
    syc_context *core = NULL;
    syc_status status;

    if (syc_py_no_keywords("Context", keywords) < 0 ||
        !PyArg_ParseTuple(args, "O!|O:Context", &PyList_Type, &list, &handler) || check_handler(handler) < 0)
        return NULL;
    if (collect_devices(state, list, &devices) < 0)
        return NULL;
    size_t count = (size_t)PyList_GET_SIZE(list);
    for (size_t i = 0; i < count; i++)
        syc_device_retain(devices[i]); /* the list may change while the GIL is away */
    Py_BEGIN_ALLOW_THREADS;
    status = syc_context_create(devices, count, &core);
    for (size_t i = 0; i < count; i++)
        syc_device_release(devices[i]);
    Py_END_ALLOW_THREADS;
    syc_free(devices);
    return status != SYC_OK ? syc_py_raise(state, status) : syc_py_context(state, type, core, handler);
}

static PyObject *context_from_int_ptr(PyObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"", "async_handler", NULL};
    syc_state *state = syc_state_of_type((PyTypeObject *)type);
    PyObject *value, *handler = Py_None;
    void *native;
    syc_context *core;
    syc_status status;

    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|O:from_int_ptr", names, &value, &handler) ||
        check_handler(handler) < 0 || syc_py_native_handle(state, value, "a context", &native) < 0)
        return NULL;
    status = syc_context_from_native(native, &core); /* may load: keeps the GIL */
    return status != SYC_OK ? syc_py_raise(state, status) : syc_py_context(state, (PyTypeObject *)type, core, handler);
}

static PyObject *context_devices(PyObject *self, void *unused)
{
    const syc_context *context = self_of(self)->core;
    PyObject *list = PyList_New((Py_ssize_t)context->device_count);
    (void)unused;

    for (size_t i = 0; list != NULL && i < context->device_count; i++) {
        syc_device_retain(context->devices[i]);
        syc_py_put(&list, i, syc_py_device(syc_state_of(self), context->devices[i]));
    }
    return list;
}

static PyObject *context_platform(PyObject *self, void *unused)
{
    (void)unused;
    return syc_py_platform(syc_state_of(self), self_of(self)->core->platform);
}

static PyObject *context_int_ptr(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromVoidPtr(self_of(self)->core->native);
}

static PyObject *context_reference_count(PyObject *self, void *unused)
{
    const syc_context *context = self_of(self)->core;
    cl_uint count = 0;
    syc_status status = syc_process_check();
    (void)unused;

    if (status == SYC_OK) {
        int code = syc_context_cl(context)->GetContextInfo(context->native, CL_CONTEXT_REFERENCE_COUNT, sizeof count,
                                                           &count, NULL);
        if (code != CL_SUCCESS)
            status = syc_fail_cl(SYC_HERE, "clGetContextInfo", code);
    }
    return status != SYC_OK ? syc_py_raise(syc_state_of(self), status) : PyLong_FromUnsignedLong(count);
}

static PyMethodDef context_methods[] = {
    {"from_int_ptr", (PyCFunction)(void (*)(void))context_from_int_ptr, METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     PyDoc_STR("from_int_ptr($type, value, /, async_handler=None)\n--\n\n"
               "A context around a native cl_context, which is retained.")},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef context_getset[] = {
    {"_devices", context_devices, NULL, PyDoc_STR("The devices."), NULL},
    {"_platform", context_platform, NULL, PyDoc_STR("The platform of all devices."), NULL},
    {"_reference_count", context_reference_count, NULL, PyDoc_STR("OpenCL's reference count."), NULL},
    {"int_ptr", context_int_ptr, NULL, PyDoc_STR("The native cl_context, as an integer."), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef context_members[] = {
    {"async_handler", T_OBJECT, offsetof(ContextObject, handler), READONLY,
     PyDoc_STR("What is called with the asynchronous errors of queues that have no handler of their own, or None.")},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ContextObject, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot context_slots[] = {
    {Py_tp_doc, "The base of pysycl.Context."},
    {Py_tp_new, context_new},
    {Py_tp_dealloc, context_dealloc},
    {Py_tp_traverse, context_traverse},
    {Py_tp_clear, context_clear},
    {Py_tp_richcompare, syc_py_handle_compare},
    {Py_tp_hash, syc_py_handle_hash},
    {Py_tp_methods, context_methods},
    {Py_tp_getset, context_getset},
    {Py_tp_members, context_members},
    {0, NULL},
};

PyType_Spec syc_context_spec = {
    .name = "pysycl._core.Context",
    .basicsize = sizeof(ContextObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = context_slots,
};
