/* The package's own frames are left out of tracebacks, unless they are to be kept. */
#ifndef SYC_PYTHON_FUNCTIONS_FRAMES_H
#define SYC_PYTHON_FUNCTIONS_FRAMES_H

#include "python/state.h"

/* The error that is set, if it is one of pysycl's own or of a module's __getattr__, loses the frames below the folder
 * of the package that the function belongs to, unless IPython shows all frames. Always returns NULL. */
PyObject *syc_py_frames_drop(const syc_state *state, PyObject *function);
/* From now on all frames are kept, or not. */
void syc_py_frames_keep(bool keep);

#endif
