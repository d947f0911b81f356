/* Recording: what `queue.record()` gives. The names of arguments are pysycl/recording.py's business; here replacements
 * come as (command, argument, name, value). */
#include "base/alloc.h"
#include "program/program.h"
#include "python/body/reach.h"
#include "python/launch/after.h"
#include "python/launch/conversion.h"
#include "python/launch/guard.h"
#include "schedule/replay/record.h"

typedef struct RecordingObject {
    PyObject_HEAD syc_recording *core; /* NULL: not begun yet */
    QueueObject *queue;
} RecordingObject;

static PyObject *recording_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    syc_state *state = syc_state_of_type(type);
    PyObject *queue;
    RecordingObject *self;

    if (syc_py_no_keywords("Recording", kwargs) < 0 ||
        !PyArg_ParseTuple(args, "O!:Recording", state->base[SYC_FACE_QUEUE], &queue))
        return NULL;
    self = (RecordingObject *)type->tp_alloc(type, 0);
    if (self != NULL)
        self->queue = (QueueObject *)Py_NewRef(queue);
    return (PyObject *)self;
}

static int recording_traverse(RecordingObject *self, visitproc visit, void *arg)
{
    Py_VISIT((PyObject *)self->queue);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

static int recording_clear(RecordingObject *self)
{
    Py_CLEAR(self->queue);
    return 0;
}

/* Nobody can end it any more. */
static void drop(RecordingObject *self)
{
    syc_recording *core = self->core;
    self->core = NULL;
    if (core == NULL)
        return;
    SYC_CORE_BEGIN
        syc_recording_discard(core);
        syc_recording_release(core);
    SYC_CORE_END
}

static void recording_dealloc(RecordingObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    drop(self);
    recording_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

/* C, and no Python between the statement and it: Ctrl-C finds the recording closed, or the block begun. */
static PyObject *recording_enter(RecordingObject *self, PyObject *unused)
{
    syc_state *state = syc_state_of(self);
    syc_status status;
    (void)unused;
    if (self->core != NULL)
        return syc_py_refuse(state, SYC_E_INVALID, "record: the recording has begun already: make a new one");
    status = syc_recording_begin(self->queue->core, &self->core);
    return status == SYC_OK ? Py_NewRef((PyObject *)self) : syc_py_raise(state, status);
}

/* An exception in the block gives the recording up. */
static PyObject *recording_exit(RecordingObject *self, PyObject *args)
{
    syc_recording *core = self->core;
    PyObject *kind = Py_None, *error, *trace;
    syc_status status;
    if (!PyArg_ParseTuple(args, "|OOO:__exit__", &kind, &error, &trace))
        return NULL;
    if (kind != Py_None) {
        drop(self);
        Py_RETURN_NONE;
    }
    if (core == NULL)
        return syc_py_refuse(syc_state_of(self), SYC_E_INVALID, "record: the recording has been closed");
    syc_recording_retain(core);
    SYC_CORE_BEGIN
        status = syc_recording_end(core);
        syc_recording_release(core);
    SYC_CORE_END
    if (status != SYC_OK)
        return syc_py_raise(syc_state_of(self), status);
    Py_RETURN_NONE;
}

static PyObject *recording_discard(RecordingObject *self, PyObject *unused)
{
    (void)unused;
    drop(self);
    Py_RETURN_NONE;
}

/* -- what is in it -- */

static PyObject *indices(const size_t *items, size_t count)
{
    PyObject *list = PyTuple_New((Py_ssize_t)count);
    for (size_t i = 0; list != NULL && i < count; i++)
        syc_py_put(&list, i, PyLong_FromSize_t(items[i]));
    return list;
}

static PyObject *describe(const syc_recording *core, size_t index)
{
    syc_recorded_command c = syc_recording_command(core, index);
    size_t count;
    const size_t *after = syc_recording_after(core, index, &count);
    return Py_BuildValue("(ssziN)", c.word, c.name, c.site.file, c.site.line, indices(after, count));
}

/* [(kind, name, file, line, indices of those it comes after)] */
static PyObject *recording_commands(RecordingObject *self, PyObject *unused)
{
    size_t count = self->core != NULL ? syc_recording_count(self->core) : 0;
    PyObject *list = PyList_New((Py_ssize_t)count);
    (void)unused;
    for (size_t i = 0; list != NULL && i < count; i++)
        syc_py_put(&list, i, describe(self->core, i));
    return list;
}

/* The kernel's own, behind those that the body names: body/body.h. */
static const char hidden_prefix[] = "syc_";

/* The identity of a piece of memory; the value of a hidden argument; None for all else. */
static PyObject *key_of(const syc_recorded_command *c, const syc_argument *a, bool hidden)
{
    uint64_t value;
    switch (a->kind) {
    case SYC_ARGUMENT_SPAN:
        return Py_BuildValue("(sKK)", "array", (unsigned long long)(uintptr_t)a->span.data,
                             (unsigned long long)a->span.bytes);
    case SYC_ARGUMENT_BUFFER:
        return Py_BuildValue("(sKKK)", "buffer", c->needs[a->buffer.need].buffer->id, (unsigned long long)a->buffer.low,
                             (unsigned long long)a->size);
    case SYC_ARGUMENT_POINTER:
        return Py_BuildValue("(sK)", "pointer", (unsigned long long)(uintptr_t)a->pointer);
    default:
        if (!hidden || a->kind != SYC_ARGUMENT_VALUE || a->size != sizeof value)
            return Py_NewRef(Py_None);
        memcpy(&value, a->value, sizeof value);
        return Py_BuildValue("(sK)", "hidden", (unsigned long long)value);
    }
}

static int add_arguments(PyObject *list, const syc_recording *core, size_t index)
{
    syc_recorded_command c = syc_recording_command(core, index);
    const syc_signature *kernel;
    if (c.launch.program == NULL)
        return 0;
    kernel = &syc_program_signatures(c.launch.program)->items[c.launch.kernel];
    for (size_t k = 0; k < c.launch.argument_count; k++) {
        const syc_argument *a = &c.launch.arguments[k];
        const char *name = k < kernel->count ? kernel->params[k].name : hidden_prefix;
        bool hidden = strncmp(name, hidden_prefix, sizeof hidden_prefix - 1) == 0;
        PyObject *row =
            Py_BuildValue("(zsnnN)", a->name, name, (Py_ssize_t)index, (Py_ssize_t)k, key_of(&c, a, hidden));
        int failed = row != NULL ? PyList_Append(list, row) : -1;
        Py_XDECREF(row);
        if (failed < 0)
            return -1;
    }
    return 0;
}

/* [(a Parameter's name or None, the kernel's own name, command, argument, key)] of all arguments of all launches */
static PyObject *recording_arguments(RecordingObject *self, PyObject *unused)
{
    size_t count = self->core != NULL ? syc_recording_count(self->core) : 0;
    PyObject *list = PyList_New(0);
    (void)unused;
    for (size_t i = 0; list != NULL && i < count; i++) {
        if (add_arguments(list, self->core, i) < 0)
            Py_CLEAR(list);
    }
    return list;
}

/* -- replays -- */

/* One replacement and the bytes of its value. */
struct change {
    char value[128] __attribute__((aligned(16)));
    syc_argument argument;
    bool covers; /* it is an accessor's memory, and `part` says which */
    syc_py_given part;
};

struct changing {
    RecordingObject *self;
    syc_py_task task;
    syc_replacement *items;
    struct change *values;
    size_t count;
};

static syc_usm *allocation_of(const syc_py_task *task, const void *pointer)
{
    for (size_t i = 0; i < task->allocation_count; i++) {
        syc_usm *usm = task->allocations[i];
        if ((const char *)pointer >= usm->data && (const char *)pointer <= usm->data + usm->bytes)
            return usm;
    }
    return NULL;
}

/* -- accessors -- */

/* The hidden arguments that describe the argument's memory. */
static void tell_sizes(struct changing *all, const syc_signature *kernel, size_t command, size_t argument,
                       const syc_py_given *given)
{
    for (size_t k = argument + 1; k < kernel->count; k++) {
        struct change *size = &all->values[all->count];
        uint64_t value;
        if (!syc_py_given_named(given, kernel->params[argument].name, kernel->params[k].name, &value))
            continue;
        memcpy(size->value, &value, sizeof value);
        size->argument = (syc_argument){.kind = SYC_ARGUMENT_VALUE, .size = sizeof value, .value = size->value};
        all->items[all->count++] = (syc_replacement){command, k, size->argument, {0}, NULL};
    }
}

/* Rows stay as long as they were, and a part, which alone has a first element, stays the part that it was. */
static void follow_memory(struct changing *all, const syc_signature *kernel, size_t command, size_t argument,
                          const syc_argument *memory)
{
    const size_t bytes = memory->kind == SYC_ARGUMENT_SPAN ? memory->span.bytes : memory->size;
    syc_py_given given = {.class = {.rank = 1}, .shape = {memory->element > 0 ? bytes / memory->element : SIZE_MAX}};
    char first[300];
    (void)snprintf(first, sizeof first, "syc_first_%s", kernel->params[argument].name);
    for (size_t k = argument + 1; k < kernel->count; k++)
        if (strcmp(kernel->params[k].name, first) == 0)
            return;
    tell_sizes(all, kernel, command, argument, &given);
}

/* An accessor brings its own part of its buffer. */
static void follow_accessor(struct changing *all, const syc_signature *kernel, size_t command, size_t argument,
                            const AccessorObject *accessor)
{
    struct change *change = &all->values[all->count - 1];
    syc_py_given_accessor(accessor, &change->part);
    change->covers = true;
    tell_sizes(all, kernel, command, argument, &change->part);
}

static int convert_change(struct changing *all, PyObject *row)
{
    const size_t index = all->count;
    syc_state *state = syc_state_of(all->self);
    syc_py_scope scope = {state, all->self->queue, NULL, &all->task};
    struct change *change = &all->values[index];
    syc_py_arguments out = {.values = change->value};
    Py_ssize_t command, argument;
    const char *name;
    PyObject *value;
    syc_recorded_command c;
    struct syc_py_conversion conversion;

    if (!PyArg_ParseTuple(row, "nnsO:replay", &command, &argument, &name, &value))
        return -1;
    if (command < 0 || (size_t)command >= syc_recording_count(all->self->core)) {
        syc_py_invalid(state, "replay: there is no command %zd", command);
        return -1;
    }
    c = syc_recording_command(all->self->core, (size_t)command);
    if (c.launch.program == NULL || argument < 0 || (size_t)argument >= c.launch.argument_count) {
        syc_py_invalid(state, "replay: command %zd has no argument %zd", command, argument);
        return -1;
    }
    conversion = (struct syc_py_conversion){.scope = &scope,
                                            .kernel = &syc_program_signatures(c.launch.program)->items[c.launch.kernel],
                                            .index = argument,
                                            .out = &out,
                                            .label = name};
    if (syc_py_argument_replace(&conversion, value, &c.launch.arguments[argument], &change->argument) < 0)
        return -1;
    all->items[index] = (syc_replacement){(size_t)command, (size_t)argument, change->argument, {0}, NULL};
    if (change->argument.kind == SYC_ARGUMENT_BUFFER)
        all->items[index].need = all->task.needs[change->argument.buffer.need];
    if (change->argument.kind == SYC_ARGUMENT_POINTER)
        all->items[index].allocation = allocation_of(&all->task, change->argument.pointer);
    all->count++;
    if (change->argument.kind == SYC_ARGUMENT_BUFFER && syc_py_is_accessor(state, value))
        follow_accessor(all, conversion.kernel, (size_t)command, (size_t)argument, (AccessorObject *)value);
    else if (change->argument.kind != SYC_ARGUMENT_VALUE)
        follow_memory(all, conversion.kernel, (size_t)command, (size_t)argument, &change->argument);
    return 0;
}

/* `rows` is a list. */
static int convert_changes(struct changing *all, PyObject *rows)
{
    Py_ssize_t count = PyList_GET_SIZE(rows);
    int failed = syc_py_task_init(syc_state_of(all->self), count, &all->task);

    all->items = PyMem_New(syc_replacement, (size_t)count * (1 + SYC_PY_SIZE_WORDS) + 1);
    all->values = PyMem_Calloc((size_t)count * (1 + SYC_PY_SIZE_WORDS) + 1, sizeof *all->values);
    if (all->items == NULL || all->values == NULL) {
        PyErr_NoMemory();
        failed = -1;
    }
    for (Py_ssize_t i = 0; failed == 0 && i < count && i < PyList_GET_SIZE(rows); i++) {
        PyObject *row = Py_NewRef(PyList_GET_ITEM(rows, i)); /* conversions run code that may change the list */
        failed = convert_change(all, row);
        Py_DECREF(row);
    }
    return failed;
}

/* A recorded launch with its new arguments. */
static int check_command(const struct changing *all, size_t first)
{
    syc_state *state = syc_state_of(all->self);
    const size_t command = all->items[first].command;
    const syc_py_reach *reach = syc_recording_command(all->self->core, command).launch.told;
    syc_reach_launch launch;

    for (size_t i = 0; i < first; i++)
        if (all->items[i].command == command) /* looked at then */
            return 0;
    if (reach == NULL)
        return 0;
    launch = reach->launch;
    for (size_t i = first; i < all->count; i++) {
        const syc_replacement *item = &all->items[i];
        if (item->command != command)
            continue;
        if (!all->values[i].covers)
            syc_py_reach_set(reach, item->argument, &item->value, &launch);
        else if (syc_py_reach_set_part(state, reach, item->argument, &all->values[i].part, &launch) < 0)
            return -1;
    }
    return syc_py_reach_check_launch(state, reach, &launch);
}

static int check_changes(const struct changing *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (check_command(all, i) < 0)
            return -1;
    return 0;
}

/* Under the mutexes of buffers that have one. Uses up the pins. */
static PyObject *submit(RecordingObject *self, syc_replay *replay, syc_pins *pins, const syc_py_after *after,
                        bool awaited)
{
    syc_state *state = syc_state_of(self);
    syc_py_task needs = {0};
    syc_command *command = NULL;
    syc_site site = syc_pins_site(pins);
    syc_status status;
    PyObject *guards, *event;

    needs.needs = (syc_need *)syc_replay_needs(replay, &needs.need_count);
    guards = syc_py_guards_enter(state, &needs);
    if (guards == NULL) {
        syc_pins_free(pins);
        return NULL;
    }
    SYC_CORE_BEGIN
        status = syc_replay_submit(replay, awaited, after->items, after->count, (syc_keep){syc_pins_let_go, pins}, site,
                                   &command);
    SYC_CORE_END
    event = status == SYC_OK ? syc_py_event(state, self->queue, command) : syc_py_raise(state, status);
    syc_py_guards_leave(guards, event);
    return event;
}

static PyObject *replay(RecordingObject *self, syc_recording *core, PyObject *rows, const syc_py_after *after,
                        syc_py_waiting wait)
{
    struct changing all = {.self = self};
    syc_replay *made = NULL;
    PyObject *event = NULL;
    syc_status status = SYC_OK;
    syc_pins *pins;

    syc_py_task_start(&all.task);
    if (convert_changes(&all, rows) == 0 && check_changes(&all) == 0) {
        SYC_CORE_BEGIN
            status = syc_replay_create(core, all.items, all.count, &made);
        SYC_CORE_END
        if (status != SYC_OK)
            syc_py_raise(syc_state_of(self), status);
    }
    if (made != NULL) {
        pins = all.task.pins;
        all.task.pins = NULL;
        event = submit(self, made, pins, after, syc_py_waits(wait, syc_recording_has_arrays(core)));
    }
    SYC_CORE_BEGIN
        syc_replay_release(made);
    SYC_CORE_END
    syc_py_task_clear(&all.task);
    PyMem_Free(all.items);
    PyMem_Free(all.values);
    return event;
}

static PyObject *recording_replay(RecordingObject *self, PyObject *args)
{
    syc_state *state = syc_state_of(self);
    syc_recording *core = self->core;
    PyObject *rows, *events, *waits, *event;
    syc_py_waiting wait;
    syc_py_after after;

    if (!PyArg_ParseTuple(args, "O!OO:_replay", &PyList_Type, &rows, &events, &waits) ||
        syc_py_waiting_convert(state, waits, &wait) < 0)
        return NULL;
    if (core == NULL)
        return syc_py_refuse(state, SYC_E_INVALID, "replay: nothing has been recorded, or the recording was closed");
    if (syc_py_after_convert(state, events, &after) < 0)
        return NULL;
    syc_recording_retain(core); /* another thread may close it */
    event = replay(self, core, rows, &after, wait);
    SYC_CORE_BEGIN
        syc_recording_release(core);
    SYC_CORE_END
    syc_py_after_clear(&after);
    return syc_py_submitted(state, event);
}

static PyObject *get_queue(RecordingObject *self, void *unused)
{
    (void)unused;
    return Py_NewRef((PyObject *)self->queue);
}

static PyMethodDef recording_methods[] = {
    {"__enter__", (PyCFunction)recording_enter, METH_NOARGS,
     "__enter__($self, /)\n--\n\nFrom now on this thread's submissions to the queue are recorded."},
    {"__exit__", (PyCFunction)recording_exit, METH_VARARGS,
     "__exit__($self, kind=None, error=None, trace=None, /)\n--\n\nThe recording is ready to be replayed."},
    {"_discard", (PyCFunction)recording_discard, METH_NOARGS,
     "_discard($self, /)\n--\n\nForget what was recorded, and let go of it."},
    {"_commands", (PyCFunction)recording_commands, METH_NOARGS,
     "_commands($self, /)\n--\n\nKind, name, file, line, and which ones it comes after, of each command."},
    {"_arguments", (PyCFunction)recording_arguments, METH_NOARGS,
     "_arguments($self, /)\n--\n\nA Parameter's name, its own, command, argument and memory, of each argument."},
    {"_replay", (PyCFunction)recording_replay, METH_VARARGS,
     "_replay($self, changes, depends_on, wait, /)\n--\n\nSubmit it, with [(command, argument, name, value)] "
     "replaced."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef recording_getset[] = {
    {"_queue", (getter)get_queue, NULL, "The queue that it records.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot recording_slots[] = {
    {Py_tp_new, recording_new},
    {Py_tp_dealloc, recording_dealloc},
    {Py_tp_traverse, recording_traverse},
    {Py_tp_clear, recording_clear},
    {Py_tp_methods, recording_methods},
    {Py_tp_getset, recording_getset},
    {Py_tp_doc, "The base of pysycl.Recording."},
    {0, NULL},
};

PyType_Spec syc_recording_spec = {
    .name = "pysycl._core.Recording",
    .basicsize = sizeof(RecordingObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = recording_slots,
};
