/* What a call of a body says: its text, words, arguments and names. */
#include "python/body/reductions.h"

#include "algo/selftest/selftest.h"
#include "body/name.h"
#include "python/body/reach.h"
#include "python/number.h"
#include "schedule/queue.h"

/* Is it part of the text that the kernel is made of? */
static bool is_text(const syc_state *state, PyObject *value)
{
    return syc_py_is(state, SYC_FACE_CONSTANT, value) || syc_py_is(state, SYC_FACE_OPERATOR, value);
}

bool syc_py_body_takes(const syc_state *state, const syc_py_call *call, Py_ssize_t at)
{
    return syc_py_call_word(state, PyTuple_GET_ITEM(call->names, at)) < 0 && !is_text(state, call->named[at]);
}

/* The specialization constants and operators among the arguments. */
static int take_text(const syc_state *state, const syc_py_call *call, syc_py_body_use *use)
{
    for (Py_ssize_t i = 0; call->names != NULL && i < PyTuple_GET_SIZE(call->names); i++) {
        PyObject *name = PyTuple_GET_ITEM(call->names, i), *value = call->named[i];
        PyObject **dict = syc_py_is(state, SYC_FACE_CONSTANT, value) ? &use->constants : &use->operators;
        if (syc_py_call_word(state, name) >= 0 || !is_text(state, value))
            continue;
        if (*dict == NULL && (*dict = PyDict_New()) == NULL)
            return -1;
        if (PyDict_SetItem(*dict, name, value) < 0)
            return -1;
    }
    return 0;
}

/* The arguments of the body apart from the keywords of the launch. */
static int take_arguments(syc_state *state, const syc_py_call *call, syc_py_body_use *use)
{
    const Py_ssize_t most = call->names != NULL ? PyTuple_GET_SIZE(call->names) : 0;
    Py_ssize_t count = 0;
    PyObject **names = use->few_names, **values = use->few_values;

    use->given = use->few_given;
    if ((size_t)most > Py_ARRAY_LENGTH(use->few_given)) {
        use->block = PyMem_Malloc((size_t)most * (sizeof *use->given + 2 * sizeof *names));
        if (use->block == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        use->given = use->block;
        names = (PyObject **)(use->given + most);
        values = names + most;
    }
    for (Py_ssize_t i = 0; i < most; i++) {
        if (!syc_py_body_takes(state, call, i))
            continue;
        names[count] = PyTuple_GET_ITEM(call->names, i);
        values[count] = call->named[i];
        use->named = syc_py_parameter(state, &values[count++]) != NULL || use->named;
    }
    use->call.names = names;
    use->call.values = values;
    use->call.count = count;
    return most > count ? take_text(state, call, use) : 0;
}

static int take_word(const syc_py_body_use *use, PyObject *value, const char *what, PyObject **out)
{
    *out = NULL;
    if (value == NULL || value == Py_None)
        return 0;
    if (!PyUnicode_Check(value)) {
        syc_py_refuse(use->call.state, SYC_E_KERNEL_ARGUMENT,
                      "%s: expected %s, got %R; no argument of a body can have this name", what,
                      strcmp(what, "name") == 0 ? "the name of the kernel as a string" : "OpenCL C text", value);
        return -1;
    }
    *out = value;
    return 0;
}

/* The options as one string: a new reference, or NULL with or without an error. */
static PyObject *take_options(const syc_py_body_use *use, PyObject *value)
{
    PyObject *module, *options;
    if (value == NULL || value == Py_None)
        return NULL;
    if (!PyUnicode_Check(value) && !PyList_Check(value) && !PyTuple_Check(value))
        return syc_py_refuse(use->call.state, SYC_E_KERNEL_ARGUMENT,
                             "options: expected a string or strings, got %R; no argument of a body can have this name",
                             value);
    module = PyImport_ImportModule("pysycl._kernels.build_options");
    options = module != NULL ? PyObject_CallMethod(module, "build_options", "O{}", value) : NULL;
    Py_XDECREF(module);
    return options;
}

/* The definitions of the specialization constants that were given, or that the command group has set: a new reference,
 * or NULL with or without an error. */
static PyObject *take_definitions(const syc_py_body_use *use, const syc_py_call *call, PyObject *preamble)
{
    PyObject *module, *definitions, *given = use->constants, *set = call->constants;
    if (given == NULL && (set == NULL || PyUnicode_Check(set)))
        return Py_XNewRef(set);
    module = PyImport_ImportModule("pysycl.spec_constant");
    definitions = module != NULL ? PyObject_CallMethod(module, "body_definitions", "OOOO", call->kernel,
                                                       preamble != NULL ? preamble : Py_None,
                                                       given != NULL ? given : Py_None, set != NULL ? set : Py_None)
                                 : NULL;
    Py_XDECREF(module);
    return definitions;
}

static PyObject *names_of(const syc_py_body_use *use)
{
    PyObject *names = PyTuple_New(use->call.count);
    for (Py_ssize_t i = 0; names != NULL && i < use->call.count; i++)
        PyTuple_SET_ITEM(names, i, Py_NewRef(use->call.names[i]));
    return names;
}

/* The macros of the operators that were given: a new reference, or NULL with or without an error. */
static PyObject *take_operators(const syc_py_body_use *use, const syc_py_call *call, const syc_py_body_key *key)
{
    PyObject *preamble = key->words[SYC_PY_BODY_PREAMBLE], *options = key->words[SYC_PY_BODY_OPTIONS];
    PyObject *module, *names, *macros;
    if (use->operators == NULL)
        return Py_XNewRef(call->operators);
    module = PyImport_ImportModule("pysycl._kernels.kernel_operators");
    names = module != NULL ? names_of(use) : NULL;
    macros = names != NULL ? PyObject_CallMethod(module, "body_operators", "OOOOO", call->kernel,
                                                 preamble != NULL ? preamble : Py_None,
                                                 options != NULL ? options : Py_None, names, use->operators)
                           : NULL;
    Py_XDECREF(names);
    Py_XDECREF(module);
    return macros;
}

static int check_name(const syc_py_body_use *use, PyObject *name)
{
    const char *text = name != NULL ? PyUnicode_AsUTF8(name) : "body";
    if (text == NULL)
        return -1;
    if (!PyUnicode_IS_ASCII(name != NULL ? name : use->call.state->words[0]) ||
        (name != NULL && !PyUnicode_IsIdentifier(name))) {
        syc_py_refuse(use->call.state, SYC_E_INVALID_PARAMETER, "name: %R is no name that a kernel can have", name);
        return -1;
    }
    return 0;
}

static int check_call(syc_py_body_use *use, const syc_py_call *call)
{
    if (call->count == 0)
        return 0;
    use->call.count = 0;
    return syc_py_body_refuse(&use->call, SYC_E_KERNEL_ARGUMENT, -1,
                              "a body takes its arguments by name, such as x=array; %zd %s given by position",
                              call->count, call->count == 1 ? "is" : "are");
}

/* An int is of the prepared kernel's type if that holds it, be that a wider or a floating one. */
static void adopt_types(syc_py_body_use *use, const syc_py_special *prepared)
{
    char bytes[8];
    for (Py_ssize_t i = 0; i < use->call.count; i++) {
        const syc_py_slot *slot = &prepared->slots[i];
        syc_py_class *class = &use->given[i].class;
        if (syc_py_is_number(class) && syc_py_is_number(&slot->class) &&
            syc_number_replace(use->call.values[i], slot->type, bytes) == SYC_NUMBER_OK)
            *class = slot->class;
    }
    PyErr_Clear(); /* the conversion says it again */
}

static int open(const syc_py_call *call, const syc_device *device, syc_py_task *task, syc_py_body_use *use)
{
    syc_py_body_key key = {
        .words = {[SYC_PY_BODY_TEXT] = call->kernel}, .fp64 = device->fp64, .hierarchical = call->hierarchical};
    PyObject *options = NULL, *constants, *operators;

    if (take_word(use, call->own[SYC_WORD_NAME], "name", &key.words[SYC_PY_BODY_NAME]) < 0 ||
        take_word(use, call->own[SYC_WORD_PREAMBLE], "preamble", &key.words[SYC_PY_BODY_PREAMBLE]) < 0 ||
        check_name(use, key.words[SYC_PY_BODY_NAME]) < 0)
        return -1;
    if (key.words[SYC_PY_BODY_NAME] != NULL)
        use->call.kernel = PyUnicode_AsUTF8(key.words[SYC_PY_BODY_NAME]);
    if (check_call(use, call) < 0 || syc_py_task_pin(use->call.state, task, use->call.count) < 0)
        return -1;
    for (Py_ssize_t i = 0; i < use->call.count; i++) {
        if (syc_py_classify(&use->call, i, task, &use->given[i]) < 0)
            return -1;
    }
    if (call->prepared != NULL)
        adopt_types(use, call->prepared);
    options = take_options(use, call->own[SYC_WORD_OPTIONS]);
    if (options == NULL && PyErr_Occurred())
        return -1;
    key.words[SYC_PY_BODY_OPTIONS] = options;
    constants = take_definitions(use, call, key.words[SYC_PY_BODY_PREAMBLE]);
    key.words[SYC_PY_BODY_CONSTANTS] = constants;
    operators = constants != NULL || !PyErr_Occurred() ? take_operators(use, call, &key) : NULL;
    key.words[SYC_PY_BODY_OPERATORS] = operators;
    if (!PyErr_Occurred())
        use->special = syc_py_special_find(&use->call, &key, use->given);
    Py_XDECREF(operators);
    Py_XDECREF(constants);
    Py_XDECREF(options);
    use->names = use->special != NULL ? syc_body_source_of(use->special->core)->names : NULL;
    return use->special != NULL ? 0 : -1;
}

int syc_py_body_use_open(syc_state *state, const syc_device *device, const syc_py_call *call, syc_py_task *task,
                         syc_py_body_use *out)
{
    out->call.state = state;
    out->call.kernel = "body";
    out->call.text = call->kernel;
    out->block = NULL;
    out->named = false;
    out->constants = NULL;
    out->operators = NULL;
    out->special = NULL;
    out->lowered = NULL;
    if (take_arguments(state, call, out) == 0 && open(call, device, task, out) == 0)
        return 0;
    syc_py_body_use_clear(out);
    return -1;
}

void syc_py_body_use_clear(syc_py_body_use *use)
{
    syc_py_special_release(use->special);
    use->special = NULL;
    PyMem_Free(use->block);
    use->block = NULL;
    Py_CLEAR(use->constants);
    Py_CLEAR(use->operators);
}
