/* Buffer: the handle on a core buffer, or on a part of it. What a buffer is made from is sorted out in
 * pysycl/buffer.py, and what becomes of its contents in pysycl/_data/final_data.py. */
#include "python/memory/host_memory.h"
#include "python/memory/image_shape.h"
#include "python/memory/region.h"
#include "python/wait.h"

#include "base/alloc.h"
#include "memory/image.h"
#include "schedule/access.h"
#include "schedule/replay/record.h"

#include <stddef.h>
#include <structmember.h>

int syc_py_buffer_check(syc_state *state, const BufferObject *buffer, const char *what)
{
    if (buffer->core != NULL && !buffer->closing)
        return 0;
    syc_py_refuse(state, SYC_E_INVALID_OBJECT, "%s: the buffer is closed", what);
    return -1;
}

syc_need syc_py_buffer_need(const BufferObject *buffer, bool write, bool keep)
{
    return (syc_need){.buffer = buffer->core, .low = buffer->low, .bytes = buffer->bytes, .write = write, .keep = keep};
}

/* -- how one begins -- */

static PyObject *wrap(syc_state *state, PyTypeObject *type, SYC_TAKE syc_buffer *core, const BufferObject *like)
{
    BufferObject *self = (BufferObject *)syc_face_alloc(state, SYC_FACE_BUFFER, type);
    if (self == NULL) {
        atomic_fetch_sub(&core->handles, 1);
        SYC_CORE_BEGIN
            syc_buffer_release(core);
        SYC_CORE_END
        return NULL;
    }
    self->core = core;
    self->id = core->id;
    self->low = like->low;
    self->bytes = like->bytes;
    self->rank = like->rank;
    memcpy(self->shape, like->shape, sizeof self->shape);
    self->item = like->item;
    self->is_sub = like->is_sub;
    self->read_only = like->read_only;
    self->dtype = Py_NewRef(like->dtype);
    self->properties = Py_NewRef(like->properties);
    self->life = Py_NewRef(like->life);
    return (PyObject *)self;
}

/* Pins the array and describes it; nothing for None. */
static int take_array(syc_state *state, PyObject *array, Py_ssize_t alignment, syc_host_array *span,
                      syc_buffer_source *source)
{
    syc_pins *pins;
    int flags = PyBUF_STRIDES | (source->in_place ? PyBUF_WRITABLE : 0);

    if (array == Py_None)
        return 0;
    pins = syc_pins_new(state, 1);
    if (pins == NULL)
        return -1;
    if (syc_py_host_memory_pin(state, array, "array", flags, &pins->views[0]) < 0) {
        syc_pins_free(pins);
        return -1;
    }
    pins->count = 1;
    *span = syc_py_host_memory_span(&pins->views[0], (size_t)alignment);
    source->keep = (syc_keep){syc_pins_let_go, pins};
    source->array = span;
    if (span->bytes == source->bytes)
        return 0;
    syc_py_invalid(state, "array: has %zu bytes, but the buffer has %zu", span->bytes, source->bytes);
    return -1;
}

static int take_allocator(syc_state *state, PyObject *allocator, syc_buffer_source *source)
{
    syc_pins *pins;
    if (allocator == Py_None)
        return 0;
    pins = syc_pins_new(state, 0);
    if (pins == NULL || syc_pins_hold(pins, allocator) < 0 ||
        syc_pins_hold(pins, (PyObject *)state->base[SYC_FACE_BUFFER]) < 0) {
        syc_pins_free(pins);
        return -1;
    }
    source->allocate = syc_py_host_memory_allocate;
    source->allocator = (syc_keep){syc_pins_let_go, pins};
    return 0;
}

/* Buffer(array, shape, dtype, item, alignment, in_place, keeps_address, read_only, context, allocator, properties,
 * life[, image]): pysycl/buffer.py gives them all. The description of an image is for buffers of bytes. */
static PyObject *buffer_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    syc_state *state = syc_state_of_type(type);
    PyObject *array, *shape, *context, *allocator, *description = NULL;
    int in_place, keeps_address, read_only;
    Py_ssize_t item, alignment;
    BufferObject like = {0};
    syc_buffer_source source = {0};
    syc_host_array span = {0};
    syc_image_shape image;
    syc_buffer *core = NULL;
    syc_status status;

    if (syc_py_no_keywords("Buffer", kwargs) < 0 ||
        !PyArg_ParseTuple(args, "OOOnnpppOOO!O|O:Buffer", &array, &shape, &like.dtype, &item, &alignment, &in_place,
                          &keeps_address, &read_only, &context, &allocator, &PyDict_Type, &like.properties, &like.life,
                          &description) ||
        syc_py_sizes(state, shape, "shape", like.shape, &like.rank) < 0 ||
        syc_py_bytes(state, like.shape, like.rank, (size_t)item, &like.bytes) < 0 ||
        syc_py_image_source(state, description, like.bytes, &image, &source) < 0)
        return NULL;
    if (context != Py_None && !PyObject_TypeCheck(context, state->base[SYC_FACE_CONTEXT]))
        return syc_py_invalid(state, "context_bound: expected a Context or None, got %R", context);
    like.item = (size_t)item;
    like.read_only = read_only != 0;
    source.bytes = like.bytes;
    source.in_place = in_place != 0;
    source.keeps_address = keeps_address != 0;
    source.bound = context != Py_None ? ((ContextObject *)context)->core : NULL;
    if (take_array(state, array, alignment, &span, &source) < 0 || take_allocator(state, allocator, &source) < 0) {
        syc_pins_free(source.keep.payload);
        return NULL;
    }
    SYC_CORE_BEGIN
        status = syc_buffer_create(&source, &core);
    SYC_CORE_END
    return status == SYC_OK ? wrap(state, type, core, &like) : syc_py_raise(state, status);
}

static PyObject *buffer_from_native(PyTypeObject *type, PyObject *args)
{
    syc_state *state = syc_state_of_type(type);
    PyObject *value, *context;
    BufferObject like = {.rank = 1, .shape = {0, 1, 1}};
    syc_buffer *core = NULL;
    syc_status status;
    Py_ssize_t item;
    int is_image = 0;
    void *native;

    if (!PyArg_ParseTuple(args, "OOOnO!O|p:_from_native", &value, &context, &like.dtype, &item, &PyDict_Type,
                          &like.properties, &like.life, &is_image) ||
        syc_py_native_in(state, value, context, "from_int_ptr", &native) < 0)
        return NULL;
    SYC_CORE_BEGIN
        status = (is_image ? syc_image_from_native : syc_buffer_from_native)(native, ((ContextObject *)context)->core,
                                                                             &core);
    SYC_CORE_END
    if (status != SYC_OK)
        return syc_py_raise(state, status);
    like.item = (size_t)item;
    like.bytes = core->bytes / like.item * like.item;
    like.shape[0] = core->bytes / like.item;
    return wrap(state, type, core, &like);
}

/* Another handle: on the same part, on a part of it, or on it as another type and shape. */
static PyObject *buffer_part(BufferObject *self, PyObject *args)
{
    syc_state *state = syc_state_of(self);
    BufferObject like = *self;
    PyObject *shape;
    Py_ssize_t low, item;
    int is_sub;

    if (!PyArg_ParseTuple(args, "nOOnp:_part", &low, &shape, &like.dtype, &item, &is_sub) ||
        syc_py_sizes(state, shape, "shape", like.shape, &like.rank) < 0 || /* runs anything: it may close the buffer */
        syc_py_buffer_check(state, self, "buffer") < 0 ||
        syc_py_bytes(state, like.shape, like.rank, (size_t)item, &like.bytes) < 0)
        return NULL;
    if (low < 0 || (size_t)low > self->bytes || like.bytes > self->bytes - (size_t)low)
        return syc_py_refuse(state, SYC_E_INVALID_OBJECT, "%zu bytes from byte %zd on go beyond the %zu of the buffer",
                             like.bytes, low, self->bytes);
    like.low = self->low + (size_t)low;
    like.item = (size_t)item;
    like.is_sub = is_sub != 0;
    syc_buffer_retain(self->core);
    atomic_fetch_add(&self->core->handles, 1);
    return wrap(state, Py_TYPE(self), self->core, &like);
}

/* -- how one ends -- */

/* Gives the handle up: 0 it had been before, 1 there are others, 2 it was the last. */
static PyObject *buffer_leave(BufferObject *self, PyObject *unused)
{
    (void)unused;
    if (self->core == NULL || self->closing)
        return PyLong_FromLong(0);
    self->closing = true;
    return PyLong_FromLong(atomic_fetch_sub(&self->core->handles, 1) == 1 ? 2 : 1);
}

/* Takes it back: the end was interrupted. */
static PyObject *buffer_rejoin(BufferObject *self, PyObject *unused)
{
    (void)unused;
    if (self->core != NULL && self->closing) {
        atomic_fetch_add(&self->core->handles, 1);
        self->closing = false;
    }
    Py_RETURN_NONE;
}

static void drop(BufferObject *self)
{
    syc_buffer *core = self->core;
    self->core = NULL;
    if (core == NULL)
        return;
    if (!self->closing)
        atomic_fetch_sub(&core->handles, 1);
    self->closing = false;
    SYC_CORE_BEGIN
        syc_buffer_release(core);
    SYC_CORE_END
}

static PyObject *buffer_drop(BufferObject *self, PyObject *unused)
{
    (void)unused;
    drop(self);
    Py_RETURN_NONE;
}

static void buffer_dealloc(BufferObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (self->weakrefs != NULL)
        PyObject_ClearWeakRefs((PyObject *)self);
    drop(self);
    Py_CLEAR(self->dtype);
    Py_CLEAR(self->properties);
    Py_CLEAR(self->life);
    type->tp_free(self);
    Py_DECREF(type);
}

static int buffer_traverse(BufferObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self->dtype);
    Py_VISIT(self->properties);
    Py_VISIT(self->life);
    return 0;
}

static int buffer_clear(BufferObject *self)
{
    Py_CLEAR(self->properties);
    Py_CLEAR(self->life);
    return 0;
}

/* Brings the user's array up to date: False when that took longer than `seconds`. */
static PyObject *buffer_write_back(BufferObject *self, PyObject *argument)
{
    syc_state *state = syc_state_of(self);
    double seconds = PyFloat_AsDouble(argument);
    syc_site site = syc_pins_here(state);
    syc_buffer *core = self->core;
    syc_command *access = NULL;
    syc_status status = SYC_OK;
    int granted;

    if (seconds == -1.0 && PyErr_Occurred())
        return NULL;
    if (core == NULL)
        Py_RETURN_TRUE;
    syc_buffer_retain(core); /* another thread may close this handle meanwhile */
    SYC_CORE_BEGIN
        status = syc_buffer_write_back(core, (syc_keep){0}, site, &access);
        syc_buffer_release(core);
    SYC_CORE_END
    if (status != SYC_OK)
        return syc_py_raise(state, status);
    if (access == NULL)
        Py_RETURN_TRUE;
    granted = syc_py_access_wait(state, access, seconds);
    SYC_CORE_BEGIN
        syc_access_end(access);
    SYC_CORE_END
    return granted < 0 ? NULL : PyBool_FromLong(granted);
}

static PyObject *buffer_hand_over(BufferObject *self, PyObject *unused)
{
    (void)unused;
    if (self->core != NULL)
        syc_buffer_hand_over(self->core);
    Py_RETURN_NONE;
}

/* The user's array stays as it is until it is written back: True unless it is too late for that. */
static PyObject *buffer_spare_array(BufferObject *self, PyObject *unused)
{
    syc_buffer *core = self->core;
    bool spared = true;
    (void)unused;
    if (core != NULL) {
        syc_buffer_retain(core); /* another thread may close this handle meanwhile */
        SYC_CORE_BEGIN
            spared = syc_buffer_spare_array(core);
            syc_buffer_release(core);
        SYC_CORE_END
    }
    return PyBool_FromLong(spared);
}

/* -- what can be asked -- */

static PyObject *buffer_where(BufferObject *self, PyObject *unused)
{
    syc_buffer *core = self->core;
    char *words;
    PyObject *text;
    (void)unused;
    if (core == NULL)
        Py_RETURN_NONE;
    syc_buffer_retain(core); /* as above */
    SYC_CORE_BEGIN
        words = syc_buffer_where(core, self->low, self->bytes);
        syc_buffer_release(core);
    SYC_CORE_END
    text = PyUnicode_FromString(words != NULL ? words : "");
    syc_free(words);
    return text;
}

static PyObject *buffer_natives(BufferObject *self, PyObject *unused)
{
    syc_state *state = syc_state_of(self);
    cl_mem *natives = NULL;
    size_t count = 0;
    PyObject *list;
    syc_status status;
    (void)unused;

    if (syc_py_buffer_check(state, self, "get_native") < 0)
        return NULL;
    status = syc_buffer_natives(self->core, self->low, self->bytes, &natives, &count);
    if (status != SYC_OK)
        return syc_py_raise(state, status);
    list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < count; i++)
        syc_py_append(&list, PyLong_FromVoidPtr(natives[i]));
    syc_free(natives);
    return list;
}

static PyObject *buffer_compare(BufferObject *a, PyObject *b, int operation)
{
    bool same = (PyObject *)a == b;
    if ((operation != Py_EQ && operation != Py_NE) || !PyObject_TypeCheck(b, syc_state_of(a)->base[SYC_FACE_BUFFER]))
        Py_RETURN_NOTIMPLEMENTED;
    same |= !a->is_sub && !((BufferObject *)b)->is_sub && a->id == ((BufferObject *)b)->id;
    return PyBool_FromLong(same == (operation == Py_EQ));
}

static Py_hash_t buffer_hash(BufferObject *self)
{
    return self->is_sub ? _Py_HashPointer(self) : (Py_hash_t)self->id;
}

static PyObject *get_shape(BufferObject *self, void *unused)
{
    (void)unused;
    return syc_py_sizes_tuple(self->shape, self->rank);
}

static PyObject *get_size(BufferObject *self, void *unused)
{
    size_t count = 1;
    (void)unused;
    for (unsigned d = 0; d < self->rank; d++)
        count *= self->shape[d];
    return PyLong_FromSize_t(count);
}

static PyObject *get_byte_size(BufferObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromSize_t(self->bytes);
}

static PyObject *get_low(BufferObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromSize_t(self->low);
}

static PyObject *get_item(BufferObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromSize_t(self->item);
}

static PyObject *get_closed(BufferObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(self->core == NULL || self->closing);
}

static PyObject *get_written(BufferObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(self->core != NULL && self->core->written);
}

static PyObject *get_in_use(BufferObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(self->core != NULL && syc_buffer_in_use(self->core));
}

static PyMethodDef buffer_methods[] = {
    {"_from_native", (PyCFunction)buffer_from_native, METH_VARARGS | METH_CLASS,
     "_from_native($type, value, context, dtype, item, properties, life, image=False, /)\n--\n\nWrap a cl_mem."},
    {"_part", (PyCFunction)buffer_part, METH_VARARGS,
     "_part($self, low, shape, dtype, item, is_sub, /)\n--\n\nAnother handle on the buffer or a part of it."},
    {"_leave", (PyCFunction)buffer_leave, METH_NOARGS,
     "_leave($self, /)\n--\n\nGive the handle up: 0 it had been before, 1 there are others, 2 it was the last."},
    {"_rejoin", (PyCFunction)buffer_rejoin, METH_NOARGS, "_rejoin($self, /)\n--\n\nTake the handle back."},
    {"_drop", (PyCFunction)buffer_drop, METH_NOARGS, "_drop($self, /)\n--\n\nLet go of the memory."},
    {"_hand_over", (PyCFunction)buffer_hand_over, METH_NOARGS,
     "_hand_over($self, /)\n--\n\nThe user may change the array from now on."},
    {"_write_back", (PyCFunction)buffer_write_back, METH_O,
     "_write_back($self, seconds, /)\n--\n\nBring the user's array up to date; False when time ran out."},
    {"_spare_array", (PyCFunction)buffer_spare_array, METH_NOARGS,
     "_spare_array($self, /)\n--\n\nFrom now on only read the user's array, until it is written back."},
    {"_natives", (PyCFunction)buffer_natives, METH_NOARGS,
     "_natives($self, /)\n--\n\nThe cl_mems that stand for it, one per context where it was used."},
    {"_where", (PyCFunction)buffer_where, METH_NOARGS, "_where($self, /)\n--\n\nWhere the contents are current."},
    {NULL, NULL, 0, NULL},
};

static PyObject *get_recorded(BufferObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(self->core != NULL && syc_recording_uses(self->core));
}

static PyGetSetDef buffer_getset[] = {
    {"shape", (getter)get_shape, NULL, "The number of elements in each dimension.", NULL},
    {"size", (getter)get_size, NULL, "The number of elements.", NULL},
    {"byte_size", (getter)get_byte_size, NULL, "The number of bytes.", NULL},
    {"_low", (getter)get_low, NULL, "Where it begins in the memory of the whole buffer.", NULL},
    {"_item", (getter)get_item, NULL, "Bytes of one element.", NULL},
    {"is_closed", (getter)get_closed, NULL, "True once it was closed.", NULL},
    {"_written", (getter)get_written, NULL, "True if anything writes or has written to the buffer.", NULL},
    {"_recorded", (getter)get_recorded, NULL, "True if commands that this thread is recording use the buffer.", NULL},
    {"_in_use", (getter)get_in_use, NULL, "True while commands or host accessors use the buffer.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef buffer_members[] = {
    {"dtype", T_OBJECT, offsetof(BufferObject, dtype), READONLY, "The type of the elements, a numpy.dtype."},
    {"is_sub_buffer", T_BOOL, offsetof(BufferObject, is_sub), READONLY, "True for a sub-buffer."},
    {"read_only", T_BOOL, offsetof(BufferObject, read_only), READONLY, "True if the elements are const."},
    {"_made_with", T_OBJECT, offsetof(BufferObject, properties), READONLY, "What it was made with."},
    {"_life", T_OBJECT, offsetof(BufferObject, life), READONLY, "What its end will be."},
    {"_id", T_ULONGLONG, offsetof(BufferObject, id), READONLY, "The number of the buffer, from 1."},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(BufferObject, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot buffer_slots[] = {
    {Py_tp_new, buffer_new},
    {Py_tp_dealloc, buffer_dealloc},
    {Py_tp_finalize, syc_py_dropped},
    {Py_tp_traverse, buffer_traverse},
    {Py_tp_clear, buffer_clear},
    {Py_tp_methods, buffer_methods},
    {Py_tp_getset, buffer_getset},
    {Py_tp_members, buffer_members},
    {Py_tp_richcompare, buffer_compare},
    {Py_tp_hash, buffer_hash},
    {Py_tp_doc, "The base of pysycl.Buffer."},
    {0, NULL},
};

PyType_Spec syc_buffer_spec = {
    .name = "pysycl._core.Buffer",
    .basicsize = sizeof(BufferObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = buffer_slots,
};
