/* Submissions under a user's mutex. Which buffers have one, and all that is done with it, is
 * pysycl/_data/buffer_mutex.py's; here is the question, which most programs answer with no. */
#include "python/launch/guard.h"

static bool used; /* some buffer has had a mutex */

PyObject *syc_py_guards_enter(syc_state *state, const syc_py_task *task)
{
    PyObject *ids, *module, *guards = NULL;
    (void)state;

    if (!used || task->need_count == 0)
        return Py_NewRef(Py_None);
    ids = PyList_New((Py_ssize_t)task->need_count);
    for (size_t i = 0; ids != NULL && i < task->need_count; i++)
        syc_py_put(&ids, i, PyLong_FromUnsignedLongLong(task->needs[i].buffer->id));
    if (ids == NULL)
        return NULL;
    module = PyImport_ImportModule("pysycl._data.buffer_mutex");
    if (module != NULL)
        guards = PyObject_CallMethod(module, "enter_all", "O", ids);
    Py_XDECREF(module);
    Py_DECREF(ids);
    return guards;
}

void syc_py_guards_leave(PyObject *guards, PyObject *event)
{
    PyObject *type, *value, *trace, *module, *done = NULL;

    if (guards == NULL || guards == Py_None) {
        Py_XDECREF(guards);
        return;
    }
    PyErr_Fetch(&type, &value, &trace);
    module = PyImport_ImportModule("pysycl._data.buffer_mutex");
    if (module != NULL)
        done = PyObject_CallMethod(module, "leave_all", "OO", guards, event != NULL ? event : Py_None);
    if (done == NULL)
        PyErr_WriteUnraisable(guards);
    Py_XDECREF(done);
    Py_XDECREF(module);
    PyErr_Restore(type, value, trace);
    Py_DECREF(guards);
}

static PyObject *guards_use(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    used = true;
    Py_RETURN_NONE;
}

PyMethodDef syc_guard_methods[] = {
    {"guards_use", guards_use, METH_NOARGS,
     "guards_use($module, /)\n--\n\nFrom now on submissions ask pysycl._data.buffer_mutex."},
    {NULL, NULL, 0, NULL},
};
