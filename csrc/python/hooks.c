/* Hooks for tests: how many objects are alive, and calls of drivers that fail. */
#include "python/state.h"

#include "base/refcount.h"
#include "cl/driver.h"
#include "cl/fault.h"

/* -- what is alive -- */

static int store(PyObject *dict, const char *key, long number)
{
    PyObject *value = PyLong_FromLong(number);
    int result = value == NULL ? -1 : PyDict_SetItemString(dict, key, value);
    Py_XDECREF(value);
    return result;
}

static PyObject *live_counts(PyObject *module, PyObject *unused)
{
    PyObject *counts = PyDict_New();
    (void)module, (void)unused;
    for (int kind = 0; counts != NULL && kind < SYC_LIVE_COUNT; kind++)
        if (store(counts, syc_live_name((syc_live)kind), syc_live_count((syc_live)kind)) < 0)
            Py_CLEAR(counts);
    return counts;
}

/* -- fault injection -- */

static PyObject *fault_install(PyObject *module, PyObject *index)
{
    syc_driver *driver = NULL;
    syc_status status;

    if (index != Py_None) {
        Py_ssize_t at = PyLong_AsSsize_t(index);
        if (at == -1 && PyErr_Occurred())
            return NULL;
        if (at < 0 || (size_t)at >= syc_driver_count())
            return syc_py_invalid(PyModule_GetState(module), "there is no driver %zd: %zu are known", at,
                                  syc_driver_count());
        driver = syc_driver_at((size_t)at);
    }
    status = syc_fault_install(driver);
    return status != SYC_OK ? syc_py_raise(PyModule_GetState(module), status) : Py_NewRef(Py_None);
}

static PyObject *fault_arm(PyObject *module, PyObject *args)
{
    const char *entry;
    long nth;
    int code;
    syc_status status;

    if (!PyArg_ParseTuple(args, "sli:fault_arm", &entry, &nth, &code))
        return NULL;
    status = syc_fault_arm(entry, nth, code);
    return status != SYC_OK ? syc_py_raise(PyModule_GetState(module), status) : Py_NewRef(Py_None);
}

static PyObject *fault_calls(PyObject *module, PyObject *entry)
{
    const char *name = PyUnicode_AsUTF8(entry);
    long calls;

    if (name == NULL)
        return NULL;
    calls = syc_fault_calls(name);
    return calls < 0 ? syc_py_invalid(PyModule_GetState(module), "there is no OpenCL entry '%s'", name)
                     : PyLong_FromLong(calls);
}

static PyObject *fault_entries(PyObject *module, PyObject *unused)
{
    PyObject *list = PyList_New(0);
    (void)module, (void)unused;
    for (size_t i = 0; list != NULL && i < syc_fault_entry_count(); i++)
        syc_py_append(&list, PyUnicode_FromString(syc_fault_entry_name(i)));
    return list;
}

PyMethodDef syc_hook_methods[] = {
    {"live_counts", live_counts, METH_NOARGS,
     PyDoc_STR("live_counts($module, /)\n--\n\nHow many objects of each kind the core holds.")},
    {"fault_install", fault_install, METH_O,
     PyDoc_STR("fault_install($module, driver_index, /)\n--\n\nCounts the calls of one driver; None ends it.")},
    {"fault_arm", fault_arm, METH_VARARGS,
     PyDoc_STR(
         "fault_arm($module, entry, nth, code, /)\n--\n\nMakes the nth call of an entry from now fail with code.")},
    {"fault_calls", fault_calls, METH_O,
     PyDoc_STR("fault_calls($module, entry, /)\n--\n\nHow often an entry was called since fault_install.")},
    {"fault_entries", fault_entries, METH_NOARGS,
     PyDoc_STR("fault_entries($module, /)\n--\n\nThe OpenCL entries that pysycl calls.")},
    {NULL, NULL, 0, NULL},
};
