/* The signature diff. */
#include "python/mismatch.h"

static const struct {
    char kind;
    Py_ssize_t size;
    const char *word;
} words[] = {
    {'b', 1, "bool"},   {'i', 1, "int8"},    {'i', 2, "int16"},   {'i', 4, "int32"},
    {'i', 8, "int64"},  {'u', 1, "uint8"},   {'u', 2, "uint16"},  {'u', 4, "uint32"},
    {'u', 8, "uint64"}, {'f', 2, "float16"}, {'f', 4, "float32"}, {'f', 8, "float64"},
};

const char *syc_py_dtype_word(const char *format, Py_ssize_t item_size)
{
    syc_dtype type;
    if (format != NULL && (*format == 'T' || strchr(format, '{') != NULL))
        return "structured";
    if (format != NULL && strcmp(format, "Zf") == 0)
        return "complex64";
    if (format != NULL && strcmp(format, "Zd") == 0)
        return "complex128";
    if (!syc_dtype_from_format(format, (size_t)item_size, &type))
        return format;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (words[i].kind == syc_dtype_kind(type) && words[i].size == item_size)
            return words[i].word;
    }
    return format;
}

static bool describe_buffer(syc_text *text, PyObject *value)
{
    Py_buffer view;
    if (!PyObject_CheckBuffer(value))
        return false;
    if (PyObject_GetBuffer(value, &view, PyBUF_RECORDS_RO) < 0) {
        PyErr_Clear();
        return false;
    }
    syc_text_add(text, "%s[", syc_py_dtype_word(view.format, view.itemsize));
    for (int d = 0; d < view.ndim; d++)
        syc_text_add(text, "%s%zd", d > 0 ? ", " : "", view.shape[d]);
    syc_text_add(text, "]");
    PyBuffer_Release(&view);
    return true;
}

void syc_py_describe(syc_text *text, PyObject *value)
{
    enum { LONGEST = 40 };
    PyObject *repr;
    const char *words_of = NULL;

    if (describe_buffer(text, value))
        return;
    repr = PyObject_Repr(value);
    if (repr != NULL)
        words_of = PyUnicode_AsUTF8(repr);
    if (words_of == NULL) {
        PyErr_Clear();
        syc_text_add(text, "%s object", Py_TYPE(value)->tp_name);
    } else if (strlen(words_of) > LONGEST || strchr(words_of, '\n') != NULL) {
        syc_text_add(text, "%s object", Py_TYPE(value)->tp_name);
    } else {
        syc_text_add(text, "%s", words_of);
    }
    Py_XDECREF(repr);
}

/* The line under the given arguments that marks the one that does not fit. */
static void add_marker(syc_text *text, size_t from, size_t to)
{
    syc_text_add(text, "\n            ");
    for (size_t i = 0; i < from; i++)
        syc_text_add_n(text, " ", 1);
    for (size_t i = from; i < to; i++)
        syc_text_add_n(text, "^", 1);
}

static void add_diff(syc_text *text, const syc_signature *kernel, PyObject *const *given, Py_ssize_t count,
                     Py_ssize_t index)
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
        syc_py_describe(text, given[i]);
        to = i == index ? text->length - start : to;
    }
    syc_text_add(text, ")");
    if (index >= 0 && index < count)
        add_marker(text, from, to);
}

int syc_py_mismatch(syc_state *state, const syc_signature *kernel, PyObject *const *given, Py_ssize_t count,
                    Py_ssize_t index, const char *why)
{
    syc_text text = {0};
    if (index < 0)
        syc_text_add(&text, "%s(): %s", kernel->name, why);
    else
        syc_text_add(&text, "%s(): argument %zd, '%s', %s", kernel->name, index + 1, kernel->params[index].name, why);
    add_diff(&text, kernel, given, count, index);
    if (!PyErr_Occurred())
        syc_py_raise(state, syc_fail(SYC_E_KERNEL_ARGUMENT, SYC_HERE, "%s", syc_text_get(&text)));
    syc_text_clear(&text);
    return -1;
}
