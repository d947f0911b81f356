/* Stream: text from kernels. Each command that uses one has memory of its own for what its work-items write. */
#include "python/types/stream.h"
#include "base/alloc.h"
#include "program/stream_text.h"
#include "python/launch/output.h"
#include "python/types/handler.h"

#include <stdatomic.h>

enum { ALIGNMENT = 4096 }; /* so that a device which shares the host's memory can work in it */

/* The memory of one stream in one command, held by the command's pins and by the stream. */
typedef struct printout {
    atomic_int users;
    struct printout *next; /* of the same command */
    size_t characters;
    syc_stream_memory *memory;
    atomic_bool overflowed;
} printout;

typedef struct StreamObject {
    PyObject_HEAD size_t total, statement; /* characters */
    PyObject *handler;                     /* of the command group that it belongs to; NULL: any */
    printout *latest;                      /* NULL: not used yet */
} StreamObject;

static void let_go(printout *p)
{
    if (p == NULL || atomic_fetch_sub(&p->users, 1) != 1)
        return;
    syc_free(p->memory);
    syc_free(p);
}

static PyObject *stream_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    syc_state *state = syc_state_of_type(type);
    Py_ssize_t total, statement;
    PyObject *handler;
    StreamObject *self;

    if (syc_py_no_keywords("Stream", kwargs) < 0 || !PyArg_ParseTuple(args, "nnO:Stream", &total, &statement, &handler))
        return NULL;
    if (total < 1 || (size_t)total > SYC_STREAM_MOST)
        return syc_py_invalid(state, "total_size: %zd characters; a stream has 1 to %zu", total, SYC_STREAM_MOST);
    if (statement < 1)
        return syc_py_invalid(state, "max_statement_size: %zd characters; a statement has at least 1", statement);
    if (handler != Py_None && syc_py_handler_check(state, handler, "Stream") < 0)
        return NULL;
    self = (StreamObject *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->total = (size_t)total;
    self->statement = (size_t)statement;
    self->handler = handler != Py_None ? Py_NewRef(handler) : NULL;
    return (PyObject *)self;
}

static int stream_clear(StreamObject *self)
{
    Py_CLEAR(self->handler);
    return 0;
}

static int stream_traverse(StreamObject *self, visitproc visit, void *arg)
{
    Py_VISIT(self->handler);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

static void stream_dealloc(StreamObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    stream_clear(self);
    let_go(self->latest);
    type->tp_free(self);
    Py_DECREF(type);
}

/* -- as an argument -- */

bool syc_py_param_is_stream(const syc_param *param)
{
    return param->pointer && param->type == SYC_STRUCT && strcmp(param->struct_name, "struct syc_stream") == 0;
}

/* Leaves no more than the stream is for, and says so: records have room for a little more. True if there was more. */
static bool cut(syc_text *text, size_t most, bool overflowed)
{
    if (text->length > most) {
        overflowed = true;
        text->length = most;
        while (text->length > 0 && ((unsigned char)text->data[text->length] & 0xc0) == 0x80)
            text->length--; /* a character of several bytes */
    }
    if (overflowed)
        syc_text_add(text, "%s[cut: the stream has room for %zu characters]\n",
                     text->length > 0 && text->data[text->length - 1] == '\n' ? "" : "\n", most);
    return overflowed;
}

/* The command has ended: on any thread, before anybody can see it. */
static void print_all(void *payload, bool succeeded)
{
    for (printout *p = payload; p != NULL; p = p->next) {
        syc_text text = {0};
        if (succeeded && cut(&text, p->characters, syc_stream_read(p->memory, &text)))
            atomic_store(&p->overflowed, true);
        if (text.cut)
            syc_report(
                syc_fail(SYC_E_MEMORY_ALLOCATION, SYC_HERE, "no memory for all that a kernel wrote to a stream"));
        syc_stream_clear(p->memory, p->characters); /* the group may be submitted again, to another queue */
        syc_py_output_push(&text);
    }
}

static void release_capsule(PyObject *capsule)
{
    let_go(PyCapsule_GetPointer(capsule, NULL));
}

/* New memory for the stream, which the command keeps; NULL with an error set. */
static printout *add_printout(const struct syc_py_conversion *c, const StreamObject *stream)
{
    syc_py_task *task = c->scope->task;
    printout *p = NULL;
    syc_status status = syc_alloc(sizeof *p, &p);
    PyObject *capsule = NULL;

    if (status == SYC_OK)
        status = syc_alloc_aligned(ALIGNMENT, syc_stream_bytes(stream->total), &p->memory);
    if (status != SYC_OK) {
        syc_free(p);
        syc_py_raise(c->scope->state, status);
        return NULL;
    }
    atomic_init(&p->users, 1);
    p->characters = stream->total;
    syc_stream_clear(p->memory, p->characters);
    capsule = PyCapsule_New(p, NULL, release_capsule);
    if (capsule == NULL) {
        let_go(p);
        return NULL;
    }
    if (syc_py_task_hold(task, capsule) < 0)
        p = NULL;
    Py_DECREF(capsule);
    if (p == NULL)
        return NULL;
    p->next = task->core.ending.payload;
    task->core.ending = (syc_ending){print_all, p};
    return p;
}

/* The argument before this one that is the same stream, or -1. */
static Py_ssize_t find_same(const struct syc_py_conversion *c, const PyObject *value)
{
    for (Py_ssize_t i = 0; i < c->index; i++) {
        if (c->given[i] == value && syc_py_param_is_stream(&c->kernel->params[i]))
            return i;
    }
    return -1;
}

int syc_py_convert_stream(struct syc_py_conversion *c, PyObject *value, syc_argument *out)
{
    StreamObject *stream = (StreamObject *)value;
    Py_ssize_t same = find_same(c, value);
    printout *p;

    if (!PyObject_TypeCheck(value, c->scope->state->base[SYC_FACE_STREAM]))
        return syc_py_conversion_refuse(c, "is a %s, not a Stream", Py_TYPE(value)->tp_name);
    if (stream->handler != NULL && stream->handler != c->scope->handler)
        return syc_py_conversion_refuse(c, "is a stream of another command group: make one in each group");
    if (same >= 0) {
        *out = c->out->items[same];
        return 0;
    }
    p = add_printout(c, stream);
    if (p == NULL)
        return -1;
    let_go(stream->latest);
    stream->latest = p;
    atomic_fetch_add(&p->users, 1);
    *out = (syc_argument){.kind = SYC_ARGUMENT_SPAN,
                          .span = {.data = (char *)p->memory,
                                   .bytes = syc_stream_bytes(p->characters),
                                   .writable = true,
                                   .alignment = _Alignof(uint32_t),
                                   .packed = true,
                                   .item_size = 1}};
    return 0;
}

/* -- what it says of itself -- */

static PyObject *stream_total(StreamObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromSize_t(self->total);
}

static PyObject *stream_statement(StreamObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromSize_t(self->statement);
}

static PyObject *stream_overflowed(StreamObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(self->latest != NULL && atomic_load(&self->latest->overflowed));
}

static PyGetSetDef stream_getset[] = {
    {"size", (getter)stream_total, NULL, "How many characters a command can write in all.", NULL},
    {"work_item_buffer_size", (getter)stream_statement, NULL, "How many a work-item can write between two flushes.",
     NULL},
    {"overflowed", (getter)stream_overflowed, NULL,
     "True if the latest command that has ended wrote more than there was room for; the rest was dropped.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot stream_slots[] = {
    {Py_tp_new, stream_new},
    {Py_tp_dealloc, stream_dealloc},
    {Py_tp_traverse, stream_traverse},
    {Py_tp_clear, stream_clear},
    {Py_tp_getset, stream_getset},
    {Py_tp_doc, "The base of pysycl.Stream."},
    {0, NULL},
};

PyType_Spec syc_stream_spec = {
    .name = "pysycl._core.Stream",
    .basicsize = sizeof(StreamObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = stream_slots,
};
