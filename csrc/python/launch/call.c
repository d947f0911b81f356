/* Calls of parallel_for and single_task: which keyword is whose. */
#include "python/launch/call.h"

static const char *const words[SYC_WORDS] = {"depends_on", "offset", "preamble", "options", "name", "wait"};

int syc_py_call_init(syc_state *state)
{
    for (int i = 0; i < SYC_WORDS; i++) {
        state->words[i] = PyUnicode_InternFromString(words[i]);
        if (state->words[i] == NULL)
            return -1;
    }
    return 0;
}

int syc_py_call_word(const syc_state *state, PyObject *name)
{
    for (int i = 0; i < SYC_WORDS; i++) {
        if (state->words[i] == name)
            return i;
    }
    for (int i = 0; !PyUnicode_CHECK_INTERNED(name) && i < SYC_WORDS; i++) {
        if (PyUnicode_CompareWithASCIIString(name, words[i]) == 0)
            return i;
    }
    return -1;
}

/* Does a launch of this kind take the keyword? */
static bool takes(const syc_py_call *call, int word, bool depends)
{
    switch (word) {
    case SYC_WORD_DEPENDS_ON:
    case SYC_WORD_WAIT:
        return depends;
    case SYC_WORD_OFFSET:
        return call->range != NULL;
    default:
        return PyUnicode_Check(call->kernel);
    }
}

void syc_py_call_set(syc_py_call *call, PyObject *names, PyObject *values)
{
    PyObject *const *items = ((PyTupleObject *)values)->ob_item;
    call->names = names;
    call->named = names != NULL ? items : NULL;
    call->given = names != NULL ? NULL : items;
    call->count = names != NULL ? 0 : PyTuple_GET_SIZE(values);
}

static int refuse(syc_state *state, const syc_py_call *call, PyObject *name, int word)
{
    if (!PyUnicode_Check(call->kernel) && !PyObject_TypeCheck(call->kernel, state->base[SYC_FACE_KERNEL]))
        return syc_py_call_refuse_kernel(state, call->kernel);
    if (word == SYC_WORD_DEPENDS_ON || word == SYC_WORD_WAIT)
        PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U': %s", call->function, name,
                     strcmp(call->function, "kernel") == 0 ? "it is for the calls of the prepared kernel"
                     : word == SYC_WORD_WAIT
                         ? "whether the end of a command group waits is said by queue.submit(..., wait=...)"
                         : "a command group waits for what handler.depends_on(event) names");
    else
        PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'%s", call->function, name,
                     PyUnicode_Check(call->kernel) ? "" : ": the arguments of a Kernel are given by position");
    return -1;
}

int syc_py_call_refuse_kernel(syc_state *state, PyObject *kernel)
{
    syc_py_invalid(state, "kernel: expected a pysycl.Kernel such as program.name, or the text of a body, got %R",
                   kernel);
    return -1;
}

static int make_hierarchical(syc_state *state, syc_py_call *call)
{
    call->hierarchical = true;
    if (call->own[SYC_WORD_OFFSET] != NULL) {
        PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument 'offset': work-groups have none",
                     call->function);
        return -1;
    }
    if (PyUnicode_Check(call->kernel))
        return 0;
    syc_py_invalid(state, "body: expected the text of a work-group, got %R", call->kernel);
    return -1;
}

/* WorkGroups(groups, group_size) in the place of a range. */
static int take_work_groups(syc_state *state, syc_py_call *call)
{
    PyObject *range = call->range;

    if (range == NULL || !syc_py_is(state, SYC_FACE_WORK_GROUPS, range))
        return 0;
    if (PyTuple_GET_SIZE(range) != 2) { /* tuple.__new__ makes such ones, past the class */
        syc_py_refuse(state, SYC_E_ND_RANGE, "range: %zd parts make no WorkGroups", PyTuple_GET_SIZE(range));
        return -1;
    }
    call->range = PyTuple_GET_ITEM(range, 0);
    call->group_size = PyTuple_GET_ITEM(range, 1) == Py_None ? NULL : PyTuple_GET_ITEM(range, 1);
    return make_hierarchical(state, call);
}

int syc_py_call_parse(syc_state *state, const char *function, bool ranged, bool depends, PyObject *const *args,
                      Py_ssize_t count, PyObject *names, syc_py_call *out)
{
    Py_ssize_t head = ranged ? 2 : 1;
    *out = (syc_py_call){.function = function, .names = names, .named = args + count};
    if (count < head) {
        PyErr_Format(PyExc_TypeError, "%s() needs %s before the kernel's arguments", function,
                     ranged ? "a range and a kernel" : "a kernel");
        return -1;
    }
    out->range = ranged ? args[0] : NULL;
    out->kernel = args[head - 1];
    out->given = args + head;
    out->count = count - head;
    for (Py_ssize_t i = 0; names != NULL && i < PyTuple_GET_SIZE(names); i++) {
        PyObject *name = PyTuple_GET_ITEM(names, i);
        int word = syc_py_call_word(state, name);
        if (word < 0 ? !PyUnicode_Check(out->kernel) : !takes(out, word, depends))
            return refuse(state, out, name, word);
        if (word >= 0)
            out->own[word] = args[count + i];
    }
    return take_work_groups(state, out);
}

int syc_py_call_parse_groups(syc_state *state, PyObject *const *args, Py_ssize_t count, PyObject *names,
                             syc_py_call *out)
{
    bool sized = count > 2 || (count == 2 && !PyUnicode_Check(args[1]));
    PyObject *groups = count > 0 ? args[0] : NULL;

    if (sized) { /* the size stands where a range would */
        args++;
        count--;
    }
    if (syc_py_call_parse(state, "parallel_for_work_group", true, false, args, count, names, out) < 0)
        return -1;
    out->group_size = sized ? out->range : NULL;
    out->range = groups;
    return make_hierarchical(state, out);
}
