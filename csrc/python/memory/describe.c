/* Short names for values that were given. */
#include "python/memory/describe.h"

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
    unsigned width;
    if (syc_dtype_from_vector_format(format, (size_t)item_size, &type, &width))
        return syc_dtype_vector_name(type, width);
    if (format != NULL && (*format == 'T' || strchr(format, '{') != NULL))
        return "structured";
    if (syc_dtype_from_complex_format(format, &type))
        return type == SYC_FLOAT ? "complex64" : "complex128";
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

static const char *dtype_word(syc_state *state, PyObject *dtype, size_t item)
{
    const char *format = dtype != NULL ? syc_py_dtype_format(state, dtype) : NULL;
    if (format == NULL)
        PyErr_Clear();
    return format != NULL ? syc_py_dtype_word(format, (Py_ssize_t)item) : "object";
}

static void add_shape(syc_text *text, int rank, const size_t *shape)
{
    syc_text_add(text, "(");
    for (int d = 0; d < rank; d++)
        syc_text_add(text, "%s%zu", d > 0 ? ", " : "", shape[d]);
    syc_text_add(text, "%s)", rank == 1 ? "," : "");
}

/* An image or its accessor; false if it is none. */
static bool describe_image(syc_text *text, const syc_buffer *buffer, const char *noun)
{
    if (buffer == NULL || buffer->image.rank == 0)
        return false;
    syc_text_add(text, "%s %s ", noun, syc_image_format_name(buffer->image.order, buffer->image.type));
    for (unsigned d = 0; d < buffer->image.rank; d++)
        syc_text_add(text, "%s%zu", d > 0 ? " x " : "", buffer->image.extent[d]);
    return true;
}

/* Accessors, buffers, images and unified shared memory. */
static bool describe_memory(syc_state *state, syc_text *text, PyObject *value)
{
    static const char *const modes[] = {"read", "write", "read_write"};
    static const char *const kinds[] = {"device", "host", "shared", "unknown"};

    if (syc_py_is_accessor(state, value)) {
        const AccessorObject *a = (AccessorObject *)value;
        if (describe_image(text, a->core, a->mode == SYC_PY_READ ? "image accessor read" : "image accessor write"))
            return true;
        syc_text_add(text, "Accessor %s %s ", modes[a->mode], dtype_word(state, a->dtype, a->item));
        add_shape(text, a->core != NULL ? (int)a->rank : 1, a->range);
    } else if (syc_py_is_buffer(state, value)) {
        const BufferObject *b = (BufferObject *)value;
        if (describe_image(text, b->core, "image"))
            return true;
        syc_text_add(text, "Buffer %s ", dtype_word(state, b->dtype, b->item));
        add_shape(text, (int)b->rank, b->shape);
    } else if (syc_py_is_usm(state, value)) {
        const UsmObject *u = (UsmObject *)value;
        syc_text_add(text, "UsmArray %s %s ", u->core != NULL ? kinds[u->core->kind] : "freed",
                     dtype_word(state, u->dtype, u->item));
        add_shape(text, u->rank, (const size_t *)u->shape);
    } else {
        return false;
    }
    return true;
}

void syc_py_describe(syc_state *state, syc_text *text, PyObject *value)
{
    enum { LONGEST = 40 };
    PyObject *repr;
    const char *words_of = NULL;

    if (describe_memory(state, text, value) || describe_buffer(text, value))
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
