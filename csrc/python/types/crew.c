/* The threads that run host tasks, and what becomes of a task's exceptions. */
#include "python/types/crew.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/text.h"
#include "python/lock.h"
#include "schedule/host_task.h"
#include "schedule/queue.h"

/* A worker that does not run a task waits for one. */
static struct {
    syc_py_count pending; /* tasks that have not run to their end, and will */
    syc_py_count workers, busy;
    syc_py_count ended; /* tasks so far */
} crew;
/* So many run at once without further thought; more only where all of them have stood still for STUCK_NS, since tasks
 * that wait for each other would wait for ever. */
enum { READY_WORKERS = 8, MOST_WORKERS = 256, STUCK_NS = 50000000 };

static bool want_worker(void)
{
    return crew.pending > crew.busy && crew.workers == crew.busy && crew.workers < MOST_WORKERS;
}

/* A thread that takes the next task while others are run. -1 with an error set. */
static int see_to_worker(void)
{
    PyObject *module, *done;
    if (!want_worker())
        return 0;
    module = PyImport_ImportModule("pysycl.host_task");
    done = module != NULL ? PyObject_CallMethod(module, "start_worker", NULL) : NULL;
    Py_XDECREF(module);
    Py_XDECREF(done);
    return done != NULL ? 0 : -1;
}

int syc_py_crew_expect(void)
{
    crew.pending++;
    return see_to_worker();
}

void syc_py_host_task_retire(InteropHandleObject *self)
{
    if (self->callable == NULL)
        return;
    crew.pending--;
    Py_CLEAR(self->callable); /* last: it may run anything */
}

InteropHandleObject *syc_py_host_task_of(syc_state *state, const syc_pins *pins)
{
    for (Py_ssize_t i = 0; i < pins->held_count; i++) {
        if (PyObject_TypeCheck(pins->held[i], state->base[SYC_FACE_INTEROP_HANDLE]))
            return (InteropHandleObject *)pins->held[i];
    }
    return NULL;
}

/* -- running one -- */

/* Accessors give their data while `command` runs; NULL: not any more. */
static void let_accessors(InteropHandleObject *self, syc_command *command)
{
    for (Py_ssize_t i = 0; self->accessors != NULL && i < PyList_GET_SIZE(self->accessors); i++) {
        AccessorObject *a = (AccessorObject *)PyList_GET_ITEM(self->accessors, i);
        syc_command *before = a->host;
        if (command != NULL)
            syc_command_retain(command);
        a->host = command;
        syc_command_release(before); /* the thread that runs it holds another reference */
    }
}

/* The task is over, and somebody holds memory that an accessor gave it to write to. -1 with an error set: a warning of
 * that is one. */
static int revoke_views(InteropHandleObject *self, PyObject *callable, syc_site site)
{
    for (Py_ssize_t i = 0; self->accessors != NULL && i < PyList_GET_SIZE(self->accessors); i++) {
        AccessorObject *a = (AccessorObject *)PyList_GET_ITEM(self->accessors, i);
        PyObject *done;
        if (a->exports == 0 || a->mode == SYC_PY_READ)
            continue;
        done = PyObject_CallMethod((PyObject *)a, "_revoke", "Ozi", callable, site.file, site.line);
        if (done == NULL)
            return -1;
        Py_DECREF(done);
    }
    return 0;
}

/* -1 with what the task raised, or with the warning that became an error, still set. */
static int end_views(InteropHandleObject *self, bool succeeded, syc_site site)
{
    PyObject *type, *value, *trace;
    if (succeeded)
        return revoke_views(self, self->callable, site);
    PyErr_Fetch(&type, &value, &trace);
    if (revoke_views(self, Py_None, site) < 0)
        PyErr_Clear();
    PyErr_Restore(type, value, trace);
    return -1;
}

static syc_status status_of(syc_state *state, PyObject *exception)
{
    for (int s = SYC_STATUS_COUNT - 1; s > SYC_TIMEOUT; s--) { /* derived classes come later in the table */
        if (state->errors[s] != NULL && PyObject_TypeCheck(exception, (PyTypeObject *)state->errors[s]))
            return (syc_status)s;
    }
    return SYC_E_RUNTIME;
}

/* "ValueError: words", and the callable's name, as far as they can be had. */
static char *describe(PyObject *callable, PyObject *exception)
{
    PyObject *name = PyObject_GetAttrString(callable, "__qualname__");
    PyObject *words = PyObject_Str(exception);
    const char *n = name != NULL && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
    const char *w = words != NULL ? PyUnicode_AsUTF8(words) : NULL;
    syc_text text = {0};

    PyErr_Clear();
    syc_text_add(&text, "host task '%s' raised %s", n != NULL ? n : Py_TYPE(callable)->tp_name,
                 Py_TYPE(exception)->tp_name);
    if (w != NULL && *w != '\0')
        syc_text_add(&text, ": %s", w);
    Py_XDECREF(name);
    Py_XDECREF(words);
    return syc_text_take(&text);
}

/* The exception is kept by the queue's object; where that has gone, words must do. */
static void keep(syc_state *state, syc_queue *queue, PyObject *exception)
{
    PyObject *owner = Py_XNewRef(syc_queue_owner(queue)), *module = NULL, *token = NULL;
    if (owner != NULL)
        module = PyImport_ImportModule("pysycl._runtime.raised");
    if (module != NULL)
        token = PyObject_CallMethod(module, "keep", "OO", owner, exception);
    PyErr_Clear();
    if (token != NULL)
        syc_py_set_cause(state, token);
    Py_XDECREF(module);
    Py_XDECREF(owner); /* the last thing: a queue may end with it */
}

/* The failure for the exception that is set, with the exception as its cause. */
static syc_status failure_of(syc_state *state, syc_queue *queue, PyObject *callable)
{
    PyObject *exception = syc_py_take_exception();
    char *words = describe(callable, exception);
    syc_status status = syc_fail(status_of(state, exception), SYC_HERE, "%s", words != NULL ? words : "a host task");

    syc_free(words);
    keep(state, queue, exception);
    Py_DECREF(exception);
    return status;
}

static void run(syc_state *state, SYC_TAKE syc_command *command, const syc_pins *pins)
{
    InteropHandleObject *self = (InteropHandleObject *)Py_NewRef((PyObject *)syc_py_host_task_of(state, pins));
    syc_status status = SYC_OK;
    PyObject *result;

    crew.busy++;
    if (see_to_worker() < 0)
        PyErr_Clear(); /* the next task waits for this thread, or for one that helps */
    self->core = command;
    let_accessors(self, command);
    result = self->wanted ? PyObject_CallOneArg(self->callable, (PyObject *)self) : PyObject_CallNoArgs(self->callable);
    self->core = NULL;
    let_accessors(self, NULL);
    Py_XDECREF(result);
    if (end_views(self, result != NULL, syc_pins_site(pins)) < 0)
        status = failure_of(state, syc_command_queue(command), self->callable);
    SYC_CORE_BEGIN
        syc_host_task_finish(command, status);
    SYC_CORE_END
    crew.busy--;
    crew.ended++;
    syc_py_host_task_retire(self);
    Py_DECREF((PyObject *)self);
}

/* The next task. Where enough are run already, only if they stand still while it waits. */
static syc_status take(double seconds, syc_command **command, void **payload)
{
    bool patient = crew.busy >= READY_WORKERS;
    Py_ssize_t ended = crew.ended;
    syc_status status = SYC_TIMEOUT;

    if (patient) {
        SYC_CORE_BEGIN
            syc_sleep_ns(STUCK_NS);
        SYC_CORE_END
    }
    if (!patient || crew.busy < READY_WORKERS || crew.ended == ended) {
        SYC_CORE_BEGIN
            status = syc_host_task_take(patient ? 0 : (uint64_t)(seconds * 1e9), command, payload);
        SYC_CORE_END
    }
    return status;
}

/* One round of a worker: False when the worker must go. */
static PyObject *host_task_work(PyObject *module, PyObject *seconds)
{
    syc_state *state = PyModule_GetState(module);
    double wait = PyFloat_AsDouble(seconds);
    syc_command *command = NULL;
    void *payload = NULL;
    syc_status status;

    if (wait == -1.0 && PyErr_Occurred())
        return NULL;
    status = take(wait, &command, &payload);
    if (status == SYC_OK) {
        run(state, command, payload);
        Py_RETURN_TRUE;
    }
    if (status == SYC_TIMEOUT && crew.pending > crew.busy)
        Py_RETURN_TRUE;
    crew.workers--;
    Py_RETURN_FALSE;
}

/* A worker is about to be started: False when none is needed. */
static PyObject *host_task_enlist(PyObject *module, PyObject *unused)
{
    bool wanted = want_worker();
    (void)module;
    (void)unused;
    crew.workers += wanted;
    return PyBool_FromLong(wanted);
}

/* It could not be started. */
static PyObject *host_task_dismiss(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    crew.workers--;
    Py_RETURN_NONE;
}

bool syc_py_host_task_help(syc_state *state)
{
    syc_command *command = NULL;
    void *payload = NULL;
    if (crew.pending <= crew.busy || crew.workers > crew.busy || syc_host_task_take(0, &command, &payload) != SYC_OK)
        return false;
    crew.workers++; /* for as long as it lasts */
    run(state, command, payload);
    crew.workers--;
    return true;
}

static PyObject *host_task_help(PyObject *module, PyObject *unused)
{
    (void)unused;
    return PyBool_FromLong(syc_py_host_task_help(PyModule_GetState(module)));
}

PyMethodDef syc_host_task_methods[] = {
    {"host_task_work", host_task_work, METH_O,
     "host_task_work($module, seconds, /)\n--\n\nWait for one host task and run it; False: the worker must go."},
    {"host_task_enlist", host_task_enlist, METH_NOARGS,
     "host_task_enlist($module, /)\n--\n\nCount a worker in, if one is needed."},
    {"host_task_dismiss", host_task_dismiss, METH_NOARGS, "host_task_dismiss($module, /)\n--\n\nCount it out again."},
    {"host_task_help", host_task_help, METH_NOARGS,
     "host_task_help($module, /)\n--\n\nRun one ready host task here, if no worker is there to do it."},
    {NULL, NULL, 0, NULL},
};
