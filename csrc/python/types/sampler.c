/* Sampler: three modes; native objects are made where they are needed. */
#include "memory/sampler.h"
#include "cl/constants.h"
#include "python/memory/memory.h"
#include "python/pins.h"

/* SYCL's names for OpenCL's codes. */
struct word {
    const char *name;
    cl_uint code;
};

static const struct word addressings[] = {
    {"none", CL_ADDRESS_NONE},     {"clamp_to_edge", CL_ADDRESS_CLAMP_TO_EDGE},     {"clamp", CL_ADDRESS_CLAMP},
    {"repeat", CL_ADDRESS_REPEAT}, {"mirrored_repeat", CL_ADDRESS_MIRRORED_REPEAT}, {NULL, 0},
};
static const struct word filterings[] = {
    {"nearest", CL_FILTER_NEAREST},
    {"linear", CL_FILTER_LINEAR},
    {NULL, 0},
};

/* 0, which is no mode, for a name that is none: the core refuses it. */
static cl_uint code_of(const struct word *words, const char *name)
{
    while (words->name != NULL && strcmp(words->name, name) != 0)
        words++;
    return words->code;
}

static const char *name_of(const struct word *words, cl_uint code)
{
    while (words->name != NULL && words->code != code)
        words++;
    return words->name;
}

static PyObject *wrap(PyTypeObject *type, SYC_TAKE syc_sampler *core)
{
    SamplerObject *self = (SamplerObject *)type->tp_alloc(type, 0);
    if (self == NULL)
        syc_sampler_release(core);
    else
        self->core = core;
    return (PyObject *)self;
}

static PyObject *sampler_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    const char *addressing, *filtering;
    syc_sampler_modes modes;
    syc_sampler *core = NULL;
    int normalized;
    syc_status status;

    if (syc_py_no_keywords("Sampler", kwargs) < 0 ||
        !PyArg_ParseTuple(args, "pss:Sampler", &normalized, &addressing, &filtering))
        return NULL;
    modes = (syc_sampler_modes){normalized != 0, code_of(addressings, addressing), code_of(filterings, filtering)};
    status = syc_sampler_create(modes, &core);
    return status == SYC_OK ? wrap(type, core) : syc_py_raise(syc_state_of_type(type), status);
}

static void sampler_dealloc(SamplerObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    SYC_CORE_BEGIN
        syc_sampler_release(self->core);
    SYC_CORE_END
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *sampler_modes(SamplerObject *self, void *unused)
{
    syc_sampler_modes modes = syc_sampler_modes_of(self->core);
    (void)unused;
    return Py_BuildValue("Nss", PyBool_FromLong(modes.normalized), name_of(addressings, modes.addressing),
                         name_of(filterings, modes.filtering));
}

static PyObject *sampler_native(SamplerObject *self, PyObject *context)
{
    syc_state *state = syc_state_of(self);
    cl_sampler native = NULL;
    syc_status status;

    if (syc_py_core(state, SYC_FACE_CONTEXT, context, "context") == NULL)
        return NULL;
    SYC_CORE_BEGIN
        status = syc_sampler_native(self->core, ((ContextObject *)context)->core, &native);
    SYC_CORE_END
    return status == SYC_OK ? PyLong_FromVoidPtr(native) : syc_py_raise(state, status);
}

static PyObject *sampler_from_native(PyTypeObject *type, PyObject *args)
{
    syc_state *state = syc_state_of_type(type);
    PyObject *value, *context;
    syc_sampler *core = NULL;
    void *native;
    syc_status status;

    if (!PyArg_ParseTuple(args, "OO:_from_native", &value, &context) ||
        syc_py_native_in(state, value, context, "a sampler", &native) < 0)
        return NULL;
    status = syc_sampler_from_native(native, ((ContextObject *)context)->core, &core);
    return status == SYC_OK ? wrap(type, core) : syc_py_raise(state, status);
}

static PyMethodDef sampler_methods[] = {
    {"_native", (PyCFunction)sampler_native, METH_O,
     "_native($self, context, /)\n--\n\nThe cl_sampler in a context, valid as long as the sampler."},
    {"_from_native", (PyCFunction)sampler_from_native, METH_VARARGS | METH_CLASS,
     "_from_native($type, value, context, /)\n--\n\nWrap a cl_sampler of the context."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef sampler_getset[] = {
    {"_modes", (getter)sampler_modes, NULL, "Normalized coordinates or not, addressing, filtering.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot sampler_slots[] = {
    {Py_tp_new, sampler_new},       {Py_tp_dealloc, sampler_dealloc},           {Py_tp_methods, sampler_methods},
    {Py_tp_getset, sampler_getset}, {Py_tp_doc, "The base of pysycl.Sampler."}, {0, NULL},
};

PyType_Spec syc_sampler_spec = {
    .name = "pysycl._core.Sampler",
    .basicsize = sizeof(SamplerObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = sampler_slots,
};
