/* PYSYCL_DEBUG (pysycl/debug.py), as far as submissions are concerned. */
#ifndef SYC_PYTHON_DEBUG_H
#define SYC_PYTHON_DEBUG_H

#include "python/state.h"

/* What every submission returns its event through; NULL with an error set stays that. With PYSYCL_DEBUG=sync the
 * command is waited for, and its failure raised here, where it was submitted; recorded commands are left alone. */
PyObject *syc_py_submitted(syc_state *state, SYC_TAKE PyObject *event);

#endif
