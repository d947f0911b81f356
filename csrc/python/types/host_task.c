/* Host tasks being put together. */
#include "python/types/host_task.h"

#include "schedule/task.h"

int syc_py_host_task_prepare(syc_state *state, PyObject *callable, syc_py_task *task)
{
    PyObject *module = PyImport_ImportModule("pysycl.host_task");
    PyObject *wanted = module != NULL ? PyObject_CallMethod(module, "takes_handle", "O", callable) : NULL;
    InteropHandleObject *self = NULL;
    int failed = -1;

    Py_XDECREF(module);
    if (wanted != NULL)
        self = (InteropHandleObject *)syc_face_alloc(state, SYC_FACE_INTEROP_HANDLE, NULL);
    if (self != NULL) {
        self->callable = Py_NewRef(callable);
        self->wanted = wanted == Py_True;
        failed = syc_py_crew_expect();
    }
    if (failed == 0)
        failed = syc_py_task_hold(task, (PyObject *)self);
    if (failed == 0)
        task->core.ops = &syc_host_task_ops;
    Py_XDECREF(wanted);
    Py_XDECREF((PyObject *)self);
    return failed;
}

int syc_py_host_task_accessor(syc_py_task *task, AccessorObject *accessor)
{
    InteropHandleObject *self = syc_py_host_task_of(syc_state_of(accessor), task->pins);
    if (self->accessors == NULL)
        self->accessors = PyList_New(0);
    return self->accessors != NULL ? PyList_Append(self->accessors, (PyObject *)accessor) : -1;
}
