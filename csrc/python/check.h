/* Checked bodies, for PYSYCL_DEBUG=check: the memory in which a kernel says what was out of bounds, and the error that
 * comes of it. */
#ifndef SYC_PYTHON_CHECK_H
#define SYC_PYTHON_CHECK_H

#include "body/body.h"
#include "python/argument.h"

/* Bodies are to be made with checks. */
bool syc_py_checks(void);
/* The kernel's hidden argument SYC_HIDDEN_FAULTS: memory of the command's own. -1 with an error set. */
int syc_py_check_argument(const syc_py_scope *scope, syc_body *body, syc_argument *out);

#endif
