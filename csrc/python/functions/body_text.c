/* Functions of the module that speak of bodies: the text that a device is given. */
#include "python/body/body.h"

#include "body/name.h"
#include "body/own.h"
#include "library/checks/group_calls.h"
#include "library/library.h"
#include "python/launch/launch.h"
#include "schedule/queue.h"
#include "source/standard_macros.h"

/* The queue or device that the text is for. */
static const syc_device *device_of(syc_state *state, PyObject *object)
{
    if (PyObject_TypeCheck(object, state->base[SYC_FACE_QUEUE]))
        return syc_queue_device(((QueueObject *)object)->core);
    if (PyObject_TypeCheck(object, state->base[SYC_FACE_DEVICE]))
        return ((DeviceObject *)object)->core;
    syc_py_invalid(state, "queue_or_device: expected a Queue or a Device, got %R", object);
    return NULL;
}

static PyObject *source_of(const syc_program *program)
{
    size_t length;
    const char *source = syc_program_source(program, &length);
    return PyUnicode_DecodeUTF8(source, (Py_ssize_t)length, "replace");
}

static PyObject *body_source(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    syc_state *state = PyModule_GetState(module);
    const syc_device *device;
    syc_py_body_use use;
    syc_py_launch launch = {.program = NULL};
    syc_py_call call;
    syc_py_task task;
    PyObject *source = NULL;

    if (count != 3) {
        PyErr_SetString(PyExc_TypeError, "body_source() takes a device, a range and a body");
        return NULL;
    }
    device = device_of(state, args[0]);
    if (device == NULL || syc_py_call_parse(state, "kernel_source", true, false, args + 1, count - 1, names, &call) < 0)
        return NULL;
    if (call.range == Py_None)
        call.range = NULL;
    syc_py_task_start(&task);
    if (syc_py_launch_range(state, &call, &launch) == 0 &&
        syc_py_body_use_open(state, device, &call, &task, &use) == 0) {
        if (syc_py_body_use_lower(&use, device, NULL, &launch) == 0)
            source = source_of(use.lowered->program);
        syc_py_body_use_clear(&use);
    }
    syc_py_task_clear(&task);
    return source;
}

static PyObject *body_reach(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    syc_state *state = PyModule_GetState(module);
    syc_py_launch launch = {.program = NULL};
    syc_py_call call;
    syc_py_task task;
    syc_py_scope scope = {state, NULL, NULL, &task};
    int failed;

    if (count != 3 || !PyObject_TypeCheck(args[0], state->base[SYC_FACE_QUEUE])) {
        PyErr_SetString(PyExc_TypeError, "body_reach() takes a queue, a range and a body");
        return NULL;
    }
    scope.queue = (QueueObject *)args[0];
    if (syc_py_call_parse(state, "body_reach", true, false, args + 1, count - 1, names, &call) < 0)
        return NULL;
    if (call.range == Py_None)
        call.range = NULL;
    syc_py_task_start(&task);
    failed = syc_py_launch_prepare(&scope, &call, &launch);
    syc_py_launch_clear(&launch);
    syc_py_task_clear(&task);
    return failed < 0 ? NULL : Py_NewRef(Py_None);
}

/* -1 with an error set. */
static int add_words(PyObject *list, const char *const *names)
{
    for (; names != NULL && *names != NULL; names++) {
        PyObject *word = PyUnicode_FromString(*names);
        int failed = word == NULL || PyList_Append(list, word) < 0;
        Py_XDECREF(word);
        if (failed)
            return -1;
    }
    return 0;
}

/* For each name whether `parted`, a tuple of names, has it. -1 with an error set. */
static int mark_parted(const syc_body_source *source, PyObject *parted, bool *out)
{
    for (size_t i = 0; i < source->count; i++) {
        PyObject *name = PyUnicode_FromString(source->names[i].name);
        int found = name != NULL ? PySequence_Contains(parted, name) : -1;
        Py_XDECREF(name);
        if (found < 0)
            return -1;
        out[i] = found > 0;
    }
    return 0;
}

/* A tuple of the names of the body's own elements. NULL with an error set. */
static PyObject *own_names(syc_state *state, const syc_body *body, PyObject *parted)
{
    const syc_body_source *source = syc_body_source_of(body);
    bool *marks = PyMem_Calloc(source->count + 1, sizeof *marks);
    PyObject *list = PyList_New(0), *own = NULL;
    syc_status status = SYC_OK;
    int failed = marks == NULL || list == NULL || mark_parted(source, parted, marks) < 0;

    if (!failed && (status = syc_body_check_own(body, marks)) != SYC_OK)
        syc_py_raise(state, status);
    for (size_t i = 0; !failed && status == SYC_OK && i < source->count; i++) {
        const char *const words[] = {source->names[i].name, NULL};
        failed = syc_body_is_own(body, i) && add_words(list, words) < 0;
    }
    if (!failed && status == SYC_OK)
        own = PyList_AsTuple(list);
    Py_XDECREF(list);
    PyMem_Free(marks);
    return own != NULL || PyErr_Occurred() ? own : PyErr_NoMemory();
}

static PyObject *body_own(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    syc_state *state = PyModule_GetState(module);
    const syc_device *device;
    syc_py_body_use use;
    syc_py_call call;
    syc_py_task task;
    PyObject *own = NULL;

    if (count != 3 || !PyTuple_Check(args[1]) || !PyUnicode_Check(args[2])) {
        PyErr_SetString(PyExc_TypeError, "body_own() takes a device, a tuple of names and a body");
        return NULL;
    }
    device = device_of(state, args[0]);
    if (device == NULL || syc_py_call_parse(state, "parallel_for", false, false, args + 2, count - 2, names, &call) < 0)
        return NULL;
    syc_py_task_start(&task);
    if (syc_py_body_use_open(state, device, &call, &task, &use) == 0) {
        own = own_names(state, use.special->core, args[1]);
        syc_py_body_use_clear(&use);
    }
    syc_py_task_clear(&task);
    return own;
}

static PyObject *bodies_clear(PyObject *module, PyObject *unused)
{
    (void)unused;
    syc_py_specials_clear(PyModule_GetState(module));
    Py_RETURN_NONE;
}

static PyObject *library_words(PyObject *module, PyObject *unused)
{
    PyObject *words = PyList_New(0);
    int failed = words == NULL || add_words(words, syc__operator_words) < 0;
    (void)module;
    (void)unused;
    for (const struct syc__library *l = syc__libraries; !failed && l->file != NULL; l++)
        for (int sort = 0; !failed && sort < SYC__LIBRARY_SORTS; sort++)
            failed = add_words(words, l->names[sort]) < 0;
    if (failed)
        Py_CLEAR(words);
    return words;
}

static PyObject *is_standard_macro(PyObject *module, PyObject *name)
{
    const char *text = PyUnicode_AsUTF8(name);
    (void)module;
    return text != NULL ? PyBool_FromLong(syc__is_standard_macro(text)) : NULL;
}

static PyObject *force_shape(PyObject *module, PyObject *shape)
{
    static const char *const words[] = {/* scans are asked for by their rows */
                                        "item",  "loop",   "wide",  "pack",   "lanes",   "stride",
                                        "along", "across", "short", "padded", "columns", "teams"};
    if (shape == Py_None) {
        syc_lower_force(SYC_SHAPE_COUNT);
        Py_RETURN_NONE;
    }
    for (int i = 0; PyUnicode_Check(shape) && i < (int)Py_ARRAY_LENGTH(words); i++) {
        if (PyUnicode_CompareWithASCIIString(shape, words[i]) == 0) {
            syc_lower_force((syc_shape)i);
            Py_RETURN_NONE;
        }
    }
    return syc_py_invalid(
        PyModule_GetState(module),
        "shape: expected 'item', 'loop', 'wide', 'pack', 'lanes', 'stride', 'along', 'across', 'short', 'padded', "
        "'columns', 'teams' or None, got %R",
        shape);
}

static PyObject *force_span(PyObject *module, PyObject *way)
{
    static const char *const words[] = {"copies",  "fourfold", "alone",       "shared",        "local",
                                        "private", "table",    "local table", "copies folded", "fourfold folded"};
    if (way == Py_None) {
        syc_lower_force_span(SYC_SPAN_COUNT, false);
        Py_RETURN_NONE;
    }
    for (unsigned i = 0; PyUnicode_Check(way) && i < Py_ARRAY_LENGTH(words); i++) {
        if (PyUnicode_CompareWithASCIIString(way, words[i]) == 0) {
            syc_lower_force_span((syc_span_way)(i % SYC_SPAN_COUNT), i >= SYC_SPAN_COUNT);
            Py_RETURN_NONE;
        }
    }
    return syc_py_invalid(
        PyModule_GetState(module),
        "way: expected 'copies', 'fourfold', either with ' folded', 'alone', 'shared', 'local', 'private', 'table', "
        "'local table' or None, got %R",
        way);
}

PyMethodDef syc_body_methods[] = {
    {"body_source", (PyCFunction)(void (*)(void))body_source, METH_FASTCALL | METH_KEYWORDS,
     "body_source($module, queue_or_device, range, body, /, **arguments)\n--\n\n"
     "The OpenCL C text that a launch of the body would be."},
    {"body_reach", (PyCFunction)(void (*)(void))body_reach, METH_FASTCALL | METH_KEYWORDS,
     "body_reach($module, queue, range, body, /, **arguments)\n--\n\n"
     "Hold a launch of the body against the sizes of its arguments, and do not launch it. For tests."},
    {"body_own", (PyCFunction)(void (*)(void))body_own, METH_FASTCALL | METH_KEYWORDS,
     "body_own($module, queue_or_device, parted, body, /, **arguments)\n--\n\n"
     "The names of the arrays that the body has as name[i] only, if blocks of its range can be done apart."},
    {"bodies_clear", bodies_clear, METH_NOARGS,
     "bodies_clear($module, /)\n--\n\nForget the bodies that were launched, and what was built for them."},
    {"is_standard_macro", is_standard_macro, METH_O,
     "is_standard_macro($module, name, /)\n--\n\nIs it a macro of OpenCL C's own?"},
    {"library_words", library_words, METH_NOARGS,
     "library_words($module, /)\n--\n\nThe names in kernels that are the device library's."},
    {"force_shape", force_shape, METH_O,
     "force_shape($module, shape, /)\n--\n\n"
     "From now on bodies that can take it take this shape; None: the table decides again. For tests."},
    {"force_span", force_span, METH_O,
     "force_span($module, way, /)\n--\n\n"
     "From now on arrays of variables that can be are combined this way; None: the table decides again. For tests."},
    {NULL, NULL, 0, NULL},
};
