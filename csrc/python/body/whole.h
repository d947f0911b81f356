/* Kernels with reducers that are launched as bodies (body/whole/kernel.h). */
#ifndef SYC_PYTHON_BODY_WHOLE_H
#define SYC_PYTHON_BODY_WHOLE_H

#include "body/whole/program.h"
#include "python/body/body.h"
#include "python/launch/conversion.h"

/* Hidden arguments that a body's form can have at most, for a kernel with `count` parameters. */
static inline size_t syc_py_reducing_hidden(size_t count)
{
    return 16 + 6 * count;
}

/* The launch becomes that of a body, whose parameters are the kernel's own, converted already, and the hidden ones,
 * which are added behind them: 1. 0: the kernel cannot be one, and nothing has changed. -1 with an error set. `kernel`
 * is the one of out->program, `names` are its names with their sizes. Builds what is launched. */
int syc_py_reducing_as_body(struct syc_py_conversion *c, syc_py_body_use *use, SYC_KEEP const syc_name *names,
                            size_t kernel, syc_py_launch *out);

#endif
