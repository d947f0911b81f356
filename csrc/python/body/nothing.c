/* Launches in which nothing is combined: the variables get their identities where their old values do not count. */
#include "body/name.h"
#include "python/body/reductions.h"
#include "python/launch/launch.h"

bool syc_py_reduce_is_empty(const syc_geometry *range)
{
    for (unsigned d = 0; d < range->dims; d++)
        if (range->global[d] == 0)
            return true;
    return false;
}

/* The names that have an identity, and the values. */
static int list_known(const syc_py_body_use *use, PyObject *names, PyObject *values, syc_text *text)
{
    static const char *const brackets[] = {"", "[0]", "[0][0]", "[0][0][0]"};
    for (Py_ssize_t i = 0; i < use->call.count; i++) {
        const syc_name *name = &use->names[i];
        PyObject *value = use->call.values[i];
        const char *word;
        if (name->kind != SYC_NAME_REDUCER || PyTuple_GET_ITEM(value, SYC_PY_REDUCTION_IDENTITY) == Py_None)
            continue;
        word = PyUnicode_AsUTF8(use->call.names[i]);
        if (word == NULL || PyList_Append(names, use->call.names[i]) < 0 || PyList_Append(values, value) < 0)
            return -1;
        syc_text_add(text, "%s%s.combine(%s.identity()); ", word, brackets[name->reducer.array ? name->rank : 0], word);
    }
    return 0;
}

static int prepare(const syc_py_scope *scope, PyObject *text, PyObject *names, PyObject *values,
                   syc_py_preparing *as_body, syc_py_launch *out)
{
    PyObject *tuple = PyList_AsTuple(names), *zero = PyLong_FromLong(0);
    syc_py_call call = {.function = "parallel_for",
                        .range = zero,
                        .kernel = text,
                        .names = tuple,
                        .named = ((PyListObject *)values)->ob_item};
    int failed = -1;
    if (tuple != NULL && zero != NULL)
        failed = as_body(scope, &call, out);
    Py_XDECREF(zero);
    Py_XDECREF(tuple);
    return failed;
}

/* As a body over an empty range, which is there for all of them. */
int syc_py_reduce_nothing(const syc_py_scope *scope, const syc_py_body_use *use, syc_py_preparing *as_body,
                          syc_py_launch *launch)
{
    PyObject *names = PyList_New(0), *values = PyList_New(0), *string = NULL;
    syc_text text = {0};
    int failed = names == NULL || values == NULL ? -1 : list_known(use, names, values, &text);

    syc_py_launch_clear(launch);
    if (failed == 0 && text.cut)
        syc_py_raise(use->call.state, syc_fail(SYC_E_MEMORY_ALLOCATION, SYC_HERE, "no memory for the text of a body"));
    else if (failed == 0)
        string = PyUnicode_FromString(text.length > 0 ? syc_text_get(&text) : ";");
    syc_text_clear(&text);
    if (string != NULL) {
        syc_py_waiting wait = scope->task->wait;
        syc_py_task_clear(scope->task);
        syc_py_task_start(scope->task);
        scope->task->wait = wait;
        failed = prepare(scope, string, names, values, as_body, launch);
        launch->nothing = failed == 0;
    }
    Py_XDECREF(string);
    Py_XDECREF(values);
    Py_XDECREF(names);
    return string != NULL ? failed : -1;
}
