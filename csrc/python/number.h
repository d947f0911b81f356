/* Python and NumPy numbers into the bytes of an OpenCL type: what does not fit is refused, nothing wraps or becomes
 * infinite silently. */
#ifndef SYC_PYTHON_NUMBER_H
#define SYC_PYTHON_NUMBER_H

#include "python/state.h"

typedef enum syc_number_fit {
    SYC_NUMBER_OK,
    SYC_NUMBER_NOT_A_NUMBER, /* neither __index__ nor __float__ */
    SYC_NUMBER_NOT_INTEGRAL, /* a float for an integer type */
    SYC_NUMBER_OUT_OF_RANGE,
    SYC_NUMBER_RAISED, /* the object's own conversion raised: the error is set */
} syc_number_fit;

/* Writes syc_dtype_size(type) bytes. No error is set but for SYC_NUMBER_RAISED. */
syc_number_fit syc_number_convert(PyObject *value, syc_dtype type, void *out);
/* The same for a complex number, or what is one by its __complex__ or __float__: both parts of the floating type. */
syc_number_fit syc_number_convert_complex(PyObject *value, syc_dtype part, void *out);
/* The same for a parameter whose number was another one before: what a floating type would round an int to is out of
 * range. */
syc_number_fit syc_number_replace(PyObject *value, syc_dtype type, void *out);
const char *syc_number_fit_text(syc_number_fit fit);

/* One size out of whatever has __index__; -1 with an error of the status `refusal` set, which begins with `what`. */
int syc_py_size(syc_state *state, syc_status refusal, PyObject *value, const char *what, size_t *out);

#endif
