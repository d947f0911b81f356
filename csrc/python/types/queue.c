/* Queue: submission, and fetching what failed late. */
#include "base/alloc.h"
#include "cl/context.h"
#include "python/functions/copy.h"
#include "python/launch/after.h"
#include "python/types/host_task.h"
#include "python/types/prepared.h"
#include "python/wait.h"
#include "schedule/replay/record.h"

#include <stddef.h>
#include <structmember.h>

/* The context of a queue that was given none: shared by the queues of a root device, its own for a sub-device. */
PyObject *syc_py_default_context(syc_state *state, syc_device *device)
{
    syc_context *context = NULL;
    syc_status status;
    SYC_CORE_BEGIN
        status =
            device->parent == NULL ? syc_context_default(device, &context) : syc_context_create(&device, 1, &context);
    SYC_CORE_END
    return status == SYC_OK ? syc_py_context(state, NULL, context, Py_None) : syc_py_raise(state, status);
}

/* The object comes last: the finaliser of a class derived in Python sees no queue without a core. Takes `core`. */
static PyObject *wrap(PyTypeObject *type, syc_queue *core, PyObject *context, PyObject *handler)
{
    QueueObject *self = (QueueObject *)type->tp_alloc(type, 0);
    if (self == NULL) {
        SYC_CORE_BEGIN
            syc_queue_release(core);
        SYC_CORE_END
        return NULL;
    }
    self->core = core;
    syc_queue_set_owner(core, self);
    self->context = Py_NewRef(context);
    self->handler = Py_NewRef(handler);
    return (PyObject *)self;
}

/* Queue(device, context or None, handler, in_order, profiling): pysycl/queue.py gives them all. */
static PyObject *queue_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    syc_state *state = syc_state_of_type(type);
    PyObject *device, *context, *handler;
    int in_order, profiling;
    PyObject *self;
    syc_queue *core = NULL;
    syc_status status;

    if (syc_py_no_keywords("Queue", kwargs) < 0 ||
        !PyArg_ParseTuple(args, "O!OOpp", state->base[SYC_FACE_DEVICE], &device, &context, &handler, &in_order,
                          &profiling))
        return NULL;
    if (context != Py_None && !PyObject_TypeCheck(context, state->base[SYC_FACE_CONTEXT]))
        return syc_py_invalid(state, "context: expected a Context or None, got %R", context);
    context = context != Py_None ? Py_NewRef(context) : syc_py_default_context(state, ((DeviceObject *)device)->core);
    if (context == NULL)
        return NULL;
    SYC_CORE_BEGIN
        status = syc_queue_create(((ContextObject *)context)->core, ((DeviceObject *)device)->core,
                                  (syc_queue_options){.in_order = in_order != 0, .profiling = profiling != 0}, &core);
    SYC_CORE_END
    self = status == SYC_OK ? wrap(type, core, context, handler) : syc_py_raise(state, status);
    Py_DECREF(context);
    return self;
}

static void queue_dealloc(QueueObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (self->weakrefs != NULL)
        PyObject_ClearWeakRefs((PyObject *)self);
    syc_queue_set_owner(self->core, NULL);
    SYC_CORE_BEGIN
        syc_queue_release(self->core);
    SYC_CORE_END
    Py_CLEAR(self->context);
    Py_CLEAR(self->handler);
    type->tp_free(self);
    Py_DECREF(type);
}

static int queue_traverse(QueueObject *self, visitproc visit, void *arg)
{
    Py_VISIT(self->context);
    Py_VISIT(self->handler);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

static int queue_clear(QueueObject *self)
{
    Py_CLEAR(self->handler);
    return 0;
}

static PyObject *launch(QueueObject *self, const char *name, bool ranged, PyObject *const *args, Py_ssize_t count,
                        PyObject *names)
{
    syc_py_task task;
    syc_py_launch launch;
    syc_py_scope scope = {syc_state_of(self), self, NULL, &task};
    syc_py_after after;
    syc_py_call call;
    PyObject *event = NULL;

    syc_py_task_start(&task);
    if (syc_py_call_parse(syc_state_of(self), name, ranged, true, args, count, names, &call) < 0 ||
        syc_py_waiting_convert(scope.state, call.own[SYC_WORD_WAIT], &task.wait) < 0 ||
        syc_py_after_convert(scope.state, call.own[SYC_WORD_DEPENDS_ON], &after) < 0)
        return NULL;
    if (syc_py_launch_prepare(&scope, &call, &launch) == 0)
        event = syc_py_launch_submit(self, &launch, &after);
    else
        syc_py_task_clear(&task);
    syc_py_after_clear(&after);
    return syc_py_submitted(scope.state, event);
}

static PyObject *queue_parallel_for(QueueObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    return launch(self, "parallel_for", true, args, count, names);
}

static PyObject *queue_single_task(QueueObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    return launch(self, "single_task", false, args, count, names);
}

static PyObject *queue_kernel(QueueObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    return syc_py_prepare(self, args, count, names);
}

static PyObject *memory_call(QueueObject *self, syc_py_memory_call call, PyObject *const *args, Py_ssize_t count,
                             PyObject *names)
{
    syc_py_task task;
    syc_py_scope scope = {syc_state_of(self), self, NULL, &task};
    syc_py_after after;
    PyObject *own[SYC_PY_COPY_WORDS] = {NULL}, *event = NULL;

    syc_py_task_start(&task);
    if (syc_py_copy_prepare(&scope, call, args, count, names, own) == 0 &&
        syc_py_waiting_convert(scope.state, own[SYC_PY_COPY_WAIT], &task.wait) == 0 &&
        syc_py_after_convert(scope.state, own[SYC_PY_COPY_DEPENDS_ON], &after) == 0) {
        event = syc_py_task_submit(self, &task, &after);
        syc_py_after_clear(&after);
    } else {
        syc_py_task_clear(&task);
    }
    return syc_py_submitted(scope.state, event);
}

#define X(name)                                                                                                \
    static PyObject *queue_##name(QueueObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names) \
    {                                                                                                          \
        return memory_call(self, SYC_PY_CALL_##name, args, count, names);                                      \
    }
SYC_PY_MEMORY_CALLS(X)
#undef X

static PyObject *queue_host_task(QueueObject *self, PyObject *args, PyObject *kwargs)
{
    static char *words[] = {"", "depends_on", "wait", NULL};
    syc_state *state = syc_state_of(self);
    syc_py_task task;
    syc_py_after after;
    PyObject *callable, *depends_on = NULL, *waits = NULL, *event = NULL;
    syc_py_waiting wait;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$OO:host_task", words, &callable, &depends_on, &waits) ||
        syc_py_waiting_convert(state, waits, &wait) < 0 || syc_py_after_convert(state, depends_on, &after) < 0)
        return NULL;
    if (syc_py_task_init(state, 0, &task) == 0) {
        task.wait = wait;
        if (syc_py_host_task_prepare(state, callable, &task) == 0)
            event = syc_py_task_submit(self, &task, &after);
        else
            syc_py_task_clear(&task);
    }
    syc_py_after_clear(&after);
    return syc_py_submitted(state, event);
}

static PyObject *queue_wait(QueueObject *self, PyObject *unused)
{
    syc_state *state = syc_state_of(self);
    syc_command **commands = NULL;
    size_t count = 0;
    syc_status status;
    int failed;
    (void)unused;

    if (syc_queue_is_recorded(self->core))
        return syc_py_refuse(state, SYC_E_INVALID,
                             "wait: this thread records the queue: nothing of it runs before a replay, so there is "
                             "nothing to wait for; wait after the recording's block, or end it with its close()");
    SYC_CORE_BEGIN
        status = syc_queue_commands(self->core, &commands, &count);
    SYC_CORE_END
    if (status != SYC_OK)
        return syc_py_raise(state, status);
    failed = syc_py_wait(state, commands, count);
    SYC_CORE_BEGIN
        for (size_t i = 0; i < count; i++)
            syc_command_release(commands[i]);
        syc_free(commands);
    SYC_CORE_END
    if (failed < 0)
        return NULL;
    Py_RETURN_NONE;
}

/* The late errors of commands that have ended, oldest first; each is handed out once. */
static PyObject *queue_take_errors(QueueObject *self, PyObject *unused)
{
    PyObject *list = PyList_New(0);
    syc_async_error error;
    (void)unused;

    while (list != NULL && syc_queue_take_error(self->core, &error)) {
        syc_py_append(&list, syc_py_exception(syc_state_of(self), error.failure, error.site, self, true));
        syc_failure_free(error.failure);
        syc_free(error.site);
    }
    return list;
}

/* Looks at the commands in flight so that what has failed by now is in the list. */
static PyObject *queue_progress(QueueObject *self, PyObject *unused)
{
    syc_command **commands = NULL;
    size_t count = 0;
    syc_status status;
    (void)unused;

    SYC_CORE_BEGIN
        status = syc_queue_commands(self->core, &commands, &count);
        for (size_t i = 0; i < count; i++) {
            syc_command_status seen;
            if (status == SYC_OK)
                status = syc_command_poll(commands[i], &seen);
            syc_command_release(commands[i]);
        }
        syc_free(commands);
    SYC_CORE_END
    if (status != SYC_OK)
        return syc_py_raise(syc_state_of(self), status);
    return PyLong_FromSize_t(syc_queue_pending(self->core));
}

static PyObject *queue_is_free(QueueObject *self, PyObject *unused)
{
    (void)unused;
    return PyBool_FromLong(syc_queue_pending(self->core) == 0 && !syc_recording_is_open(self->core));
}

static PyObject *queue_empty(QueueObject *self, PyObject *events)
{
    syc_py_after after;
    PyObject *event;
    if (syc_py_after_convert(syc_state_of(self), events, &after) < 0)
        return NULL;
    event = syc_py_submit_empty(self, &after);
    syc_py_after_clear(&after);
    return syc_py_submitted(syc_state_of(self), event);
}

static PyObject *queue_native(QueueObject *self, PyObject *unused)
{
    (void)unused;
    return PyLong_FromVoidPtr(syc_queue_native(self->core));
}

static PyObject *queue_from_native(PyTypeObject *type, PyObject *args)
{
    syc_state *state = syc_state_of_type(type);
    PyObject *value, *context, *handler = Py_None;
    syc_queue *core = NULL;
    void *native;
    syc_status status;

    if (!PyArg_ParseTuple(args, "OO|O:from_int_ptr", &value, &context, &handler) ||
        syc_py_native_in(state, value, context, "Queue.from_int_ptr", &native) < 0)
        return NULL;
    status = syc_queue_from_native(native, ((ContextObject *)context)->core, &core);
    return status == SYC_OK ? wrap(type, core, context, handler) : syc_py_raise(state, status);
}

static PyObject *get_context(QueueObject *self, void *unused)
{
    (void)unused;
    return Py_NewRef(self->context);
}

static PyObject *get_handler(QueueObject *self, void *unused)
{
    (void)unused;
    return Py_NewRef(self->handler != NULL ? self->handler : Py_None);
}

static PyObject *get_device(QueueObject *self, void *unused)
{
    syc_device *device = syc_queue_device(self->core);
    (void)unused;
    syc_device_retain(device);
    return syc_py_device(syc_state_of(self), device);
}

static PyObject *get_in_order(QueueObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(syc_queue_get_options(self->core).in_order);
}

static PyObject *get_profiling(QueueObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(syc_queue_get_options(self->core).profiling);
}

static PyObject *get_reference_count(QueueObject *self, void *unused)
{
    cl_uint count;
    syc_status status = syc_queue_reference_count(self->core, &count);
    (void)unused;
    return status == SYC_OK ? PyLong_FromUnsignedLong(count) : syc_py_raise(syc_state_of(self), status);
}

#define FAST(function) (PyCFunction)(void (*)(void)) function, METH_FASTCALL | METH_KEYWORDS

/* The methods that pysycl/queue.py declares: signatures and docstrings stand there. */
#define SIGNATURE(name) #name "($self, /, *args, **kwargs)\n--\n\nSee pysycl.Queue."
#define DECLARED(name)                             \
    {                                              \
#name, FAST(queue_##name), SIGNATURE(name) \
    }

static PyMethodDef queue_methods[] = {
    DECLARED(parallel_for),
    DECLARED(single_task),
    DECLARED(kernel),
#define X(name) DECLARED(name),
    SYC_PY_MEMORY_CALLS(X)
#undef X
        {"host_task", (PyCFunction)(void (*)(void))queue_host_task, METH_VARARGS | METH_KEYWORDS, SIGNATURE(host_task)},
    {"wait", (PyCFunction)queue_wait, METH_NOARGS, SIGNATURE(wait)},
    {"_take_errors", (PyCFunction)queue_take_errors, METH_NOARGS, "_take_errors($self, /)\n--\n\nThe late errors."},
    {"_progress", (PyCFunction)queue_progress, METH_NOARGS, "_progress($self, /)\n--\n\nCommands still in flight."},
    {"_is_free", (PyCFunction)queue_is_free, METH_NOARGS,
     "_is_free($self, /)\n--\n\nIs nothing in flight, and does this thread record nothing of it?"},
    {"_empty", (PyCFunction)queue_empty, METH_O, "_empty($self, depends_on, /)\n--\n\nA command that only orders."},
    {"_native", (PyCFunction)queue_native, METH_NOARGS,
     "_native($self, /)\n--\n\nThe cl_command_queue, valid as long as the queue."},
    {"_from_native", (PyCFunction)queue_from_native, METH_VARARGS | METH_CLASS,
     "_from_native($type, value, context, async_handler=None, /)\n--\n\nWrap a cl_command_queue."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef queue_getset[] = {
    {"_context", (getter)get_context, NULL, "The context of the queue.", NULL},
    {"_device", (getter)get_device, NULL, "The one device that the queue submits to.", NULL},
    {"async_handler", (getter)get_handler, NULL, "The callable for late errors, or None.", NULL},
    {"is_in_order", (getter)get_in_order, NULL, "True if each command waits for the one before.", NULL},
    {"_reference_count", (getter)get_reference_count, NULL, "OpenCL's reference count.", NULL},
    {"_profiling", (getter)get_profiling, NULL, "True if commands record their times.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef queue_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(QueueObject, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot queue_slots[] = {
    {Py_tp_new, queue_new},
    {Py_tp_dealloc, queue_dealloc},
    {Py_tp_traverse, queue_traverse},
    {Py_tp_clear, queue_clear},
    {Py_tp_methods, queue_methods},
    {Py_tp_getset, queue_getset},
    {Py_tp_members, queue_members},
    {Py_tp_richcompare, syc_py_handle_compare},
    {Py_tp_hash, syc_py_handle_hash},
    {Py_tp_doc, "The base of pysycl.Queue."},
    {0, NULL},
};

PyType_Spec syc_queue_spec = {
    .name = "pysycl._core.Queue",
    .basicsize = sizeof(QueueObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = queue_slots,
};
