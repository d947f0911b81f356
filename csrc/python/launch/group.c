/* The accessors of a command group. */
#include "python/launch/group.h"

#include "python/types/host_task.h"

int syc_py_group_open(HandlerObject *group, const char *what)
{
    if (group->queue != NULL)
        return 0;
    syc_py_refuse(syc_state_of(group), SYC_E_INVALID,
                  "%s: the command group of this handler has ended; a handler is of use inside its submit() only",
                  what);
    return -1;
}

int syc_py_handler_check(syc_state *state, PyObject *object, const char *what)
{
    if (PyObject_TypeCheck(object, state->base[SYC_FACE_HANDLER]))
        return syc_py_group_open((HandlerObject *)object, what);
    syc_py_invalid(state, "%s: expected the Handler of a command group, got %R", what, object);
    return -1;
}

QueueObject *syc_py_handler_queue(PyObject *handler)
{
    return ((HandlerObject *)handler)->queue;
}

bool syc_py_handler_has(PyObject *handler, const AccessorObject *accessor)
{
    const HandlerObject *group = (HandlerObject *)handler;
    for (Py_ssize_t i = 0; group->accessors != NULL && i < PyList_GET_SIZE(group->accessors); i++) {
        if (PyList_GET_ITEM(group->accessors, i) == (PyObject *)accessor)
            return true;
    }
    return false;
}

const char *syc_py_accessor_refusal(PyObject *handler, const AccessorObject *accessor)
{
    if (accessor->placeholder)
        return handler == NULL || syc_py_handler_has(handler, accessor)
                   ? NULL
                   : "is a placeholder that the command group has not required: call handler.require(accessor) first";
    if (accessor->handler == NULL)
        return "is an accessor whose command group has ended: make one in each group";
    return accessor->handler == handler ? NULL : "is an accessor of another command group";
}

/* SYCL's rule for several accessors of one object in a group: at most one of its targets is written. */
static int check_conflicts(HandlerObject *group, const AccessorObject *accessor)
{
    syc_need a = syc_py_accessor_need(accessor);
    for (Py_ssize_t i = 0; group->accessors != NULL && i < PyList_GET_SIZE(group->accessors); i++) {
        const AccessorObject *other = (AccessorObject *)PyList_GET_ITEM(group->accessors, i);
        syc_need b = other->core == accessor->core ? syc_py_accessor_need(other) : (syc_need){0};
        if (syc_py_needs_check(syc_state_of(group), &a, &b) < 0)
            return -1;
    }
    return 0;
}

static int add_accessor(HandlerObject *group, AccessorObject *accessor)
{
    if (accessor->core != NULL && accessor->bytes > 0 && check_conflicts(group, accessor) < 0)
        return -1;
    if (group->accessors == NULL && (group->accessors = PyList_New(0)) == NULL)
        return -1;
    return PyList_Append(group->accessors, (PyObject *)accessor);
}

int syc_py_handler_take(syc_state *state, PyObject *handler, AccessorObject *accessor)
{
    if (syc_py_handler_check(state, handler, "handler") < 0 || add_accessor((HandlerObject *)handler, accessor) < 0)
        return -1;
    if (!accessor->placeholder)
        Py_XSETREF(accessor->handler, Py_NewRef(handler));
    return 0;
}

int syc_py_group_require(HandlerObject *group, PyObject *value)
{
    syc_state *state = syc_state_of(group);
    AccessorObject *accessor = (AccessorObject *)value;

    if (syc_py_group_open(group, "require") < 0)
        return -1;
    if (!syc_py_is_accessor(state, value)) {
        syc_py_invalid(state, "require: expected an Accessor, got %R", value);
        return -1;
    }
    if (accessor->core == NULL) {
        syc_py_refuse(state, SYC_E_ACCESSOR, "require: the accessor is empty: it stands for no buffer");
        return -1;
    }
    if (!accessor->placeholder && accessor->handler != (PyObject *)group) {
        syc_py_refuse(state, SYC_E_ACCESSOR, "require: the accessor belongs to %s",
                      accessor->handler == NULL ? "a command group that has ended" : "another command group");
        return -1;
    }
    return syc_py_handler_has((PyObject *)group, accessor) ? 0 : add_accessor(group, accessor);
}

int syc_py_accessors_add_to(syc_state *state, PyObject *accessors, syc_py_task *task, bool host)
{
    for (Py_ssize_t i = 0; accessors != NULL && i < PyList_GET_SIZE(accessors); i++) {
        AccessorObject *accessor = (AccessorObject *)PyList_GET_ITEM(accessors, i);
        syc_need need;
        if (accessor->core == NULL)
            continue;
        if (accessor->owner != NULL && syc_py_task_hold(task, accessor->owner) < 0)
            return -1;
        need = syc_py_accessor_need(accessor);
        if (need.bytes > 0 && syc_py_task_need(state, task, &need, NULL) < 0)
            return -1;
        if (host && syc_py_host_task_accessor(task, accessor) < 0)
            return -1;
    }
    return 0;
}

void syc_py_group_warn_forgotten(syc_state *state, syc_site site)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    if (state->warning != NULL &&
        PyErr_WarnExplicit(state->warning,
                           "the command of this line was never submitted: a handler that queue.submit() gives must be "
                           "used as `with queue.submit() as h:`",
                           site.file != NULL ? site.file : "<unknown>", site.line, NULL, NULL) < 0)
        PyErr_WriteUnraisable(NULL);
    PyErr_Restore(type, value, trace);
}

void syc_py_group_drop_accessors(HandlerObject *group)
{
    PyObject *accessors = group->accessors;
    group->accessors = NULL;
    for (Py_ssize_t i = 0; accessors != NULL && i < PyList_GET_SIZE(accessors); i++) {
        AccessorObject *accessor = (AccessorObject *)PyList_GET_ITEM(accessors, i);
        if (accessor->handler == (PyObject *)group)
            Py_CLEAR(accessor->handler);
    }
    Py_XDECREF(accessors);
}

/* -- which kernels it launches -- */

PyObject *syc_py_group_kernel(HandlerObject *self, PyObject *named)
{
    PyObject *kernels = Py_NewRef(self->kernels), *kernel;
    kernel = PyObject_CallMethod(kernels, "_kernel_for", "O", named);
    Py_DECREF(kernels);
    return kernel;
}

PyObject *syc_py_group_use(HandlerObject *self, PyObject *kernels)
{
    if (syc_py_group_open(self, "use_kernel_bundle") < 0)
        return NULL;
    if (self->command != NULL)
        return syc_py_refuse(syc_state_of(self), SYC_E_INVALID,
                             "use_kernel_bundle and set_specialization_constant come before the group's command");
    Py_XSETREF(self->kernels, Py_NewRef(kernels));
    Py_RETURN_NONE;
}

static PyObject *group_kernels(HandlerObject *self, void *unused)
{
    (void)unused;
    return Py_NewRef(self->kernels != NULL ? self->kernels : Py_None);
}

static PyObject *group_queue(HandlerObject *self, void *unused)
{
    (void)unused;
    return Py_NewRef(self->queue != NULL ? (PyObject *)self->queue : Py_None);
}

PyGetSetDef syc_py_group_getset[] = {
    {"_kernels", (getter)group_kernels, NULL, "What _use() was given, or None.", NULL},
    {"_group_queue", (getter)group_queue, NULL, "The queue; None once the group has ended.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
