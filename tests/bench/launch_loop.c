/* The launch that the bench compares with, in C: the OpenCL calls that one launch of kernel(x, y, a, n) needs, in a
 * loop, with nothing around them.
 *
 * Built by launch.py into a shared library. The driver is the one that pysycl has open: by the ICD protocol every
 * OpenCL object begins with a pointer to its driver's dispatch table, so the context that pysycl gives says where to
 * call. */
#include "cl/constants.h"
#include "cl/entries.h"

#include <stdlib.h>
#include <time.h>

struct loop {
    syc_cl_table cl;
    cl_context context;
    cl_command_queue queue;
    cl_kernel kernel;
    void *x, *y; /* the caller's arrays, used in place; NULL: memory of the device's own */
    size_t bytes;
    cl_mem mx, my; /* made once */
    cl_event previous;
};

/* What one call of loop_run does per launch. */
enum { MAKE_BUFFERS = 1, WAIT_EACH = 2, KEEP_ARGUMENTS = 4, WAIT_LIST = 8, FLUSH_EACH = 16, NO_EVENT = 32 };

static void fill_table(syc_cl_table *table, const void *object)
{
    void *const *slots = *(void *const *const *)object;
#define X(name, slot, since, result, fails, params, args) table->name = (result(*) params)slots[slot];
    SYC_CL_ENTRIES(X)
#undef X
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int make_buffers(const struct loop *l, cl_mem *x, cl_mem *y)
{
    cl_int code = 0;
    cl_bitfield where = l->x != NULL ? CL_MEM_USE_HOST_PTR : 0;
    *x = l->cl.CreateBuffer(l->context, CL_MEM_READ_WRITE | where, l->bytes, l->x, &code);
    if (code == 0)
        *y = l->cl.CreateBuffer(l->context, CL_MEM_READ_ONLY | where, l->bytes, l->y, &code);
    return code;
}

void loop_free(struct loop *l)
{
    if (l->mx != NULL)
        l->cl.ReleaseMemObject(l->mx);
    if (l->my != NULL)
        l->cl.ReleaseMemObject(l->my);
    if (l->kernel != NULL)
        l->cl.ReleaseKernel(l->kernel);
    if (l->queue != NULL)
        l->cl.ReleaseCommandQueue(l->queue);
    free(l);
}

/* A queue of its own on the device, and a kernel object of its own. NULL when a call failed. */
struct loop *loop_create(cl_context context, cl_device_id device, cl_program program, const char *kernel, void *x,
                         void *y, size_t bytes, int in_order)
{
    struct loop *l = calloc(1, sizeof *l);
    cl_int code = 0;
    if (l == NULL)
        return NULL;
    fill_table(&l->cl, context);
    l->context = context;
    l->x = x;
    l->y = y;
    l->bytes = bytes;
    l->queue = l->cl.CreateCommandQueue(context, device, in_order ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    if (code == 0)
        l->kernel = l->cl.CreateKernel(program, kernel, &code);
    if (code == 0)
        code = make_buffers(l, &l->mx, &l->my);
    if (code == 0)
        return l;
    loop_free(l);
    return NULL;
}

static int set_arguments(const struct loop *l, cl_mem x, cl_mem y, float a, cl_uint n)
{
    int code = l->cl.SetKernelArg(l->kernel, 0, sizeof x, &x);
    code |= l->cl.SetKernelArg(l->kernel, 1, sizeof y, &y);
    code |= l->cl.SetKernelArg(l->kernel, 2, sizeof a, &a);
    return code | l->cl.SetKernelArg(l->kernel, 3, sizeof n, &n);
}

static int wait_for(const struct loop *l, cl_event event)
{
    cl_int status = CL_QUEUED;
    int code = l->cl.WaitForEvents(1, &event);
    code |= l->cl.GetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    return code | (status < 0 ? status : 0);
}

static int drop_previous(struct loop *l)
{
    int code = l->previous != NULL ? l->cl.ReleaseEvent(l->previous) : 0;
    l->previous = NULL;
    return code;
}

static int enqueue(struct loop *l, size_t global, size_t local, int how)
{
    cl_event event = NULL;
    int listed = (how & WAIT_LIST) && l->previous != NULL;
    int code = l->cl.EnqueueNDRangeKernel(l->queue, l->kernel, 1, NULL, &global, &local, listed,
                                          listed ? &l->previous : NULL, how & NO_EVENT ? NULL : &event);
    if (code != 0)
        return code;
    code = drop_previous(l);
    if (how & FLUSH_EACH)
        code |= l->cl.Flush(l->queue);
    if (how & WAIT_EACH)
        code |= wait_for(l, event);
    l->previous = event;
    return how & WAIT_LIST ? code : code | drop_previous(l);
}

static int launch(struct loop *l, cl_mem x, cl_mem y, float a, cl_uint n, size_t global, size_t local, int how)
{
    int code = how & KEEP_ARGUMENTS ? 0 : set_arguments(l, x, y, a, n);
    return code != 0 ? code : enqueue(l, global, local, how);
}

static int launch_with(struct loop *l, float a, cl_uint n, size_t global, size_t local, int how)
{
    cl_mem x = NULL, y = NULL;
    int code;
    if (!(how & MAKE_BUFFERS))
        return launch(l, l->mx, l->my, a, n, global, local, how);
    code = make_buffers(l, &x, &y);
    if (code == 0)
        code = launch(l, x, y, a, n, global, local, how);
    if (y != NULL)
        code |= l->cl.ReleaseMemObject(y);
    if (x != NULL)
        code |= l->cl.ReleaseMemObject(x);
    return code;
}

/* `count` launches, then clFinish. `each_ns` receives the time of every launch, and may be NULL. Returns OpenCL's code.
 */
int loop_run(struct loop *l, long count, float a, cl_uint n, size_t global, size_t local, int how, double *each_ns)
{
    int code = 0;
    for (long i = 0; i < count && code == 0; i++) {
        double before = each_ns != NULL ? now_ns() : 0;
        code = launch_with(l, a, n, global, local, i > 0 ? how : how & ~KEEP_ARGUMENTS);
        if (each_ns != NULL)
            each_ns[i] = now_ns() - before;
    }
    code = code != 0 ? code : l->cl.Finish(l->queue);
    return code | drop_previous(l);
}
