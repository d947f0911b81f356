/* What the fake driver's tests share: one queue of one device, called through the driver's table, in a child process
 * with the settings that the test wants. */
#ifndef SYC_TESTS_BENCH_H
#define SYC_TESTS_BENCH_H

#include "child.h"

static const syc_cl_table *cl;
static syc_device *device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;

static const char bench_source[] =
    "kernel void bump(global uint *y, uint n) { }\n"
    "kernel void mirror(global uint *y, global const uint *x, uint n) { }\n"
    "kernel void paint(write_only image2d_t y, read_only image2d_t x, sampler_t s) { }\n";

static inline void open_bench(void)
{
    const char *text = bench_source;
    cl_int code = 1;
    alarm(60);
    device = first_platform()->devices[0];
    cl = &device->platform->driver->cl;
    context = cl->CreateContext(NULL, 1, &device->lanes[SYC_LANE_POOL], NULL, NULL, &code);
    queue = cl->CreateCommandQueue(context, device->lanes[SYC_LANE_POOL], 0, &code);
    program = cl->CreateProgramWithSource(context, 1, &text, NULL, &code);
    CHECK_EQUAL(cl->BuildProgram(program, 0, NULL, NULL, NULL, NULL), 0);
}

/* Nothing is left, and nothing was misused. */
static inline void close_bench(void)
{
    static const char *const kinds[] = {"mem", "svm", "sampler", "kernel", "event", "queue", "program", "context"};
    CHECK_EQUAL(cl->Finish(queue), 0);
    cl->ReleaseProgram(program);
    cl->ReleaseCommandQueue(queue);
    cl->ReleaseContext(context);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        CHECK_EQUAL(fake_live(kinds[i]), 0);
    CHECK_EQUAL(fake_errors(), 0);
}

static inline cl_mem make_buffer(size_t size, cl_bitfield flags, void *host)
{
    cl_int code = 1;
    cl_mem m = cl->CreateBuffer(context, flags, size, host, &code);
    CHECK_EQUAL(code, 0);
    return m;
}

static inline cl_kernel make_kernel(const char *name)
{
    cl_int code = 1;
    cl_kernel k = cl->CreateKernel(program, name, &code);
    CHECK_EQUAL(code, 0);
    return k;
}

/* Over `n` work-items, with `n` as the argument at `last`. */
static inline cl_int launch(cl_kernel k, cl_uint last, cl_uint n)
{
    const size_t global = n;
    cl->SetKernelArg(k, last, sizeof n, &n);
    return cl->EnqueueNDRangeKernel(queue, k, 1, NULL, &global, NULL, 0, NULL, NULL);
}

static inline void set_fake_doom(unsigned type, int nth, int code)
{
    void (*function)(unsigned, int, int);
    *(void **)&function = dlsym(dlopen(fake, RTLD_NOW | RTLD_NOLOAD), "fake_doom");
    function(type, nth, code);
}

#endif
