/* Reductions as arguments of a body. */
#ifndef SYC_PYTHON_BODY_REDUCTIONS_H
#define SYC_PYTHON_BODY_REDUCTIONS_H

#include "algo/lower/lower.h"
#include "python/body/body.h"
#include "python/launch/conversion.h"

/* The numbers by which a row for arrays is chosen. */
void syc_py_reduce_sizes(SYC_KEEP const syc_py_body_use *use, syc_span_sizes *out);
/* The memory that a reduction is of, borrowed. */
PyObject *syc_py_reduce_memory(SYC_KEEP PyObject *reduction);
/* No reduction's variable is anything else of the call's, and each has as many as there are results. -1 with an error
 * set. */
int syc_py_reduce_check(SYC_KEEP const struct syc_py_conversion *c, SYC_KEEP const syc_py_body_use *use,
                        SYC_KEEP const syc_py_launch *launch);
/* The hidden arguments that belong to reductions: `index` is the one's among the lowered kernel's hidden ones. -1 with
 * an error set. */
int syc_py_reduce_argument(struct syc_py_conversion *c, SYC_KEEP const syc_py_body_use *use,
                           SYC_KEEP const syc_py_launch *launch, size_t index, syc_argument *out);

/* nothing.c: has the range no work-items? */
bool syc_py_reduce_is_empty(SYC_KEEP const syc_geometry *range);
/* The launch, which was prepared, becomes one that only gives the variables their identities, where their old values do
 * not count. -1 with an error set, and nothing to clear. */
typedef int syc_py_preparing(const syc_py_scope *scope, SYC_KEEP const syc_py_call *call, syc_py_launch *out);
int syc_py_reduce_nothing(const syc_py_scope *scope, SYC_KEEP const syc_py_body_use *use, syc_py_preparing *as_body,
                          syc_py_launch *launch);

#endif
