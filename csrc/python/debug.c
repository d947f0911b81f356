/* The switches of pysycl/debug.py. */
#include "python/debug.h"

/* Under the GIL. */
static bool waits;
static bool looks; /* pysycl.debug has something to say after each command */

bool syc_py_debug_waits(void)
{
    return waits;
}

int syc_py_debug_look(void)
{
    PyObject *module, *done;
    if (!looks)
        return 0;
    module = PyImport_ImportModule("pysycl.debug");
    done = module != NULL ? PyObject_CallMethod(module, "raise_findings", NULL) : NULL;
    Py_XDECREF(module);
    Py_XDECREF(done);
    return done != NULL ? 0 : -1;
}

static PyObject *debug_sync(PyObject *module, PyObject *args)
{
    int given;
    (void)module;
    if (!PyArg_ParseTuple(args, "p:debug_sync", &given))
        return NULL;
    waits = given != 0;
    Py_RETURN_NONE;
}

static PyObject *debug_look(PyObject *module, PyObject *args)
{
    int given;
    (void)module;
    if (!PyArg_ParseTuple(args, "p:debug_look", &given))
        return NULL;
    looks = given != 0;
    Py_RETURN_NONE;
}

PyMethodDef syc_debug_methods[] = {
    {"debug_sync", debug_sync, METH_VARARGS,
     "debug_sync($module, on, /)\n--\n\nSubmissions wait for their command and raise its failure, or not."},
    {"debug_look", debug_look, METH_VARARGS,
     "debug_look($module, on, /)\n--\n\nSubmissions that wait then ask pysycl.debug.raise_findings, or not."},
    {NULL, NULL, 0, NULL},
};
