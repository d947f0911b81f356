/* Handler: one command group being put together. It lives between the queue's submit and the group's end, takes at most
 * one command, and refuses everything after. What its accessors ask for joins the command's needs when it is submitted,
 * so the order in which they and the command come does not matter. */
#include "python/launch/group.h"

#include "python/functions/copy.h"
#include "python/launch/after.h"
#include "python/launch/launch.h"
#include "python/types/host_task.h"
#include "schedule/queue.h"

/* The group's command, converted at the call. Not to be moved. */
struct syc_py_command {
    syc_py_task task;
    syc_py_launch launch; /* program NULL: another kind of command */
    bool host;            /* a host task */
};

static PyObject *handler_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    syc_state *state = syc_state_of_type(type);
    PyObject *queue, *waits = NULL;
    syc_py_waiting wait;
    HandlerObject *self;

    if (syc_py_no_keywords("Handler", kwargs) < 0 ||
        !PyArg_ParseTuple(args, "O!|O:Handler", state->base[SYC_FACE_QUEUE], &queue, &waits) ||
        syc_py_waiting_convert(state, waits, &wait) < 0)
        return NULL;
    self = (HandlerObject *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->queue = (QueueObject *)Py_NewRef(queue);
    self->wait = wait;
    self->after = PyList_New(0);
    if (self->after == NULL)
        Py_CLEAR(self);
    return (PyObject *)self;
}

/* NULL with MemoryError set. */
static struct syc_py_command *make_command(void)
{
    struct syc_py_command *command = PyMem_Malloc(sizeof *command);
    if (command == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    syc_py_task_start(&command->task);
    command->launch.program = NULL;
    command->host = false;
    return command;
}

static void free_command(struct syc_py_command *command)
{
    if (command == NULL)
        return;
    syc_py_launch_clear(&command->launch);
    syc_py_task_clear(&command->task);
    PyMem_Free(command);
}

static int handler_clear(HandlerObject *self)
{
    struct syc_py_command *command = self->command;
    self->command = NULL;
    free_command(command);
    syc_py_group_drop_accessors(self);
    Py_CLEAR(self->queue);
    Py_CLEAR(self->after);
    Py_CLEAR(self->arguments);
    Py_CLEAR(self->kernels);
    return 0;
}

static int handler_traverse(HandlerObject *self, visitproc visit, void *arg)
{
    Py_VISIT((PyObject *)self->queue);
    Py_VISIT(self->after);
    Py_VISIT(self->accessors);
    Py_VISIT(self->arguments);
    Py_VISIT(self->kernels);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

static void handler_dealloc(HandlerObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (self->command != NULL) /* every other way out of a group has ended it */
        syc_py_group_warn_forgotten(syc_state_of(self), syc_pins_site(self->command->task.pins));
    handler_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *handler_require(HandlerObject *self, PyObject *accessor)
{
    if (syc_py_group_require(self, accessor) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *handler_depends_on(HandlerObject *self, PyObject *events)
{
    syc_state *state = syc_state_of(self);
    syc_py_after after;
    int failed;

    if (syc_py_group_open(self, "depends_on") < 0 || syc_py_after_convert(state, events, &after) < 0)
        return NULL;
    failed =
        syc_py_group_open(self, "depends_on"); /* again: taking the events may have run code that ended the group */
    if (failed == 0 && PyObject_TypeCheck(events, state->base[SYC_FACE_EVENT]))
        failed = PyList_Append(self->after, events);
    else if (failed == 0 && after.held != NULL)
        failed = PyList_SetSlice(self->after, PY_SSIZE_T_MAX, PY_SSIZE_T_MAX, after.held);
    syc_py_after_clear(&after);
    if (failed < 0)
        return NULL;
    Py_RETURN_NONE;
}

/* -- its command -- */

/* Makes room for the group's one command. NULL with an error set. */
static struct syc_py_command *begin(HandlerObject *self, const char *name)
{
    if (syc_py_group_open(self, name) < 0)
        return NULL;
    if (self->command != NULL) {
        syc_py_refuse(syc_state_of(self), SYC_E_INVALID, "%s: the command group has a command already; it can have one",
                      name);
        return NULL;
    }
    return make_command();
}

/* The command has been converted, or that has failed. Conversions may have run Python code that used this very handler.
 */
static PyObject *finish(HandlerObject *self, const char *name, struct syc_py_command *command, int failed)
{
    if (failed == 0 && self->command == NULL && self->queue != NULL) {
        self->command = command;
        Py_RETURN_NONE;
    }
    free_command(command);
    if (failed < 0)
        return NULL;
    return syc_py_refuse(syc_state_of(self), SYC_E_INVALID,
                         "%s: the command group was changed while it took the arguments", name);
}

/* The arguments of set_arg(), as a tuple without gaps. */
static PyObject *set_arguments(HandlerObject *self, const char *name, Py_ssize_t given)
{
    Py_ssize_t count = PyDict_GET_SIZE(self->arguments);
    PyObject *values;

    if (given > 0)
        return syc_py_refuse(syc_state_of(self), SYC_E_INVALID,
                             "%s: the group's arguments were set with set_arg() or set_args(), and more are given here",
                             name);
    values = PyTuple_New(count);
    for (Py_ssize_t i = 0; values != NULL && i < count; i++) {
        PyObject *index = PyLong_FromSsize_t(i);
        PyObject *value = index != NULL ? PyDict_GetItemWithError(self->arguments, index) : NULL;
        Py_XDECREF(index);
        if (value != NULL) {
            PyTuple_SET_ITEM(values, i, Py_NewRef(value));
            continue;
        }
        Py_CLEAR(values);
        if (!PyErr_Occurred())
            return syc_py_refuse(syc_state_of(self), SYC_E_INVALID,
                                 "%s: of %zd arguments that were set, none is argument %zd", name, count, i);
    }
    return values;
}

enum form { RANGED, SINGLE, GROUPS };

static PyObject *launch(HandlerObject *self, const char *name, enum form form, PyObject *const *args, Py_ssize_t count,
                        PyObject *names)
{
    PyObject *queue, *set = NULL, *chosen = NULL;
    struct syc_py_command *command = begin(self, name);
    syc_py_call call;
    int failed;

    if (command == NULL)
        return NULL;
    queue = Py_NewRef((PyObject *)self->queue);
    failed = form == GROUPS
                 ? syc_py_call_parse_groups(syc_state_of(self), args, count, names, &call)
                 : syc_py_call_parse(syc_state_of(self), name, form == RANGED, false, args, count, names, &call);
    if (failed == 0 && self->arguments != NULL) {
        set = set_arguments(self, name, call.count);
        failed = set == NULL ? -1 : 0;
    }
    if (failed == 0 && self->kernels != NULL) {
        call.kernel = chosen = syc_py_group_kernel(self, call.kernel);
        call.constants = self->kernels; /* they play no part in a Kernel */
        failed = chosen == NULL ? -1 : 0;
    }
    if (failed == 0) {
        syc_py_scope scope = {syc_state_of(self), (QueueObject *)queue, (PyObject *)self, &command->task};
        if (set != NULL) {
            call.given = ((PyTupleObject *)set)->ob_item;
            call.count = PyTuple_GET_SIZE(set);
        }
        failed = syc_py_launch_prepare(&scope, &call, &command->launch);
    }
    Py_XDECREF(set);
    Py_XDECREF(chosen);
    Py_DECREF(queue);
    return finish(self, name, command, failed);
}

static PyObject *handler_parallel_for(HandlerObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    return launch(self, "parallel_for", RANGED, args, count, names);
}

static PyObject *handler_single_task(HandlerObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    return launch(self, "single_task", SINGLE, args, count, names);
}

static PyObject *handler_parallel_for_work_group(HandlerObject *self, PyObject *const *args, Py_ssize_t count,
                                                 PyObject *names)
{
    return launch(self, "parallel_for_work_group", GROUPS, args, count, names);
}

static int set_argument(HandlerObject *self, PyObject *index, PyObject *value)
{
    if (self->command != NULL) {
        syc_py_refuse(syc_state_of(self), SYC_E_INVALID, "set_arg: the group has its command already");
        return -1;
    }
    if (self->arguments == NULL && (self->arguments = PyDict_New()) == NULL)
        return -1;
    return PyDict_SetItem(self->arguments, index, value);
}

static PyObject *handler_set_arg(HandlerObject *self, PyObject *args)
{
    Py_ssize_t at;
    PyObject *value, *index;
    int failed;

    if (!PyArg_ParseTuple(args, "nO:set_arg", &at, &value))
        return NULL;
    if (syc_py_group_open(self, "set_arg") < 0)
        return NULL;
    if (at < 0)
        return syc_py_invalid(syc_state_of(self), "set_arg: index %zd is negative; arguments count from 0", at);
    index = PyLong_FromSsize_t(at);
    failed = index != NULL ? set_argument(self, index, value) : -1;
    Py_XDECREF(index);
    if (failed < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *handler_set_args(HandlerObject *self, PyObject *const *args, Py_ssize_t count)
{
    if (syc_py_group_open(self, "set_args") < 0)
        return NULL;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *index = PyLong_FromSsize_t(i);
        int failed = index != NULL ? set_argument(self, index, args[i]) : -1;
        Py_XDECREF(index);
        if (failed < 0)
            return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *handler_host_task(HandlerObject *self, PyObject *callable)
{
    struct syc_py_command *command = begin(self, "host_task");
    int failed;

    if (command == NULL)
        return NULL;
    failed = syc_py_task_pin(syc_state_of(self), &command->task, 0);
    if (failed == 0)
        failed = syc_py_host_task_prepare(syc_state_of(self), callable, &command->task);
    command->host = failed == 0;
    return finish(self, "host_task", command, failed);
}

/* -- its end -- */

/* The command that only orders, for a group without one. */
static struct syc_py_command *no_command(syc_state *state)
{
    struct syc_py_command *command = make_command();
    if (command != NULL && syc_py_task_pin(state, &command->task, 0) < 0) {
        free_command(command);
        return NULL;
    }
    return command;
}

/* Unified shared memory stays in its context. */
static int check_queue(syc_state *state, const QueueObject *queue, const syc_py_task *task)
{
    for (size_t i = 0; i < task->allocation_count; i++) {
        if (task->allocations[i]->context == syc_queue_context(queue->core))
            continue;
        syc_py_refuse(state, SYC_E_INVALID_OBJECT,
                      "the command uses unified shared memory of another context than that of the secondary queue");
        return -1;
    }
    return 0;
}

static PyObject *submit(QueueObject *queue, struct syc_py_command *command, PyObject *accessors, PyObject *events)
{
    syc_state *state = syc_state_of(queue);
    PyObject *event = NULL;
    syc_py_after after;

    if (check_queue(state, queue, &command->task) < 0 || syc_py_after_convert(state, events, &after) < 0)
        return NULL;
    if (syc_py_accessors_add_to(state, accessors, &command->task, command->host) == 0)
        event = command->launch.program != NULL ? syc_py_launch_submit(queue, &command->launch, &after)
                                                : syc_py_task_submit(queue, &command->task, &after);
    syc_py_after_clear(&after);
    return event;
}

/* Ends the group: submits its command, or an empty one when it has none, to its queue or to the one that is given. With
 * `again` a failure leaves the group as it is, so that it can be submitted to another queue. */
static PyObject *handler_submit(HandlerObject *self, PyObject *const *args, Py_ssize_t count)
{
    syc_state *state = syc_state_of(self);
    QueueObject *queue = self->queue, *to = queue;
    struct syc_py_command *command = self->command;
    PyObject *event = NULL, *accessors;
    bool again = count > 1 && args[1] == Py_True;

    if (syc_py_group_open(self, "submit") < 0)
        return NULL;
    if (count > 0 && args[0] != Py_None) {
        if (!PyObject_TypeCheck(args[0], state->base[SYC_FACE_QUEUE]))
            return syc_py_invalid(state, "queue: expected a Queue, got %R", args[0]);
        to = (QueueObject *)args[0];
    }
    self->queue = NULL; /* ours now, and the command too: another thread may end the group while the GIL is away */
    self->command = NULL;
    accessors = Py_XNewRef(self->accessors);
    if (command == NULL)
        command = no_command(state);
    if (command != NULL) {
        command->task.again = again;
        command->task.wait = self->wait;
        event = submit(to, command, accessors, self->after);
    }
    Py_XDECREF(accessors);
    if (event == NULL && again && self->after != NULL) {
        self->queue = queue;
        self->command = command;
        return NULL;
    }
    free_command(command);
    handler_clear(self);
    Py_DECREF(queue);
    return syc_py_submitted(state, event);
}

static PyObject *handler_check(HandlerObject *self, PyObject *what)
{
    const char *words = PyUnicode_AsUTF8(what);
    if (words == NULL || syc_py_group_open(self, words) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *handler_discard(HandlerObject *self, PyObject *unused)
{
    (void)unused;
    handler_clear(self);
    Py_RETURN_NONE;
}

static PyObject *memory_call(HandlerObject *self, const char *name, syc_py_memory_call call, PyObject *const *args,
                             Py_ssize_t count, PyObject *names)
{
    struct syc_py_command *command = begin(self, name);
    PyObject *queue;
    int failed;

    if (command == NULL)
        return NULL;
    queue = Py_NewRef((PyObject *)self->queue);
    failed =
        syc_py_copy_prepare(&(syc_py_scope){syc_state_of(self), (QueueObject *)queue, (PyObject *)self, &command->task},
                            call, args, count, names, NULL);
    Py_DECREF(queue);
    return finish(self, name, command, failed);
}

#define X(name)                                                                                                    \
    static PyObject *handler_##name(HandlerObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names) \
    {                                                                                                              \
        return memory_call(self, #name, SYC_PY_CALL_##name, args, count, names);                                   \
    }
SYC_PY_MEMORY_CALLS(X)
#undef X

#define FAST(function) (PyCFunction)(void (*)(void)) function, METH_FASTCALL | METH_KEYWORDS

/* The methods that pysycl/handler.py declares: signatures and docstrings stand there. */
#define SIGNATURE(name) #name "($self, /, *args, **kwargs)\n--\n\nSee pysycl.Handler."
#define DECLARED(name)                               \
    {                                                \
#name, FAST(handler_##name), SIGNATURE(name) \
    }

static PyMethodDef handler_methods[] = {
    DECLARED(parallel_for),
    DECLARED(parallel_for_work_group),
    DECLARED(single_task),
#define X(name) DECLARED(name),
    SYC_PY_MEMORY_CALLS(X)
#undef X
        {"host_task", (PyCFunction)handler_host_task, METH_O, SIGNATURE(host_task)},
    {"require", (PyCFunction)handler_require, METH_O, SIGNATURE(require)},
    {"depends_on", (PyCFunction)handler_depends_on, METH_O, SIGNATURE(depends_on)},
    {"set_arg", (PyCFunction)handler_set_arg, METH_VARARGS, SIGNATURE(set_arg)},
    {"set_args", (PyCFunction)(void (*)(void))handler_set_args, METH_FASTCALL, SIGNATURE(set_args)},
    {"_check", (PyCFunction)handler_check, METH_O, "_check($self, what, /)\n--\n\nRaises if the group has ended."},
    {"_submit", (PyCFunction)(void (*)(void))handler_submit, METH_FASTCALL,
     "_submit($self, queue=None, again=False, /)\n--\n\nEnd the group and submit it."},
    {"_use", (PyCFunction)syc_py_group_use, METH_O,
     "_use($self, kernels, /)\n--\n\nIts _kernel_for() gives the kernel to launch."},
    {"_discard", (PyCFunction)handler_discard, METH_NOARGS, "_discard($self, /)\n--\n\nEnd the group, submit nothing."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot handler_slots[] = {
    {Py_tp_new, handler_new},
    {Py_tp_dealloc, handler_dealloc},
    {Py_tp_traverse, handler_traverse},
    {Py_tp_clear, handler_clear},
    {Py_tp_methods, handler_methods},
    {Py_tp_getset, syc_py_group_getset},
    {Py_tp_doc, "The base of pysycl.Handler."},
    {0, NULL},
};

PyType_Spec syc_handler_spec = {
    .name = "pysycl._core.Handler",
    .basicsize = sizeof(HandlerObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = handler_slots,
};
