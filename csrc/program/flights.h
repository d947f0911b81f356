/* The launches of one build's kernels that are under way, for drivers that mistake one for another (facts.h:
 * mistakes_launches): those that would be mistaken wait for each other, by native events, and while any is under way
 * the driver is not asked for binaries. Any thread; the functions lock. */
#ifndef SYC_PROGRAM_FLIGHTS_H
#define SYC_PROGRAM_FLIGHTS_H

#include "cl/context.h"

typedef struct syc__flights syc__flights;

/* What clEnqueueNDRangeKernel takes. */
typedef struct syc__nd_launch {
    cl_command_queue queue;
    cl_kernel kernel;
    cl_uint dims;
    const size_t *offset, *global, *local; /* offset: NULL for none */
    cl_uint after_count;
    const cl_event *after;
} syc__nd_launch;

/* NULL in `out` where no device of the context needs it: all functions take that, too. */
syc_status syc__flights_create(SYC_KEEP const syc_context *context, SYC_GIVE syc__flights **out);
void syc__flights_retain(syc__flights *flights);
void syc__flights_release(SYC_TAKE syc__flights *flights);

/* clEnqueueNDRangeKernel of kernel number `kernel`, and its code. `alone`: by a device that runs one launch at a time,
 * within the call. Waits while the driver is asked for binaries. */
cl_int syc__flights_launch(syc__flights *flights, const syc_cl_table *cl, size_t kernel, bool alone,
                           SYC_KEEP const syc__nd_launch *launch, SYC_GIVE cl_event *out);

/* True if nothing is under way, and nothing will be until syc__flights_resume. Never waits. */
bool syc__flights_try_rest(syc__flights *flights);
/* The same, when what is under way has ended. */
void syc__flights_rest(syc__flights *flights);
void syc__flights_resume(syc__flights *flights);

#endif
