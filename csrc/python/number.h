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
const char *syc_number_fit_text(syc_number_fit fit);

#endif
