/* A Kernel object, as a launch sees it. */
#ifndef SYC_PYTHON_LAUNCH_KERNEL_OBJECT_H
#define SYC_PYTHON_LAUNCH_KERNEL_OBJECT_H

#include "program/program.h"
#include "python/state.h"

typedef struct KernelObject {
    PyObject_HEAD syc_program *core; /* retained */
    size_t index;
    syc_build *lender; /* whose cl_kernel was handed out as int_ptr, kept as long as this object; or NULL */
    cl_kernel exported;
    syc_context *home; /* retained: the context that it is bound to; NULL: any */
    cl_kernel given;   /* what it was made from, retained; or NULL: then `home` is its context */
} KernelObject;

#endif
