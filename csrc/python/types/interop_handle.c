/* InteropHandle: the native objects behind a host task, for its function while it runs. */
#include "cl/context.h"
#include "python/types/crew.h"
#include "schedule/host_task.h"
#include "schedule/queue.h"

static int handle_traverse(InteropHandleObject *self, visitproc visit, void *arg)
{
    Py_VISIT(self->callable);
    Py_VISIT(self->accessors);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

static int handle_clear(InteropHandleObject *self)
{
    syc_py_host_task_retire(self);
    Py_CLEAR(self->accessors);
    return 0;
}

static void handle_dealloc(InteropHandleObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    handle_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static syc_queue *queue_of(InteropHandleObject *self)
{
    if (self->core != NULL)
        return syc_command_queue(self->core);
    syc_py_refuse(syc_state_of(self), SYC_E_INVALID_OBJECT,
                  "the interop handle is of use only while its host task runs");
    return NULL;
}

static PyObject *native_queue(InteropHandleObject *self, PyObject *unused)
{
    syc_queue *queue = queue_of(self);
    (void)unused;
    return queue != NULL ? PyLong_FromVoidPtr(syc_queue_native(queue)) : NULL;
}

static PyObject *native_context(InteropHandleObject *self, PyObject *unused)
{
    syc_queue *queue = queue_of(self);
    (void)unused;
    return queue != NULL ? PyLong_FromVoidPtr(syc_queue_context(queue)->native) : NULL;
}

static PyObject *native_device(InteropHandleObject *self, PyObject *unused)
{
    syc_queue *queue = queue_of(self);
    (void)unused;
    return queue != NULL ? PyLong_FromVoidPtr(syc_queue_device(queue)->lanes[SYC_LANE_POOL]) : NULL;
}

static PyObject *native_platform(InteropHandleObject *self, PyObject *unused)
{
    syc_queue *queue = queue_of(self);
    (void)unused;
    return queue != NULL ? PyLong_FromVoidPtr(syc_queue_device(queue)->platform->id) : NULL;
}

static bool has_accessor(const InteropHandleObject *self, PyObject *accessor)
{
    for (Py_ssize_t i = 0; self->accessors != NULL && i < PyList_GET_SIZE(self->accessors); i++) {
        if (PyList_GET_ITEM(self->accessors, i) == accessor)
            return true;
    }
    return false;
}

static PyObject *native_mem(InteropHandleObject *self, PyObject *accessor)
{
    syc_state *state = syc_state_of(self);
    AccessorObject *a = (AccessorObject *)accessor;
    cl_mem memory = NULL;
    syc_status status;

    if (queue_of(self) == NULL)
        return NULL;
    if (!PyObject_TypeCheck(accessor, state->base[SYC_FACE_ACCESSOR]))
        return syc_py_invalid(state, "accessor: expected an Accessor of the host task's command group, got %R",
                              accessor);
    if (!has_accessor(self, accessor))
        return syc_py_refuse(state, SYC_E_INVALID_OBJECT,
                             "the accessor is not one of the command group that this host task belongs to");
    if (a->target == SYC_PY_HOST_TASK)
        return syc_py_refuse(state, SYC_E_INVALID_OBJECT,
                             "the accessor's target is host_task: it gives data; native memory goes with the targets "
                             "device and constant");
    if (a->core == NULL)
        return syc_py_refuse(state, SYC_E_INVALID_OBJECT, "the accessor is empty: it has no memory");
    status = syc_host_task_memory(self->core, a->core, a->low, a->bytes, &memory); /* the GIL keeps callers apart */
    return status == SYC_OK ? PyLong_FromVoidPtr(memory) : syc_py_raise(state, status);
}

static PyMethodDef handle_methods[] = {
    {"get_native_queue", (PyCFunction)native_queue, METH_NOARGS,
     "get_native_queue($self, /)\n--\n\nThe cl_command_queue of the queue that the host task was submitted to."},
    {"get_native_context", (PyCFunction)native_context, METH_NOARGS,
     "get_native_context($self, /)\n--\n\nThe cl_context of that queue."},
    {"get_native_device", (PyCFunction)native_device, METH_NOARGS,
     "get_native_device($self, /)\n--\n\nThe cl_device_id of that queue."},
    {"get_native_platform", (PyCFunction)native_platform, METH_NOARGS,
     "get_native_platform($self, /)\n--\n\nThe cl_platform_id of that queue's device."},
    {"get_native_mem", (PyCFunction)native_mem, METH_O,
     "get_native_mem($self, accessor, /)\n--\n\nThe cl_mem of what an accessor of the command group leads to."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot handle_slots[] = {
    {Py_tp_dealloc, handle_dealloc},
    {Py_tp_traverse, handle_traverse},
    {Py_tp_clear, handle_clear},
    {Py_tp_methods, handle_methods},
    {Py_tp_doc, "The base of pysycl.InteropHandle."},
    {0, NULL},
};

PyType_Spec syc_interop_handle_spec = {
    .name = "pysycl._core.InteropHandle",
    .basicsize = sizeof(InteropHandleObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE |
             Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = handle_slots,
};
