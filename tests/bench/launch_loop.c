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
    void *x, *y; /* the caller's arrays, used in place */
    size_t bytes;
    cl_mem mx, my; /* made once */
};

/* What one call of loop_run does per launch. */
enum { MAKE_BUFFERS = 1, WAIT_EACH = 2 };

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
    *x = l->cl.CreateBuffer(l->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, l->bytes, l->x, &code);
    if (code == 0)
        *y = l->cl.CreateBuffer(l->context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, l->bytes, l->y, &code);
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

/* An in-order queue of its own on the device, and a kernel object of its own. NULL when a call failed. */
struct loop *loop_create(cl_context context, cl_device_id device, cl_program program, const char *kernel, void *x,
                         void *y, size_t bytes)
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
    l->queue = l->cl.CreateCommandQueue(context, device, 0, &code);
    if (code == 0)
        l->kernel = l->cl.CreateKernel(program, kernel, &code);
    if (code == 0)
        code = make_buffers(l, &l->mx, &l->my);
    if (code == 0)
        return l;
    loop_free(l);
    return NULL;
}

static int launch(const struct loop *l, cl_mem x, cl_mem y, float a, cl_uint n, size_t global, size_t local, int wait)
{
    cl_event event = NULL;
    cl_int status = CL_QUEUED;
    int code = l->cl.SetKernelArg(l->kernel, 0, sizeof x, &x);
    code |= l->cl.SetKernelArg(l->kernel, 1, sizeof y, &y);
    code |= l->cl.SetKernelArg(l->kernel, 2, sizeof a, &a);
    code |= l->cl.SetKernelArg(l->kernel, 3, sizeof n, &n);
    if (code == 0)
        code = l->cl.EnqueueNDRangeKernel(l->queue, l->kernel, 1, NULL, &global, &local, 0, NULL, &event);
    if (code != 0)
        return code;
    if (wait) {
        code = l->cl.WaitForEvents(1, &event);
        code |= l->cl.GetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
        code |= status < 0 ? status : 0;
    }
    return code | l->cl.ReleaseEvent(event);
}

static int launch_with(const struct loop *l, float a, cl_uint n, size_t global, size_t local, int how)
{
    cl_mem x = NULL, y = NULL;
    int code;
    if (!(how & MAKE_BUFFERS))
        return launch(l, l->mx, l->my, a, n, global, local, how & WAIT_EACH);
    code = make_buffers(l, &x, &y);
    if (code == 0)
        code = launch(l, x, y, a, n, global, local, how & WAIT_EACH);
    if (y != NULL)
        code |= l->cl.ReleaseMemObject(y);
    if (x != NULL)
        code |= l->cl.ReleaseMemObject(x);
    return code;
}

/* `count` launches, then clFinish. `each_ns` receives the time of every launch, and may be NULL. Returns OpenCL's code.
 */
int loop_run(const struct loop *l, long count, float a, cl_uint n, size_t global, size_t local, int how,
             double *each_ns)
{
    int code = 0;
    for (long i = 0; i < count && code == 0; i++) {
        double before = each_ns != NULL ? now_ns() : 0;
        code = launch_with(l, a, n, global, local, how);
        if (each_ns != NULL)
            each_ns[i] = now_ns() - before;
    }
    return code != 0 ? code : l->cl.Finish(l->queue);
}
