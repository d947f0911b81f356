/* The launches of one build's kernels that are under way, for drivers that mistake one for another (facts.h:
 * mistakes_launches): those that would be mistaken wait for each other, by native events, and while any is under way
 * the driver is not asked for binaries. Any thread; the functions lock. */
#ifndef SYC_PROGRAM_CURES_POCL_LAUNCH_CLASH_H
#define SYC_PROGRAM_CURES_POCL_LAUNCH_CLASH_H

#include "cl/context.h"

typedef struct syc__launch_clash syc__launch_clash;

/* The arguments of clEnqueueNDRangeKernel. */
typedef struct syc__nd_launch {
    cl_command_queue queue;
    cl_kernel kernel;
    cl_uint dims;
    const size_t *offset, *global, *local; /* offset: NULL for none */
    cl_uint after_count;
    const cl_event *after;
} syc__nd_launch;

/* NULL in `out` where no device of the context needs it: all functions take that, too. */
syc_status syc__launch_clash_create(SYC_KEEP const syc_context *context, SYC_GIVE syc__launch_clash **out);
void syc__launch_clash_retain(syc__launch_clash *flights);
void syc__launch_clash_release(SYC_TAKE syc__launch_clash *flights);

/* clEnqueueNDRangeKernel of kernel number `kernel`, and its code; else a failure before it was called (cl/room.h).
 * `alone`: by a device that runs one launch at a time, within the call. Waits while the driver is asked for binaries.
 */
syc_status syc__launch_clash_launch(syc__launch_clash *flights, const syc_cl_table *cl, size_t kernel, bool alone,
                                    SYC_KEEP const syc__nd_launch *launch, SYC_GIVE cl_event *out, cl_int *code);

/* True if nothing is under way, and nothing will be until syc__launch_clash_resume. Never waits. */
bool syc__launch_clash_try_rest(syc__launch_clash *flights);
/* The same, when what is under way has ended. */
void syc__launch_clash_rest(syc__launch_clash *flights);
void syc__launch_clash_resume(syc__launch_clash *flights);

#endif
