/* UsmArray: elements in unified shared memory. All arrays over one allocation, the one that it was made for and views,
 * hold it together; freeing it empties them all. */
#include "cl/context.h"
#include "python/memory/usm_array.h"
#include "python/memory/usm_look.h"
#include "schedule/users.h"

#include <structmember.h>

static UsmObject *self_of(PyObject *self)
{
    return (UsmObject *)self;
}

int syc_py_usm_check(syc_state *state, const UsmObject *usm, const char *what)
{
    if (usm->core != NULL && !atomic_load(&usm->core->freed))
        return 0;
    syc_py_refuse(state, SYC_E_INVALID_OBJECT, "%s: the memory has been freed", what);
    return -1;
}

/* -- the arrays of one allocation -- */

static void join(UsmObject *self, syc_usm *core)
{
    syc_usm_retain(core);
    self->core = core;
    self->next = core->binding;
    if (self->next != NULL)
        self->next->previous = self;
    core->binding = self;
}

static void leave(UsmObject *self)
{
    if (self->previous != NULL)
        self->previous->next = self->next;
    else
        self->core->binding = self->next;
    if (self->next != NULL)
        self->next->previous = self->previous;
    if (self->lent)
        syc_usm_drop_host(self->core);
    self->next = self->previous = NULL;
    self->lent = false;
    self->core = NULL;
}

/* Host views that somebody else holds: what was lent with no way to tell its end does not count. */
static int count_views(const syc_usm *core)
{
    int views = atomic_load(&core->host_holds);
    for (const UsmObject *u = core->binding; u != NULL; u = u->next)
        views -= u->lent;
    return views;
}

PyObject *syc_py_usm_free(syc_state *state, syc_usm *core)
{
    int views = count_views(core);
    syc_status status;
    Py_ssize_t members = 0;

    if (views > 0)
        return syc_py_refuse(state, SYC_E_INVALID_OBJECT,
                             "free: the host still looks at the memory through %d view%s (NumPy arrays, memoryviews); "
                             "drop them first",
                             views, views == 1 ? "" : "s");
    for (; core->binding != NULL; members++)
        leave(core->binding);
    SYC_CORE_BEGIN
        for (; members > 1; members--)
            syc_usm_release(core);
        status = syc_usm_free(core);
    SYC_CORE_END
    return status == SYC_OK ? Py_NewRef(Py_None) : syc_py_raise(state, status);
}

/* -- life -- */

/* Of a shape, a tuple of ints; -1 with an error set when it is none, or more than can be addressed. */
static Py_ssize_t bytes_of(syc_state *state, PyObject *shape, size_t item)
{
    Py_ssize_t bytes = (Py_ssize_t)item;
    bool large = false, empty = false;
    for (Py_ssize_t d = 0; d < PyTuple_GET_SIZE(shape); d++) {
        Py_ssize_t size = PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, d));
        if (size < 0) {
            if (PyErr_Occurred() == NULL || PyErr_ExceptionMatches(PyExc_OverflowError)) {
                PyErr_Clear();
                syc_py_invalid(state, "shape: %R is no size of an array", shape);
            }
            return -1;
        }
        empty |= size == 0;
        large |= __builtin_mul_overflow(bytes, size > 0 ? size : 1, &bytes);
    }
    if (!large)
        return empty ? 0 : bytes;
    syc_py_invalid(state, "shape: %R of %zu bytes each is more than can be addressed", shape, item);
    return -1;
}

static int set_layout(UsmObject *self, PyObject *shape, PyObject *strides)
{
    Py_ssize_t step = (Py_ssize_t)self->item;
    self->rank = (int)PyTuple_GET_SIZE(shape);
    self->shape = PyMem_New(Py_ssize_t, 2 * (size_t)self->rank + 1);
    if (self->shape == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    self->strides = self->shape + self->rank;
    for (int d = self->rank - 1; d >= 0; d--) {
        self->shape[d] = PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, d));
        self->strides[d] = strides != NULL ? PyLong_AsSsize_t(PyTuple_GET_ITEM(strides, d)) : step;
        step *= self->shape[d];
    }
    return PyErr_Occurred() ? -1 : 0;
}

/* Over [data, ...) of the allocation, C-contiguous where `strides` is NULL, with a reference of its own. */
static PyObject *usm_over(syc_state *state, PyTypeObject *type, syc_usm *core, char *data, PyObject *shape,
                          PyObject *strides, PyObject *dtype, size_t item)
{
    UsmObject *self = (UsmObject *)syc_face_alloc(state, SYC_FACE_USM, type);
    if (self == NULL)
        return NULL;
    self->item = item;
    self->dtype = Py_NewRef(dtype);
    self->data = data;
    if (set_layout(self, shape, strides) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    join(self, core);
    return (PyObject *)self;
}

PyObject *syc_py_usm_allocate(syc_state *state, syc_context *context, syc_device *device, syc_usm_kind kind,
                              size_t alignment, PyObject *shape, PyObject *dtype, size_t item)
{
    const Py_ssize_t bytes = bytes_of(state, shape, item);
    syc_usm *core = NULL;
    syc_status status;
    PyObject *array;

    if (bytes < 0)
        return NULL;
    SYC_CORE_BEGIN
        status = syc_usm_create(context, device, kind, (size_t)bytes, alignment, &core);
    SYC_CORE_END
    if (status != SYC_OK)
        return syc_py_raise(state, status);
    array = usm_over(state, NULL, core, core->data, shape, NULL, dtype, item);
    syc_usm_release(core); /* the array has its own */
    return array;
}

static int usm_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self_of(self)->dtype);
    return 0;
}

static int usm_clear(PyObject *self)
{
    Py_CLEAR(self_of(self)->dtype);
    return 0;
}

/* The last array of an allocation frees it; commands that use it keep it until they end. */
static void usm_dealloc(PyObject *self)
{
    UsmObject *u = self_of(self);
    PyTypeObject *type = Py_TYPE(self);
    syc_usm *core = u->core;
    bool last;

    PyObject_GC_UnTrack(self);
    if (u->weakrefs != NULL)
        PyObject_ClearWeakRefs(self);
    if (core != NULL) {
        leave(u);
        last = core->binding == NULL;
        Py_BEGIN_ALLOW_THREADS;
        if (last)
            (void)syc_usm_free(core);
        else
            syc_usm_release(core);
        Py_END_ALLOW_THREADS;
    }
    usm_clear(self);
    PyMem_Free(u->shape);
    type->tp_free(self);
    Py_DECREF(type);
}

/* -- the host looks -- */

static bool is_contiguous(const UsmObject *u, bool fortran)
{
    Py_ssize_t step = (Py_ssize_t)u->item;
    bool fits = true;
    for (int i = 0; i < u->rank; i++) {
        int d = fortran ? i : u->rank - 1 - i;
        if (u->shape[d] == 0)
            return true;
        fits = fits && (u->shape[d] == 1 || u->strides[d] == step);
        step *= u->shape[d];
    }
    return fits;
}

static Py_ssize_t count_of(const UsmObject *u)
{
    Py_ssize_t count = 1;
    for (int d = 0; d < u->rank; d++)
        count *= u->shape[d];
    return count;
}

static const char *reason_against(const UsmObject *u, int flags)
{
    bool strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES, c = is_contiguous(u, false), f = is_contiguous(u, true);
    if (u->core == NULL)
        return "the memory has been freed";
    if (u->core->kind == SYC_USM_DEVICE)
        return "the host cannot touch device memory: copy it with queue.memcpy";
    if (((flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS && !c) || (!strides && !c) ||
        ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS && !f) ||
        ((flags & PyBUF_ANY_CONTIGUOUS) == PyBUF_ANY_CONTIGUOUS && !c && !f))
        return "the view is not contiguous in the order that is asked for";
    return NULL;
}

static int usm_getbuffer(PyObject *self, Py_buffer *view, int flags)
{
    UsmObject *u = self_of(self);
    syc_state *state = syc_state_of(self);
    const char *reason = reason_against(u, flags), *format = NULL;
    syc_usm *core = u->core;

    view->obj = NULL;
    if (reason != NULL) {
        PyErr_SetString(PyExc_BufferError, reason);
        return -1;
    }
    if ((flags & PyBUF_FORMAT) == PyBUF_FORMAT && (format = syc_py_dtype_format(state, u->dtype)) == NULL)
        return -1;
    syc_usm_retain(core); /* the view's; it is not freed while there is one, unless that races with this */
    if (syc_py_usm_hold(state, core) < 0) {
        syc_usm_release(core);
        return -1;
    }
    *view = (Py_buffer){.buf = u->data,
                        .obj = Py_NewRef(self),
                        .len = count_of(u) * (Py_ssize_t)u->item,
                        .itemsize = (Py_ssize_t)u->item,
                        .format = (char *)format,
                        .ndim = (flags & PyBUF_ND) == PyBUF_ND ? u->rank : 1,
                        .shape = (flags & PyBUF_ND) == PyBUF_ND ? u->shape : NULL,
                        .strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? u->strides : NULL,
                        .internal = core};
    return 0;
}

static void usm_releasebuffer(PyObject *self, Py_buffer *view)
{
    syc_usm *core = view->internal;
    (void)self;
    syc_usm_drop_host(core);
    syc_usm_release(core); /* the last one only if somebody freed it behind our back: short */
}

static PyObject *usm_await(PyObject *self, PyObject *unused)
{
    syc_state *state = syc_state_of(self);
    (void)unused;
    if (syc_py_usm_check(state, self_of(self), "UsmArray") < 0 || syc_py_usm_await(state, self_of(self)->core) < 0)
        return NULL;
    Py_RETURN_NONE;
}

/* The address goes out with no word of when it is done with: the host holds the memory as long as the array lives. */
static PyObject *usm_lend(PyObject *self, PyObject *unused)
{
    UsmObject *u = self_of(self);
    syc_state *state = syc_state_of(self);
    syc_usm *core = u->core;
    int failed;
    (void)unused;
    if (syc_py_usm_check(state, u, "UsmArray") < 0)
        return NULL;
    if (u->lent)
        Py_RETURN_NONE;
    syc_usm_retain(core);
    failed = syc_py_usm_hold(state, core);
    if (failed == 0 && (u->core != core || u->lent))
        syc_usm_drop_host(core); /* another thread was here meanwhile */
    else if (failed == 0)
        u->lent = true;
    syc_usm_release(core);
    return failed == 0 ? Py_NewRef(Py_None) : NULL;
}

/* -- views -- */

/* The first and the last byte of such elements, from the first one's on. */
static void reach(const UsmObject *u, Py_ssize_t *low, Py_ssize_t *high)
{
    *low = 0;
    *high = (Py_ssize_t)u->item;
    for (int d = 0; d < u->rank; d++) {
        if (u->strides[d] < 0)
            *low += (u->shape[d] - 1) * u->strides[d];
        else
            *high += (u->shape[d] - 1) * u->strides[d];
    }
}

/* _view(offset, shape, strides, dtype, item): pysycl/usm.py has worked it out; what leaves the allocation is refused.
 */
static PyObject *usm_view(PyObject *self, PyObject *args)
{
    UsmObject *u = self_of(self), *view;
    syc_state *state = syc_state_of(self);
    PyObject *shape, *strides, *dtype;
    Py_ssize_t offset, item, low, high, at;

    if (!PyArg_ParseTuple(args, "nO!O!On:_view", &offset, &PyTuple_Type, &shape, &PyTuple_Type, &strides, &dtype,
                          &item) ||
        syc_py_usm_check(state, u, "UsmArray") < 0 || bytes_of(state, shape, (size_t)item) < 0)
        return NULL;
    if (PyTuple_GET_SIZE(shape) != PyTuple_GET_SIZE(strides))
        return syc_py_invalid(state, "strides: %R are not those of the shape %R", strides, shape);
    at = u->data - u->core->data;
    view = (UsmObject *)usm_over(state, Py_TYPE(self), u->core, u->data + offset, shape, strides, dtype, (size_t)item);
    if (view == NULL)
        return NULL;
    reach(view, &low, &high);
    if (count_of(view) == 0 || (at + offset + low >= 0 && at + offset + high <= (Py_ssize_t)u->core->bytes))
        return (PyObject *)view;
    Py_DECREF(view);
    return syc_py_invalid(state, "the view would reach beyond the %zu bytes of the allocation", u->core->bytes);
}

static PyObject *usm_free(PyObject *self, PyObject *unused)
{
    UsmObject *u = self_of(self);
    syc_state *state = syc_state_of(self);
    (void)unused;
    if (syc_py_usm_check(state, u, "free") < 0)
        return NULL;
    if (u->data != u->core->data)
        return syc_py_invalid(state, "free: %p lies %zd bytes inside the allocation at %p; free that one", u->data,
                              u->data - u->core->data, u->core->data);
    return syc_py_usm_free(state, u->core);
}

/* -- attributes -- */

static PyObject *tuple_of(const Py_ssize_t *numbers, int count)
{
    PyObject *tuple = PyTuple_New(count);
    for (int i = 0; tuple != NULL && i < count; i++)
        syc_py_put(&tuple, i, PyLong_FromSsize_t(numbers[i]));
    return tuple;
}

enum what {
    SHAPE,
    STRIDES,
    SIZE,
    NBYTES,
    ITEMSIZE,
    NDIM,
    DTYPE,
    IS_FREED,
    KIND,
    PTR,
    ALIGNMENT,
    DEVICE,
    CONTEXT,
    HOST
};

/* Properties of living memory. */
static PyObject *get_of_core(const UsmObject *u, syc_state *state, enum what what)
{
    if (syc_py_usm_check(state, u, "UsmArray") < 0)
        return NULL;
    switch (what) {
    case KIND:
        return PyLong_FromLong(u->core->kind);
    case PTR:
        return PyLong_FromVoidPtr(u->data);
    case ALIGNMENT:
        return PyLong_FromSize_t(u->core->alignment);
    case HOST:
        return PyLong_FromLong(count_views(u->core));
    case DEVICE:
        if (u->core->device == NULL)
            Py_RETURN_NONE;
        syc_device_retain(u->core->device);
        return syc_py_device(state, u->core->device);
    default:
        syc_context_retain(u->core->context);
        return syc_py_context(state, NULL, u->core->context, NULL);
    }
}

static PyObject *usm_get(PyObject *self, void *which)
{
    const UsmObject *u = self_of(self);
    enum what what = (enum what)(uintptr_t)which;
    switch (what) {
    case SHAPE:
        return tuple_of(u->shape, u->rank);
    case STRIDES:
        return tuple_of(u->strides, u->rank);
    case SIZE:
        return PyLong_FromSsize_t(count_of(u));
    case NBYTES:
        return PyLong_FromSsize_t(count_of(u) * (Py_ssize_t)u->item);
    case ITEMSIZE:
        return PyLong_FromSize_t(u->item);
    case NDIM:
        return PyLong_FromLong(u->rank);
    case DTYPE:
        return Py_NewRef(u->dtype);
    case IS_FREED:
        return PyBool_FromLong(u->core == NULL || atomic_load(&u->core->freed));
    default:
        return get_of_core(u, syc_state_of(self), what);
    }
}

static int usm_bool(PyObject *self)
{
    return self_of(self)->core != NULL;
}

static PyGetSetDef usm_getset[] = {
    {"shape", usm_get, NULL, "The number of elements along each dimension.", (void *)SHAPE},
    {"strides", usm_get, NULL, "Bytes from one element to the next along each dimension.", (void *)STRIDES},
    {"size", usm_get, NULL, "The number of elements.", (void *)SIZE},
    {"nbytes", usm_get, NULL, "The bytes of the elements.", (void *)NBYTES},
    {"itemsize", usm_get, NULL, "The bytes of one element.", (void *)ITEMSIZE},
    {"ndim", usm_get, NULL, "The number of dimensions.", (void *)NDIM},
    {"dtype", usm_get, NULL, "The type of the elements.", (void *)DTYPE},
    {"is_freed", usm_get, NULL, "True once the memory has been freed.", (void *)IS_FREED},
    {"ptr", usm_get, NULL, "The address of the first element.", (void *)PTR},
    {"_alignment", usm_get, NULL, "What was asked for when the memory was allocated.", (void *)ALIGNMENT},
    {"_kind", usm_get, NULL, "0 device, 1 host, 2 shared.", (void *)KIND},
    {"_device", usm_get, NULL, "The device; None for host memory.", (void *)DEVICE},
    {"_context", usm_get, NULL, "The context.", (void *)CONTEXT},
    {"_views", usm_get, NULL, "Views that the host has on the allocation.", (void *)HOST},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef usm_methods[] = {
    {"free", usm_free, METH_NOARGS,
     "free($self, /)\n--\n\nGive the memory back, when the commands that use it have ended. SYCL 2020, 4.8.3.6."},
    {"_view", usm_view, METH_VARARGS,
     "_view($self, offset, shape, strides, dtype, item, /)\n--\n\nAn array over a part of the memory."},
    {"_lend", usm_lend, METH_NOARGS,
     "_lend($self, /)\n--\n\nLet the host look at the memory as long as this array lives."},
    {"_await", usm_await, METH_NOARGS, "_await($self, /)\n--\n\nWait for the commands in flight that use the memory."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef usm_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(UsmObject, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot usm_slots[] = {
    {Py_tp_doc, (void *)"An array in unified shared memory."},
    {Py_tp_dealloc, usm_dealloc},
    {Py_tp_traverse, usm_traverse},
    {Py_tp_clear, usm_clear},
    {Py_tp_getset, usm_getset},
    {Py_tp_methods, usm_methods},
    {Py_tp_members, usm_members},
    {Py_nb_bool, usm_bool},
    {Py_bf_getbuffer, usm_getbuffer},
    {Py_bf_releasebuffer, usm_releasebuffer},
    {0, NULL},
};

PyType_Spec syc_usm_spec = {
    .name = "pysycl._core.UsmArray",
    .basicsize = sizeof(UsmObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE |
             Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = usm_slots,
};
