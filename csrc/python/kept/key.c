/* The key of a call: how its memory lies, and all else that it is given. What is written down as bytes is followed by
 * the objects that are compared as such. */
#include "python/kept/kept.h"

#include "memory/usm/usm.h"

enum { BYTES = 512, OBJECTS = 30, DEEP = 2 };

typedef struct Writer {
    syc_state *state;
    syc_py_kept_call *call;
    char bytes[BYTES];
    size_t used;
    PyObject *objects[OBJECTS]; /* borrowed */
    int count;
} Writer;

static bool put(Writer *w, const void *bytes, size_t size)
{
    if (size > BYTES - w->used)
        return false;
    memcpy(w->bytes + w->used, bytes, size);
    w->used += size;
    return true;
}

static bool mark(Writer *w, char what)
{
    return put(w, &what, 1);
}

static bool refer(Writer *w, PyObject *object)
{
    if (w->count == OBJECTS)
        return false;
    w->objects[w->count++] = object;
    return true;
}

static bool is_contiguous(const UsmObject *usm, size_t *bytes)
{
    Py_ssize_t step = (Py_ssize_t)usm->item;
    for (int d = usm->rank - 1; d >= 0; d--) {
        if (usm->strides[d] != step && usm->shape[d] != 1)
            return false;
        step *= usm->shape[d];
    }
    *bytes = (size_t)step;
    return step > 0;
}

/* Where it is one with an earlier one; apart from all; or neither, which no plan is for. */
static bool put_place(Writer *w, const UsmObject *usm, size_t bytes)
{
    signed char same = -1;
    for (int k = 0; k < w->call->count; k++) {
        const UsmObject *other = (UsmObject *)w->call->memory[k];
        size_t others;
        if (usm->data == other->data && is_contiguous(other, &others) && others == bytes)
            same = (signed char)k;
        else if (!is_contiguous(other, &others) ||
                 (usm->data < other->data + others && other->data < usm->data + bytes))
            return false;
    }
    return put(w, &same, 1);
}

static bool put_usm(Writer *w, PyObject *object)
{
    const UsmObject *usm = (UsmObject *)object;
    const size_t rank = (size_t)usm->rank;
    size_t bytes;
    if (usm->core == NULL || atomic_load(&usm->core->freed) || w->call->count == SYC_KEPT_MEMORY_MOST ||
        !is_contiguous(usm, &bytes) || (w->call->count > 0 && !Py_IS_TYPE(w->call->memory[0], Py_TYPE(object))) ||
        !put_place(w, usm, bytes))
        return false;
    w->call->memory[w->call->count++] = object;
    return mark(w, 'u') && put(w, &rank, sizeof rank) && put(w, usm->shape, rank * sizeof usm->shape[0]) &&
           refer(w, usm->dtype);
}

/* One alone: what lies within another one is for those who bring commands into order. */
static bool put_buffer(Writer *w, PyObject *object)
{
    const BufferObject *buffer = (BufferObject *)object;
    if (buffer->core == NULL || buffer->closing || buffer->bytes == 0 || w->call->count > 0)
        return false;
    w->call->memory[w->call->count++] = object;
    return mark(w, 'b') && put(w, &buffer->rank, sizeof buffer->rank) &&
           put(w, buffer->shape, buffer->rank * sizeof buffer->shape[0]) && refer(w, buffer->dtype);
}

static bool put_value(Writer *w, PyObject *value, int depth);

static bool put_values(Writer *w, PyObject *values, int depth)
{
    const Py_ssize_t count = PyTuple_GET_SIZE(values);
    bool fits = depth < DEEP && mark(w, '(') && put(w, &count, sizeof count);
    for (Py_ssize_t k = 0; fits && k < count; k++)
        fits = put_value(w, PyTuple_GET_ITEM(values, k), depth + 1);
    return fits;
}

static bool is_dtype(const Writer *w, PyObject *value)
{
    const PyObject *first = w->count > 0 ? w->objects[0] : NULL; /* the memory's own */
    return first != NULL && Py_TYPE(value)->tp_base != NULL && Py_TYPE(value)->tp_base == Py_TYPE(first)->tp_base &&
           Py_TYPE(value)->tp_base != &PyBaseObject_Type;
}

/* A number of each of Python's types is another: 1, 1.0 and True make other results. */
static bool put_value(Writer *w, PyObject *value, int depth)
{
    if (value == Py_None || value == Py_True || value == Py_False)
        return mark(w, value == Py_None ? 'n' : value == Py_True ? 't' : 'f');
    if (PyFloat_CheckExact(value)) { /* as -0.0 is, and no NaN that would equal nothing */
        const double number = PyFloat_AS_DOUBLE(value);
        return mark(w, 'd') && put(w, &number, sizeof number);
    }
    if (PyLong_CheckExact(value))
        return mark(w, 'i') && refer(w, value);
    if (PyUnicode_CheckExact(value))
        return mark(w, 's') && refer(w, value);
    if (PyTuple_CheckExact(value))
        return put_values(w, value, depth);
    if (PyType_CheckExact(value) || is_dtype(w, value))
        return mark(w, 'o') && refer(w, value);
    return syc_py_is(w->state, SYC_FACE_OPERATOR, value) && mark(w, 'p') && refer(w, (PyObject *)Py_TYPE(value)) &&
           refer(w, value);
}

static bool put_argument(Writer *w, PyObject *given)
{
    if (Py_IS_TYPE(given, w->state->face[SYC_FACE_USM]))
        return put_usm(w, given);
    if (Py_IS_TYPE(given, w->state->face[SYC_FACE_BUFFER]))
        return put_buffer(w, given);
    if (!Py_IS_TYPE(given, w->state->face[SYC_FACE_QUEUE]))
        return put_value(w, given, 0);
    if (w->call->queue != NULL)
        return false;
    w->call->queue = given; /* its address may be another one's later, which whoever finds a plan looks at */
    return mark(w, 'q') && put(w, &given, sizeof(PyObject *));
}

static PyObject *made(const Writer *w)
{
    PyObject *bytes = PyBytes_FromStringAndSize(w->bytes, (Py_ssize_t)w->used);
    PyObject *key = bytes != NULL ? PyTuple_New(w->count + 1) : NULL;
    if (key == NULL) {
        Py_XDECREF(bytes);
        return NULL;
    }
    PyTuple_SET_ITEM(key, 0, bytes);
    for (int k = 0; k < w->count; k++)
        PyTuple_SET_ITEM(key, k + 1, Py_NewRef(w->objects[k]));
    return key;
}

int syc_py_kept_key(syc_state *state, PyObject *const *args, Py_ssize_t count, PyObject *names, syc_py_kept_call *out)
{
    const Py_ssize_t named = names != NULL ? PyTuple_GET_SIZE(names) : 0;
    Writer w = {.state = state, .call = out};
    bool fits = put(&w, &count, sizeof count);

    *out = (syc_py_kept_call){0};
    for (Py_ssize_t k = 0; fits && k < count + named; k++) {
        fits = put_argument(&w, args[k]);
        if (k >= count)
            fits = fits && refer(&w, PyTuple_GET_ITEM(names, k - count));
    }
    if (!fits)
        return 0;
    out->key = made(&w);
    return out->key != NULL ? 1 : -1;
}
