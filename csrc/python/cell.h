/* The cells of notebooks and of IPython's prompt: code whose file is a name that says nothing to anybody. */
#ifndef SYC_PYTHON_CELL_H
#define SYC_PYTHON_CELL_H

#include <Python.h>

/* "cell [3]" for the file of IPython's third cell, a new reference; NULL without an error for all other files. Runs
 * Python code of IPython's. */
PyObject *syc_py_cell_name(PyObject *file);

#endif
