/* Python's ranges into OpenCL's index space. */
#ifndef SYC_PYTHON_GEOMETRY_H
#define SYC_PYTHON_GEOMETRY_H

#include "python/state.h"
#include "schedule/geometry.h"

/* `range`: an int, a tuple of 1 to 3 ints, or an NdRange (then *grouped is true and local and offset are filled too).
 * SYCL's last dimension is the fastest, OpenCL's first: the order is turned round here and nowhere else. */
int syc_py_geometry(syc_state *state, PyObject *range, syc_geometry *out, bool *grouped);
/* The number of work-groups as the global range, and the items of each, or NULL, as the local one. */
int syc_py_geometry_groups(syc_state *state, PyObject *groups, PyObject *size, syc_geometry *out);
/* Adds an offset of the same rank; None is none. */
int syc_py_geometry_offset(syc_state *state, PyObject *offset, bool grouped, syc_geometry *geometry);

#endif
