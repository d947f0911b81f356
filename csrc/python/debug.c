/* Submissions that wait, for PYSYCL_DEBUG=sync. */
#include "python/debug.h"

#include "python/wait.h"
#include "schedule/record.h"

/* Under the GIL. */
static bool waits;
static bool looks; /* pysycl.debug has something to say after each command */

/* -1 with the command's failure raised. */
static int raise_failure(syc_state *state, const syc_command *command)
{
    const syc_failure *failure = syc_command_failure(command);
    PyObject *exception;
    if (failure == NULL)
        return 0;
    exception = syc_py_exception(state, failure, NULL);
    if (exception != NULL)
        PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
    Py_XDECREF(exception);
    return -1;
}

static int look(void)
{
    PyObject *module = PyImport_ImportModule("pysycl.debug");
    PyObject *done = module != NULL ? PyObject_CallMethod(module, "raise_findings", NULL) : NULL;
    Py_XDECREF(module);
    Py_XDECREF(done);
    return done != NULL ? 0 : -1;
}

PyObject *syc_py_submitted(syc_state *state, PyObject *event)
{
    EventObject *e = (EventObject *)event;
    if (!waits || event == NULL || e->core == NULL ||
        (e->queue != NULL && syc_queue_is_recorded(((QueueObject *)e->queue)->core)))
        return event;
    if (syc_py_wait(state, &e->core, 1) < 0 || raise_failure(state, e->core) < 0 || (looks && look() < 0))
        Py_CLEAR(event);
    return event;
}

static PyObject *debug_sync(PyObject *module, PyObject *args)
{
    int given;
    (void)module;
    if (!PyArg_ParseTuple(args, "p:debug_sync", &given))
        return NULL;
    waits = given != 0;
    syc_submissions_raise(waits);
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
