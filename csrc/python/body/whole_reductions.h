/* Launches of a whole program's kernels that have reducers. */
#ifndef SYC_PYTHON_BODY_WHOLE_REDUCTIONS_H
#define SYC_PYTHON_BODY_WHOLE_REDUCTIONS_H

#include "body/whole/program.h"
#include "python/launch/argument.h"
#include "python/launch/call.h"
#include "python/launch/kernel_object.h"

typedef struct syc_py_launch syc_py_launch; /* python/launch/launch.h */

/* Prepares such a kernel, whose range is known, for a launch: builds it, since how many groups there are
 * decides what it needs. */
int syc_py_reducing_prepare(const syc_py_scope *scope, SYC_KEEP KernelObject *k, SYC_KEEP const syc_py_call *call,
                            syc_py_launch *out);

#endif
