/* Streams as kernel arguments. */
#ifndef SYC_PYTHON_TYPES_STREAM_H
#define SYC_PYTHON_TYPES_STREAM_H

#include "python/launch/conversion.h"

/* Is it a parameter that takes a Stream: `stream out`? */
bool syc_py_param_is_stream(SYC_KEEP const syc_param *param);
/* The argument for it: memory of the command's own, whose text comes out when the command has ended. */
int syc_py_convert_stream(struct syc_py_conversion *c, PyObject *value, syc_argument *out);

#endif
