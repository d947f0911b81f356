/* Patterns to fill with. Numbers are converted here, everything else by NumPy (pysycl/_data/pattern.py). */
#include "python/memory/describe.h"
#include "python/memory/operand.h"
#include "python/number.h"

static int by_way_of_numpy(const syc_py_operand *operand, PyObject *value, char *out)
{
    PyObject *module = PyImport_ImportModule("pysycl._data.pattern"), *bytes = NULL;
    int failed = -1;

    if (module != NULL)
        bytes = PyObject_CallMethod(module, "bytes_of", "OO", value, operand->dtype);
    Py_XDECREF(module);
    if (bytes == NULL)
        return -1;
    if (!PyBytes_Check(bytes) || (size_t)PyBytes_GET_SIZE(bytes) != operand->item) {
        PyErr_SetString(PyExc_SystemError, "pysycl._data.pattern.bytes_of gave no pattern");
    } else {
        memcpy(out, PyBytes_AS_STRING(bytes), operand->item);
        failed = 0;
    }
    Py_DECREF(bytes);
    return failed;
}

int syc_py_pattern(syc_state *state, const syc_py_operand *operand, PyObject *value, char *out)
{
    syc_dtype type;
    syc_number_fit fit;

    if (operand->item > SYC_PATTERN_MAX) {
        syc_py_invalid(state, "fill: elements of %zu bytes are too large for a pattern; at most %d are possible",
                       operand->item, SYC_PATTERN_MAX);
        return -1;
    }
    if (!syc_dtype_from_format(operand->format, operand->item, &type) || syc_dtype_kind(type) == 'b')
        return by_way_of_numpy(operand, value, out);
    fit = syc_number_convert(value, type, out);
    if (fit == SYC_NUMBER_OK)
        return 0;
    if (fit != SYC_NUMBER_RAISED)
        syc_py_invalid(state, "fill: the pattern %R %s for elements of %s", value, syc_number_fit_text(fit),
                       syc_py_dtype_word(operand->format, (Py_ssize_t)operand->item));
    return -1;
}
