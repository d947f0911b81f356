/* Number conversions. Python's own int and float take the short way. */
#include "python/number.h"

#include <float.h>
#include <math.h>

const char *syc_number_fit_text(syc_number_fit fit)
{
    static const char *const texts[] = {
        [SYC_NUMBER_OK] = "fits",
        [SYC_NUMBER_NOT_A_NUMBER] = "is not a number",
        [SYC_NUMBER_NOT_INTEGRAL] = "is not an integer",
        [SYC_NUMBER_OUT_OF_RANGE] = "is out of range",
        [SYC_NUMBER_RAISED] = "cannot be converted",
    };
    return texts[fit];
}

static syc_number_fit store_signed(long long value, size_t size, void *out)
{
    long long limit = size == 8 ? INT64_MAX : (1LL << (8 * size - 1)) - 1;
    if (value > limit || value < -limit - 1)
        return SYC_NUMBER_OUT_OF_RANGE;
    switch (size) {
    case 1:
        *(int8_t *)out = (int8_t)value;
        break;
    case 2:
        *(int16_t *)out = (int16_t)value;
        break;
    case 4:
        *(int32_t *)out = (int32_t)value;
        break;
    default:
        *(int64_t *)out = value;
    }
    return SYC_NUMBER_OK;
}

static syc_number_fit store_unsigned(unsigned long long value, size_t size, void *out)
{
    if (size < 8 && value >> (8 * size) != 0)
        return SYC_NUMBER_OUT_OF_RANGE;
    memcpy(out, &value, size); /* little-endian: the low bytes come first */
    return SYC_NUMBER_OK;
}

static syc_number_fit convert_int(PyObject *integer, syc_dtype type, void *out)
{
    size_t size = syc_dtype_size(type);
    int overflow;
    long long value = PyLong_AsLongLongAndOverflow(integer, &overflow);
    unsigned long long wide;

    if (syc_dtype_kind(type) == 'b')
        return !overflow && (value == 0 || value == 1) ? store_unsigned((unsigned long long)value, 1, out)
                                                       : SYC_NUMBER_OUT_OF_RANGE;
    if (syc_dtype_kind(type) == 'i')
        return overflow ? SYC_NUMBER_OUT_OF_RANGE : store_signed(value, size, out);
    if (!overflow)
        return value < 0 ? SYC_NUMBER_OUT_OF_RANGE : store_unsigned((unsigned long long)value, size, out);
    if (overflow < 0)
        return SYC_NUMBER_OUT_OF_RANGE;
    wide = PyLong_AsUnsignedLongLong(integer);
    if (PyErr_Occurred()) {
        PyErr_Clear();
        return SYC_NUMBER_OUT_OF_RANGE;
    }
    return store_unsigned(wide, size, out);
}

static syc_number_fit store_float(double value, syc_dtype type, void *out)
{
    if (type == SYC_DOUBLE) {
        memcpy(out, &value, sizeof value);
    } else if (type == SYC_FLOAT) {
        float narrow = (float)value;
        if (isinf(narrow) && !isinf(value))
            return SYC_NUMBER_OUT_OF_RANGE;
        memcpy(out, &narrow, sizeof narrow);
    } else if (PyFloat_Pack2(value, out, 1) < 0) {
        PyErr_Clear();
        return SYC_NUMBER_OUT_OF_RANGE;
    }
    return SYC_NUMBER_OK;
}

/* A conversion that the object lacks is our answer; one that it has and that fails is its own. */
static syc_number_fit missing_or_raised(PyObject *converter_error, syc_number_fit missing)
{
    if (!PyErr_ExceptionMatches(converter_error))
        return SYC_NUMBER_RAISED;
    PyErr_Clear();
    return missing;
}

/* NumPy's complex numbers turn into a float by losing a part, with no more than a warning. */
static bool is_complex(PyObject *value)
{
    Py_buffer view;
    bool complex;
    if (PyComplex_Check(value))
        return true;
    if (PyFloat_Check(value) || !PyObject_CheckBuffer(value))
        return false;
    if (PyObject_GetBuffer(value, &view, PyBUF_STRIDES | PyBUF_FORMAT) < 0) {
        PyErr_Clear();
        return false;
    }
    complex = view.format != NULL && *view.format == 'Z';
    PyBuffer_Release(&view);
    return complex;
}

static syc_number_fit convert_float(PyObject *value, syc_dtype type, void *out)
{
    double number;
    if (PyFloat_CheckExact(value))
        return store_float(PyFloat_AS_DOUBLE(value), type, out);
    if (PyUnicode_Check(value) || is_complex(value))
        return SYC_NUMBER_NOT_A_NUMBER;
    number = PyFloat_AsDouble(value);
    if (number == -1.0 && PyErr_Occurred()) {
        if (PyErr_ExceptionMatches(PyExc_OverflowError)) { /* an int beyond double */
            PyErr_Clear();
            return SYC_NUMBER_OUT_OF_RANGE;
        }
        return missing_or_raised(PyExc_TypeError, SYC_NUMBER_NOT_A_NUMBER);
    }
    return store_float(number, type, out);
}

/* NumPy's truth values are no integers to Python, but Python's are. -1: it is none. */
static int truth_of(PyObject *value)
{
    Py_buffer view;
    int truth = -1;
    if (!PyObject_CheckBuffer(value))
        return -1;
    if (PyObject_GetBuffer(value, &view, PyBUF_STRIDES | PyBUF_FORMAT) < 0) {
        PyErr_Clear();
        return -1;
    }
    if (view.ndim == 0 && view.len == 1 && view.format != NULL && strcmp(view.format, "?") == 0)
        truth = *(const char *)view.buf != 0;
    PyBuffer_Release(&view);
    return truth;
}

syc_number_fit syc_number_convert(PyObject *value, syc_dtype type, void *out)
{
    PyObject *index;
    syc_number_fit fit;

    if (syc_dtype_kind(type) == 'f')
        return convert_float(value, type, out);
    if (PyLong_Check(value))
        return convert_int(value, type, out);
    index = PyNumber_Index(value);
    if (index == NULL) {
        bool number = PyNumber_Check(value) != 0;
        int truth;
        fit = missing_or_raised(PyExc_TypeError, number ? SYC_NUMBER_NOT_INTEGRAL : SYC_NUMBER_NOT_A_NUMBER);
        truth = fit != SYC_NUMBER_RAISED ? truth_of(value) : -1;
        return truth < 0 ? fit : convert_int(truth ? Py_True : Py_False, type, out);
    }
    fit = convert_int(index, type, out);
    Py_DECREF(index);
    return fit;
}

syc_number_fit syc_number_convert_complex(PyObject *value, syc_dtype part, void *out)
{
    Py_complex number;
    syc_number_fit fit;

    if (!PyNumber_Check(value) && !PyComplex_Check(value))
        return SYC_NUMBER_NOT_A_NUMBER;
    number = PyComplex_AsCComplex(value);
    if (PyErr_Occurred())
        return missing_or_raised(PyExc_TypeError, SYC_NUMBER_NOT_A_NUMBER);
    fit = store_float(number.real, part, out);
    return fit != SYC_NUMBER_OK ? fit : store_float(number.imag, part, (char *)out + syc_dtype_size(part));
}

static double read_float(syc_dtype type, const void *from)
{
    double wide;
    float narrow;
    if (type == SYC_HALF)
        return PyFloat_Unpack2(from, 1);
    if (type == SYC_FLOAT) {
        memcpy(&narrow, from, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, from, sizeof wide);
    return wide;
}

syc_number_fit syc_number_replace(PyObject *value, syc_dtype type, void *out)
{
    syc_number_fit fit = syc_number_convert(value, type, out);
    PyObject *number;
    int same;

    if (fit != SYC_NUMBER_OK || syc_dtype_kind(type) != 'f' || !PyLong_Check(value))
        return fit;
    number = PyFloat_FromDouble(read_float(type, out));
    same = number != NULL ? PyObject_RichCompareBool(number, value, Py_EQ) : -1;
    Py_XDECREF(number);
    return same < 0 ? SYC_NUMBER_RAISED : same ? SYC_NUMBER_OK : SYC_NUMBER_OUT_OF_RANGE;
}

int syc_py_size(syc_state *state, syc_status refusal, PyObject *value, const char *what, size_t *out)
{
    PyObject *index = PyNumber_Index(value);
    Py_ssize_t size;

    if (index == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_TypeError)) /* what the object itself raised, Ctrl-C for one */
            return -1;
        PyErr_Clear();
        syc_py_refuse(state, refusal, "%s: expected whole numbers, got %R", what, value);
        return -1;
    }
    size = PyLong_AsSsize_t(index);
    Py_DECREF(index);
    if (size < 0) {
        bool large = PyErr_Occurred() != NULL;
        PyErr_Clear();
        syc_py_refuse(state, refusal, "%s: %R is %s", what, value,
                      large ? "too large or too small" : "negative; sizes start at 0");
        return -1;
    }
    *out = (size_t)size;
    return 0;
}
