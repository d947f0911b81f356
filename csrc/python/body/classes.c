/* The classes of a body's arguments: a row for each kind of object that can be one, asked in their order. */
#include "python/body/asked.h"

#include "body/name.h"
#include "python/launch/conversion.h"

/* -- Python's numbers -- */

static answer weak(const struct asked *a, syc_py_origin origin)
{
    a->out->class.origin = (uint8_t)origin;
    a->out->class.type = SYC_BOOL;
    return DONE;
}

/* The first of int, long and ulong that holds it; SYC_VOID: none does. */
static syc_dtype literal_type(PyObject *integer)
{
    int overflow;
    long long value = PyLong_AsLongLongAndOverflow(integer, &overflow);
    if (overflow == 0)
        return value == (int32_t)value ? SYC_INT : SYC_LONG;
    (void)PyLong_AsUnsignedLongLong(integer);
    if (!PyErr_Occurred())
        return SYC_ULONG;
    PyErr_Clear();
    return SYC_VOID;
}

static answer integer(const struct asked *a)
{
    syc_dtype type = literal_type(a->value);
    if (type == SYC_VOID)
        return done(syc_py_body_refuse_number(a->call, a->index, "has more than 64 bits"));
    a->out->class.origin = SYC_PY_INT;
    a->out->class.type = (uint8_t)type;
    return DONE;
}

static answer python_number(const struct asked *a)
{
    if (PyFloat_CheckExact(a->value))
        return weak(a, SYC_PY_WEAK_FLOAT);
    if (PyLong_CheckExact(a->value) || PyBool_Check(a->value))
        return integer(a);
    if (PyComplex_CheckExact(a->value))
        return weak(a, SYC_PY_WEAK_COMPLEX);
    return NOT_MINE;
}

/* -- everything that shows its memory -- */

static int pin(const struct asked *a, PyObject *object)
{
    syc_pins *pins = a->task->pins;
    Py_buffer *view = &pins->views[pins->count];

    if (PyObject_GetBuffer(object, view, PyBUF_STRIDES | PyBUF_FORMAT) < 0)
        return syc__asked_refuse_raised(a, "cannot share its memory: ");
    pins->count++;
    a->out->view = view;
    if (view->format != NULL && (*view->format == '>' || *view->format == '!'))
        return REFUSE(a, "is in big-endian byte order; devices here are little-endian: pass "
                         "array.astype(array.dtype.newbyteorder('='))");
    return 0;
}

/* numpy.generic, borrowed; NULL as long as nobody has imported NumPy, and then nothing can be one of its scalars.
 * Beside it comes numpy.ndarray. */
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
    if (numpy != NULL && state->array == NULL)
        state->array = PyObject_GetAttrString(numpy, "ndarray");
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
        return done(syc__asked_refuse_type(a, Py_TYPE(a->value)->tp_name));
    if (pin(a, a->value) < 0)
        return FAILED;
    if (a->out->view->ndim != 0) /* a date shows its bytes */
        return done(syc__asked_refuse_type(a, Py_TYPE(a->value)->tp_name));
    return done(syc__asked_format(a, a->out->view->format, (size_t)a->out->view->itemsize, NULL));
}

static answer take_array(const struct asked *a, PyObject *object)
{
    const Py_buffer *view;
    if (pin(a, object) < 0)
        return FAILED;
    view = a->out->view;
    if (view->ndim > SYC_MAX_RANK)
        return done(REFUSE(a, "has %d dimensions; at most %d can be passed", view->ndim, SYC_MAX_RANK));
    syc__asked_memory(a, true, !view->readonly);
    syc__asked_shape(a, (const size_t *)view->shape, view->ndim,
                     view->itemsize > 0 ? (size_t)(view->len / view->itemsize) : 0);
    return done(syc__asked_format(a, view->format, (size_t)view->itemsize, NULL));
}

/* Most arguments are, and none of pysycl's own kinds. */
static answer numpy_array(const struct asked *a)
{
    return (PyObject *)Py_TYPE(a->value) == a->call->state->array ? take_array(a, a->value) : NOT_MINE;
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
    if (class->layout != NULL && class->accuracy == SYC_ACCURACY_FAST)
        return REFUSE(a, "has structs as results, and values of another type: only numbers can be made of those");
    class->result_type = class->type;
    class->result_width = class->width;
    class->layout = NULL; /* structs are accumulators: syc_reducer.kept */
    class->boolean = 0;
    return syc__asked_dtype(a, dtype, item);
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
    if (PyTuple_GET_SIZE(a->value) == SYC_PY_SCANNER_PLACES)
        class->reducer |=
            SYC_PY_REDUCER_SCANNER | (places[SYC_PY_REDUCTION_INITIAL] != Py_None ? SYC_PY_REDUCER_INITIAL : 0);
    class->reduced = (uint8_t)reduced;
    class->accuracy = (uint8_t)accuracy;
    class->finish = finish != Py_None ? finish : NULL;
    return PyErr_Occurred() ? -1 : 0;
}

/* A scanner without a total: its values have a type, and there is no memory. */
static answer no_memory(const struct asked *a, PyObject *dtype)
{
    PyObject *size = PyObject_GetAttrString(dtype, "itemsize");
    const size_t item = size != NULL ? PyLong_AsSize_t(size) : 0;
    Py_XDECREF(size);
    return done(PyErr_Occurred() ? -1 : syc__asked_dtype(a, dtype, item));
}

/* The class of its memory, and what it is combined by. Only pysycl's own code makes reductions of arrays. */
static answer reducer(const struct asked *a)
{
    PyTypeObject *face = a->call->state->face[SYC_FACE_REDUCTION];
    struct asked memory = *a;
    syc_py_class *class = &a->out->class;
    PyObject *const *places;
    answer result;
    bool accessed, silent;

    if (face == NULL || !PyObject_TypeCheck(a->value, face))
        return NOT_MINE;
    if ((PyTuple_GET_SIZE(a->value) != SYC_PY_REDUCTION_PLACES &&
         PyTuple_GET_SIZE(a->value) != SYC_PY_SCANNER_PLACES) ||
        !PyUnicode_Check(PyTuple_GET_ITEM(a->value, SYC_PY_REDUCTION_OPERATION)))
        return done(REFUSE(a, "was not made by pysycl.reduction(var, op)"));
    places = &PyTuple_GET_ITEM(a->value, 0);
    memory.value = places[SYC_PY_REDUCTION_MEMORY];
    silent = memory.value == Py_None && PyTuple_GET_SIZE(a->value) == SYC_PY_SCANNER_PLACES;
    result = silent ? no_memory(a, places[SYC_PY_REDUCTION_VALUE]) : syc__asked_accessor(&memory);
    accessed = !silent && result == DONE;
    result = result == NOT_MINE ? syc__asked_buffer(&memory) : result;
    result = result == NOT_MINE ? syc__asked_usm(&memory) : result;
    result = result == NOT_MINE ? array(&memory) : result;
    if (result != DONE)
        return result == NOT_MINE ? done(REFUSE(a, "was not made by pysycl.reduction(var, op)")) : result;
    if (a->out->view != NULL && a->out->view->readonly)
        return done(REFUSE(a, "is into an array that may only be read"));
    class->origin = SYC_PY_REDUCER;
    class->readable = class->writable = 1;
    class->operation = places[SYC_PY_REDUCTION_OPERATION];
    if (!accessed || places[SYC_PY_REDUCTION_ARRAY] != Py_True) /* only an accessor's array keeps its dimensions */
        syc__asked_shape(a, NULL, 0, PyLong_AsSize_t(places[SYC_PY_REDUCTION_COUNT]));
    if (take_bits(a, places) < 0)
        return FAILED;
    return done(places[SYC_PY_REDUCTION_VALUE] != Py_None && !silent ? take_value(a, places[SYC_PY_REDUCTION_VALUE])
                                                                     : 0);
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
        failed = syc__asked_format(a, a->out->view->format, (size_t)a->out->view->itemsize, dtype);
    else if (dtype != NULL)
        failed = syc__asked_refuse_type(a, Py_TYPE(a->value)->tp_name);
    Py_XDECREF(dtype);
    Py_DECREF(value);
    return done(failed);
}

/* __array_interface__, __dlpack__: pysycl/_data/host_memory.py knows them. */
static answer protocol(const struct asked *a)
{
    PyObject *module = PyImport_ImportModule("pysycl._data.host_memory"), *has = NULL, *view = NULL;
    answer result = FAILED;

    has = module != NULL ? PyObject_CallMethod(module, "has_memory", "(O)", a->value) : NULL;
    if (has == Py_False)
        result = NOT_MINE;
    else if (has != NULL && (view = PyObject_CallMethod(module, "view_of", "(O)", a->value)) == NULL)
        result = done(syc__asked_refuse_raised(a, "cannot share its memory: "));
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
        return integer(a);
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
    python_number,
    numpy_array,
    syc__asked_accessor,
    syc__asked_buffer,
    syc__asked_usm,
    syc__asked_local,
    syc__asked_sampler,
    syc__asked_stream,
    reducer,
    scalar,
    derived_number,
    array,
    components,
    protocol,
    anything,
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
