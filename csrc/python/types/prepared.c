/* PreparedKernel: a kernel, its range and its arguments, converted and planned once, launched by a call. */
#include "python/types/prepared.h"

#include "python/body/reach.h"
#include "python/body/reductions.h"
#include "python/launch/after.h"
#include "python/launch/kernel_object.h"
#include "python/number.h"
#include "schedule/queue.h"
#include "schedule/replay/record.h"

#include <stddef.h>
#include <structmember.h>

/* -- making one -- */

/* The names of the parameters that were given: a new tuple. A native kernel may keep the arguments that it has. */
static PyObject *parameter_names(const syc_signature *kernel, Py_ssize_t count)
{
    PyObject *names = PyTuple_New(count);
    for (Py_ssize_t i = 0; names != NULL && i < count; i++)
        syc_py_put(&names, i, PyUnicode_InternFromString(kernel->params[i].name));
    return names;
}

static PyObject *tuple_of(PyObject *const *items, Py_ssize_t count)
{
    PyObject *tuple = PyTuple_New(count);
    for (Py_ssize_t i = 0; tuple != NULL && i < count; i++)
        PyTuple_SET_ITEM(tuple, i, Py_NewRef(items[i]));
    return tuple;
}

/* Keeps the call without the values of its arguments. */
static void keep_call(PreparedObject *self, const syc_py_call *call)
{
    self->call =
        (syc_py_call){.function = "kernel", .range = Py_XNewRef(call->range), .kernel = Py_NewRef(call->kernel)};
    for (int i = 0; i < SYC_WORDS; i++)
        self->call.own[i] = Py_XNewRef(call->own[i]); /* none of those that a call takes: call.c */
}

/* Converts and lowers a body, and keeps which one it is. */
static int prepare_body(PreparedObject *self, const syc_py_scope *scope, const syc_py_call *call)
{
    syc_py_body_use use;
    int failed;
    if (syc_py_body_launch(scope, call, &self->launch, &use) < 0)
        return -1;
    self->special = use.special;
    self->special->users++;
    self->call.constants = Py_XNewRef(self->special->key.words[SYC_PY_BODY_CONSTANTS]);
    self->call.operators = Py_XNewRef(self->special->key.words[SYC_PY_BODY_OPERATORS]);
    self->names = tuple_of(use.call.names, use.call.count);
    self->values = tuple_of(use.call.values, use.call.count);
    failed = self->names == NULL || self->values == NULL ? -1 : syc_py_reach_keep(&use, &self->launch, &self->reach);
    syc_py_body_use_clear(&use);
    return failed;
}

static int prepare_kernel(PreparedObject *self, const syc_py_scope *scope, const syc_py_call *call)
{
    const KernelObject *kernel;
    if (syc_py_launch_prepare(scope, call, &self->launch) < 0)
        return -1;
    kernel = (KernelObject *)call->kernel; /* an empty range may be launched as another one */
    self->names = parameter_names(&syc_program_signatures(kernel->core)->items[kernel->index], call->count);
    self->values = tuple_of(call->given, call->count);
    return self->names != NULL && self->values != NULL ? 0 : -1;
}

static int prepare(PreparedObject *self, const syc_py_call *call)
{
    syc_state *state = syc_state_of(self);
    syc_py_scope scope = {state, self->queue, NULL, &self->task};
    int failed = PyUnicode_Check(call->kernel) ? prepare_body(self, &scope, call) : prepare_kernel(self, &scope, call);
    return failed < 0 ? -1 : syc_py_launch_plan(self->queue, &self->launch);
}

static PyObject *prepared_call(PyObject *object, PyObject *const *args, size_t flagged, PyObject *names);

PyObject *syc_py_prepare(QueueObject *queue, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    syc_state *state = syc_state_of(queue);
    PyTypeObject *type = state->prepared;
    PreparedObject *self;
    syc_py_call call;

    if (syc_py_call_parse(state, "kernel", true, false, args, count, names, &call) < 0)
        return NULL;
    if (call.range == Py_None)
        call.range = NULL;
    self = (PreparedObject *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    syc_py_task_start(&self->task);
    self->vectorcall = prepared_call;
    self->queue = (QueueObject *)Py_NewRef((PyObject *)queue);
    keep_call(self, &call);
    if (prepare(self, &call) < 0)
        Py_CLEAR(self);
    return (PyObject *)self;
}

static int prepared_clear(PreparedObject *self)
{
    Py_CLEAR(self->call.range);
    Py_CLEAR(self->call.kernel);
    for (int i = 0; i < SYC_WORDS; i++)
        Py_CLEAR(self->call.own[i]);
    Py_CLEAR(self->call.constants);
    Py_CLEAR(self->call.operators);
    Py_CLEAR(self->values);
    Py_CLEAR(self->last);
    return 0;
}

static int prepared_traverse(PreparedObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT((PyObject *)self->queue);
    Py_VISIT(self->call.range);
    Py_VISIT(self->call.kernel);
    Py_VISIT(self->values);
    Py_VISIT(self->last);
    return 0;
}

static void prepared_dealloc(PreparedObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (self->weakrefs != NULL)
        PyObject_ClearWeakRefs((PyObject *)self);
    syc_py_launch_clear(&self->launch);
    syc_py_task_clear(&self->task);
    syc_py_reach_free(self->reach);
    syc_py_special_release(self->special);
    prepared_clear(self);
    Py_CLEAR(self->names);
    Py_CLEAR(self->queue);
    type->tp_free(self);
    Py_DECREF(type);
}

/* -- calling it -- */

static int refuse(PreparedObject *self, const char *format, PyObject *name)
{
    syc_py_refuse(syc_state_of(self), SYC_E_KERNEL_ARGUMENT, format, name, self->names);
    return -1;
}

static Py_ssize_t index_of(PreparedObject *self, PyObject *name)
{
    Py_ssize_t count = PyTuple_GET_SIZE(self->names);
    for (Py_ssize_t i = 0; i < count; i++) {
        if (PyTuple_GET_ITEM(self->names, i) == name)
            return i;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        if (PyUnicode_Compare(PyTuple_GET_ITEM(self->names, i), name) == 0)
            return i;
    }
    return refuse(self, "the prepared kernel has no argument '%U'; it has %R", name);
}

/* The element type if a Python number can take the argument's place as it is; SYC_VOID if not. */
static syc_dtype plain_type(const PreparedObject *self, Py_ssize_t index, PyObject *value)
{
    const KernelObject *kernel = (KernelObject *)self->call.kernel;
    const syc_param *p;
    if (self->launch.nothing || (!PyFloat_CheckExact(value) && !PyLong_CheckExact(value)))
        return SYC_VOID;
    if (self->special != NULL) {
        const syc_py_slot *slot = &self->special->slots[index];
        return syc_py_is_number(&slot->class) ? slot->type : SYC_VOID;
    }
    if (self->launch.program != kernel->core && !self->launch.whole)
        return SYC_VOID;
    p = &syc_program_signatures(kernel->core)->items[kernel->index].params[index];
    return !p->pointer && p->width == 1 && p->type < SYC_STRUCT ? p->type : SYC_VOID;
}

/* New numbers for some of the arguments. */
struct changes {
    Py_ssize_t count;
    Py_ssize_t at[8];
    char bytes[8][8];
};

/* Is it a keyword of the call and not of the kernel? */
static bool is_of_the_call(const syc_state *state, PyObject *name)
{
    int word = syc_py_call_word(state, name);
    return word == SYC_WORD_DEPENDS_ON || word == SYC_WORD_WAIT;
}

/* 1: all changes are numbers, and stand in `out`. 0: they take a full conversion. -1: an error is set. */
static int take_numbers(PreparedObject *self, PyObject *const *values, PyObject *names, struct changes *out)
{
    for (Py_ssize_t i = 0; names != NULL && i < PyTuple_GET_SIZE(names); i++) {
        PyObject *name = PyTuple_GET_ITEM(names, i);
        Py_ssize_t index;
        syc_dtype type;
        if (is_of_the_call(syc_state_of(self), name))
            continue;
        index = index_of(self, name);
        if (index < 0)
            return -1;
        type = plain_type(self, index, values[i]);
        if (type == SYC_VOID || out->count == (Py_ssize_t)Py_ARRAY_LENGTH(out->at) ||
            syc_number_replace(values[i], type, out->bytes[out->count]) != SYC_NUMBER_OK)
            return 0; /* where it does not fit, the full conversion says so */
        out->at[out->count++] = index;
    }
    return 1;
}

/* Buffers and allocations can have ended since; then the full conversion says so. */
static bool is_alive(const PreparedObject *self)
{
    const syc_state *state = syc_state_of(self);
    if (self->task.need_count == 0 && self->task.allocation_count == 0)
        return true;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self->values); i++) {
        PyObject *value = PyTuple_GET_ITEM(self->values, i);
        if (state->face[SYC_FACE_REDUCTION] != NULL && PyObject_TypeCheck(value, state->face[SYC_FACE_REDUCTION]))
            value = syc_py_reduce_memory(value);
        if (syc_py_is_buffer(state, value) && ((BufferObject *)value)->core == NULL)
            return false;
        if (syc_py_is_usm(state, value)) {
            const syc_usm *usm = ((UsmObject *)value)->core;
            if (usm == NULL || atomic_load(&usm->freed))
                return false;
        }
    }
    return true;
}

/* Keeps what it uses until the command has completed. */
static int hold_self(PreparedObject *self, syc_py_task *task)
{
    if (task->pins != NULL)
        return 0;
    return syc_py_task_pin(syc_state_of(self), task, 0) < 0 ? -1 : syc_py_task_hold(task, (PyObject *)self);
}

static int copy_task(PreparedObject *self, syc_py_waiting wait, const struct changes *changes, syc_py_task *out)
{
    syc_state *state = syc_state_of(self);
    syc_py_task_start(out);
    out->core.arrays = self->task.core.arrays;
    out->wait = wait;
    for (size_t i = 0; i < self->task.need_count; i++) {
        if (syc_py_task_need(state, out, &self->task.needs[i], NULL) < 0)
            return -1;
    }
    for (size_t i = 0; i < self->task.allocation_count; i++) {
        if (syc_py_task_allocation(out, self->task.allocations[i]) < 0)
            return -1;
    }
    out->core.ops = &syc_launch_ops;
    out->core.launch = self->task.core.launch;
    if (syc_queue_is_recorded(self->queue->core) && hold_self(self, out) < 0)
        return -1;
    return self->reach != NULL
               ? syc_py_reach_check_numbers(self->queue, self->reach, changes->at, changes->bytes, changes->count, out)
               : 0;
}

/* The planned launch, with the new numbers in their places. */
static PyObject *submit_again(PreparedObject *self, const struct changes *changes, const syc_py_after *after,
                              syc_py_waiting wait)
{
    const syc_launch *planned = &self->task.core.launch;
    syc_argument few[16], *arguments = few;
    syc_py_task task;
    PyObject *event = NULL;
    bool copied, tried = false;

    if (changes->count > 0 && planned->argument_count > Py_ARRAY_LENGTH(few)) {
        arguments = PyMem_New(syc_argument, planned->argument_count);
        if (arguments == NULL)
            return PyErr_NoMemory();
    }
    copied = copy_task(self, wait, changes, &task) == 0;
    if (copied) {
        if (changes->count > 0) {
            memcpy(arguments, planned->arguments, planned->argument_count * sizeof *arguments);
            for (Py_ssize_t i = 0; i < changes->count; i++)
                arguments[changes->at[i]].value = changes->bytes[i];
            task.core.launch.arguments = arguments;
        }
        event = syc_py_task_try(self->queue, &task, after);
        tried = event != NULL || PyErr_Occurred() != NULL;
    }
    if (copied && !tried && hold_self(self, &task) == 0)
        event = syc_py_task_submit(self->queue, &task, after);
    else if (!tried)
        syc_py_task_clear(&task);
    if (arguments != few)
        PyMem_Free(arguments);
    return event;
}

/* -- calling it with other memory -- */

/* The arguments' values with the new ones among them: a new tuple. */
static PyObject *merged(PreparedObject *self, PyObject *const *values, PyObject *names)
{
    PyObject *all = tuple_of(((PyTupleObject *)self->values)->ob_item, PyTuple_GET_SIZE(self->values));
    for (Py_ssize_t i = 0; all != NULL && names != NULL && i < PyTuple_GET_SIZE(names); i++) {
        PyObject *name = PyTuple_GET_ITEM(names, i), *old;
        Py_ssize_t index;
        if (is_of_the_call(syc_state_of(self), name))
            continue;
        index = index_of(self, name);
        if (index < 0) {
            Py_CLEAR(all);
            break;
        }
        old = PyTuple_GET_ITEM(all, index);
        PyTuple_SET_ITEM(all, index, Py_NewRef(values[i]));
        Py_DECREF(old);
    }
    return all;
}

/* Other classes would be another kernel. */
static int check_special(PreparedObject *self, const syc_py_body_use *use)
{
    if (use->special == self->special)
        return 0;
    for (Py_ssize_t i = 0; i < use->call.count; i++) {
        if (memcmp(&use->given[i].class, &self->special->slots[i].class, sizeof use->given[i].class) != 0)
            return syc_py_body_refuse(&use->call, SYC_E_KERNEL_ARGUMENT, i,
                                      "is of another type than what the kernel was prepared with: prepare another one");
    }
    return 0; /* the same words and classes, made anew after the cache was emptied */
}

static int convert_again(PreparedObject *self, const syc_py_scope *scope, const syc_py_call *call,
                         syc_py_launch *launch)
{
    syc_py_body_use use;
    int failed;
    if (self->special == NULL)
        return syc_py_launch_prepare(scope, call, launch);
    if (syc_py_body_launch(scope, call, launch, &use) < 0)
        return -1;
    failed = check_special(self, &use);
    syc_py_body_use_clear(&use);
    if (failed < 0)
        syc_py_launch_clear(launch);
    return failed;
}

static PyObject *submit_anew(PreparedObject *self, PyObject *const *values, PyObject *names, const syc_py_after *after,
                             syc_py_waiting wait)
{
    syc_py_task task;
    syc_py_launch launch;
    syc_py_scope scope = {syc_state_of(self), self->queue, NULL, &task};
    syc_py_call call = self->call;
    PyObject *all = merged(self, values, names), *event = NULL;

    if (all == NULL)
        return NULL;
    syc_py_task_start(&task);
    task.wait = wait;
    syc_py_call_set(&call, self->special != NULL ? self->names : NULL, all);
    call.prepared = self->special;
    if (convert_again(self, &scope, &call, &launch) == 0)
        event = syc_py_launch_submit(self->queue, &launch, after);
    else
        syc_py_task_clear(&task);
    Py_DECREF(all);
    return event;
}

/* The value of a keyword of the call; NULL: it is not given. */
static PyObject *word_of(const syc_state *state, PyObject *const *values, PyObject *names, syc_word word)
{
    for (Py_ssize_t i = 0; names != NULL && i < PyTuple_GET_SIZE(names); i++) {
        if (syc_py_call_word(state, PyTuple_GET_ITEM(names, i)) == (int)word)
            return values[i];
    }
    return NULL;
}

static PyObject *prepared_call(PyObject *object, PyObject *const *args, size_t flagged, PyObject *names)
{
    PreparedObject *self = (PreparedObject *)object;
    syc_state *state = syc_state_of(self);
    Py_ssize_t given = PyVectorcall_NARGS(flagged);
    struct changes changes = {.count = 0};
    syc_py_waiting wait;
    syc_py_after after;
    PyObject *event = NULL;
    int numbers;

    if (given > 0) {
        PyErr_Format(PyExc_TypeError, "a prepared kernel takes new arguments by name; %zd given by position", given);
        return NULL;
    }
    numbers = take_numbers(self, args, names, &changes);
    if (numbers < 0 || syc_py_waiting_convert(state, word_of(state, args, names, SYC_WORD_WAIT), &wait) < 0 ||
        syc_py_after_convert(state, word_of(state, args, names, SYC_WORD_DEPENDS_ON), &after) < 0)
        return NULL;
    /* A stream, or what a check finds, has memory of its own in each command. */
    event =
        numbers == 1 && self->task.core.ending.call == NULL && self->task.core.verdict.call == NULL && is_alive(self)
            ? submit_again(self, &changes, &after, wait)
            : submit_anew(self, args, names, &after, wait);
    syc_py_after_clear(&after);
    event = syc_py_submitted(state, event);
    if (event != NULL && syc_queue_get_options(self->queue->core).profiling)
        Py_XSETREF(self->last, Py_NewRef(event));
    return event;
}

static PyObject *prepared_repr(PreparedObject *self)
{
    PyObject *comma = PyUnicode_FromString(", "), *names = NULL, *repr = NULL;

    if (comma != NULL)
        names = PyUnicode_Join(comma, self->names);
    if (names != NULL)
        repr = PyUnicode_FromFormat("<pysycl.PreparedKernel %s over %R, of %U>",
                                    syc_program_signatures(self->launch.program)->items[self->launch.kernel].name,
                                    self->call.range != NULL ? self->call.range : Py_None, names);
    Py_XDECREF(comma);
    Py_XDECREF(names);
    return repr;
}

static PyMemberDef prepared_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(PreparedObject, vectorcall), READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(PreparedObject, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot prepared_slots[] = {
    {Py_tp_dealloc, prepared_dealloc},
    {Py_tp_traverse, prepared_traverse},
    {Py_tp_clear, prepared_clear},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_repr, prepared_repr},
    {Py_tp_getset, syc_prepared_getset},
    {Py_tp_members, prepared_members},
    {Py_tp_doc,
     "A kernel with its range and arguments, made by queue.kernel(); a call launches it.\n\n"
     "k() launches it again; k(a=3.0, x=other) with other values, for this launch only: of the types that it\n"
     "was prepared with. depends_on= waits for events. As parallel_for does it returns when the command is done\n"
     "where NumPy arrays are among the arguments, but for wait=False. The result is the command's Event.\n\n"
     "Raises\n------\n"
     "KernelArgumentError\n    A name that the kernel has not, or a value of another type.\n\n"
     "Notes\n-----\n"
     "The compiler has run when it is made. It holds what it uses: arrays stay where they are as long as it\n"
     "lives. Any number of threads may call it. SYCL 2020 has no such thing; it is the hot loop's form of\n"
     "parallel_for, 4.9.4.2."},
    {0, NULL},
};

PyType_Spec syc_prepared_spec = {
    .name = "pysycl._core.PreparedKernel",
    .basicsize = sizeof(PreparedObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION |
             Py_TPFLAGS_HAVE_VECTORCALL,
    .slots = prepared_slots,
};
