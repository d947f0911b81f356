/* The classes of a body's arguments: a row for each kind of object that can be one, asked in their order. */
#include "python/body_class.h"

#include "python/conversion.h"
#include "python/mismatch.h"

/* One argument being classified. */
struct asked {
    const syc_py_body_call *call;
    Py_ssize_t index;
    PyObject *value;
    syc_py_task *task;
    syc_py_given *out;
};

#define REFUSE(a, ...) syc_py_body_refuse((a)->call, SYC_E_KERNEL_ARGUMENT, (a)->index, __VA_ARGS__)

/* The rows say: it is mine, done; it is mine and cannot be taken (an error is set); it is not mine. */
typedef enum answer { DONE, FAILED = -1, NOT_MINE = 1 } answer;

static answer done(int failed)
{
    return failed < 0 ? FAILED : DONE;
}

/* -- Python's numbers -- */

static answer weak(const struct asked *a, syc_py_origin origin)
{
    a->out->class.origin = (uint8_t)origin;
    a->out->class.type = SYC_BOOL;
    return DONE;
}

static answer weak_int(const struct asked *a)
{
    int overflow;
    long long value = PyLong_AsLongLongAndOverflow(a->value, &overflow);
    return weak(a, overflow || value != (int32_t)value ? SYC_PY_WEAK_LONG : SYC_PY_WEAK_INT);
}

static answer python_number(const struct asked *a)
{
    if (PyFloat_CheckExact(a->value))
        return weak(a, SYC_PY_WEAK_FLOAT);
    if (PyLong_CheckExact(a->value))
        return weak_int(a);
    if (PyBool_Check(a->value))
        return weak(a, SYC_PY_BOOLEAN);
    if (PyComplex_CheckExact(a->value))
        return weak(a, SYC_PY_WEAK_COMPLEX);
    return NOT_MINE;
}

/* -- element types -- */

/* The Layout of a structured dtype: made once, by pysycl/struct_types.py, and kept. Borrowed; NULL with an error set.
 */
static PyObject *layout_of(syc_state *state, PyObject *dtype)
{
    PyObject *layout, *module;
    int failed;

    if (state->layouts == NULL && (state->layouts = PyDict_New()) == NULL)
        return NULL;
    layout = PyDict_GetItemWithError(state->layouts, dtype);
    if (layout != NULL || PyErr_Occurred())
        return layout;
    module = PyImport_ImportModule("pysycl.struct_types");
    layout = module != NULL ? PyObject_CallMethod(module, "layout", "(O)", dtype) : NULL;
    Py_XDECREF(module);
    if (layout == NULL)
        return NULL;
    failed = PyDict_SetItem(state->layouts, dtype, layout); /* holds it from now on: entries are never removed */
    Py_DECREF(layout);
    return failed < 0 ? NULL : layout;
}

/* Refuses with the words of the error that is set, if that is a ValueError. */
static int refuse_raised(const struct asked *a, const char *before)
{
    PyObject *type, *value, *trace, *words;
    const char *text;
    if (!PyErr_ExceptionMatches(PyExc_ValueError) && !PyErr_ExceptionMatches(PyExc_TypeError) &&
        !PyErr_ExceptionMatches(PyExc_BufferError))
        return -1;
    PyErr_Fetch(&type, &value, &trace);
    words = value != NULL ? PyObject_Str(value) : NULL;
    text = words != NULL ? PyUnicode_AsUTF8(words) : NULL;
    PyErr_Clear();
    REFUSE(a, "%s%s", before, text != NULL ? text : "(no reason given)");
    Py_XDECREF(words);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return -1;
}

static int take_layout(const struct asked *a, PyObject *dtype)
{
    syc_py_class *class = &a->out->class;
    class->type = SYC_STRUCT;
    class->layout = dtype != NULL ? layout_of(a->call->state, dtype) : NULL;
    return class->layout != NULL ? 0 : refuse_raised(a, "");
}

/* The dtype of something with elements that are structs: a new reference. */
static PyObject *dtype_of(PyObject *value)
{
    PyObject *dtype = PyObject_GetAttrString(value, "dtype"), *module;
    if (dtype != NULL || !PyErr_ExceptionMatches(PyExc_AttributeError))
        return dtype;
    PyErr_Clear();
    module = PyImport_ImportModule("pysycl.struct_types");
    dtype = module != NULL ? PyObject_CallMethod(module, "dtype_of", "(O)", value) : NULL;
    Py_XDECREF(module);
    return dtype;
}

static int refuse_type(const struct asked *a, const char *format)
{
    PyObject *dtype = PyObject_GetAttrString(a->value, "dtype"), *words = dtype != NULL ? PyObject_Str(dtype) : NULL;
    const char *text = words != NULL ? PyUnicode_AsUTF8(words) : NULL;
    PyErr_Clear();
    (void)REFUSE(a, "is of %s, for which OpenCL C has no type", text != NULL ? text : format);
    Py_XDECREF(words);
    Py_XDECREF(dtype);
    return -1;
}

/* The element type of a format. `dtype` is NULL where it has to be asked of the value. */
static int take_format(const struct asked *a, const char *format, size_t item, PyObject *dtype)
{
    syc_py_class *class = &a->out->class;
    syc_dtype type;
    unsigned width;
    PyObject *own;
    int failed;

    class->width = 1;
    if (syc_dtype_from_format(format, item, &type)) {
        class->boolean = type == SYC_BOOL;
        class->type = type == SYC_BOOL ? SYC_UCHAR : (uint8_t)type;
        return 0;
    }
    if (syc_dtype_from_vector_format(format, item, &type, &width)) {
        class->type = (uint8_t)type;
        class->width = (uint8_t)width;
        return 0;
    }
    if (format != NULL && (strcmp(format, "Zf") == 0 || strcmp(format, "Zd") == 0)) {
        class->type = format[1] == 'f' ? SYC_FLOAT : SYC_DOUBLE;
        class->width = 2;
        return 0;
    }
    if (format == NULL || (strchr(format, '{') == NULL && *format != 'T'))
        return refuse_type(a, format);
    if (dtype != NULL)
        return take_layout(a, dtype);
    own = dtype_of(a->value);
    failed = take_layout(a, own);
    Py_XDECREF(own);
    return failed;
}

static int take_dtype(const struct asked *a, PyObject *dtype, size_t item)
{
    const char *format = syc_py_dtype_format(a->call->state, dtype);
    return format != NULL ? take_format(a, format, item, dtype) : -1;
}

/* Sizes per dimension; beyond three, or with none, memory is flat. */
static void take_shape(const struct asked *a, const size_t *shape, int rank, size_t elements)
{
    syc_py_given *out = a->out;
    out->class.rank = rank >= 1 && rank <= 3 ? (uint8_t)rank : 1;
    out->shape[0] = elements;
    for (int d = 0; rank >= 1 && rank <= 3 && d < rank; d++)
        out->shape[d] = shape[d];
}

/* -- objects of our own -- */

static answer memory(const struct asked *a, bool readable, bool writable)
{
    a->out->class.origin = SYC_PY_MEMORY;
    a->out->class.readable = readable;
    a->out->class.writable = writable;
    return DONE;
}

static answer image(const struct asked *a, const syc_buffer *core, bool readable, bool writable)
{
    memory(a, readable, writable);
    a->out->class.origin = SYC_PY_IMAGE;
    a->out->class.type = SYC_OPAQUE;
    a->out->class.rank = (uint8_t)core->image.rank;
    return DONE;
}

static answer accessor(const struct asked *a)
{
    const AccessorObject *self = (AccessorObject *)a->value;
    if (!syc_py_is_accessor(a->call->state, a->value))
        return NOT_MINE;
    if (self->core == NULL)
        return done(REFUSE(a, "is an empty accessor, which has no element type that the body could be given"));
    if (self->core->image.rank > 0)
        return image(a, self->core, self->mode != SYC_PY_WRITE, self->mode != SYC_PY_READ);
    memory(a, self->mode != SYC_PY_WRITE, self->mode != SYC_PY_READ);
    take_shape(a, self->shape, (int)self->rank, self->item > 0 ? self->bytes / self->item : 0);
    return done(take_dtype(a, self->dtype, self->item));
}

static answer buffer(const struct asked *a)
{
    const BufferObject *self = (BufferObject *)a->value;
    if (!syc_py_is_buffer(a->call->state, a->value))
        return NOT_MINE;
    if (self->core == NULL)
        return done(REFUSE(a, "is a buffer that has been closed"));
    if (self->core->image.rank > 0)
        return image(a, self->core, true, !self->read_only);
    memory(a, true, !self->read_only);
    take_shape(a, self->shape, (int)self->rank, self->item > 0 ? self->bytes / self->item : 0);
    return done(take_dtype(a, self->dtype, self->item));
}

static answer usm(const struct asked *a)
{
    const UsmObject *self = (UsmObject *)a->value;
    size_t elements = 1;
    if (!syc_py_is_usm(a->call->state, a->value))
        return NOT_MINE;
    for (int d = 0; d < self->rank; d++)
        elements *= (size_t)self->shape[d];
    memory(a, true, true);
    take_shape(a, (const size_t *)self->shape, self->rank, elements);
    return done(take_dtype(a, self->dtype, self->item));
}

static int take_local_shape(const struct asked *a, PyObject *shape)
{
    size_t sizes[3] = {1, 1, 1};
    Py_ssize_t rank = PyTuple_GET_SIZE(shape);
    for (Py_ssize_t d = 0; d < rank && d < 3; d++) {
        sizes[d] = PyLong_AsSize_t(PyTuple_GET_ITEM(shape, d));
        if (sizes[d] == (size_t)-1 && PyErr_Occurred())
            return -1;
    }
    take_shape(a, sizes, (int)rank, 1);
    return 0;
}

static answer local(const struct asked *a)
{
    PyObject *dtype;
    size_t item;

    if (!syc_py_is(a->call->state, SYC_FACE_LOCAL, a->value))
        return NOT_MINE;
    if (PyTuple_GET_SIZE(a->value) != 5 || !PyLong_Check(PyTuple_GET_ITEM(a->value, 2)) ||
        !PyTuple_Check(PyTuple_GET_ITEM(a->value, 3)))
        return done(REFUSE(a, "was not made by pysycl.local(shape, dtype)"));
    memory(a, true, true);
    a->out->class.origin = SYC_PY_LOCAL;
    item = PyLong_AsSize_t(PyTuple_GET_ITEM(a->value, 2));
    dtype = PyTuple_GET_ITEM(a->value, 4);
    if ((item == (size_t)-1 && PyErr_Occurred()) || take_local_shape(a, PyTuple_GET_ITEM(a->value, 3)) < 0)
        return FAILED;
    return done(take_dtype(a, dtype, item));
}

static answer sampler(const struct asked *a)
{
    if (!PyObject_TypeCheck(a->value, a->call->state->base[SYC_FACE_SAMPLER]))
        return NOT_MINE;
    a->out->class.origin = SYC_PY_SAMPLER;
    a->out->class.type = SYC_OPAQUE;
    return DONE;
}

static answer stream(const struct asked *a)
{
    if (!PyObject_TypeCheck(a->value, a->call->state->base[SYC_FACE_STREAM]))
        return NOT_MINE;
    a->out->class.origin = SYC_PY_STREAM;
    a->out->class.type = SYC_OPAQUE;
    return DONE;
}

/* -- everything that shows its memory -- */

static int pin(const struct asked *a, PyObject *object)
{
    syc_pins *pins = a->task->pins;
    Py_buffer *view = &pins->views[pins->count];

    if (PyObject_GetBuffer(object, view, PyBUF_STRIDES | PyBUF_FORMAT) < 0)
        return refuse_raised(a, "cannot share its memory: ");
    pins->count++;
    a->out->view = view;
    if (view->format != NULL && (*view->format == '>' || *view->format == '!'))
        return REFUSE(a, "is in big-endian byte order; devices here are little-endian: pass "
                         "array.astype(array.dtype.newbyteorder('='))");
    return 0;
}

/* numpy.generic, borrowed; NULL as long as nobody has imported NumPy, and then nothing can be one of its scalars. */
static PyTypeObject *generic(syc_state *state)
{
    PyObject *name, *numpy;
    if (state->generic != NULL)
        return state->generic;
    name = PyUnicode_FromString("numpy");
    numpy = name != NULL ? PyImport_GetModule(name) : NULL;
    Py_XDECREF(name);
    if (numpy != NULL)
        state->generic = (PyTypeObject *)PyObject_GetAttrString(numpy, "generic");
    Py_XDECREF(numpy);
    PyErr_Clear();
    return state->generic;
}

static answer scalar(const struct asked *a)
{
    PyTypeObject *type = generic(a->call->state);
    if (type == NULL || !PyObject_TypeCheck(a->value, type))
        return NOT_MINE;
    a->out->class.origin = SYC_PY_SCALAR;
    if (!PyObject_CheckBuffer(a->value))
        return done(refuse_type(a, Py_TYPE(a->value)->tp_name));
    if (pin(a, a->value) < 0)
        return FAILED;
    if (a->out->view->ndim != 0) /* a date shows its bytes */
        return done(refuse_type(a, Py_TYPE(a->value)->tp_name));
    return done(take_format(a, a->out->view->format, (size_t)a->out->view->itemsize, NULL));
}

static answer take_array(const struct asked *a, PyObject *object)
{
    const Py_buffer *view;
    if (pin(a, object) < 0)
        return FAILED;
    view = a->out->view;
    if (view->ndim > SYC_MAX_RANK)
        return done(REFUSE(a, "has %d dimensions; at most %d can be passed", view->ndim, SYC_MAX_RANK));
    memory(a, true, !view->readonly);
    take_shape(a, (const size_t *)view->shape, view->ndim,
               view->itemsize > 0 ? (size_t)(view->len / view->itemsize) : 0);
    return done(take_format(a, view->format, (size_t)view->itemsize, NULL));
}

static answer array(const struct asked *a)
{
    return PyObject_CheckBuffer(a->value) ? take_array(a, a->value) : NOT_MINE;
}

/* -- reductions -- */

/* The variables' type makes room for that of the values that they are combined from. */
static int take_value(const struct asked *a, PyObject *dtype)
{
    syc_py_class *class = &a->out->class;
    PyObject *size = PyObject_GetAttrString(dtype, "itemsize");
    size_t item = size != NULL ? PyLong_AsSize_t(size) : 0;
    Py_XDECREF(size);
    if (PyErr_Occurred())
        return -1;
    if (class->layout != NULL)
        return REFUSE(a, "has structs as results, and values of another type: only numbers can be made of those");
    class->result_type = class->type;
    class->result_width = class->width;
    class->boolean = 0;
    return take_dtype(a, dtype, item);
}

static int take_bits(const struct asked *a, PyObject *const *places)
{
    syc_py_class *class = &a->out->class;
    unsigned long reduced = PyLong_AsUnsignedLong(places[SYC_PY_REDUCTION_REDUCED]);
    unsigned long accuracy = PyLong_AsUnsignedLong(places[SYC_PY_REDUCTION_ACCURACY]);
    PyObject *finish = places[SYC_PY_REDUCTION_FINISH];

    class->reducer = (uint8_t)(places[SYC_PY_REDUCTION_IDENTITY] != Py_None ? SYC_PY_REDUCER_KNOWN : 0);
    class->reducer |= places[SYC_PY_REDUCTION_FRESH] == Py_True ? SYC_PY_REDUCER_FRESH : 0;
    class->reducer |= places[SYC_PY_REDUCTION_ARRAY] == Py_True ? SYC_PY_REDUCER_ARRAY : 0;
    class->reducer |= places[SYC_PY_REDUCTION_ORDERED] == Py_True ? SYC_PY_REDUCER_ORDERED : 0;
    class->reduced = (uint8_t)reduced;
    class->accuracy = (uint8_t)accuracy;
    class->finish = finish != Py_None ? finish : NULL;
    return PyErr_Occurred() ? -1 : 0;
}

/* The class of its memory, and what it is combined by. Only pysycl's own code makes reductions of arrays. */
static answer reducer(const struct asked *a)
{
    PyTypeObject *face = a->call->state->face[SYC_FACE_REDUCTION];
    struct asked memory = *a;
    syc_py_class *class = &a->out->class;
    PyObject *const *places;
    answer result;
    bool accessed;

    if (face == NULL || !PyObject_TypeCheck(a->value, face))
        return NOT_MINE;
    if (PyTuple_GET_SIZE(a->value) != SYC_PY_REDUCTION_PLACES ||
        !PyUnicode_Check(PyTuple_GET_ITEM(a->value, SYC_PY_REDUCTION_OPERATION)))
        return done(REFUSE(a, "was not made by pysycl.reduction(var, op)"));
    places = &PyTuple_GET_ITEM(a->value, 0);
    memory.value = places[SYC_PY_REDUCTION_MEMORY];
    result = accessor(&memory);
    accessed = result == DONE;
    result = result == NOT_MINE ? buffer(&memory) : result;
    result = result == NOT_MINE ? usm(&memory) : result;
    result = result == NOT_MINE ? array(&memory) : result;
    if (result != DONE)
        return result == NOT_MINE ? done(REFUSE(a, "was not made by pysycl.reduction(var, op)")) : result;
    if (a->out->view != NULL && a->out->view->readonly)
        return done(REFUSE(a, "is into an array that may only be read"));
    class->origin = SYC_PY_REDUCER;
    class->readable = class->writable = 1;
    class->operation = places[SYC_PY_REDUCTION_OPERATION];
    if (!accessed || places[SYC_PY_REDUCTION_ARRAY] != Py_True) /* only an accessor's array keeps its dimensions */
        take_shape(a, NULL, 0, PyLong_AsSize_t(places[SYC_PY_REDUCTION_COUNT]));
    if (take_bits(a, places) < 0)
        return FAILED;
    return done(places[SYC_PY_REDUCTION_VALUE] != Py_None ? take_value(a, places[SYC_PY_REDUCTION_VALUE]) : 0);
}

/* Vec and Marray: by value, as they are now. */
static answer components(const struct asked *a)
{
    PyObject *value = syc_py_components(a->call->state, a->value), *dtype = NULL;
    int failed = -1;

    if (value == NULL)
        return PyErr_Occurred() ? FAILED : NOT_MINE;
    a->out->class.origin = SYC_PY_SCALAR;
    if (pin(a, value) == 0 && (dtype = PyObject_GetAttrString(value, "dtype")) != NULL && /* the pin holds the value */
        a->out->view->ndim == 0)
        failed = take_format(a, a->out->view->format, (size_t)a->out->view->itemsize, dtype);
    else if (dtype != NULL)
        failed = refuse_type(a, Py_TYPE(a->value)->tp_name);
    Py_XDECREF(dtype);
    Py_DECREF(value);
    return done(failed);
}

/* __array_interface__, __dlpack__: pysycl/source.py knows them. */
static answer protocol(const struct asked *a)
{
    PyObject *module = PyImport_ImportModule("pysycl.source"), *has = NULL, *view = NULL;
    answer result = FAILED;

    has = module != NULL ? PyObject_CallMethod(module, "has_memory", "(O)", a->value) : NULL;
    if (has == Py_False)
        result = NOT_MINE;
    else if (has != NULL && (view = PyObject_CallMethod(module, "view_of", "(O)", a->value)) == NULL)
        result = done(refuse_raised(a, "cannot share its memory: "));
    else if (view != NULL)
        result = take_array(a, view); /* the pinned view holds the array */
    Py_XDECREF(view);
    Py_XDECREF(has);
    Py_XDECREF(module);
    return result;
}

/* Classes derived from Python's numbers, which NumPy's scalars are too: enumerations. */
static answer derived_number(const struct asked *a)
{
    if (PyLong_Check(a->value))
        return weak_int(a);
    return PyFloat_Check(a->value) ? weak(a, SYC_PY_WEAK_FLOAT) : NOT_MINE;
}

static answer anything(const struct asked *a)
{
    bool sequence = PyList_Check(a->value) || PyTuple_CheckExact(a->value);
    if (a->value == Py_None)
        return done(REFUSE(a, "is None; expected an array, an accessor or a number"));
    return done(REFUSE(a, "is a %s, which a body cannot be given%s", Py_TYPE(a->value)->tp_name,
                       sequence ? ": make an array with numpy.asarray" : ""));
}

static answer (*const rows[])(const struct asked *) = {
    python_number, accessor, buffer,         usm,   local,      sampler,  stream,
    reducer,       scalar,   derived_number, array, components, protocol, anything,
};

int syc_py_classify(const syc_py_body_call *call, Py_ssize_t index, syc_py_task *task, syc_py_given *out)
{
    struct asked a = {call, index, call->values[index], task, out};
    answer answer = NOT_MINE;
    *out = (syc_py_given){.class = {.width = 1}};
    for (size_t i = 0; answer == NOT_MINE; i++)
        answer = rows[i](&a);
    return answer == DONE ? 0 : -1;
}
