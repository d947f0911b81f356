/* Launches of bodies. */
#include "python/body/reductions.h"

#include "algo/lower/tuned.h"
#include "algo/selftest/selftest.h"
#include "body/name.h"
#include "python/body/reach.h"
#include "python/geometry.h"
#include "python/launch/checked.h"
#include "python/launch/collectives.h"
#include "python/launch/launch.h"
#include "python/number.h"
#include "schedule/queue.h"

/* -- the call -- */

/* Is it part of the text that the kernel is made of? */
static bool is_text(const syc_state *state, PyObject *value)
{
    return syc_py_is(state, SYC_FACE_CONSTANT, value) || syc_py_is(state, SYC_FACE_OPERATOR, value);
}

/* Is the keyword an argument of the kernel? Neither a word of the launch nor a specialization constant or operator. */
static bool is_argument(const syc_state *state, const syc_py_call *call, Py_ssize_t at)
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
        if (!is_argument(state, call, i))
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
    module = PyImport_ImportModule("pysycl.program");
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

/* -- its form -- */

/* Local memory belongs to a work-group, and only an nd-range has groups that the caller knows of. */
static int check_local(const syc_py_body_use *use, const syc_py_launch *launch)
{
    for (Py_ssize_t i = 0; i < use->call.count && (!launch->grouped || launch->single); i++) {
        if (use->given[i].class.origin == SYC_PY_LOCAL)
            return syc_py_body_refuse(
                &use->call, SYC_E_KERNEL_ARGUMENT, i,
                "is local memory, which belongs to a work-group: launch the body over an NdRange, not %s",
                launch->single ? "as a single task" : "over a plain range");
    }
    return 0;
}

/* Elements of half are numbers to some devices only. Everything else is seen in the kernel's text. */
static int check_halves(const syc_py_body_use *use, const syc_device *device)
{
    if (device->fp16 || !syc_body_traits_of(use->special->core)->halves)
        return 0;
    syc_py_raise(use->call.state,
                 syc_fail(SYC_E_KERNEL_NOT_SUPPORTED, SYC_HERE, "kernel '%s' uses half, and device '%s' has no fp16",
                          use->call.kernel, syc_device_name(device)));
    return -1;
}

static syc_status choose_form(const syc_py_body_use *use, const syc_device *device, syc_py_launch *launch)
{
    syc_status status = SYC_OK;
    syc_span_sizes sizes;
    if (use->special->key.hierarchical)
        return syc_lower_choose_groups(device, launch->sized, syc_py_checks(), &launch->geometry, &launch->lowering);
    if (syc_body_traits_of(use->special->core)->scatters) {
        syc_py_reduce_sizes(use, &sizes);
        SYC_TRY(syc_lower_check_variables(use->call.kernel, use->special->core, &launch->geometry, &sizes));
    }
    syc_lower_choose(device, use->special->core, &launch->geometry, &sizes,
                     syc_py_launch_groups(launch, use->special->core), syc_py_checks(), &launch->lowering);
done:
    return status;
}

static inline bool is_known(const syc_device *device, const syc_lowering *lowering)
{
    return __builtin_expect(!syc_device_has_way(device, lowering->families, SYC_WAY_UNKNOWN), 1) ||
           !syc_selftest_enabled();
}

/* At first use a form has to stand the self-test; where it does not, the next one has to. What could not be tested
 * stays unknown, and is believed. */
static syc_status settle_form(const syc_py_body_use *use, const syc_device *device, syc_context *context,
                              syc_py_launch *launch)
{
    const syc_geometry range = launch->geometry; /* choosing for a hierarchical kernel changes it */
    syc_families asked = 0;
    syc_status status;

    if (syc_body_traits_of(use->special->core)->reduces && !syc_tuned_is_loaded(device) && context != NULL)
        syc_tuned_load(context);
    status = choose_form(use, device, launch);

    while (status == SYC_OK && context != NULL && !is_known(device, &launch->lowering) &&
           (launch->lowering.families & ~asked) != 0) {
        const syc_families families = launch->lowering.families;
        SYC_CORE_BEGIN
            status = syc_selftest_find_out(context, families);
        SYC_CORE_END
        asked |= families;
        launch->geometry = range;
        if (status == SYC_OK)
            status = choose_form(use, device, launch);
    }
    if (status == SYC_OK && context != NULL && syc_device_is_wrong(device, launch->lowering.families))
        status = syc_selftest_settle(context, launch->lowering.families); /* refuses */
    return status;
}

int syc_py_body_use_lower(syc_py_body_use *use, const syc_device *device, syc_context *context, syc_py_launch *launch)
{
    syc_status status;
    if (check_local(use, launch) < 0)
        return -1;
    if (launch->single)
        launch->geometry.dims = 0;
    status = settle_form(use, device, context, launch);
    if (status == SYC_OK)
        status = syc_body_lower(use->special->core, &launch->lowering.form, &use->lowered);
    if (status == SYC_OK)
        return 0;
    syc_py_raise(use->call.state, status);
    return -1;
}

/* Names that Parameters gave. */
static int name_arguments(const syc_py_scope *scope, const syc_py_call *call, syc_py_arguments *out)
{
    size_t at = 0;
    for (Py_ssize_t i = 0; call->names != NULL && i < PyTuple_GET_SIZE(call->names); i++) {
        PyObject *value = call->named[i], *name = syc_py_parameter(scope->state, &value);
        if (!is_argument(scope->state, call, i))
            continue;
        if (name != NULL && syc_py_argument_name(scope, name, &out->items[at]) < 0) {
            syc_py_arguments_clear(out);
            return -1;
        }
        at++;
    }
    return 0;
}

/* An empty nd-range has no group that would come last. */
static int give_nothing(const syc_py_scope *scope, const syc_py_body_use *use, syc_py_launch *out)
{
    if (!out->lowering.form.grouped || use->lowered->partials == NULL || !syc_py_reduce_is_empty(&out->geometry))
        return 0;
    return syc_py_reduce_nothing(scope, use, syc_py_body_prepare, out);
}

int syc_py_body_launch(const syc_py_scope *scope, const syc_py_call *call, syc_py_launch *out, syc_py_body_use *use)
{
    const syc_device *device = syc_queue_device(scope->queue->core);

    syc_py_launch_start(scope, out);
    if (syc_py_launch_range(scope->state, call, out) < 0 ||
        syc_py_body_use_open(scope->state, device, call, scope->task, use) < 0)
        return -1;
    if (check_halves(use, device) < 0 ||
        syc_py_body_use_lower(use, device, syc_queue_context(scope->queue->core), out) < 0 ||
        syc_py_body_arguments(scope, use, out, &out->arguments) < 0 ||
        (use->named && name_arguments(scope, call, &out->arguments) < 0)) {
        syc_py_body_use_clear(use);
        return -1;
    }
    out->program = use->lowered->program;
    out->kernel = 0;
    out->lowered = true;
    syc_program_retain(out->program);
    if (syc_py_reach_check(scope, use, out) == 0 && syc_py_collectives_add(scope, out) == 0 &&
        give_nothing(scope, use, out) == 0)
        return 0;
    syc_py_launch_clear(out);
    syc_py_body_use_clear(use);
    return -1;
}

int syc_py_body_prepare(const syc_py_scope *scope, const syc_py_call *call, syc_py_launch *out)
{
    syc_py_body_use use;
    if (syc_py_body_launch(scope, call, out, &use) < 0)
        return -1;
    syc_py_body_use_clear(&use);
    return 0;
}
