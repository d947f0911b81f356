/* NumPy arrays for what works on the calling thread. */
#ifndef SYC_PYTHON_FUNCTIONS_SMALL_ARRAYS_H
#define SYC_PYTHON_FUNCTIONS_SMALL_ARRAYS_H

#include "algo/host/reduce.h"
#include "algo/host/scan_axis.h"
#include "python/state.h"

/* NumPy's classes, once, before the others. -1: an error is set. */
int syc_py_small_begin(syc_state *state);
/* What an array has to look at, or to write. 1: it is there, to be released; 0: it is for others; -1: an error is set.
 */
int syc_py_small_view(const syc_state *state, PyObject *x, bool written, Py_buffer *out);
/* The elements of a view of at most SYC_HOST_DIMS dimensions, whose sizes have room in `sizes`. false: they are of no
 * type of ours, or the steps between them are no multiples of their size. */
bool syc_py_small_operand(const Py_buffer *view, size_t *sizes, syc_host_operand *out);
/* bool of a byte that is neither 0 nor 1, as a view of other bytes may have: its numbers are not its bytes. */
bool syc_py_small_odd(const char *at, syc_dtype type, int dims, const size_t *sizes, const ptrdiff_t *steps);
/* A number as a NumPy scalar, by way of an array of one element: a class that is called looks at its argument for three
 * times as long. NULL: an error is set. */
PyObject *syc_py_small_scalar(const syc_state *state, const syc_host_value *value);
/* A new array; NULL: an error is set. */
PyObject *syc_py_small_array(const syc_state *state, const Py_ssize_t *sizes, int dims, syc_dtype type);

/* host_reduce.c: a NumPy scalar, or along an axis an array. None: it is for others. NULL: an error is set. */
PyObject *syc_py_host_reduce(syc_state *state, PyObject *x, syc_host_op op, PyObject *axis, double less, bool keep);
/* host_scan.c: a scan along an axis, or of all elements, as a new array. The same. */
PyObject *syc_py_host_scan(syc_state *state, PyObject *x, syc_host_scan_op op, PyObject *axis, PyObject *dtype);

#endif
