/* Host arrays as kernel arguments. */
#include "python/launch/conversion.h"
#include "python/memory/describe.h"
#include "python/memory/host_memory.h"

static bool foreign_byte_order(const char *format)
{
    return format != NULL && (*format == '>' || *format == '!');
}

/* Complex numbers are pairs: the vector types of width 2. */
static bool is_complex_pair(const syc_param *p, const char *format)
{
    syc_dtype parts;
    return p->width == 2 && syc_dtype_from_complex_format(format, &parts) && p->type == parts;
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

int syc_py_conversion_check(const struct syc_py_conversion *c, const struct syc_py_elements *e)
{
    const syc_param *p = syc_py_param(c);
    syc_dtype given;
    unsigned width;

    if (c->body != NULL) /* its parameters were declared for these very elements: body/classes.c */
        return 0;
    if (foreign_byte_order(e->format))
        return syc_py_conversion_refuse(c,
                                        "is %s in big-endian byte order; devices here are little-endian: pass "
                                        "array.astype(array.dtype.newbyteorder('='))",
                                        e->noun);
    if (p->type == SYC_VOID || is_complex_pair(p, e->format))
        return 0;
    if (syc_dtype_from_vector_format(e->format, (size_t)e->item, &given, &width) && p->type != SYC_STRUCT)
        return given == p->type && width == p->width
                   ? 0
                   : syc_py_conversion_refuse(c, "is %s of %s, not of %s", e->noun, syc_dtype_vector_name(given, width),
                                              syc_dtype_vector_name(p->type, p->width));
    if (p->type == SYC_STRUCT && syc_dtype_from_format(e->format, (size_t)e->item, &given))
        return syc_py_conversion_refuse(c, "is %s of %s, not of the struct '%s'", e->noun,
                                        syc_py_dtype_word(e->format, e->item), p->struct_name);
    if (p->type == SYC_STRUCT && p->size != 0 && (size_t)e->item != p->size)
        return syc_py_conversion_refuse(c, "is %s whose elements have %zd bytes, but '%s' has %zu", e->noun, e->item,
                                        p->struct_name, p->size);
    if (p->type == SYC_STRUCT)
        return 0;
    if (!syc_dtype_from_format(e->format, (size_t)e->item, &given) || !same_type(p, given))
        return syc_py_conversion_refuse(c, "is %s of %s, not of %s", e->noun, syc_py_dtype_word(e->format, e->item),
                                        syc_dtype_name(p->type));
    if (p->width > 1 && p->size != 0 && e->bytes % (Py_ssize_t)p->size != 0)
        return syc_py_conversion_refuse(c, "has %zd bytes, not a multiple of the %zu that one %s%u takes", e->bytes,
                                        p->size, syc_dtype_name(p->type), p->width);
    return 0;
}

bool syc_py_view_is_packed(const Py_buffer *view)
{
    return view->ndim == 0 || PyBuffer_IsContiguous(view, 'C');
}

/* The exceptions of an exporter that cannot export: every other one, Ctrl-C for one, is its caller's. */
static bool is_refusal(void)
{
    return PyErr_ExceptionMatches(PyExc_BufferError) || PyErr_ExceptionMatches(PyExc_TypeError) ||
           PyErr_ExceptionMatches(PyExc_ValueError);
}

/* Refuses with the exporter's own reason. */
static int refuse_exporter(struct syc_py_conversion *c, PyObject *value)
{
    PyObject *type, *reason, *trace, *words;
    const char *text = NULL;
    int failed;

    PyErr_Fetch(&type, &reason, &trace);
    words = reason != NULL ? PyObject_Str(reason) : NULL;
    if (words != NULL)
        text = PyUnicode_AsUTF8(words);
    PyErr_Clear();
    failed = syc_py_conversion_refuse(c, "is a %s whose memory cannot be shared%s%s", Py_TYPE(value)->tp_name,
                                      text != NULL ? ": " : "", text != NULL ? text : "");
    Py_XDECREF(words);
    Py_XDECREF(type);
    Py_XDECREF(reason);
    Py_XDECREF(trace);
    return failed;
}

static int refuse_object(struct syc_py_conversion *c, PyObject *value)
{
    if (value == Py_None)
        return syc_py_conversion_refuse(c, "is None; expected an array");
    if (PyLong_Check(value))
        return syc_py_conversion_refuse(
            c, "is an int, not an array: an address is no argument, memory is passed as the object that owns it");
    return syc_py_conversion_refuse(c, "is a %s, not an array%s", Py_TYPE(value)->tp_name,
                                    PyList_Check(value) || PyTuple_CheckExact(value) ? ": make one with numpy.asarray"
                                                                                     : "");
}

/* Memory that is told of in another way than the buffer protocol. What has nothing but __array__ may be anything. */
static bool has_protocol(PyObject *value)
{
    return !PyType_Check(value) &&
           (PyObject_HasAttrString(value, "__array_interface__") || PyObject_HasAttrString(value, "__array_struct__") ||
            PyObject_HasAttrString(value, "__dlpack__"));
}

static int pin_by_protocol(struct syc_py_conversion *c, PyObject *value, bool write, Py_buffer **out)
{
    PyObject *array = syc_py_host_memory_view(value);
    int failed;
    if (array == NULL)
        return is_refusal() ? refuse_exporter(c, value) : -1;
    failed = syc_py_conversion_pin(c, array, write, out); /* the view holds the array, and that what it looks at */
    Py_DECREF(array);
    return failed;
}

int syc_py_conversion_pin(struct syc_py_conversion *c, PyObject *value, bool write, Py_buffer **out)
{
    syc_pins *pins = c->scope->task->pins;
    Py_buffer *view = &pins->views[pins->count];
    int flags = PyBUF_STRIDES | PyBUF_FORMAT | (write ? PyBUF_WRITABLE : 0);

    if (!PyObject_CheckBuffer(value))
        return has_protocol(value) ? pin_by_protocol(c, value, write, out) : refuse_object(c, value);
    if (PyObject_GetBuffer(value, view, flags) == 0) {
        pins->count++;
        *out = view;
        return 0;
    }
    if (!is_refusal())
        return -1;
    if (write)
        PyErr_Clear();
    if (write && PyObject_GetBuffer(value, view, PyBUF_STRIDES | PyBUF_FORMAT) == 0) {
        PyBuffer_Release(view);
        return syc_py_conversion_refuse(c,
                                        "is a read-only array, and the kernel may write through '%s': declare it const "
                                        "or pass a writable array",
                                        syc_py_param(c)->text);
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

    if (syc_py_view_is_packed(view) || view->len == 0)
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

int syc_py_convert_view(struct syc_py_conversion *c, const Py_buffer *view, syc_argument *out)
{
    const syc_param *p = syc_py_param(c);
    bool write = syc_py_param_writes(p);
    struct syc_py_elements elements = {"an array", view->format, view->itemsize, view->len};

    if (syc_py_conversion_check(c, &elements) < 0)
        return -1;
    if (view->ndim > SYC_MAX_RANK)
        return syc_py_conversion_refuse(c, "has %d dimensions; at most %d can be passed", view->ndim, SYC_MAX_RANK);
    if (write && shares_elements(view))
        return c->body != NULL
                   ? syc_py_conversion_refuse(c, "is an array whose elements overlap in memory, and the body writes to "
                                                 "it: pass a copy")
                   : syc_py_conversion_refuse(c,
                                              "is an array whose elements overlap in memory, and the kernel may write "
                                              "through '%s': declare it const or pass a copy",
                                              p->text);
    c->scope->task->core.arrays = true;
    *out = (syc_argument){.kind = SYC_ARGUMENT_SPAN,
                          .element = (size_t)view->itemsize,
                          .span = {.data = view->buf,
                                   .bytes = (size_t)view->len,
                                   .writable = write,
                                   .alignment = p->alignment > 0 ? p->alignment : 1,
                                   .packed = syc_py_view_is_packed(view),
                                   .rank = view->ndim,
                                   .item_size = (size_t)view->itemsize,
                                   .shape = view->shape,
                                   .strides = view->strides}};
    return 0;
}

int syc_py_convert_array(struct syc_py_conversion *c, PyObject *value, syc_argument *out)
{
    Py_buffer *view;
    if (syc_py_conversion_pin(c, value, syc_py_param_writes(syc_py_param(c)), &view) < 0)
        return -1;
    return syc_py_convert_view(c, view, out);
}
