/* The rows for reducers, and what was measured of them, for Python: pysycl/tune.py makes sense of it. */
#include "algo/lower/tuned.h"
#include "algo/lower/reduce_rows.h"
#include "algo/lower/scan_rows.h"
#include "cl/context.h"
#include "python/pins.h"

static PyObject *reduction_rows(PyObject *module, PyObject *object)
{
    syc_device *device = syc_py_core(PyModule_GetState(module), SYC_FACE_DEVICE, object, "device");
    PyObject *list = device != NULL ? PyList_New(0) : NULL;
    const char *name;

    for (size_t i = 0; list != NULL && (name = syc_reduce_row_name(device, i)) != NULL; i++)
        syc_py_append(&list, PyUnicode_FromString(name));
    return list;
}

static PyObject *force_reduction_row(PyObject *module, PyObject *args)
{
    const char *name;
    syc_status status;
    if (!PyArg_ParseTuple(args, "z:force_reduction_row", &name))
        return NULL;
    status = syc_reduce_row_force(name);
    return status != SYC_OK ? syc_py_raise(PyModule_GetState(module), status) : Py_NewRef(Py_None);
}

static PyObject *scan_rows(PyObject *module, PyObject *object)
{
    syc_device *device = syc_py_core(PyModule_GetState(module), SYC_FACE_DEVICE, object, "device");
    PyObject *list = device != NULL ? PyList_New(0) : NULL;
    const char *name;

    for (size_t i = 0; list != NULL && (name = syc_scan_row_name(device, i)) != NULL; i++)
        syc_py_append(&list, PyUnicode_FromString(name));
    return list;
}

static PyObject *force_scan_row(PyObject *module, PyObject *args)
{
    const char *name;
    syc_status status;
    if (!PyArg_ParseTuple(args, "z:force_scan_row", &name))
        return NULL;
    status = syc_scan_row_force(name);
    return status != SYC_OK ? syc_py_raise(PyModule_GetState(module), status) : Py_NewRef(Py_None);
}

/* 0: sums, 1: sums of built-ins, 2: scans. */
static int take_kind(PyObject *object, void *out)
{
    const long number = PyLong_AsLong(object);
    if (number < 0 || number >= SYC_TUNED_KINDS) {
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_ValueError, "kind: expected a number below %d, got %ld", SYC_TUNED_KINDS, number);
        return 0;
    }
    *(syc_tuned_kind *)out = (syc_tuned_kind)number;
    return 1;
}

static PyObject *tuned_set(PyObject *module, PyObject *args)
{
    syc_state *state = PyModule_GetState(module);
    PyObject *context;
    const char *row, *words;
    syc_tuned_kind kind;
    syc_status status;

    if (!PyArg_ParseTuple(args, "OO&ss:tuned_set", &context, take_kind, &kind, &row, &words))
        return NULL;
    if (syc_py_core(state, SYC_FACE_CONTEXT, context, "context") == NULL)
        return NULL;
    status = syc_tuned_set(((ContextObject *)context)->core, kind, row, words);
    return status != SYC_OK ? syc_py_raise(state, status) : Py_NewRef(Py_None);
}

static PyObject *tuned_get(PyObject *module, PyObject *args)
{
    syc_state *state = PyModule_GetState(module);
    PyObject *context;
    syc_tuned tuned;
    syc_tuned_kind kind;
    const syc_context *core;

    if (!PyArg_ParseTuple(args, "OO&:tuned_get", &context, take_kind, &kind))
        return NULL;
    core = syc_py_core(state, SYC_FACE_CONTEXT, context, "context");
    if (core == NULL)
        return NULL;
    syc_tuned_load(core);
    if (!syc_tuned_get(core->devices[0], kind, &tuned))
        Py_RETURN_NONE;
    return Py_BuildValue("(ss)", tuned.row, tuned.words);
}

PyMethodDef syc_tuned_methods[] = {
    {"reduction_rows", reduction_rows, METH_O,
     "reduction_rows($module, device, /)\n--\n\nThe rows of the table that scalar reducers can have on the device."},
    {"force_reduction_row", force_reduction_row, METH_VARARGS,
     "force_reduction_row($module, row, /)\n--\n\n"
     "From now on reducers that can have it have this row; None: the table decides again."},
    {"scan_rows", scan_rows, METH_O,
     "scan_rows($module, device, /)\n--\n\nThe names of the rows that scans are shaped by on the device."},
    {"force_scan_row", force_scan_row, METH_VARARGS,
     "force_scan_row($module, row, /)\n--\n\nGive scans that can have it the row with this name; None: the table "
     "decides."},
    {"tuned_set", tuned_set, METH_VARARGS,
     "tuned_set($module, context, kind, row, words, /)\n--\n\n"
     "Keep a row for texts of the kind, and what was measured of it."},
    {"tuned_get", tuned_get, METH_VARARGS,
     "tuned_get($module, context, kind, /)\n--\n\nThe row and what was measured of it, or None."},
    {NULL, NULL, 0, NULL},
};
