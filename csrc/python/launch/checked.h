/* Checked kernels, for PYSYCL_DEBUG=check: the memory in which a kernel says what was out of bounds, and the error that
 * comes of it. */
#ifndef SYC_PYTHON_LAUNCH_CHECKED_H
#define SYC_PYTHON_LAUNCH_CHECKED_H

#include "body/body.h"
#include "python/launch/argument.h"
#include "python/launch/call.h"
#include "source/declarations/signature.h"

typedef struct syc_py_launch syc_py_launch; /* python/launch/launch.h */

/* Bodies are to be made with checks. */
bool syc_py_checks(void);
/* The kernel's hidden argument SYC_HIDDEN_FAULTS: memory of the command's own. -1 with an error set. */
int syc_py_check_argument(const syc_py_scope *scope, syc_body *body, syc_argument *out);

/* Arguments behind those of the kernel that a check may take; none where bodies are made without checks. */
size_t syc_py_program_check_room(SYC_KEEP const syc_signature *kernel);
/* The launch, whose arguments have been converted with that room behind them, becomes that of the checked kernel, which
 * is built; where there is none it stays as it is. -1 with an error set. */
int syc_py_program_check(const syc_py_scope *scope, SYC_KEEP const syc_py_call *call, syc_py_launch *out);

#endif
