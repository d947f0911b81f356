/* Argument conversion: numbers become bytes, local memory becomes a size; memory of other kinds is elsewhere. */
#include "python/launch/conversion.h"
#include "python/number.h"
#include "python/types/stream.h"

void *syc_py_conversion_reserve(struct syc_py_conversion *c, size_t size)
{
    void *place = c->out->values + c->used;
    c->used += (size + 15) / 16 * 16;
    return place;
}

PyObject *syc_py_components(const syc_state *state, PyObject *value)
{
    return syc_py_is(state, SYC_FACE_COMPONENTS, value) ? PyObject_CallMethod(value, "_as_element", NULL) : NULL;
}

/* A struct by value: any object that is exactly its bytes, such as a NumPy structured scalar. */
static int convert_bytes(struct syc_py_conversion *c, PyObject *value, syc_argument *out)
{
    const syc_param *p = syc_py_param(c);
    Py_buffer *view;

    if (PyObject_CheckBuffer(value) && syc_py_conversion_pin(c, value, false, &view) == 0) {
        if (!syc_py_view_is_packed(view))
            return syc_py_conversion_refuse(c, "is not contiguous; a struct is passed by its bytes");
        if (p->size != 0 && (size_t)view->len != p->size)
            return syc_py_conversion_refuse(c, "has %zd bytes, but '%s' has %zu", view->len, p->struct_name, p->size);
        *out = (syc_argument){.kind = SYC_ARGUMENT_VALUE, .size = (size_t)view->len, .value = view->buf};
        return 0;
    }
    return PyErr_Occurred() ? -1
                            : syc_py_conversion_refuse(c, "is a %s, not a structured scalar for '%s'",
                                                       Py_TYPE(value)->tp_name, p->struct_name);
}

static int convert_number(struct syc_py_conversion *c, PyObject *value, void *place)
{
    const syc_param *p = syc_py_param(c);
    syc_number_fit fit = syc_number_convert(value, p->type, place);
    if (fit == SYC_NUMBER_OK)
        return 0;
    if (fit == SYC_NUMBER_RAISED)
        return -1;
    return syc_py_conversion_refuse(c, "%s for the type %s", syc_number_fit_text(fit), syc_dtype_name(p->type));
}

/* kernels/complex.clh's types, and no struct of the program's own by such a name. */
static bool is_complex(const syc_param *p)
{
    return (strcmp(p->struct_name, "cfloat") == 0 && p->alignment == 2 * sizeof(float)) ||
           (strcmp(p->struct_name, "cdouble") == 0 && p->alignment == 2 * sizeof(double));
}

static int convert_complex(struct syc_py_conversion *c, PyObject *value, syc_argument *out)
{
    const syc_param *p = syc_py_param(c);
    void *place = syc_py_conversion_reserve(c, p->size);
    syc_number_fit fit = syc_number_convert_complex(value, p->size == 8 ? SYC_FLOAT : SYC_DOUBLE, place);
    *out = (syc_argument){.kind = SYC_ARGUMENT_VALUE, .size = p->size, .value = place};
    if (fit == SYC_NUMBER_OK)
        return 0;
    if (fit == SYC_NUMBER_RAISED)
        return -1;
    return syc_py_conversion_refuse(c, "%s for the type %s", syc_number_fit_text(fit), p->struct_name);
}

static int convert_struct(struct syc_py_conversion *c, PyObject *value, syc_argument *out)
{
    PyObject *element;
    int failed;
    if (is_complex(syc_py_param(c)))
        return convert_complex(c, value, out);
    element = syc_py_components(c->scope->state, value);
    if (element == NULL)
        return PyErr_Occurred() ? -1 : convert_bytes(c, value, out);
    failed = convert_bytes(c, element, out); /* the pin holds it */
    Py_DECREF(element);
    return failed;
}

/* A vector by value: as many numbers as it has components. */
static int convert_vector(struct syc_py_conversion *c, PyObject *value, syc_argument *out)
{
    const syc_param *p = syc_py_param(c);
    size_t item = syc_dtype_size(p->type);
    char *place = syc_py_conversion_reserve(c, p->size);
    /* A tuple of our own: the __float__ of an item may change the sequence. */
    PyObject *items = PySequence_Check(value) ? PySequence_Tuple(value) : NULL;
    int failed = 0;

    if (items == NULL && PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError))
        return -1;
    if (items == NULL || (size_t)PyTuple_GET_SIZE(items) != p->width) {
        Py_XDECREF(items);
        PyErr_Clear();
        return syc_py_conversion_refuse(c, "is not a sequence of %u numbers", p->width);
    }
    memset(place, 0, p->size);
    for (unsigned i = 0; i < p->width && !failed; i++)
        failed = convert_number(c, PyTuple_GET_ITEM(items, i), place + i * item);
    Py_DECREF(items);
    *out = (syc_argument){.kind = SYC_ARGUMENT_VALUE, .size = p->size, .value = place};
    return failed;
}

int syc_py_convert_local(struct syc_py_conversion *c, PyObject *value, syc_argument *out)
{
    size_t bytes;

    if (!syc_py_is(c->scope->state, SYC_FACE_LOCAL, value))
        return syc_py_conversion_refuse(c, "is a %s; local memory is asked for with pysycl.local(shape, dtype)",
                                        Py_TYPE(value)->tp_name);
    if (PyTuple_GET_SIZE(value) < 3 || !PyLong_Check(PyTuple_GET_ITEM(value, 0)))
        return syc_py_conversion_refuse(c, "was not made by pysycl.local(shape, dtype)");
    bytes = PyLong_AsSize_t(PyTuple_GET_ITEM(value, 0));
    if (bytes == (size_t)-1 && PyErr_Occurred()) {
        PyErr_Clear();
        return syc_py_conversion_refuse(c, "asks for a number of bytes that no device can address");
    }
    if (bytes == 0)
        return syc_py_conversion_refuse(c, "asks for 0 bytes of local memory; at least 1 is needed");
    if (__builtin_add_overflow(c->out->local_bytes, bytes, &c->out->local_bytes))
        return syc_py_conversion_refuse(
            c, "asks, with those before it, for more local memory than any device can address");
    *out = (syc_argument){.kind = SYC_ARGUMENT_LOCAL, .size = bytes};
    return 0;
}

static int convert_pointer(struct syc_py_conversion *c, PyObject *value, syc_argument *out)
{
    int done;
    if (syc_py_param(c)->space == SYC_SPACE_LOCAL)
        return syc_py_convert_local(c, value, out);
    if (syc_py_param_is_stream(syc_py_param(c)))
        return syc_py_convert_stream(c, value, out);
    done = syc_py_convert_memory(c, value, out);
    return done != 0 ? (done < 0 ? -1 : 0) : syc_py_convert_array(c, value, out);
}

int syc_py_argument_convert(struct syc_py_conversion *c, PyObject *value, syc_argument *out)
{
    const syc_param *p = syc_py_param(c);
    if (p->type == SYC_OPAQUE)
        return syc_py_convert_opaque(c, value, out);
    if (p->pointer)
        return convert_pointer(c, value, out);
    if (p->type == SYC_STRUCT)
        return convert_struct(c, value, out);
    if (p->width > 1)
        return convert_vector(c, value, out);
    *out = (syc_argument){.kind = SYC_ARGUMENT_VALUE, .size = p->size, .value = syc_py_conversion_reserve(c, p->size)};
    return convert_number(c, value, (void *)out->value);
}

/* -- replays -- */

static const char *const kinds[] = {
    [SYC_ARGUMENT_VALUE] = "a value",   [SYC_ARGUMENT_SPAN] = "an array",      [SYC_ARGUMENT_LOCAL] = "local memory",
    [SYC_ARGUMENT_BUFFER] = "a buffer", [SYC_ARGUMENT_POINTER] = "a UsmArray", [SYC_ARGUMENT_SAMPLER] = "a sampler",
};

static size_t size_of(const syc_argument *a)
{
    return a->kind == SYC_ARGUMENT_SPAN ? a->span.bytes : a->size;
}

/* The new value can take the recorded one's place. */
static int check_change(const struct syc_py_conversion *c, const syc_argument *recorded, const syc_argument *given)
{
    bool memory = recorded->kind != SYC_ARGUMENT_VALUE;
    if (recorded->kind == SYC_ARGUMENT_LOCAL || recorded->kind == SYC_ARGUMENT_SAMPLER)
        return syc_py_conversion_refuse(c, "is %s, which a replay cannot replace", kinds[recorded->kind]);
    if (given->kind != recorded->kind)
        return syc_py_conversion_refuse(c, "was recorded as %s, and is %s now", kinds[recorded->kind],
                                        kinds[given->kind]);
    if (memory ? size_of(given) < size_of(recorded) : size_of(given) != size_of(recorded))
        return syc_py_conversion_refuse(c, "has %zu bytes, and what was recorded has %zu", size_of(given),
                                        size_of(recorded));
    return 0;
}

/* An int in place of a float is that number. */
static int check_int(const struct syc_py_conversion *c, PyObject *value)
{
    const syc_param *p = syc_py_param(c);
    char bytes[8];
    if (p->pointer || p->width != 1 || p->type >= SYC_STRUCT || !PyLong_Check(value))
        return 0;
    switch (syc_number_replace(value, p->type, bytes)) {
    case SYC_NUMBER_OK:
        return 0;
    case SYC_NUMBER_RAISED:
        return -1;
    default:
        return syc_py_conversion_refuse(c, "would be rounded by the type %s: pass a float", syc_dtype_name(p->type));
    }
}

int syc_py_argument_replace(struct syc_py_conversion *c, PyObject *value, const syc_argument *recorded,
                            syc_argument *out)
{
    return syc_py_argument_convert(c, value, out) < 0 || check_int(c, value) < 0 || check_change(c, recorded, out) < 0
               ? -1
               : 0;
}

/* A struct whose size is not known before the build may be a complex number, the one kind whose bytes are put here. */
static size_t value_bytes(const syc_param *p)
{
    size_t size = p->type == SYC_STRUCT && p->size == 0 ? 2 * sizeof(double) : p->size;
    return (size + 15) / 16 * 16;
}

size_t syc_py_conversion_bytes(const syc_signature *kernel)
{
    size_t bytes = 0;
    for (size_t i = 0; i < kernel->count; i++)
        bytes += kernel->params[i].pointer ? 0 : value_bytes(&kernel->params[i]);
    return bytes;
}

int syc_py_conversion_room(struct syc_py_conversion *c)
{
    const syc_signature *kernel = c->kernel;
    syc_py_arguments *out = c->out;
    size_t bytes = syc_py_conversion_bytes(kernel) + c->hidden_bytes, count = kernel->count + c->hidden;

    out->count = count;
    out->local_bytes = 0;
    out->values = bytes <= sizeof out->small ? out->small : PyMem_Malloc(bytes);
    out->items = count <= Py_ARRAY_LENGTH(out->few) ? out->few : PyMem_New(syc_argument, count);
    if (out->values != NULL && out->items != NULL)
        return 0;
    syc_py_arguments_clear(out);
    PyErr_NoMemory();
    return -1;
}

Py_ssize_t syc_py_conversion_pins(const syc_signature *kernel)
{
    Py_ssize_t count = 0;
    for (size_t i = 0; i < kernel->count; i++)
        count += kernel->params[i].pointer || kernel->params[i].type == SYC_STRUCT;
    return count;
}

PyObject *syc_py_parameter(const syc_state *state, PyObject **value)
{
    PyObject *parameter = *value;
    if (!syc_py_is(state, SYC_FACE_PARAMETER, parameter))
        return NULL;
    *value = PyTuple_GET_ITEM(parameter, 1);
    return PyTuple_GET_ITEM(parameter, 0);
}

int syc_py_argument_name(const syc_py_scope *scope, PyObject *name, syc_argument *out)
{
    out->name = PyUnicode_AsUTF8(name);
    return out->name != NULL ? syc_py_task_hold(scope->task, name) : -1;
}

int syc_py_arguments_convert(const syc_py_scope *scope, const syc_signature *kernel, PyObject *const *given,
                             Py_ssize_t count, size_t hidden, syc_py_arguments *out)
{
    struct syc_py_conversion c = {.scope = scope,
                                  .kernel = kernel,
                                  .given = given,
                                  .count = count,
                                  .index = -1,
                                  .out = out,
                                  .hidden = hidden,
                                  .hidden_bytes = hidden * 16};

    out->items = NULL;
    out->values = NULL;
    if ((size_t)count != kernel->count)
        return syc_py_conversion_refuse(&c, "takes %zu argument%s, %zd given", kernel->count,
                                        kernel->count == 1 ? "" : "s", count);
    if (syc_py_conversion_room(&c) < 0)
        return -1;
    if (syc_py_task_pin(scope->state, scope->task, syc_py_conversion_pins(kernel)) < 0)
        goto failed;
    for (c.index = 0; c.index < count; c.index++) {
        PyObject *value = given[c.index], *name = syc_py_parameter(scope->state, &value);
        if (syc_py_argument_convert(&c, value, &out->items[c.index]) < 0 ||
            (name != NULL && syc_py_argument_name(scope, name, &out->items[c.index]) < 0))
            goto failed;
    }
    out->count = kernel->count;
    return 0;
failed:
    syc_py_arguments_clear(out);
    return -1;
}

void syc_py_arguments_clear(syc_py_arguments *arguments)
{
    if (arguments->items != arguments->few)
        PyMem_Free(arguments->items);
    if (arguments->values != arguments->small)
        PyMem_Free(arguments->values);
    arguments->items = NULL;
    arguments->values = NULL;
}
