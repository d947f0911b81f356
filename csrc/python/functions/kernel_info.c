/* Kernels of one context, and what a driver tells of a kernel. */
#include "cl/context.h"

#include "cl/sub_group.h"
#include "program/binary.h"
#include "program/kernel_info.h"
#include "python/launch/kernel_object.h"
#include "python/pins.h"
#include "source/declarations/signature.h"

/* Builds for the context; the GIL is dropped meanwhile. */
static syc_status build_for(PyObject *kernel, PyObject *context, syc_build **out)
{
    syc_status status;
    SYC_CORE_BEGIN
        status = syc_program_build(((KernelObject *)kernel)->core, ((ContextObject *)context)->core, out);
    SYC_CORE_END
    return status;
}

/* The same kernel, for queues of the context only. */
static PyObject *kernel_bind(PyObject *module, PyObject *args)
{
    syc_state *state = PyModule_GetState(module);
    PyObject *kernel, *context;
    KernelObject *bound;

    if (!PyArg_ParseTuple(args, "O!O!", state->base[SYC_FACE_KERNEL], &kernel, state->base[SYC_FACE_CONTEXT], &context))
        return NULL;
    bound = (KernelObject *)syc_face_alloc(state, SYC_FACE_KERNEL, NULL);
    if (bound == NULL)
        return NULL;
    bound->core = ((KernelObject *)kernel)->core;
    syc_program_retain(bound->core);
    bound->index = ((KernelObject *)kernel)->index;
    bound->home = ((ContextObject *)context)->core;
    syc_context_retain(bound->home);
    return (PyObject *)bound;
}

/* The context that the kernel is bound to, or None. */
static PyObject *kernel_home(PyObject *module, PyObject *kernel)
{
    syc_state *state = PyModule_GetState(module);
    syc_context *home;
    if (syc_py_core(state, SYC_FACE_KERNEL, kernel, "kernel") == NULL)
        return NULL;
    home = ((KernelObject *)kernel)->home;
    if (home == NULL)
        home = syc_program_home(((KernelObject *)kernel)->core);
    if (home == NULL)
        Py_RETURN_NONE;
    syc_context_retain(home);
    return syc_py_context(state, NULL, home, Py_None);
}

static PyObject *kernel_query(PyObject *module, PyObject *args)
{
    syc_state *state = PyModule_GetState(module);
    PyObject *kernel, *context, *out;
    unsigned what;
    int is_text;
    syc_info info = {0};
    syc_build *build = NULL;
    syc_status status;

    if (!PyArg_ParseTuple(args, "O!O!Ip", state->base[SYC_FACE_KERNEL], &kernel, state->base[SYC_FACE_CONTEXT],
                          &context, &what, &is_text))
        return NULL;
    status = build_for(kernel, context, &build);
    if (status == SYC_OK)
        status = syc_kernel_info(build, ((KernelObject *)kernel)->index, what,
                                 is_text ? SYC_INFO_STRING : SYC_INFO_UINT, &info);
    if (status != SYC_OK)
        return syc_py_raise(state, status);
    out = is_text ? PyUnicode_DecodeUTF8(info.string, (Py_ssize_t)strlen(info.string), "replace")
                  : PyLong_FromUnsignedLongLong(info.number);
    syc_info_clear(&info);
    return out;
}

/* Three sizes in SYCL's order. */
static PyObject *kernel_sizes(PyObject *module, PyObject *args)
{
    syc_state *state = PyModule_GetState(module);
    PyObject *kernel, *context, *device;
    unsigned what;
    size_t sizes[3] = {0};
    syc_build *build = NULL;
    syc_status status;

    if (!PyArg_ParseTuple(args, "O!O!O!I", state->base[SYC_FACE_KERNEL], &kernel, state->base[SYC_FACE_CONTEXT],
                          &context, state->base[SYC_FACE_DEVICE], &device, &what))
        return NULL;
    status = build_for(kernel, context, &build);
    if (status == SYC_OK)
        status =
            syc_kernel_group_sizes(build, ((KernelObject *)kernel)->index, ((DeviceObject *)device)->core, what, sizes);
    return status == SYC_OK ? Py_BuildValue("nnn", sizes[2], sizes[1], sizes[0]) : syc_py_raise(state, status);
}

static PyObject *kernel_sub_groups(PyObject *module, PyObject *args)
{
    syc_state *state = PyModule_GetState(module);
    PyObject *kernel, *context, *device;
    unsigned what;
    Py_ssize_t x, y, z;
    size_t answer = 0;
    syc_build *build = NULL;
    syc_status status;

    if (!PyArg_ParseTuple(args, "O!O!O!I(nnn)", state->base[SYC_FACE_KERNEL], &kernel, state->base[SYC_FACE_CONTEXT],
                          &context, state->base[SYC_FACE_DEVICE], &device, &what, &z, &y, &x))
        return NULL;
    status = build_for(kernel, context, &build);
    if (status == SYC_OK) {
        size_t local[3] = {(size_t)x, (size_t)y, (size_t)z};
        status = syc_kernel_sub_groups(build, ((KernelObject *)kernel)->index, ((DeviceObject *)device)->core, what,
                                       local, &answer);
    }
    return status == SYC_OK ? PyLong_FromSize_t(answer) : syc_py_raise(state, status);
}

static PyObject *kernel_sub_group_size(PyObject *module, PyObject *args)
{
    syc_state *state = PyModule_GetState(module);
    PyObject *kernel, *context;
    const KernelObject *k;

    if (!PyArg_ParseTuple(args, "O!O!", state->base[SYC_FACE_KERNEL], &kernel, state->base[SYC_FACE_CONTEXT], &context))
        return NULL;
    k = (KernelObject *)kernel;
    return Py_BuildValue("nn", syc_kernel_sub_group_size(k->core, ((ContextObject *)context)->core),
                         syc_program_signatures(k->core)->items[k->index].required_sub_group);
}

static PyObject *sub_group_sizes(PyObject *module, PyObject *device)
{
    syc_state *state = PyModule_GetState(module);
    syc_info sizes = {0};
    syc_status status;
    PyObject *list;

    if (!PyObject_TypeCheck(device, state->base[SYC_FACE_DEVICE]))
        return PyErr_Format(PyExc_TypeError, "sub_group_sizes: expected a Device, not %R", device);
    status = syc_sub_group_sizes(((DeviceObject *)device)->core, &sizes);
    if (status != SYC_OK)
        return syc_py_raise(state, status);
    list = PyList_New((Py_ssize_t)sizes.count);
    for (size_t i = 0; list != NULL && i < sizes.count; i++)
        syc_py_put(&list, i, PyLong_FromLongLong(sizes.numbers[i]));
    syc_info_clear(&sizes);
    return list;
}

/* Raises if the device cannot run the kernel, whatever its compiler says. */
static PyObject *kernel_check(PyObject *module, PyObject *args)
{
    syc_state *state = PyModule_GetState(module);
    PyObject *kernel, *device;
    const KernelObject *k;
    syc_status status;

    if (!PyArg_ParseTuple(args, "O!O!", state->base[SYC_FACE_KERNEL], &kernel, state->base[SYC_FACE_DEVICE], &device))
        return NULL;
    k = (KernelObject *)kernel;
    status = syc_kernel_check(((DeviceObject *)device)->core, &syc_program_signatures(k->core)->items[k->index]);
    if (status != SYC_OK)
        return syc_py_raise(state, status);
    Py_RETURN_NONE;
}

PyMethodDef syc_kernel_info_methods[] = {
    {"kernel_check", kernel_check, METH_VARARGS,
     "kernel_check($module, kernel, device, /)\n--\n\nRaises if the device cannot run the kernel."},
    {"kernel_bind", kernel_bind, METH_VARARGS,
     "kernel_bind($module, kernel, context, /)\n--\n\nThe kernel for queues of the context only."},
    {"kernel_home", kernel_home, METH_O, "kernel_home($module, kernel, /)\n--\n\nThe context it is bound to, or None."},
    {"kernel_query", kernel_query, METH_VARARGS,
     "kernel_query($module, kernel, context, what, is_text, /)\n--\n\nclGetKernelInfo."},
    {"kernel_sizes", kernel_sizes, METH_VARARGS,
     "kernel_sizes($module, kernel, context, device, what, /)\n--\n\nclGetKernelWorkGroupInfo, three sizes."},
    {"kernel_sub_groups", kernel_sub_groups, METH_VARARGS,
     "kernel_sub_groups($module, kernel, context, device, what, local, /)\n--\n\nclGetKernelSubGroupInfo."},
    {"kernel_sub_group_size", kernel_sub_group_size, METH_VARARGS,
     "kernel_sub_group_size($module, kernel, context, /)\n--\n\n"
     "Work-items of its sub-groups in the context, 0: the driver chooses; and of those it requires."},
    {"sub_group_sizes", sub_group_sizes, METH_O,
     "sub_group_sizes($module, device, /)\n--\n\nThe sizes that a kernel may require."},
    {NULL, NULL, 0, NULL},
};
