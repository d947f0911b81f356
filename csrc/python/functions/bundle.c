/* The parts of kernel bundles: programs specialised, compiled apart, linked, or made of something else than text.
 */

#include "base/alloc.h"
#include "cl/context.h"
#include "program/binary.h"
#include "program/link.h"
#include "program/specialise.h"
#include "python/pins.h"

static syc_state *state_of(PyObject *module)
{
    return PyModule_GetState(module);
}

/* Takes the core. The object comes last: no finaliser in Python sees a program without a core. */
static PyObject *wrap(syc_state *state, syc_status status, syc_program *core)
{
    ProgramObject *program;
    if (status != SYC_OK)
        return syc_py_raise(state, status);
    program = (ProgramObject *)syc_face_alloc(state, SYC_FACE_PROGRAM, NULL);
    if (program == NULL)
        syc_program_release(core);
    else
        program->core = core;
    return (PyObject *)program;
}

/* -- specialisation constants -- */

/* (name, id, text) of each, in the core's memory or the tuples'. */
static int read_constants(PyObject *given, syc_constant **out, Py_ssize_t *count)
{
    PyObject *const *items = ((PyTupleObject *)given)->ob_item;
    *count = PyTuple_GET_SIZE(given);
    *out = PyMem_New(syc_constant, *count > 0 ? *count : 1);
    if (*out == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < *count; i++) {
        unsigned long long id;
        if (!PyTuple_Check(items[i]) || !PyArg_ParseTuple(items[i], "sKs", &(*out)[i].name, &id, &(*out)[i].text)) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_TypeError, "a constant is a tuple (name, id, text)");
            PyMem_Free(*out);
            return -1;
        }
        (*out)[i].id = id;
    }
    return 0;
}

static PyObject *program_with(PyObject *module, PyObject *args)
{
    syc_state *state = state_of(module);
    const char *source, *options;
    Py_ssize_t length, count;
    PyObject *type, *given;
    syc_constant *constants;
    syc_program *core = NULL;
    ProgramObject *self;
    syc_status status;

    if (!PyArg_ParseTuple(args, "O!s#sO!", &PyType_Type, &type, &source, &length, &options, &PyTuple_Type, &given) ||
        read_constants(given, &constants, &count) < 0)
        return NULL;
    if (!PyType_IsSubtype((PyTypeObject *)type, state->base[SYC_FACE_PROGRAM])) {
        PyMem_Free(constants);
        PyErr_SetString(PyExc_TypeError, "program_with() makes Programs");
        return NULL;
    }
    status = syc_program_create_with(source, (size_t)length, options, constants, (size_t)count, &core);
    PyMem_Free(constants);
    if (status != SYC_OK)
        return syc_py_raise(state, status);
    self = (ProgramObject *)((PyTypeObject *)type)->tp_alloc((PyTypeObject *)type, 0);
    if (self == NULL)
        syc_program_release(core);
    else
        self->core = core;
    return (PyObject *)self;
}

static PyObject *program_constants(PyObject *module, PyObject *program)
{
    syc_state *state = state_of(module);
    const syc_constant *constants;
    PyObject *out;
    size_t count;

    if (syc_py_core(state, SYC_FACE_PROGRAM, program, "program") == NULL)
        return NULL;
    constants = syc_program_constants(((ProgramObject *)program)->core, &count);
    out = PyTuple_New((Py_ssize_t)count);
    for (size_t i = 0; out != NULL && i < count; i++)
        syc_py_put(&out, i,
                   Py_BuildValue("sKs", constants[i].name, (unsigned long long)constants[i].id, constants[i].text));
    return out;
}

static PyObject *program_specialise(PyObject *module, PyObject *args)
{
    syc_state *state = state_of(module);
    PyObject *program, *given;
    syc_constant *values;
    Py_ssize_t count;
    syc_program *core = NULL;
    syc_status status;

    if (!PyArg_ParseTuple(args, "O!O!", state->base[SYC_FACE_PROGRAM], &program, &PyTuple_Type, &given) ||
        read_constants(given, &values, &count) < 0)
        return NULL;
    status = syc_program_specialise(((ProgramObject *)program)->core, values, (size_t)count, &core);
    PyMem_Free(values);
    return wrap(state, status, core);
}

/* -- compiling and linking -- */

static PyObject *program_object(PyObject *module, PyObject *program)
{
    syc_state *state = state_of(module);
    syc_program *core = NULL;
    syc_status status;

    if (syc_py_core(state, SYC_FACE_PROGRAM, program, "program") == NULL)
        return NULL;
    status = syc_program_object(((ProgramObject *)program)->core, &core);
    return wrap(state, status, core);
}

/* (what it is made of, whether it is compiled only). */
static PyObject *program_origin(PyObject *module, PyObject *program)
{
    syc_state *state = state_of(module);
    const syc_program *core;
    core = syc_py_core(state, SYC_FACE_PROGRAM, program, "program");
    if (core == NULL)
        return NULL;
    return Py_BuildValue("sO", syc_program_made_of(core), syc_program_is_object(core) ? Py_True : Py_False);
}

/* The one context where it can be built, or None. */
static PyObject *program_home(PyObject *module, PyObject *program)
{
    syc_state *state = state_of(module);
    syc_context *home;
    if (syc_py_core(state, SYC_FACE_PROGRAM, program, "program") == NULL)
        return NULL;
    home = syc_program_home(((ProgramObject *)program)->core);
    if (home == NULL)
        Py_RETURN_NONE;
    syc_context_retain(home);
    return syc_py_context(state, NULL, home, Py_None);
}

static PyObject *program_link(PyObject *module, PyObject *args)
{
    syc_state *state = state_of(module);
    PyObject *given;
    const char *options;
    syc_program **parts, *core = NULL;
    Py_ssize_t count;
    syc_status status;

    if (!PyArg_ParseTuple(args, "O!s", &PyTuple_Type, &given, &options))
        return NULL;
    count = PyTuple_GET_SIZE(given);
    parts = PyMem_New(syc_program *, count > 0 ? count : 1);
    if (parts == NULL)
        return PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *part = PyTuple_GET_ITEM(given, i);
        if (!PyObject_TypeCheck(part, state->base[SYC_FACE_PROGRAM])) {
            PyMem_Free(parts);
            return syc_py_invalid(state, "parts: expected Programs, got %R", part);
        }
        parts[i] = ((ProgramObject *)part)->core;
    }
    status = syc_program_link(parts, (size_t)count, options, &core);
    PyMem_Free(parts);
    return wrap(state, status, core);
}

/* -- programs that are not text -- */

static PyObject *program_from_bytes(PyObject *module, PyObject *args)
{
    syc_state *state = state_of(module);
    PyObject *context;
    const char *declarations;
    Py_buffer data;
    int is_il;
    syc_program *core = NULL;
    syc_status status;

    if (!PyArg_ParseTuple(args, "O!y*zp", state->base[SYC_FACE_CONTEXT], &context, &data, &declarations, &is_il))
        return NULL;
    SYC_CORE_BEGIN
        status = (is_il ? syc_program_from_il : syc_program_from_binary)(((ContextObject *)context)->core, data.buf,
                                                                         (size_t)data.len, declarations, &core);
    SYC_CORE_END
    PyBuffer_Release(&data);
    return wrap(state, status, core);
}

static PyObject *program_built_in(PyObject *module, PyObject *args)
{
    syc_state *state = state_of(module);
    PyObject *context;
    const char *names, *declarations;
    syc_program *core = NULL;
    syc_status status;

    if (!PyArg_ParseTuple(args, "O!sz", state->base[SYC_FACE_CONTEXT], &context, &names, &declarations))
        return NULL;
    SYC_CORE_BEGIN
        status = syc_program_from_built_in(((ContextObject *)context)->core, names, declarations, &core);
    SYC_CORE_END
    return wrap(state, status, core);
}

static PyObject *program_binary(PyObject *module, PyObject *args)
{
    syc_state *state = state_of(module);
    PyObject *program, *context, *device, *out;
    syc_build *build = NULL;
    char *data = NULL;
    size_t size = 0;
    syc_status status;

    if (!PyArg_ParseTuple(args, "O!O!O!", state->base[SYC_FACE_PROGRAM], &program, state->base[SYC_FACE_CONTEXT],
                          &context, state->base[SYC_FACE_DEVICE], &device))
        return NULL;
    SYC_CORE_BEGIN
        status = syc_program_build(((ProgramObject *)program)->core, ((ContextObject *)context)->core, &build);
        if (status == SYC_OK)
            status = syc_build_binary(build, ((DeviceObject *)device)->core, &data, &size);
    SYC_CORE_END
    if (status != SYC_OK)
        return syc_py_raise(state, status);
    out = PyBytes_FromStringAndSize(data, (Py_ssize_t)size);
    syc_free(data);
    return out;
}

static PyObject *program_declarations(PyObject *module, PyObject *program)
{
    syc_state *state = state_of(module);
    char *text = NULL;
    PyObject *out;
    syc_status status;

    if (syc_py_core(state, SYC_FACE_PROGRAM, program, "program") == NULL)
        return NULL;
    status = syc_program_declarations(((ProgramObject *)program)->core, &text);
    if (status != SYC_OK)
        return syc_py_raise(state, status);
    out = PyUnicode_FromString(text);
    syc_free(text);
    return out;
}

PyMethodDef syc_bundle_methods[] = {
    {"program_with", program_with, METH_VARARGS,
     "program_with($module, face, source, options, constants, /)\n--\n\n"
     "A program with specialisation constants: tuples (name, id, text)."},
    {"program_constants", program_constants, METH_O,
     "program_constants($module, program, /)\n--\n\nIts constants, (name, id, text) each."},
    {"program_specialise", program_specialise, METH_VARARGS,
     "program_specialise($module, program, values, /)\n--\n\nThe program with other values: (name, id, text)."},
    {"program_object", program_object, METH_O,
     "program_object($module, program, /)\n--\n\nThe same program, to be compiled only."},
    {"program_origin", program_origin, METH_O,
     "program_origin($module, program, /)\n--\n\n(what it is made of, whether it is compiled only)."},
    {"program_home", program_home, METH_O,
     "program_home($module, program, /)\n--\n\nThe one context where it can be built, or None."},
    {"program_link", program_link, METH_VARARGS,
     "program_link($module, parts, options, /)\n--\n\nThe program linked of compiled ones."},
    {"program_from_bytes", program_from_bytes, METH_VARARGS,
     "program_from_bytes($module, context, data, declarations, is_il, /)\n--\n\nThe program of a binary or SPIR-V."},
    {"program_built_in", program_built_in, METH_VARARGS,
     "program_built_in($module, context, names, declarations, /)\n--\n\nKernels of the context's devices."},
    {"program_binary", program_binary, METH_VARARGS,
     "program_binary($module, program, context, device, /)\n--\n\nWhat the driver stores of the built program."},
    {"program_declarations", program_declarations, METH_O,
     "program_declarations($module, program, /)\n--\n\nOpenCL C that declares its kernels."},
    {NULL, NULL, 0, NULL},
};
