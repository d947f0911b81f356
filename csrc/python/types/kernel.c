/* Kernel: one kernel of a program, and what is known of it without building. */
#include "program/native_kernel.h"
#include "python/launch/kernel_object.h"
#include "python/pins.h"
#include "source/declarations/signature.h"

static void kernel_dealloc(KernelObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    SYC_CORE_BEGIN
        if (self->given != NULL)
            syc_native_kernel_release(self->home, self->given);
        if (self->lender != NULL)
            syc_build_give_kernel(self->lender, self->index, 0, self->exported);
        syc_program_release(self->core);
        syc_context_release(self->home);
    SYC_CORE_END
    type->tp_free(self);
    Py_DECREF(type);
}

/* Two objects for one kernel of one program are equal. */
static PyObject *kernel_compare(PyObject *a, PyObject *b, int operation)
{
    const KernelObject *x = (KernelObject *)a, *y = (KernelObject *)b;
    bool same;
    if ((operation != Py_EQ && operation != Py_NE) || !PyObject_TypeCheck(b, syc_state_of(a)->base[SYC_FACE_KERNEL]))
        Py_RETURN_NOTIMPLEMENTED;
    same = x->core == y->core && x->index == y->index;
    return PyBool_FromLong(same == (operation == Py_EQ));
}

static Py_hash_t kernel_hash(PyObject *self)
{
    const KernelObject *kernel = (KernelObject *)self;
    Py_hash_t hash = _Py_HashPointer(kernel->core) ^ (Py_hash_t)kernel->index;
    return hash == -1 ? -2 : hash;
}

static const syc_signature *signature_of(const KernelObject *self)
{
    return &syc_program_signatures(self->core)->items[self->index];
}

static PyObject *kernel_name(KernelObject *self, void *unused)
{
    (void)unused;
    return PyUnicode_FromString(signature_of(self)->name);
}

static PyObject *kernel_program(KernelObject *self, void *unused)
{
    syc_state *state = syc_state_of(self);
    ProgramObject *program = (ProgramObject *)syc_face_alloc(state, SYC_FACE_PROGRAM, NULL);
    (void)unused;
    if (program != NULL) {
        syc_program_retain(self->core);
        program->core = self->core;
    }
    return (PyObject *)program;
}

static PyObject *kernel_parameters(KernelObject *self, void *unused)
{
    const syc_signature *signature = signature_of(self);
    PyObject *list = PyTuple_New((Py_ssize_t)signature->count);
    (void)unused;
    for (size_t i = 0; list != NULL && i < signature->count; i++)
        syc_py_put(&list, i, PyUnicode_FromString(signature->params[i].text));
    return list;
}

/* (max_group, multiple, required group in SYCL's order or None, local bytes, private bytes) on one device. */
static PyObject *kernel_limits(KernelObject *self, PyObject *args)
{
    syc_state *state = syc_state_of(self);
    PyObject *context, *device, *required;
    const syc_kernel_limits *limits = NULL;
    syc_build *build = NULL;
    syc_status status;

    if (!PyArg_ParseTuple(args, "O!O!", state->base[SYC_FACE_CONTEXT], &context, state->base[SYC_FACE_DEVICE], &device))
        return NULL;
    SYC_CORE_BEGIN
        status = syc_program_build(self->core, ((ContextObject *)context)->core, &build);
        if (status == SYC_OK)
            status = syc_build_limits(build, self->index, ((DeviceObject *)device)->core, &limits);
    SYC_CORE_END
    if (status != SYC_OK)
        return syc_py_raise(state, status);
    required = limits->required_group[0] == 0 ? Py_NewRef(Py_None)
                                              : Py_BuildValue("nnn", limits->required_group[2],
                                                              limits->required_group[1], limits->required_group[0]);
    return Py_BuildValue("nnNKK", limits->max_group, limits->multiple, required,
                         (unsigned long long)limits->local_bytes, (unsigned long long)limits->private_bytes);
}

/* The cl_kernel for the context: one that no launch uses, valid as long as this object; or the one that it was made
 * from. */
static PyObject *kernel_native(KernelObject *self, PyObject *context)
{
    syc_state *state = syc_state_of(self);
    syc_build *build = NULL;
    syc_status status = SYC_OK;

    if (syc_py_core(state, SYC_FACE_CONTEXT, context, "context") == NULL)
        return NULL;
    if (self->given != NULL)
        return PyLong_FromVoidPtr(self->given);
    SYC_CORE_BEGIN
        status = syc_program_build(self->core, ((ContextObject *)context)->core, &build);
    SYC_CORE_END
    if (status == SYC_OK && self->lender != NULL && self->lender != build)
        return syc_py_refuse(state, SYC_E_INVALID_OBJECT, "the kernel's handle was taken for another context before");
    if (status == SYC_OK && self->lender == NULL) {
        status = syc_build_take_kernel(build, self->index, 0, &self->exported);
        self->lender = status == SYC_OK ? build : NULL;
        if (status == SYC_OK)
            syc_build_pin(build);
    }
    return status == SYC_OK ? PyLong_FromVoidPtr(self->exported) : syc_py_raise(state, status);
}

static PyObject *kernel_from_native(PyTypeObject *type, PyObject *value)
{
    syc_state *state = syc_state_of_type(type);
    KernelObject *self;
    syc_program *core = NULL;
    syc_context *context = NULL;
    size_t index = 0;
    void *native;
    syc_status status;

    if (syc_py_native_handle(state, value, "Kernel.from_int_ptr", &native) < 0)
        return NULL;
    SYC_CORE_BEGIN
        status = syc_program_from_native_kernel(native, &core, &index);
        if (status == SYC_OK)
            status = syc_native_kernel_retain(native, &context);
        if (status != SYC_OK)
            syc_program_release(core);
    SYC_CORE_END
    if (status != SYC_OK)
        return syc_py_raise(state, status);
    self = (KernelObject *)type->tp_alloc(type, 0); /* last: a finaliser in Python sees no kernel without a core */
    if (self == NULL) {
        SYC_CORE_BEGIN
            syc_native_kernel_release(context, native);
            syc_context_release(context);
            syc_program_release(core);
        SYC_CORE_END
        return NULL;
    }
    self->core = core;
    self->index = index;
    self->given = native;
    self->home = context;
    return (PyObject *)self;
}

static PyObject *kernel_attributes(KernelObject *self, void *unused)
{
    (void)unused;
    return PyUnicode_FromString(signature_of(self)->attributes);
}

static PyMethodDef kernel_methods[] = {
    {"_limits", (PyCFunction)kernel_limits, METH_VARARGS,
     "_limits($self, context, device, /)\n--\n\nWhat the device grants the kernel."},
    {"_native", (PyCFunction)kernel_native, METH_O,
     "_native($self, context, /)\n--\n\nThe cl_kernel, valid as long as this object."},
    {"_from_native", (PyCFunction)kernel_from_native, METH_O | METH_CLASS,
     "_from_native($type, value, /)\n--\n\nThe kernel of the same name in the cl_kernel's program."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef kernel_getset[] = {
    {"name", (getter)kernel_name, NULL, "The kernel's name.", NULL},
    {"program", (getter)kernel_program, NULL, "The program that defines it.", NULL},
    {"_attributes", (getter)kernel_attributes, NULL, "Its attributes as the text writes them.", NULL},
    {"parameters", (getter)kernel_parameters, NULL, "Its parameters as the text declares them.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyObject *kernel_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    (void)args;
    (void)kwargs;
    PyErr_Format(PyExc_TypeError, "%s objects come from a Program: program.name or program.kernel(name)",
                 type->tp_name);
    return NULL;
}

static PyType_Slot kernel_slots[] = {
    {Py_tp_new, kernel_new},
    {Py_tp_dealloc, kernel_dealloc},
    {Py_tp_methods, kernel_methods},
    {Py_tp_getset, kernel_getset},
    {Py_tp_richcompare, kernel_compare},
    {Py_tp_hash, kernel_hash},
    {Py_tp_doc, "The base of pysycl.Kernel."},
    {0, NULL},
};

PyType_Spec syc_kernel_spec = {
    .name = "pysycl._core.Kernel",
    .basicsize = sizeof(KernelObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = kernel_slots,
};
