/* The signature diff. */
#include "python/launch/mismatch.h"

#include "python/launch/conversion.h"
#include "python/memory/describe.h"

/* The line under the given arguments that marks the one that does not fit. */
static void add_marker(syc_text *text, size_t from, size_t to)
{
    syc_text_add(text, "\n            ");
    for (size_t i = 0; i < from; i++)
        syc_text_add_n(text, " ", 1);
    for (size_t i = from; i < to; i++)
        syc_text_add_n(text, "^", 1);
}

static void add_diff(syc_state *state, syc_text *text, const syc_signature *kernel, PyObject *const *given,
                     Py_ssize_t count, Py_ssize_t index)
{
    size_t start, from = 0, to = 0;
    syc_text_add(text, "\n  expected: %s(", kernel->name);
    for (size_t i = 0; i < kernel->count; i++)
        syc_text_add(text, "%s%s", i > 0 ? ", " : "", kernel->params[i].text);
    syc_text_add(text, ")  at kernel.cl:%zu\n  given:    ", kernel->line);
    start = text->length;
    syc_text_add(text, "%s(", kernel->name);
    for (Py_ssize_t i = 0; i < count; i++) {
        syc_text_add(text, "%s", i > 0 ? ", " : "");
        from = i == index ? text->length - start : from;
        syc_py_describe(state, text, given[i]);
        to = i == index ? text->length - start : to;
    }
    syc_text_add(text, ")");
    if (index >= 0 && index < count)
        add_marker(text, from, to);
}

int syc_py_mismatch(syc_state *state, syc_status status, const syc_signature *kernel, PyObject *const *given,
                    Py_ssize_t count, Py_ssize_t index, const char *why)
{
    syc_text text = {0};
    if (index < 0)
        syc_text_add(&text, "%s(): %s", kernel->name, why);
    else
        syc_text_add(&text, "%s(): argument %zd, '%s', %s", kernel->name, index + 1, kernel->params[index].name, why);
    add_diff(state, &text, kernel, given, count, index);
    if (!PyErr_Occurred())
        syc_py_raise(state, syc_fail(status, SYC_HERE, "%s", syc_text_get(&text)));
    syc_text_clear(&text);
    return -1;
}

static int refuse(const struct syc_py_conversion *c, syc_status status, const char *format, va_list args)
{
    char words[512];
    vsnprintf(words, sizeof words, format, args);
    if (c->body != NULL)
        return syc_py_body_refuse_words(c->body, status, c->index, words);
    if (c->given == NULL) {
        syc_py_refuse(c->scope->state, status, "replay: '%s', of kernel '%s', %s", c->label, c->kernel->name, words);
        return -1;
    }
    return syc_py_mismatch(c->scope->state, status, c->kernel, c->given, c->count, c->index, words);
}

int syc_py_conversion_refuse(const struct syc_py_conversion *c, const char *format, ...)
{
    va_list args;
    int failed;
    va_start(args, format);
    failed = refuse(c, SYC_E_KERNEL_ARGUMENT, format, args);
    va_end(args);
    return failed;
}

int syc_py_conversion_refuse_as(const struct syc_py_conversion *c, syc_status status, const char *format, ...)
{
    va_list args;
    int failed;
    va_start(args, format);
    failed = refuse(c, status, format, args);
    va_end(args);
    return failed;
}

int syc_py_parameter_refuse(syc_state *state, PyObject *value, const char *what)
{
    if (!syc_py_is(state, SYC_FACE_PARAMETER, value))
        return 0;
    syc_py_invalid(state, "%s: %R: only arguments of kernels can be named, and replaced in a replay", what, value);
    return -1;
}
