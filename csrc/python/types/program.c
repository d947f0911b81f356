/* Program and Kernel: OpenCL C text, and the kernels that it defines. */
#include "base/alloc.h"
#include "cl/context.h"
#include "python/launch/kernel_object.h"
#include "python/pins.h"
#include "source/declarations/signature.h"

/* The object comes last: the finaliser of a class derived in Python sees no program without a core. Takes `core`. */
static PyObject *wrap(PyTypeObject *type, syc_program *core)
{
    ProgramObject *self = (ProgramObject *)type->tp_alloc(type, 0);
    if (self == NULL)
        syc_program_release(core);
    else
        self->core = core;
    return (PyObject *)self;
}

static PyObject *program_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    syc_state *state = syc_state_of_type(type);
    const char *source, *options;
    Py_ssize_t length;
    syc_program *core = NULL;
    syc_status status;

    if (syc_py_no_keywords("Program", kwargs) < 0 || !PyArg_ParseTuple(args, "s#s:Program", &source, &length, &options))
        return NULL;
    status = syc_program_create(source, (size_t)length, options, &core);
    return status == SYC_OK ? wrap(type, core) : syc_py_raise(state, status);
}

static void program_dealloc(ProgramObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    SYC_CORE_BEGIN
        syc_program_release(self->core);
    SYC_CORE_END
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *program_kernel_names(ProgramObject *self, void *unused)
{
    const syc_signatures *signatures = syc_program_signatures(self->core);
    PyObject *names = PyTuple_New((Py_ssize_t)signatures->count);
    (void)unused;
    for (size_t i = 0; names != NULL && i < signatures->count; i++)
        syc_py_put(&names, i, PyUnicode_FromString(signatures->items[i].name));
    return names;
}

/* The kernel of that name; None if the text has none. */
static PyObject *program_kernel(ProgramObject *self, PyObject *argument)
{
    syc_state *state = syc_state_of(self);
    const syc_signatures *signatures = syc_program_signatures(self->core);
    Py_ssize_t length;
    const char *name = PyUnicode_AsUTF8AndSize(argument, &length);
    const syc_signature *found;
    KernelObject *kernel;

    if (name == NULL)
        return NULL;
    found = strlen(name) == (size_t)length ? syc_signatures_find(signatures, name) : NULL;
    if (found == NULL)
        Py_RETURN_NONE;
    kernel = (KernelObject *)syc_face_alloc(state, SYC_FACE_KERNEL, NULL);
    if (kernel == NULL)
        return NULL;
    syc_program_retain(self->core);
    kernel->core = self->core;
    kernel->index = (size_t)(found - signatures->items);
    return (PyObject *)kernel;
}

/* Builds for the context now and returns the compiler's log. */
static PyObject *program_build(ProgramObject *self, PyObject *context)
{
    syc_state *state = syc_state_of(self);
    syc_context *core;
    syc_build *build = NULL;
    char *log = NULL;
    syc_status status;
    PyObject *text;

    core = syc_py_core(state, SYC_FACE_CONTEXT, context, "context");
    if (core == NULL)
        return NULL;
    SYC_CORE_BEGIN
        status = syc_program_build(self->core, core, &build);
        if (status == SYC_OK)
            status = syc_build_log(build, core->devices[0], &log);
    SYC_CORE_END
    if (status != SYC_OK)
        return syc_py_raise(state, status);
    text = PyUnicode_DecodeUTF8(log, (Py_ssize_t)strlen(log), "replace");
    syc_free(log);
    return text;
}

static PyObject *program_is_built(ProgramObject *self, PyObject *context)
{
    syc_state *state = syc_state_of(self);
    if (syc_py_core(state, SYC_FACE_CONTEXT, context, "context") == NULL)
        return NULL;
    return PyBool_FromLong(syc_program_is_built(self->core, ((ContextObject *)context)->core));
}

/* The cl_program of the build for the context, valid as long as the program. */
static PyObject *program_native(ProgramObject *self, PyObject *context)
{
    syc_state *state = syc_state_of(self);
    syc_context *core;
    syc_build *build = NULL;
    syc_status status;

    core = syc_py_core(state, SYC_FACE_CONTEXT, context, "context");
    if (core == NULL)
        return NULL;
    SYC_CORE_BEGIN
        status = syc_program_build(self->core, core, &build);
    SYC_CORE_END
    if (status != SYC_OK)
        return syc_py_raise(state, status);
    syc_build_pin(build);
    return PyLong_FromVoidPtr(syc_build_native(build));
}

static PyObject *program_from_native(PyTypeObject *type, PyObject *value)
{
    syc_state *state = syc_state_of_type(type);
    syc_program *core = NULL;
    void *native;
    syc_status status;

    if (syc_py_native_handle(state, value, "Program.from_int_ptr", &native) < 0)
        return NULL;
    status = syc_program_from_native(native, &core);
    return status == SYC_OK ? wrap(type, core) : syc_py_raise(state, status);
}

static PyObject *program_source(ProgramObject *self, void *unused)
{
    size_t length;
    const char *source = syc_program_source(self->core, &length);
    (void)unused;
    return PyUnicode_DecodeUTF8(source, (Py_ssize_t)length, "replace");
}

static PyObject *program_options(ProgramObject *self, void *unused)
{
    (void)unused;
    return PyUnicode_FromString(syc_program_options(self->core));
}

static PyMethodDef program_methods[] = {
    {"_kernel", (PyCFunction)program_kernel, METH_O, "_kernel($self, name, /)\n--\n\nThe kernel or None."},
    {"_build", (PyCFunction)program_build, METH_O, "_build($self, context, /)\n--\n\nBuild now; the compiler's log."},
    {"_is_built", (PyCFunction)program_is_built, METH_O, "_is_built($self, context, /)\n--\n\nTrue after a build."},
    {"_native", (PyCFunction)program_native, METH_O,
     "_native($self, context, /)\n--\n\nThe cl_program, valid as long as the program."},
    {"_from_native", (PyCFunction)program_from_native, METH_O | METH_CLASS,
     "_from_native($type, value, /)\n--\n\nWrap a cl_program."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef program_getset[] = {
    {"kernel_names", (getter)program_kernel_names, NULL, "Names of the kernels, in the order of the text.", NULL},
    {"source", (getter)program_source, NULL, "The OpenCL C text.", NULL},
    {"options", (getter)program_options, NULL, "The build options, as one string.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot program_slots[] = {
    {Py_tp_new, program_new},
    {Py_tp_dealloc, program_dealloc},
    {Py_tp_methods, program_methods},
    {Py_tp_getset, program_getset},
    {Py_tp_richcompare, syc_py_handle_compare},
    {Py_tp_hash, syc_py_handle_hash},
    {Py_tp_doc, "The base of pysycl.Program."},
    {0, NULL},
};

PyType_Spec syc_program_spec = {
    .name = "pysycl._core.Program",
    .basicsize = sizeof(ProgramObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = program_slots,
};
