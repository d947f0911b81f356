/* Handler: one command group being put together. It lives between the queue's submit and the group's end, takes at most
 * one command, and refuses everything after. */
#include "python/launch.h"

typedef struct HandlerObject {
    PyObject_HEAD QueueObject *queue; /* NULL once the group has ended */
    syc_py_launch *launch;            /* the command, when there is one */
    PyObject *after;                  /* list of Events */
} HandlerObject;

static PyObject *handler_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    syc_state *state = syc_state_of_type(type);
    PyObject *queue;
    HandlerObject *self;

    if (kwargs != NULL && PyDict_GET_SIZE(kwargs) > 0) {
        PyErr_SetString(PyExc_TypeError, "Handler() takes no keyword arguments");
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "O!:Handler", state->base[SYC_FACE_QUEUE], &queue))
        return NULL;
    self = (HandlerObject *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->queue = (QueueObject *)Py_NewRef(queue);
    self->after = PyList_New(0);
    if (self->after == NULL)
        Py_CLEAR(self);
    return (PyObject *)self;
}

static void free_launch(syc_py_launch *launch)
{
    if (launch == NULL)
        return;
    syc_py_launch_clear(launch);
    PyMem_Free(launch);
}

static void drop_launch(HandlerObject *self)
{
    syc_py_launch *launch = self->launch;
    self->launch = NULL;
    free_launch(launch);
}

static int handler_clear(HandlerObject *self)
{
    drop_launch(self);
    Py_CLEAR(self->queue);
    Py_CLEAR(self->after);
    return 0;
}

static int handler_traverse(HandlerObject *self, visitproc visit, void *arg)
{
    Py_VISIT((PyObject *)self->queue);
    Py_VISIT(self->after);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

static void handler_dealloc(HandlerObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    handler_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

/* -1 with an error set when the group has ended. */
static int check_open(HandlerObject *self, const char *what)
{
    if (self->queue != NULL)
        return 0;
    syc_py_refuse(syc_state_of(self), SYC_E_INVALID,
                  "%s: the command group of this handler has ended; a handler is of use inside its submit() only",
                  what);
    return -1;
}

static PyObject *add_command(HandlerObject *self, const char *name, bool ranged, PyObject *const *args,
                             Py_ssize_t count, PyObject *names)
{
    syc_state *state = syc_state_of(self);
    syc_py_launch *launch;
    syc_py_call call;

    if (check_open(self, name) < 0)
        return NULL;
    if (self->launch != NULL)
        return syc_py_refuse(state, SYC_E_INVALID, "%s: the command group has a command already; it can have one",
                             name);
    if (syc_py_call_parse(name, ranged, false, args, count, names, &call) < 0)
        return NULL;
    launch = PyMem_Malloc(sizeof *launch);
    if (launch == NULL)
        return PyErr_NoMemory();
    if (syc_py_launch_prepare(state, call.range, call.offset, call.kernel, call.given, call.count, launch) < 0) {
        PyMem_Free(launch);
        return NULL;
    }
    if (self->launch != NULL || self->queue == NULL) { /* a conversion ran Python code that used this very handler */
        syc_py_launch_clear(launch);
        PyMem_Free(launch);
        return syc_py_refuse(state, SYC_E_INVALID, "%s: the command group was changed while it took the arguments",
                             name);
    }
    self->launch = launch;
    Py_RETURN_NONE;
}

static PyObject *handler_parallel_for(HandlerObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    return add_command(self, "parallel_for", true, args, count, names);
}

static PyObject *handler_single_task(HandlerObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    return add_command(self, "single_task", false, args, count, names);
}

static PyObject *handler_depends_on(HandlerObject *self, PyObject *events)
{
    syc_state *state = syc_state_of(self);
    syc_py_after after;
    int failed;

    if (check_open(self, "depends_on") < 0 || syc_py_after_convert(state, events, &after) < 0)
        return NULL;
    failed = check_open(self, "depends_on"); /* again: taking the events may have run code that ended the group */
    if (failed == 0 && PyObject_TypeCheck(events, state->base[SYC_FACE_EVENT]))
        failed = PyList_Append(self->after, events);
    else if (failed == 0 && after.held != NULL)
        failed = PyList_SetSlice(self->after, PY_SSIZE_T_MAX, PY_SSIZE_T_MAX, after.held);
    syc_py_after_clear(&after);
    if (failed < 0)
        return NULL;
    Py_RETURN_NONE;
}

/* Ends the group: submits its command, or an empty one when it has none. */
static PyObject *handler_submit(HandlerObject *self, PyObject *unused)
{
    QueueObject *queue = self->queue;
    syc_py_launch *launch = self->launch;
    syc_py_after after;
    PyObject *event = NULL;
    (void)unused;

    if (check_open(self, "submit") < 0)
        return NULL;
    self->queue = NULL; /* ours now, and the launch too: another thread may end the group while the GIL is away */
    self->launch = NULL;
    if (syc_py_after_convert(syc_state_of(self), self->after, &after) == 0) {
        event = launch != NULL ? syc_py_launch_submit(queue, launch, &after) : syc_py_submit_empty(queue, &after);
        syc_py_after_clear(&after);
    }
    free_launch(launch);
    handler_clear(self);
    Py_DECREF(queue);
    return event;
}

static PyObject *handler_discard(HandlerObject *self, PyObject *unused)
{
    (void)unused;
    handler_clear(self);
    Py_RETURN_NONE;
}

#define FAST(function) (PyCFunction)(void (*)(void)) function, METH_FASTCALL | METH_KEYWORDS

static PyMethodDef handler_methods[] = {
    {"parallel_for", FAST(handler_parallel_for),
     "parallel_for($self, range, kernel, /, *args, offset=None)\n--\n\n"
     "Make the group's command: the kernel, once for each index of the range. SYCL 2020 4.9.4."},
    {"single_task", FAST(handler_single_task),
     "single_task($self, kernel, /, *args)\n--\n\nMake the group's command: the kernel, once. SYCL 2020 4.9.4."},
    {"depends_on", (PyCFunction)handler_depends_on, METH_O,
     "depends_on($self, events, /)\n--\n\nThe command waits for the event or events too. SYCL 2020 4.9.4."},
    {"_submit", (PyCFunction)handler_submit, METH_NOARGS, "_submit($self, /)\n--\n\nEnd the group and submit it."},
    {"_discard", (PyCFunction)handler_discard, METH_NOARGS, "_discard($self, /)\n--\n\nEnd the group, submit nothing."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot handler_slots[] = {
    {Py_tp_new, handler_new},
    {Py_tp_dealloc, handler_dealloc},
    {Py_tp_traverse, handler_traverse},
    {Py_tp_clear, handler_clear},
    {Py_tp_methods, handler_methods},
    {Py_tp_doc, "The base of pysycl.Handler."},
    {0, NULL},
};

PyType_Spec syc_handler_spec = {
    .name = "pysycl._core.Handler",
    .basicsize = sizeof(HandlerObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = handler_slots,
};
