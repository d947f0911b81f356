/* Unified shared memory as functions: allocating, freeing by address, asking about addresses, figures. */
#include "cl/device.h"
#include "python/memory/usm_array.h"

static syc_state *state_of(PyObject *module)
{
    return PyModule_GetState(module);
}

static bool is_face(const syc_state *state, PyObject *object, syc_face face)
{
    return PyObject_TypeCheck(object, state->base[face]);
}

static int kind_of(syc_state *state, int kind, syc_usm_kind *out)
{
    *out = (syc_usm_kind)kind;
    if (kind >= SYC_USM_DEVICE && kind <= SYC_USM_SHARED)
        return 0;
    syc_py_invalid(state, "kind: memory has the kinds device, host and shared");
    return -1;
}

/* usm_allocate(context, device, kind, alignment, shape, dtype, item) */
static PyObject *usm_allocate(PyObject *module, PyObject *args)
{
    syc_state *state = state_of(module);
    PyObject *context_object, *device, *shape, *dtype;
    Py_ssize_t alignment, item;
    syc_context *context;
    syc_usm_kind kind;
    int number;

    if (!PyArg_ParseTuple(args, "OOinO!On:usm_allocate", &context_object, &device, &number, &alignment, &PyTuple_Type,
                          &shape, &dtype, &item) ||
        (context = syc_py_core(state, SYC_FACE_CONTEXT, context_object, "context")) == NULL ||
        kind_of(state, number, &kind) < 0)
        return NULL;
    if (device != Py_None && !is_face(state, device, SYC_FACE_DEVICE))
        return syc_py_invalid(state, "device: expected a Device, got %R", device);
    return syc_py_usm_allocate(state, context, device != Py_None ? ((DeviceObject *)device)->core : NULL, kind,
                               (size_t)alignment, shape, dtype, (size_t)item);
}

static void *address_of(PyObject *object)
{
    void *address = PyLong_AsVoidPtr(object);
    if (address == NULL && PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_OverflowError))
        PyErr_Clear(); /* no address at all: nothing is there */
    return address;
}

/* The allocation that an address lies in, retained; NULL without an error when there is none. */
static syc_usm *find(syc_state *state, PyObject *number, PyObject *context_object, void **address)
{
    const syc_context *context = NULL;
    *address = address_of(number);
    if (PyErr_Occurred() || (context_object != Py_None &&
                             (context = syc_py_core(state, SYC_FACE_CONTEXT, context_object, "context")) == NULL))
        return NULL;
    return context != NULL ? syc_usm_find(context, *address) : syc_usm_find_any(*address);
}

/* usm_free(address, context): None for any context */
static PyObject *usm_free(PyObject *module, PyObject *args)
{
    syc_state *state = state_of(module);
    PyObject *number, *context, *result;
    void *address;
    syc_usm *core;

    if (!PyArg_ParseTuple(args, "O!O:usm_free", &PyLong_Type, &number, &context))
        return NULL;
    core = find(state, number, context, &address);
    if (core == NULL && PyErr_Occurred())
        return NULL;
    if (core == NULL)
        return syc_py_refuse(state, SYC_E_INVALID_OBJECT,
                             "free: there is no allocation at %p%s; it may have been freed before", address,
                             context != Py_None ? " in that context" : "");
    if (core->data != address)
        result = syc_py_invalid(state, "free: %p lies %zd bytes inside the allocation at %p; free that one", address,
                                (char *)address - core->data, core->data);
    else
        result = syc_py_usm_free(state, core);
    syc_usm_release(core);
    return result;
}

/* usm_find(address, context) -> (kind, device or None) or None */
static PyObject *usm_find(PyObject *module, PyObject *args)
{
    syc_state *state = state_of(module);
    PyObject *number, *context, *device = Py_NewRef(Py_None), *result = NULL;
    void *address;
    syc_usm *core = NULL;

    if (PyArg_ParseTuple(args, "O!O:usm_find", &PyLong_Type, &number, &context))
        core = find(state, number, context, &address);
    if (core == NULL) {
        if (PyErr_Occurred())
            Py_CLEAR(device);
        return device;
    }
    if (core->device != NULL) {
        syc_device_retain(core->device);
        Py_SETREF(device, syc_py_device(state, core->device));
    }
    if (device != NULL)
        result = Py_BuildValue("iN", (int)core->kind, device);
    syc_usm_release(core);
    return result;
}

static PyObject *usm_supported(PyObject *module, PyObject *args)
{
    syc_state *state = state_of(module);
    PyObject *device;
    syc_usm_kind kind;
    int number;
    bool supported = false;
    syc_status status;

    if (!PyArg_ParseTuple(args, "O!i:usm_supported", state->base[SYC_FACE_DEVICE], &device, &number) ||
        kind_of(state, number, &kind) < 0)
        return NULL;
    status = syc_usm_supported(((DeviceObject *)device)->core, kind, &supported);
    return status != SYC_OK ? syc_py_raise(state, status) : PyBool_FromLong(supported);
}

static PyObject *usm_statistics(PyObject *module, PyObject *args)
{
    syc_state *state = state_of(module);
    PyObject *object;
    const syc_context *context;
    syc_usm_kind kind;
    syc_usm_statistics s;
    int number;

    if (!PyArg_ParseTuple(args, "Oi:usm_statistics", &object, &number) ||
        (context = syc_py_core(state, SYC_FACE_CONTEXT, object, "context")) == NULL ||
        kind_of(state, number, &kind) < 0)
        return NULL;
    s = syc_usm_statistics_of(context, kind);
    return Py_BuildValue("{sn sn sn sn sn}", "live_bytes", (Py_ssize_t)s.live_bytes, "live_count",
                         (Py_ssize_t)s.live_count, "peak_bytes", (Py_ssize_t)s.peak_bytes, "cached_bytes",
                         (Py_ssize_t)s.cached_bytes, "limit_bytes", (Py_ssize_t)s.limit_bytes);
}

static PyObject *usm_set_limit(PyObject *module, PyObject *args)
{
    syc_state *state = state_of(module);
    PyObject *object;
    syc_context *context;
    syc_usm_kind kind;
    Py_ssize_t bytes;
    syc_status status;
    int number;

    if (!PyArg_ParseTuple(args, "Oin:usm_set_limit", &object, &number, &bytes) ||
        (context = syc_py_core(state, SYC_FACE_CONTEXT, object, "context")) == NULL ||
        kind_of(state, number, &kind) < 0)
        return NULL;
    if (bytes < 0)
        return syc_py_invalid(state, "limit: %zd is negative; 0 is no limit", bytes);
    status = syc_usm_set_limit(context, kind, (size_t)bytes);
    return status != SYC_OK ? syc_py_raise(state, status) : Py_NewRef(Py_None);
}

static PyObject *usm_trim(PyObject *module, PyObject *object)
{
    syc_state *state = state_of(module);
    const syc_context *context = NULL;
    size_t bytes;

    if (object != Py_None && (context = syc_py_core(state, SYC_FACE_CONTEXT, object, "context")) == NULL)
        return NULL;
    SYC_CORE_BEGIN
        bytes = context != NULL ? syc_usm_trim(context) : syc_usm_trim_all();
    SYC_CORE_END
    return PyLong_FromSize_t(bytes);
}

PyMethodDef syc_usm_methods[] = {
    {"usm_allocate", usm_allocate, METH_VARARGS,
     "usm_allocate($module, context, device, kind, alignment, shape, dtype, item, /)\n--\n\nAllocate memory."},
    {"usm_free", usm_free, METH_VARARGS,
     "usm_free($module, address, context, /)\n--\n\nFree the allocation that begins at an address."},
    {"usm_find", usm_find, METH_VARARGS,
     "usm_find($module, address, context, /)\n--\n\nKind and device of the allocation around an address, or None."},
    {"usm_supported", usm_supported, METH_VARARGS,
     "usm_supported($module, device, kind, /)\n--\n\nTrue if the device can have such memory."},
    {"usm_statistics", usm_statistics, METH_VARARGS,
     "usm_statistics($module, context, kind, /)\n--\n\nFigures of one kind of memory of a context."},
    {"usm_set_limit", usm_set_limit, METH_VARARGS,
     "usm_set_limit($module, context, kind, nbytes, /)\n--\n\nThe most bytes that may be alive; 0: no limit."},
    {"usm_trim", usm_trim, METH_O,
     "usm_trim($module, context, /)\n--\n\nGive cached memory back to the driver, of all contexts for None."},
    {NULL, NULL, 0, NULL},
};
