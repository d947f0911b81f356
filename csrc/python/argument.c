/* Argument conversion: arrays are pinned and described, numbers become bytes, local memory becomes a size. */
#include "python/argument.h"

#include "python/mismatch.h"
#include "python/number.h"

/* One argument being converted. */
struct converting {
    syc_state *state;
    const syc_signature *kernel;
    PyObject *const *given;
    Py_ssize_t count, index;
    syc_py_arguments *out;
    size_t used; /* of out->values */
};

static int refuse(const struct converting *c, const char *format, ...)
{
    syc_text why = {0};
    char words[512];
    va_list args;
    int failed;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    syc_text_add(&why, "%s", words);
    failed = syc_py_mismatch(c->state, c->kernel, c->given, c->count, c->index, syc_text_get(&why));
    syc_text_clear(&why);
    return failed;
}

static const syc_param *param_of(const struct converting *c)
{
    return &c->kernel->params[c->index];
}

/* Bytes for a by-value argument, on a boundary that suits any vector. */
static void *reserve(struct converting *c, size_t size)
{
    void *place = c->out->values + c->used;
    c->used += (size + 15) / 16 * 16;
    return place;
}

static bool foreign_byte_order(const char *format)
{
    return format != NULL && (*format == '>' || *format == '!');
}

/* Complex numbers are pairs: the vector types of width 2. */
static bool is_complex_pair(const syc_param *p, const char *format)
{
    return p->width == 2 && format != NULL &&
           ((p->type == SYC_FLOAT && strcmp(format, "Zf") == 0) ||
            (p->type == SYC_DOUBLE && strcmp(format, "Zd") == 0));
}

/* Element types agree when sign and size do; bool counts as an unsigned byte, bytes fit both 8-bit integers. */
static bool same_type(const syc_param *p, syc_dtype given)
{
    if (p->type == given)
        return true;
    if (given == SYC_BOOL)
        return p->type == SYC_UCHAR || p->type == SYC_CHAR;
    return false;
}

static const char *word_of(const Py_buffer *view)
{
    return syc_py_dtype_word(view->format, view->itemsize);
}

static int check_elements(const struct converting *c, const Py_buffer *view)
{
    const syc_param *p = param_of(c);
    syc_dtype given;

    if (foreign_byte_order(view->format))
        return refuse(c, "is an array in big-endian byte order; devices here are little-endian: pass "
                         "array.astype(array.dtype.newbyteorder('='))");
    if (p->type == SYC_VOID || is_complex_pair(p, view->format))
        return 0;
    if (p->type == SYC_STRUCT) {
        if (p->size != 0 && view->len % (Py_ssize_t)p->size != 0)
            return refuse(c, "is an array of %zd bytes, not a multiple of the %zu bytes of '%s'", view->len, p->size,
                          p->struct_name);
        return syc_dtype_from_format(view->format, (size_t)view->itemsize, &given)
                   ? refuse(c, "is an array of %s, not of the struct '%s'", word_of(view), p->struct_name)
                   : 0;
    }
    if (!syc_dtype_from_format(view->format, (size_t)view->itemsize, &given) || !same_type(p, given))
        return refuse(c, "is an array of %s, not of %s", word_of(view), syc_dtype_name(p->type));
    if (p->width > 1 && p->size != 0 && view->len % (Py_ssize_t)p->size != 0)
        return refuse(c, "has %zd bytes, not a multiple of the %zu that one %s%u takes", view->len, p->size,
                      syc_dtype_name(p->type), p->width);
    return 0;
}

static bool contiguous(const Py_buffer *view)
{
    return view->ndim == 0 || PyBuffer_IsContiguous(view, 'C');
}

/* What an exporter says when it cannot export: every other exception, Ctrl-C for one, is its caller's. */
static bool is_refusal(void)
{
    return PyErr_ExceptionMatches(PyExc_BufferError) || PyErr_ExceptionMatches(PyExc_TypeError) ||
           PyErr_ExceptionMatches(PyExc_ValueError);
}

/* Refuses with the exporter's own reason. */
static int refuse_exporter(struct converting *c, PyObject *value)
{
    PyObject *type, *reason, *trace, *words;
    const char *text = NULL;
    int failed;

    PyErr_Fetch(&type, &reason, &trace);
    words = reason != NULL ? PyObject_Str(reason) : NULL;
    if (words != NULL)
        text = PyUnicode_AsUTF8(words);
    PyErr_Clear();
    failed = refuse(c, "is a %s whose memory cannot be shared%s%s", Py_TYPE(value)->tp_name, text != NULL ? ": " : "",
                    text != NULL ? text : "");
    Py_XDECREF(words);
    Py_XDECREF(type);
    Py_XDECREF(reason);
    Py_XDECREF(trace);
    return failed;
}

/* Pins the object's memory; the reason for a refusal is told from the ways in which it refuses. */
static int pin(struct converting *c, PyObject *value, bool write, Py_buffer **out)
{
    Py_buffer *view = &c->out->pins->views[c->out->pins->count];
    int flags = PyBUF_STRIDES | PyBUF_FORMAT | (write ? PyBUF_WRITABLE : 0);

    if (value == Py_None)
        return refuse(c, "is None; expected an array");
    if (!PyObject_CheckBuffer(value))
        return refuse(c, "is a %s, not an array%s", Py_TYPE(value)->tp_name,
                      PyList_Check(value) || PyTuple_Check(value) ? ": make one with numpy.asarray" : "");
    if (PyObject_GetBuffer(value, view, flags) == 0) {
        c->out->pins->count++;
        *out = view;
        return 0;
    }
    if (!is_refusal())
        return -1;
    if (write)
        PyErr_Clear();
    if (write && PyObject_GetBuffer(value, view, PyBUF_STRIDES | PyBUF_FORMAT) == 0) {
        PyBuffer_Release(view);
        return refuse(c,
                      "is a read-only array, and the kernel may write through '%s': declare it const or pass a "
                      "writable array",
                      param_of(c)->text);
    }
    return is_refusal() ? refuse_exporter(c, value) : -1;
}

/* A copy in which each element has a place of its own, written back to an array where some share one, would keep the
 * last of them only. Sorted by stride, the elements are apart if each step is beyond all that the smaller ones reach.
 */
static bool shares_elements(const Py_buffer *view)
{
    Py_ssize_t reach = view->itemsize;
    unsigned done = 0; /* bits: dimensions seen; at most SYC_MAX_RANK of them */

    if (contiguous(view) || view->len == 0)
        return false;
    for (int n = 0; n < view->ndim; n++) {
        int next = -1;
        for (int d = 0; d < view->ndim; d++) {
            if (!(done >> d & 1) && (next < 0 || labs(view->strides[d]) < labs(view->strides[next])))
                next = d;
        }
        done |= 1U << next;
        if (view->shape[next] == 1)
            continue;
        if (labs(view->strides[next]) < reach)
            return true;
        reach += (view->shape[next] - 1) * labs(view->strides[next]);
    }
    return false;
}

static int convert_array(struct converting *c, PyObject *value, syc_argument *out)
{
    const syc_param *p = param_of(c);
    bool write = p->space == SYC_SPACE_GLOBAL && !p->is_const;
    Py_buffer *view;

    if (pin(c, value, write, &view) < 0 || check_elements(c, view) < 0)
        return -1;
    if (view->ndim > SYC_MAX_RANK)
        return refuse(c, "has %d dimensions; at most %d can be passed", view->ndim, SYC_MAX_RANK);
    if (write && shares_elements(view))
        return refuse(c,
                      "is an array whose elements overlap in memory, and the kernel may write through '%s': declare it "
                      "const or pass a copy",
                      p->text);
    *out = (syc_argument){.kind = SYC_ARGUMENT_SPAN,
                          .span = {.data = view->buf,
                                   .bytes = (size_t)view->len,
                                   .writable = write,
                                   .alignment = p->alignment > 0 ? p->alignment : 1,
                                   .packed = contiguous(view),
                                   .rank = view->ndim,
                                   .item_size = (size_t)view->itemsize,
                                   .shape = view->shape,
                                   .strides = view->strides}};
    return 0;
}

/* A struct by value: any object that is exactly its bytes, such as a NumPy structured scalar. */
static int convert_struct(struct converting *c, PyObject *value, syc_argument *out)
{
    const syc_param *p = param_of(c);
    Py_buffer *view;

    if (PyObject_CheckBuffer(value) && pin(c, value, false, &view) == 0) {
        if (!contiguous(view))
            return refuse(c, "is not contiguous; a struct is passed by its bytes");
        if (p->size != 0 && (size_t)view->len != p->size)
            return refuse(c, "has %zd bytes, but '%s' has %zu", view->len, p->struct_name, p->size);
        *out = (syc_argument){.kind = SYC_ARGUMENT_VALUE, .size = (size_t)view->len, .value = view->buf};
        return 0;
    }
    return PyErr_Occurred()
               ? -1
               : refuse(c, "is a %s, not a structured scalar for '%s'", Py_TYPE(value)->tp_name, p->struct_name);
}

static int convert_number(struct converting *c, PyObject *value, void *place)
{
    const syc_param *p = param_of(c);
    syc_number_fit fit = syc_number_convert(value, p->type, place);
    if (fit == SYC_NUMBER_OK)
        return 0;
    if (fit == SYC_NUMBER_RAISED)
        return -1;
    return refuse(c, "%s for the type %s", syc_number_fit_text(fit), syc_dtype_name(p->type));
}

/* A vector by value: as many numbers as it has components. */
static int convert_vector(struct converting *c, PyObject *value, syc_argument *out)
{
    const syc_param *p = param_of(c);
    size_t item = syc_dtype_size(p->type);
    char *place = reserve(c, p->size);
    /* A tuple of our own: the __float__ of an item may change the sequence. */
    PyObject *items = PySequence_Check(value) ? PySequence_Tuple(value) : NULL;
    int failed = 0;

    if (items == NULL && PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError))
        return -1;
    if (items == NULL || (size_t)PyTuple_GET_SIZE(items) != p->width) {
        Py_XDECREF(items);
        PyErr_Clear();
        return refuse(c, "is not a sequence of %u numbers", p->width);
    }
    memset(place, 0, p->size);
    for (unsigned i = 0; i < p->width && !failed; i++)
        failed = convert_number(c, PyTuple_GET_ITEM(items, i), place + i * item);
    Py_DECREF(items);
    *out = (syc_argument){.kind = SYC_ARGUMENT_VALUE, .size = p->size, .value = place};
    return failed;
}

static int convert_local(struct converting *c, PyObject *value, syc_argument *out)
{
    PyTypeObject *local = c->state->face[SYC_FACE_LOCAL];
    size_t bytes;

    if (local == NULL || !PyObject_TypeCheck(value, local))
        return refuse(c, "is a %s; local memory is asked for with pysycl.local(shape, dtype)", Py_TYPE(value)->tp_name);
    if (PyTuple_GET_SIZE(value) != 3 || !PyLong_Check(PyTuple_GET_ITEM(value, 0)))
        return refuse(c, "was not made by pysycl.local(shape, dtype)");
    bytes = PyLong_AsSize_t(PyTuple_GET_ITEM(value, 0));
    if (bytes == (size_t)-1 && PyErr_Occurred()) {
        PyErr_Clear();
        return refuse(c, "asks for a number of bytes that no device can address");
    }
    if (bytes == 0)
        return refuse(c, "asks for 0 bytes of local memory; at least 1 is needed");
    if (__builtin_add_overflow(c->out->local_bytes, bytes, &c->out->local_bytes))
        return refuse(c, "asks, with those before it, for more local memory than any device can address");
    *out = (syc_argument){.kind = SYC_ARGUMENT_LOCAL, .size = bytes};
    return 0;
}

static int convert(struct converting *c, PyObject *value, syc_argument *out)
{
    const syc_param *p = param_of(c);
    if (p->type == SYC_OPAQUE)
        return refuse(c, "cannot be given: the kernel wants '%s', for which there is no Python object",
                      p->struct_name != NULL ? p->struct_name : p->text);
    if (p->pointer)
        return p->space == SYC_SPACE_LOCAL ? convert_local(c, value, out) : convert_array(c, value, out);
    if (p->type == SYC_STRUCT)
        return convert_struct(c, value, out);
    if (p->width > 1)
        return convert_vector(c, value, out);
    *out = (syc_argument){.kind = SYC_ARGUMENT_VALUE, .size = p->size, .value = reserve(c, p->size)};
    return convert_number(c, value, (void *)out->value);
}

/* Buffers to pin and bytes to hold, known from the signature alone. */
static int make_room(syc_state *state, const syc_signature *kernel, syc_py_arguments *out)
{
    Py_ssize_t pinned = 0;
    size_t bytes = 0;
    for (size_t i = 0; i < kernel->count; i++) {
        const syc_param *p = &kernel->params[i];
        pinned += p->pointer || p->type == SYC_STRUCT;
        bytes += p->pointer ? 0 : (p->size + 15) / 16 * 16;
    }
    out->values = bytes <= sizeof out->small ? out->small : PyMem_Malloc(bytes);
    out->items = kernel->count <= Py_ARRAY_LENGTH(out->few) ? out->few : PyMem_New(syc_argument, kernel->count);
    out->pins = syc_pins_new(state, pinned);
    if (out->values == NULL || out->items == NULL || out->pins == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}

int syc_py_arguments_convert(syc_state *state, const syc_signature *kernel, PyObject *const *given, Py_ssize_t count,
                             syc_py_arguments *out)
{
    struct converting c = {state, kernel, given, count, -1, out, 0};

    out->items = NULL;
    out->values = NULL;
    out->pins = NULL;
    out->count = kernel->count;
    out->local_bytes = 0;
    if ((size_t)count != kernel->count)
        return refuse(&c, "takes %zu argument%s, %zd given", kernel->count, kernel->count == 1 ? "" : "s", count);
    if (make_room(state, kernel, out) < 0)
        goto failed;
    for (c.index = 0; c.index < count; c.index++) {
        if (convert(&c, given[c.index], &out->items[c.index]) < 0)
            goto failed;
    }
    return 0;
failed:
    syc_py_arguments_clear(out);
    return -1;
}

void syc_py_arguments_clear(syc_py_arguments *arguments)
{
    syc_pins_free(arguments->pins);
    arguments->pins = NULL;
    if (arguments->items != arguments->few)
        PyMem_Free(arguments->items);
    if (arguments->values != arguments->small)
        PyMem_Free(arguments->values);
    arguments->items = NULL;
    arguments->values = NULL;
}
