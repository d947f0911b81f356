/* PoCL 3.0: the private memory of a whole group lies on one thread's stack, and where it does not fit the
 * process ends. Gone when: tests/regression/test_private_memory.py::test_what_fits_runs.
 *
 * Finds groups that fit. */
#include "program/cures/pocl_stack.h"

#include "base/thread.h"
#include "source/declarations/signature.h"

bool syc__limit_by_stack(const syc_signature *kernel, const syc_device *device, syc_kernel_limits *limits)
{
    const uint64_t stack = syc_thread_stack();
    uint64_t most;

    if (!device->facts->items_on_stack)
        return true;
    limits->private_bytes = kernel->private_bytes;
    limits->private_room = stack - stack / 16; /* the rest is for what is not in arrays */
    most = limits->private_bytes > 0 ? limits->private_room / limits->private_bytes : UINT64_MAX;
    limits->max_group = most < limits->max_group ? (size_t)most : limits->max_group;
    return most > 0;
}
