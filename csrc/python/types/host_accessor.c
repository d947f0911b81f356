/* HostAccessor: the host's own access to a buffer, from when it is granted until it is closed. What was handed out of
 * it stays memory after that: exports hold the object, and the object the memory. */
#include "python/lock.h"
#include "python/memory/region.h"
#include "python/wait.h"

#include "base/clock.h"
#include "schedule/access.h"
#include "schedule/replay/record.h"

#include <pthread.h>
#include <stddef.h>
#include <structmember.h>

/* The open ones: the end of the process has to close them. */
static syc_py_lock lock; /* of the list */
static HostAccessorObject *open_ones;

static void add_open(HostAccessorObject *self, syc_site site)
{
    self->thread = pthread_self();
    self->site = site;
    SYC_PY_LOCK(&lock);
    self->next = open_ones;
    self->link = &open_ones;
    if (open_ones != NULL)
        open_ones->link = &self->next;
    open_ones = self;
    SYC_PY_UNLOCK(&lock);
}

static void remove_open(HostAccessorObject *self)
{
    SYC_PY_LOCK(&lock);
    if (self->link != NULL)
        *self->link = self->next;
    if (self->link != NULL && self->next != NULL)
        self->next->link = self->link;
    self->link = NULL;
    SYC_PY_UNLOCK(&lock);
}

/* All bytes of the core's buffer, whatever part the handle stands for. */
static void see_all(const BufferObject *buffer, AccessorObject *out)
{
    syc_buffer_retain(buffer->core);
    out->core = buffer->core;
    out->bytes = buffer->core->bytes;
    out->rank = 1;
    out->item = 1;
    out->dtype = Py_NewRef(buffer->dtype);
    for (unsigned d = 0; d < 3; d++)
        out->shape[d] = out->range[d] = d == 0 ? out->bytes : 1;
    out->strides[0] = 1;
}

static int begin(syc_state *state, HostAccessorObject *self, BufferObject *buffer, PyObject *range, PyObject *offset,
                 bool closing)
{
    syc_site site = syc_pins_here(state);
    syc_need need;
    syc_status status;

    if (closing) {
        see_all(buffer, &self->accessor);
    } else if (syc_py_buffer_check(state, buffer, "buffer") < 0 ||
               syc_py_mode_check(state, buffer, &self->accessor) < 0 ||
               syc_py_region_init(state, buffer, range, offset, &self->accessor) < 0) {
        return -1;
    }
    self->buffer = closing ? NULL : Py_NewRef((PyObject *)buffer);
    need = syc_py_accessor_need(&self->accessor);
    SYC_CORE_BEGIN
        status = syc_access_begin(&need, (syc_keep){0}, site, &self->access);
    SYC_CORE_END
    if (status == SYC_OK) {
        add_open(self, site);
        return 0;
    }
    self->access = NULL;
    syc_py_raise(state, status);
    return -1;
}

/* HostAccessor() is empty; HostAccessor(buffer, mode, range, offset, no_init, closing) otherwise: begun, not granted
 * yet. `closing`: the buffer's own end asks, for all of its bytes. */
static PyObject *host_accessor_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    syc_state *state = syc_state_of_type(type);
    PyObject *buffer, *range, *offset;
    int mode, no_init, closing;
    HostAccessorObject *self;

    if (syc_py_no_keywords("HostAccessor", kwargs) < 0)
        return NULL;
    if (PyTuple_GET_SIZE(args) == 0)
        return syc_face_alloc(state, SYC_FACE_HOST_ACCESSOR, type);
    if (!PyArg_ParseTuple(args, "O!iOOpp:HostAccessor", state->base[SYC_FACE_BUFFER], &buffer, &mode, &range, &offset,
                          &no_init, &closing))
        return NULL;
    if (!closing && ((BufferObject *)buffer)->core != NULL && syc_recording_uses(((BufferObject *)buffer)->core))
        return syc_py_refuse(state, SYC_E_INVALID,
                             "a host access cannot be recorded: commands that this thread is recording use the buffer "
                             "and do not run before a replay; access it outside of the recording");
    self = (HostAccessorObject *)syc_face_alloc(state, SYC_FACE_HOST_ACCESSOR, type);
    if (self == NULL)
        return NULL;
    self->accessor.mode = (syc_py_mode)mode;
    self->accessor.target = SYC_PY_HOST_TASK; /* at the host */
    self->accessor.no_init = no_init != 0;
    if (begin(state, self, (BufferObject *)buffer, range, offset, closing != 0) < 0)
        Py_CLEAR(self);
    return (PyObject *)self;
}

static void end(HostAccessorObject *self)
{
    syc_command *access = self->access;
    remove_open(self);
    self->access = NULL;
    self->granted = false;
    self->accessor.host = NULL;
    if (access == NULL)
        return;
    SYC_CORE_BEGIN
        syc_access_end(access);
    SYC_CORE_END
}

static void host_accessor_dealloc(HostAccessorObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (self->accessor.weakrefs != NULL)
        PyObject_ClearWeakRefs((PyObject *)self);
    end(self);
    syc_py_region_clear(&self->accessor);
    Py_CLEAR(self->buffer);
    type->tp_free(self);
    Py_DECREF(type);
}

static int host_accessor_traverse(HostAccessorObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self->accessor.dtype);
    Py_VISIT(self->buffer);
    return 0;
}

static int host_accessor_clear(HostAccessorObject *self)
{
    Py_CLEAR(self->buffer);
    return 0;
}

/* True when the access is granted, False when that takes longer than `seconds`. */
static PyObject *host_accessor_wait(HostAccessorObject *self, PyObject *argument)
{
    syc_state *state = syc_state_of(self);
    double seconds = PyFloat_AsDouble(argument);
    syc_command *access = self->access;
    int granted;

    if (seconds == -1.0 && PyErr_Occurred())
        return NULL;
    if (access == NULL)
        return syc_py_refuse(state, SYC_E_INVALID_OBJECT, "the host accessor is closed");
    syc_command_retain(access); /* another thread may close it meanwhile */
    granted = syc_py_access_wait(state, access, seconds);
    SYC_CORE_BEGIN
        syc_command_release(access);
    SYC_CORE_END
    if (granted < 0)
        return NULL;
    if (self->access == NULL)
        return syc_py_refuse(state, SYC_E_INVALID_OBJECT, "the host accessor was closed by another thread");
    self->granted = granted == 1;
    self->accessor.host = self->granted ? self->access : NULL;
    return PyBool_FromLong(granted);
}

static PyObject *host_accessor_end(HostAccessorObject *self, PyObject *unused)
{
    (void)unused;
    end(self);
    Py_CLEAR(self->buffer);
    Py_RETURN_NONE;
}

static int host_accessor_getbuffer(HostAccessorObject *self, Py_buffer *view, int flags)
{
    AccessorObject *a = &self->accessor;
    view->obj = NULL;
    if (!self->granted && a->core != NULL) {
        PyErr_SetString(PyExc_BufferError, "the host accessor is closed");
        return -1;
    }
    if (a->core == NULL) {
        PyErr_SetString(PyExc_BufferError, "an empty host accessor has no memory");
        return -1;
    }
    return syc_py_region_export(a, view, flags, syc_py_region_address(a), a->mode != SYC_PY_READ);
}

static PyObject *get_closed(HostAccessorObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(self->access == NULL);
}

static PyObject *get_buffer(HostAccessorObject *self, void *unused)
{
    (void)unused;
    return Py_NewRef(self->buffer != NULL ? self->buffer : Py_None);
}

/* [(accessor, "file:line")] of those that this thread opened. */
static PyObject *open_host_accessors(PyObject *module, PyObject *unused)
{
    PyObject *list = PyList_New(0);
    (void)module;
    (void)unused;
    SYC_PY_LOCK(&lock);
    for (HostAccessorObject *a = open_ones; list != NULL && a != NULL; a = a->next) {
        PyObject *pair;
        if (!pthread_equal(a->thread, pthread_self()) || Py_REFCNT(a) == 0)
            continue;
        pair = Py_BuildValue("ON", a,
                             PyUnicode_FromFormat("%s:%d", a->site.file != NULL ? a->site.file : "?", a->site.line));
        if (pair == NULL || PyList_Append(list, pair) < 0)
            Py_CLEAR(list);
        Py_XDECREF(pair);
    }
    SYC_PY_UNLOCK(&lock);
    return list;
}

PyMethodDef syc_host_accessor_functions[] = {
    {"open_host_accessors", open_host_accessors, METH_NOARGS,
     "open_host_accessors($module, /)\n--\n\nThe host accessors that this thread has open, and where it asked for "
     "them."},
    {NULL, NULL, 0, NULL},
};

static PyMethodDef host_accessor_methods[] = {
    {"_wait", (PyCFunction)host_accessor_wait, METH_O,
     "_wait($self, seconds, /)\n--\n\nWait until the access is granted; False when time ran out."},
    {"_end", (PyCFunction)host_accessor_end, METH_NOARGS, "_end($self, /)\n--\n\nEnd the access."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef host_accessor_getset[] = {
    SYC_PY_REGION_GETSET,
    {"is_closed", (getter)get_closed, NULL, "True once the access has ended.", NULL},
    {"_buffer", (getter)get_buffer, NULL, "The buffer, while the access lasts.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef host_accessor_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(HostAccessorObject, accessor.weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot host_accessor_slots[] = {
    {Py_tp_new, host_accessor_new},
    {Py_tp_dealloc, host_accessor_dealloc},
    {Py_tp_traverse, host_accessor_traverse},
    {Py_tp_clear, host_accessor_clear},
    {Py_tp_methods, host_accessor_methods},
    {Py_tp_getset, host_accessor_getset},
    {Py_tp_members, host_accessor_members},
    {Py_bf_getbuffer, host_accessor_getbuffer},
    {Py_tp_doc, "The base of pysycl.HostAccessor."},
    {0, NULL},
};

PyType_Spec syc_host_accessor_spec = {
    .name = "pysycl._core.HostAccessor",
    .basicsize = sizeof(HostAccessorObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = host_accessor_slots,
};
