/* Event: what a submission returns. */
#include "base/alloc.h"
#include "python/pins.h"
#include "python/wait.h"
#include "schedule/command.h"

#include <stddef.h>
#include <structmember.h>

PyObject *syc_py_event(syc_state *state, QueueObject *queue, syc_command *command)
{
    EventObject *self = (EventObject *)syc_face_alloc(state, SYC_FACE_EVENT, NULL);
    if (self == NULL) {
        syc_command_release(command);
        return NULL;
    }
    self->core = command;
    self->queue = Py_XNewRef((PyObject *)queue);
    return (PyObject *)self;
}

static PyObject *event_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    if (PyTuple_GET_SIZE(args) > 0 || (kwargs != NULL && PyDict_GET_SIZE(kwargs) > 0)) {
        PyErr_SetString(PyExc_TypeError, "Event() takes no arguments");
        return NULL;
    }
    return type->tp_alloc(type, 0);
}

static void event_dealloc(EventObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (self->weakrefs != NULL)
        PyObject_ClearWeakRefs((PyObject *)self);
    if (self->queue != NULL && self->exported == NULL && syc_command_ended(self->core)) {
        syc_command_release(self->core); /* no OpenCL object can go with it: the queue lives, its event went before */
    } else {
        SYC_CORE_BEGIN
            if (self->exported != NULL)
                syc_command_native_release(self->core, self->exported);
            syc_command_release(self->core);
        SYC_CORE_END
    }
    Py_CLEAR(self->queue);
    type->tp_free(self);
    Py_DECREF(type);
}

static int event_traverse(EventObject *self, visitproc visit, void *arg)
{
    Py_VISIT(self->queue);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

static int event_clear(EventObject *self)
{
    Py_CLEAR(self->queue);
    return 0;
}

static PyObject *event_wait(EventObject *self, PyObject *unused)
{
    (void)unused;
    if (self->core != NULL && syc_py_wait(syc_state_of(self), &self->core, 1) < 0)
        return NULL;
    Py_RETURN_NONE;
}

/* 0 submitted, 1 running, 2 complete. */
static PyObject *event_poll(EventObject *self, PyObject *unused)
{
    syc_command_status seen = SYC_COMMAND_COMPLETE;
    syc_status status = SYC_OK;
    (void)unused;
    if (self->core != NULL && !syc_command_ended(self->core)) {
        SYC_CORE_BEGIN
            status = syc_command_poll(self->core, &seen);
        SYC_CORE_END
    } else {
        syc_pins_collect();
    }
    return status == SYC_OK ? PyLong_FromLong(seen) : syc_py_raise(syc_state_of(self), status);
}

static PyObject *event_times(EventObject *self, PyObject *unused)
{
    syc_times times = {0};
    syc_status status = SYC_OK;
    (void)unused;
    if (self->core != NULL)
        status = syc_command_times(self->core, &times);
    if (status != SYC_OK)
        return syc_py_raise(syc_state_of(self), status);
    return Py_BuildValue("KKK", (unsigned long long)times.submit, (unsigned long long)times.start,
                         (unsigned long long)times.end);
}

static PyObject *event_wait_list(EventObject *self, PyObject *unused)
{
    syc_state *state = syc_state_of(self);
    syc_command **after = NULL;
    size_t count = 0;
    syc_status status = SYC_OK;
    PyObject *list;
    (void)unused;

    if (self->core != NULL)
        status = syc_command_dependencies(self->core, &after, &count);
    if (status != SYC_OK)
        return syc_py_raise(state, status);
    list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; i < count; i++) { /* every reference is used up, also after a failure */
        if (list != NULL)
            syc_py_put(&list, i, syc_py_event(state, NULL, after[i]));
        else
            syc_command_release(after[i]);
    }
    syc_free(after);
    return list;
}

/* The exception of a command that failed, or None. Looking does not consume the asynchronous error. */
static PyObject *event_failure(EventObject *self, PyObject *unused)
{
    const syc_failure *failure = self->core != NULL ? syc_command_failure(self->core) : NULL;
    (void)unused;
    return failure != NULL ? syc_py_exception(syc_state_of(self), failure, NULL, (QueueObject *)self->queue, false)
                           : Py_NewRef(Py_None);
}

/* The cl_event, valid as long as this object. */
static PyObject *event_native(EventObject *self, PyObject *unused)
{
    syc_state *state = syc_state_of(self);
    syc_status status = SYC_OK;
    (void)unused;
    if (self->core == NULL)
        return syc_py_refuse(state, SYC_E_INVALID_OBJECT,
                             "the default event stands for no command: it has no cl_event");
    if (self->exported == NULL)
        status = syc_command_native(self->core, &self->exported);
    return status == SYC_OK ? PyLong_FromVoidPtr(self->exported) : syc_py_raise(state, status);
}

static PyObject *event_from_native(PyTypeObject *type, PyObject *args)
{
    syc_state *state = syc_state_of_type(type);
    PyObject *value, *context;
    syc_command *command = NULL;
    void *native;
    syc_status status;

    if (!PyArg_ParseTuple(args, "OO:from_int_ptr", &value, &context) ||
        syc_py_native_in(state, value, context, "Event.from_int_ptr", &native) < 0)
        return NULL;
    status = syc_command_from_native(native, ((ContextObject *)context)->core, &command);
    return status == SYC_OK ? syc_py_event(state, NULL, command) : syc_py_raise(state, status);
}

static PyObject *event_queue(EventObject *self, void *unused)
{
    (void)unused;
    return Py_NewRef(self->queue != NULL ? self->queue : Py_None);
}

static PyMethodDef event_methods[] = {
    {"_wait", (PyCFunction)event_wait, METH_NOARGS, "_wait($self, /)\n--\n\nWait for the command's end."},
    {"_poll", (PyCFunction)event_poll, METH_NOARGS, "_poll($self, /)\n--\n\n0 submitted, 1 running, 2 complete."},
    {"_times", (PyCFunction)event_times, METH_NOARGS, "_times($self, /)\n--\n\nSubmit, start and end in ns."},
    {"_wait_list", (PyCFunction)event_wait_list, METH_NOARGS, "_wait_list($self, /)\n--\n\nDirect dependencies."},
    {"_failure", (PyCFunction)event_failure, METH_NOARGS, "_failure($self, /)\n--\n\nThe command's error or None."},
    {"_native", (PyCFunction)event_native, METH_NOARGS,
     "_native($self, /)\n--\n\nThe cl_event, valid as long as the event."},
    {"_from_native", (PyCFunction)event_from_native, METH_VARARGS | METH_CLASS,
     "_from_native($type, value, context, /)\n--\n\nWrap a cl_event."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef event_getset[] = {
    {"_queue", (getter)event_queue, NULL, "The queue that it was submitted to, or None.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef event_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(EventObject, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot event_slots[] = {
    {Py_tp_new, event_new},
    {Py_tp_dealloc, event_dealloc},
    {Py_tp_traverse, event_traverse},
    {Py_tp_clear, event_clear},
    {Py_tp_methods, event_methods},
    {Py_tp_getset, event_getset},
    {Py_tp_members, event_members},
    {Py_tp_richcompare, syc_py_handle_compare},
    {Py_tp_hash, syc_py_handle_hash},
    {Py_tp_doc, "The base of pysycl.Event."},
    {0, NULL},
};

PyType_Spec syc_event_spec = {
    .name = "pysycl._core.Event",
    .basicsize = sizeof(EventObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = event_slots,
};
