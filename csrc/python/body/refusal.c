/* The error for an argument of a body: which one, why, and what was given by which name. */
#include "python/body/classes.h"

#include "python/memory/describe.h"

/* pysycl/_kernels/user_text.py: the function that the user has called, and the names that he gave it: a new tuple; NULL
 * where the text is his own. */
static PyObject *caller_of(const syc_py_body_call *call)
{
    PyObject *caller =
        call->text == NULL || PyUnicode_CheckExact(call->text) ? NULL : PyObject_GetAttrString(call->text, "caller");
    if (caller != NULL && PyTuple_Check(caller) && PyTuple_GET_SIZE(caller) == 2)
        return caller;
    PyErr_Clear(); /* somebody else's kind of str */
    Py_XDECREF(caller);
    return NULL;
}

static bool is_given(PyObject *caller, PyObject *name)
{
    const int found = caller != NULL ? PySequence_Contains(PyTuple_GET_ITEM(caller, 1), name) : 1;
    if (found < 0)
        PyErr_Clear();
    return found != 0;
}

/* The given arguments, and a line that marks argument `index`, if there is one. */
static void add_given(const syc_py_body_call *call, PyObject *caller, Py_ssize_t index, syc_text *text)
{
    bool first = true;
    size_t start, from = 0, to = 0;
    syc_text_add(text, "\n  given: ");
    start = text->length;
    for (Py_ssize_t i = 0; i < call->count; i++) {
        const char *name = PyUnicode_AsUTF8(call->names[i]);
        if (name == NULL)
            PyErr_Clear();
        if (!is_given(caller, call->names[i]) && i != index)
            continue;
        syc_text_add(text, "%s", first ? "" : ", ");
        first = false;
        from = i == index ? text->length - start : from;
        syc_text_add(text, "%s=", name != NULL ? name : "?");
        syc_py_describe(call->state, text, call->values[i]);
        to = i == index ? text->length - start : to;
    }
    if (index < 0)
        return;
    syc_text_add(text, "\n         ");
    for (size_t i = 0; i < to; i++)
        syc_text_add_n(text, i < from ? " " : "^", 1);
}

int syc_py_body_refuse_words(const syc_py_body_call *call, syc_status status, Py_ssize_t index, const char *words)
{
    syc_text text = {0};
    const char *name = index >= 0 ? PyUnicode_AsUTF8(call->names[index]) : NULL;
    PyObject *caller = caller_of(call);
    const char *function = caller != NULL ? PyUnicode_AsUTF8(PyTuple_GET_ITEM(caller, 0)) : call->kernel;

    if (index >= 0 && name == NULL)
        PyErr_Clear();
    syc_text_add(&text, "%s(): ", function != NULL ? function : call->kernel);
    if (index >= 0)
        syc_text_add(&text, "'%s' ", name != NULL ? name : "?");
    syc_text_add(&text, "%s", words);
    if (call->count > 0)
        add_given(call, caller, index, &text);
    Py_XDECREF(caller);
    if (!PyErr_Occurred())
        syc_py_raise(call->state, syc_fail(status, SYC_HERE, "%s", syc_text_get(&text)));
    syc_text_clear(&text);
    return -1;
}

int syc_py_body_refuse(const syc_py_body_call *call, syc_status status, Py_ssize_t index, const char *format, ...)
{
    char words[512];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    return syc_py_body_refuse_words(call, status, index, words);
}

int syc_py_body_refuse_number(const syc_py_body_call *call, Py_ssize_t index, const char *words)
{
    enum { LONG = 60 };
    PyObject *repr = PyObject_Repr(call->values[index]);
    const char *text = repr != NULL ? PyUnicode_AsUTF8(repr) : NULL;

    if (text == NULL) /* an int can be too long for its digits to be shown */
        PyErr_Clear();
    if (text == NULL || strlen(text) > LONG)
        text = "the number";
    (void)syc_py_body_refuse(call, SYC_E_KERNEL_ARGUMENT, index, "does not fit: %s %s", text, words);
    Py_XDECREF(repr);
    return -1;
}
