/* Accessor: what a command wants of a buffer. Inside a host task, while that runs, it is the memory too. */
#include "python/memory/region.h"
#include "python/types/handler.h"
#include "schedule/replay/record.h"

#include "base/process.h"
#include "cl/constants.h"
#include "cl/device.h"
#include "cl/driver.h"

#include <stddef.h>
#include <structmember.h>

/* Constant memory is small on some devices. */
static int check_constant(syc_state *state, PyObject *handler, const AccessorObject *a)
{
    const syc_device *device;
    cl_ulong most = 0;
    syc_status status = syc_process_check();
    int code;

    if (handler == NULL || a->target != SYC_PY_CONSTANT || syc_py_handler_queue(handler) == NULL)
        return 0;
    device = syc_queue_device(syc_py_handler_queue(handler)->core);
    if (status == SYC_OK) {
        code = device->platform->driver->cl.GetDeviceInfo(device->lanes[SYC_LANE_POOL],
                                                          CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, sizeof most, &most, NULL);
        status = code == CL_SUCCESS ? SYC_OK : syc_fail_cl(SYC_HERE, "clGetDeviceInfo", code);
    }
    if (status != SYC_OK)
        syc_py_raise(state, status);
    else if (a->bytes > most)
        syc_py_refuse(state, SYC_E_ACCESSOR, "constant_buffer: %zu bytes are more than the %llu that device '%s' has",
                      a->bytes, (unsigned long long)most, syc_device_name(device));
    return status == SYC_OK && a->bytes <= most ? 0 : -1;
}

PyObject *syc_py_accessor(syc_state *state, PyTypeObject *type, BufferObject *buffer, PyObject *handler,
                          syc_py_mode mode, syc_py_target target, PyObject *range, PyObject *offset, bool no_init)
{
    AccessorObject *self = (AccessorObject *)syc_face_alloc(state, SYC_FACE_ACCESSOR, type);
    if (self == NULL)
        return NULL;
    self->mode = mode;
    self->target = target;
    self->no_init = no_init;
    self->placeholder = handler == NULL;
    if (syc_py_buffer_check(state, buffer, "buffer") < 0 || syc_py_mode_check(state, buffer, self) < 0 ||
        syc_py_region_init(state, buffer, range, offset, self) < 0 || check_constant(state, handler, self) < 0 ||
        (handler != NULL && syc_py_handler_take(state, handler, self) < 0))
        Py_CLEAR(self);
    if (self != NULL && handler != NULL && atomic_load(&buffer->core->handles) == 1 &&
        syc_queue_is_recorded(syc_py_handler_queue(handler)->core))
        self->owner = Py_NewRef((PyObject *)buffer);
    return (PyObject *)self;
}

/* Accessor() is empty; Accessor(buffer, handler, mode, target, range, offset, no_init) otherwise. */
static PyObject *accessor_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    syc_state *state = syc_state_of_type(type);
    PyObject *buffer, *handler, *range, *offset;
    int mode, target, no_init;

    if (syc_py_no_keywords("Accessor", kwargs) < 0)
        return NULL;
    if (PyTuple_GET_SIZE(args) == 0)
        return syc_face_alloc(state, SYC_FACE_ACCESSOR, type);
    if (!PyArg_ParseTuple(args, "O!OiiOOp:Accessor", state->base[SYC_FACE_BUFFER], &buffer, &handler, &mode, &target,
                          &range, &offset, &no_init))
        return NULL;
    if (handler != Py_None && syc_py_handler_check(state, handler, "handler") < 0)
        return NULL;
    return syc_py_accessor(state, type, (BufferObject *)buffer, handler != Py_None ? handler : NULL, (syc_py_mode)mode,
                           (syc_py_target)target, range, offset, no_init != 0);
}

static int accessor_clear(AccessorObject *self)
{
    Py_CLEAR(self->handler);
    Py_CLEAR(self->owner);
    return 0;
}

static int accessor_traverse(AccessorObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self->handler);
    Py_VISIT(self->owner);
    Py_VISIT(self->dtype);
    return 0;
}

static void accessor_dealloc(AccessorObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    syc_command *host = self->host;

    PyObject_GC_UnTrack(self);
    if (self->weakrefs != NULL)
        PyObject_ClearWeakRefs((PyObject *)self);
    self->host = NULL;
    if (host != NULL) {
        SYC_CORE_BEGIN
            syc_command_release(host);
        SYC_CORE_END
    }
    syc_py_region_clear(self);
    accessor_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

/* The same part of the buffer, read only. */
static PyObject *accessor_as_read_only(AccessorObject *self, PyObject *unused)
{
    syc_state *state = syc_state_of(self);
    AccessorObject *copy;
    (void)unused;

    if (self->mode == SYC_PY_READ || self->core == NULL)
        return Py_NewRef((PyObject *)self);
    copy = (AccessorObject *)syc_face_alloc(state, SYC_FACE_ACCESSOR, Py_TYPE(self));
    if (copy == NULL)
        return NULL;
    syc_buffer_retain(self->core);
    copy->core = self->core;
    copy->low = self->low;
    copy->bytes = self->bytes;
    copy->rank = self->rank;
    copy->item = self->item;
    copy->dtype = Py_NewRef(self->dtype);
    copy->mode = SYC_PY_READ;
    copy->target = self->target;
    copy->placeholder = self->placeholder;
    for (unsigned d = 0; d < 3; d++) {
        copy->shape[d] = self->shape[d];
        copy->range[d] = self->range[d];
        copy->offset[d] = self->offset[d];
        copy->strides[d] = self->strides[d];
    }
    if (self->handler != NULL && syc_py_handler_take(state, self->handler, copy) < 0)
        Py_CLEAR(copy);
    return (PyObject *)copy;
}

/* Two accessors are equal that mean the same access to the same bytes. */
static bool same_access(const AccessorObject *a, const AccessorObject *b)
{
    bool same = a->core == b->core && a->low == b->low && a->bytes == b->bytes && a->rank == b->rank &&
                a->item == b->item && a->mode == b->mode && a->target == b->target && a->no_init == b->no_init &&
                a->placeholder == b->placeholder && a->handler == b->handler;
    for (unsigned d = 0; d < 3; d++)
        same = same && a->shape[d] == b->shape[d] && a->range[d] == b->range[d] && a->offset[d] == b->offset[d];
    return same;
}

static PyObject *accessor_compare(AccessorObject *a, PyObject *b, int operation)
{
    if ((operation != Py_EQ && operation != Py_NE) || !PyObject_TypeCheck(b, syc_state_of(a)->base[SYC_FACE_ACCESSOR]))
        Py_RETURN_NOTIMPLEMENTED;
    return PyBool_FromLong(same_access(a, (AccessorObject *)b) == (operation == Py_EQ));
}

static Py_hash_t accessor_hash(AccessorObject *self)
{
    return _Py_HashPointer((char *)self->core + self->low + (size_t)self->mode);
}

static bool is_usable(const AccessorObject *self)
{
    return self->host != NULL && self->target == SYC_PY_HOST_TASK;
}

static int accessor_getbuffer(AccessorObject *self, Py_buffer *view, int flags)
{
    char *data = is_usable(self) ? syc_py_region_address(self) : NULL;
    view->obj = NULL;
    if (data == NULL) {
        PyErr_SetString(PyExc_BufferError, "an accessor is memory only inside the host task that it was made for, with "
                                           "the target host_task, while that runs; elsewhere use Buffer.host_access");
        return -1;
    }
    if (syc_py_region_export(self, view, flags, data, self->mode != SYC_PY_READ) < 0)
        return -1;
    self->exports++;
    return 0;
}

static void accessor_releasebuffer(AccessorObject *self, Py_buffer *view)
{
    (void)view;
    self->exports--;
}

static PyObject *get_target(AccessorObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromLong(self->target);
}

static PyObject *get_usable(AccessorObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(is_usable(self));
}

static PyMethodDef accessor_methods[] = {
    {"_as_read_only", (PyCFunction)accessor_as_read_only, METH_NOARGS,
     "_as_read_only($self, /)\n--\n\nThe same access, reading only."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef accessor_getset[] = {
    SYC_PY_REGION_GETSET,
    {"_target", (getter)get_target, NULL, "0 device, 1 constant_buffer, 2 host_task.", NULL},
    {"_is_usable", (getter)get_usable, NULL, "True inside the host task that it was made for.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef accessor_members[] = {
    {"is_placeholder", T_BOOL, offsetof(AccessorObject, placeholder), READONLY,
     "True if it was made without a handler, to be used in groups that require it."},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(AccessorObject, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot accessor_slots[] = {
    {Py_tp_new, accessor_new},
    {Py_tp_dealloc, accessor_dealloc},
    {Py_tp_traverse, accessor_traverse},
    {Py_tp_clear, accessor_clear},
    {Py_tp_methods, accessor_methods},
    {Py_tp_getset, accessor_getset},
    {Py_tp_members, accessor_members},
    {Py_tp_richcompare, accessor_compare},
    {Py_tp_hash, accessor_hash},
    {Py_bf_getbuffer, accessor_getbuffer},
    {Py_bf_releasebuffer, accessor_releasebuffer},
    {Py_tp_doc, "The base of pysycl.Accessor."},
    {0, NULL},
};

PyType_Spec syc_accessor_spec = {
    .name = "pysycl._core.Accessor",
    .basicsize = sizeof(AccessorObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = accessor_slots,
};
