/* The fake driver itself: the other tests lean on what is shown here. Needs SYC_FAKE_DRIVER, its path. */
#define _GNU_SOURCE
#include "base/alloc.h"
#include "base/clock.h"
#include "cl/constants.h"
#include "cl/driver.h"

#include "check.h"

#include <dlfcn.h>

static syc_driver driver;
static const syc_cl_table *cl = &driver.cl;
static cl_device_id devices[2];
static cl_context context;
static cl_program program;
static int (*live)(const char *), (*error_count)(void), (*crossing_count)(void);
static void (*hold)(int);

static const char source[] =
    "kernel void add(global float *y, global const float *x, float a, uint n) {}\n"
    "kernel void fill_ids(global uint *out) {}\nkernel void slow(global uint *out, uint ms) {}\n"
    "kernel void fail(global uint *out) {}\nkernel void order(global uint *log, uint value) {}\n";

static cl_command_queue make_queue(int device, cl_bitfield properties)
{
    cl_int code = 1;
    cl_command_queue q = cl->CreateCommandQueue(context, devices[device], properties, &code);
    CHECK_EQUAL(code, 0);
    return q;
}

static cl_mem wrap(void *memory, size_t size)
{
    cl_int code = 1;
    cl_mem m = cl->CreateBuffer(context, CL_MEM_USE_HOST_PTR, size, memory, &code);
    CHECK_EQUAL(code, 0);
    return m;
}

/* A kernel with a buffer and, where it has a second argument, a number. */
static cl_kernel make_kernel(const char *name, cl_mem m, cl_uint value)
{
    cl_int code = 1;
    cl_kernel k = cl->CreateKernel(program, name, &code);
    CHECK_EQUAL(code, 0);
    CHECK_EQUAL(cl->SetKernelArg(k, 0, sizeof m, &m), 0);
    if (strcmp(name, "slow") == 0 || strcmp(name, "order") == 0)
        CHECK_EQUAL(cl->SetKernelArg(k, 1, sizeof value, &value), 0);
    return k;
}

static cl_int launch(cl_command_queue q, cl_kernel k, cl_uint n, const cl_event *after, cl_event *event)
{
    const size_t one = 1;
    return cl->EnqueueNDRangeKernel(q, k, 1, NULL, &one, NULL, n, after, event);
}

static int status_of(cl_event e)
{
    cl_int status = 99;
    CHECK_EQUAL(cl->GetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL), 0);
    return status;
}

static void check_nothing_lives(void)
{
    CHECK_EQUAL(live("queue"), 0);
    CHECK_EQUAL(live("event"), 0);
    CHECK_EQUAL(live("mem"), 0);
    CHECK_EQUAL(live("kernel"), 0);
}

static void test_add_in_place_over_an_offset_range(void)
{
    float y[8] = {0}, x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, a = 2;
    cl_uint n = 7;
    const size_t offset = 2, global = 6, local = 3;
    cl_int code;
    cl_command_queue q = make_queue(0, 0);
    cl_mem my = wrap(y, sizeof y), mx = wrap(x, sizeof x);
    cl_kernel k = cl->CreateKernel(program, "add", &code);
    cl->SetKernelArg(k, 0, sizeof my, &my);
    cl->SetKernelArg(k, 1, sizeof mx, &mx);
    cl->SetKernelArg(k, 2, sizeof a, &a);
    CHECK_EQUAL(cl->EnqueueNDRangeKernel(q, k, 1, &offset, &global, &local, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
    cl->SetKernelArg(k, 3, sizeof n, &n);
    CHECK_EQUAL(cl->EnqueueNDRangeKernel(q, k, 1, &offset, &global, &local, 0, NULL, NULL), 0);
    n = 0; /* arguments were captured: neither this nor the releases reach the command */
    cl->SetKernelArg(k, 3, sizeof n, &n);
    cl->ReleaseKernel(k);
    cl->ReleaseMemObject(my);
    cl->ReleaseMemObject(mx);
    CHECK_EQUAL(cl->Finish(q), 0);
    CHECK(y[1] == 0 && y[2] == 6 && y[6] == 14 && y[7] == 0);
    cl->ReleaseCommandQueue(q);
    check_nothing_lives();
}

static void test_transfers_and_ids(void)
{
    cl_uint out[6] = {0}, written = 77;
    const size_t global[2] = {3, 2};
    cl_int code;
    cl_command_queue q = make_queue(0, 0);
    cl_mem m = cl->CreateBuffer(context, CL_MEM_READ_WRITE, sizeof out, NULL, &code);
    cl_kernel k = make_kernel("fill_ids", m, 0);
    CHECK_EQUAL(cl->EnqueueNDRangeKernel(q, k, 2, NULL, global, NULL, 0, NULL, NULL), 0);
    CHECK_EQUAL(cl->EnqueueWriteBuffer(q, m, CL_FALSE, 4, 4, &written, 0, NULL, NULL), 0);
    CHECK_EQUAL(cl->EnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL), 0);
    CHECK(out[0] == 0 && out[1] == 77 && out[2] == 2 && out[5] == 5);
    CHECK_EQUAL(cl->EnqueueReadBuffer(q, m, CL_TRUE, 4, sizeof out, out, 0, NULL, NULL), CL_INVALID_VALUE);
    cl->ReleaseKernel(k);
    cl->ReleaseMemObject(m);
    cl->ReleaseCommandQueue(q);
    check_nothing_lives();
}

/* Events: statuses while held, wait lists, what fails with what, profiling. */
static void test_events(void)
{
    cl_uint log[8] = {0};
    cl_ulong times[4] = {0};
    cl_event first, failed, after, marker;
    cl_command_queue q = make_queue(0, CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_mem m = wrap(log, sizeof log);
    cl_kernel order = make_kernel("order", m, 5), fail = make_kernel("fail", m, 0);
    hold(1);
    CHECK_EQUAL(launch(q, order, 0, NULL, &first), 0);
    CHECK_EQUAL(launch(q, fail, 1, &first, &failed), 0);
    CHECK_EQUAL(launch(q, order, 1, &failed, &after), 0);
    CHECK_EQUAL(cl->EnqueueMarkerWithWaitList(q, 0, NULL, &marker), 0);
    CHECK_EQUAL(status_of(first), CL_SUBMITTED);
    CHECK_EQUAL(cl->GetEventProfilingInfo(first, CL_PROFILING_COMMAND_END, 8, times, NULL),
                CL_PROFILING_INFO_NOT_AVAILABLE);
    hold(0);
    CHECK_EQUAL(cl->WaitForEvents(1, &marker), 0);
    CHECK_EQUAL(status_of(first), CL_COMPLETE);
    CHECK_EQUAL(status_of(failed), CL_OUT_OF_RESOURCES);
    CHECK_EQUAL(status_of(after), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK_EQUAL(status_of(marker), CL_COMPLETE);
    CHECK_EQUAL(cl->WaitForEvents(1, &failed), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK(log[0] == 1 && log[1] == 5);
    for (cl_uint i = 0; i < 4; i++)
        CHECK_EQUAL(cl->GetEventProfilingInfo(first, CL_PROFILING_COMMAND_QUEUED + i, 8, &times[i], NULL), 0);
    CHECK(times[0] <= times[1] && times[1] <= times[2] && times[2] <= times[3] && times[0] != 0);
    cl->ReleaseEvent(first), cl->ReleaseEvent(failed), cl->ReleaseEvent(after), cl->ReleaseEvent(marker);
    cl->ReleaseKernel(order), cl->ReleaseKernel(fail);
    cl->ReleaseMemObject(m);
    cl->ReleaseCommandQueue(q);
    check_nothing_lives();
}

/* An in-order queue keeps the order; in the other a command passes one that waits. */
static void test_order(void)
{
    for (int out_of_order = 0; out_of_order < 2; out_of_order++) {
        cl_uint log[8] = {0};
        cl_event gate;
        cl_command_queue a = make_queue(0, 0),
                         b = make_queue(0, out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
        cl_mem m = wrap(log, sizeof log);
        cl_kernel one = make_kernel("order", m, 1), two = make_kernel("order", m, 2), slow = make_kernel("slow", m, 30);
        cl_uint zero[1] = {0};
        cl_mem elsewhere = wrap(zero, sizeof zero);
        CHECK_EQUAL(cl->SetKernelArg(slow, 0, sizeof elsewhere, &elsewhere), 0);
        CHECK_EQUAL(launch(a, slow, 0, NULL, &gate), 0);
        CHECK_EQUAL(launch(b, one, 1, &gate, NULL), 0);
        CHECK_EQUAL(launch(b, two, 0, NULL, NULL), 0);
        CHECK_EQUAL(cl->Finish(b), 0);
        CHECK_EQUAL(zero[0], 1);
        CHECK_EQUAL(log[0], 2);
        CHECK_EQUAL(log[1], out_of_order ? 2 : 1);
        cl->ReleaseEvent(gate);
        cl->ReleaseKernel(one), cl->ReleaseKernel(two), cl->ReleaseKernel(slow);
        cl->ReleaseMemObject(m), cl->ReleaseMemObject(elsewhere);
        cl->ReleaseCommandQueue(a), cl->ReleaseCommandQueue(b);
        check_nothing_lives();
    }
}

/* A queue released with work in it ends when the work has. */
static void test_release_with_work_in_flight(void)
{
    cl_uint log[4] = {0};
    cl_event event;
    cl_command_queue q = make_queue(0, 0);
    cl_mem m = wrap(log, sizeof log);
    cl_kernel k = make_kernel("order", m, 9);
    hold(1);
    CHECK_EQUAL(launch(q, k, 0, NULL, &event), 0);
    cl->ReleaseCommandQueue(q);
    cl->ReleaseKernel(k);
    cl->ReleaseMemObject(m);
    CHECK_EQUAL(live("queue"), 1);
    CHECK_EQUAL(live("mem"), 1);
    hold(0);
    CHECK_EQUAL(cl->WaitForEvents(1, &event), 0);
    CHECK_EQUAL(log[1], 9);
    cl->ReleaseEvent(event);
    check_nothing_lives();
}

static void test_misuse_is_counted(void)
{
    cl_uint word[1] = {0};
    int before = error_count(), crossings = crossing_count();
    cl_event event;
    cl_command_queue q = make_queue(0, 0), other = make_queue(1, 0);
    cl_mem m = wrap(word, sizeof word);
    cl_kernel k = make_kernel("fail", m, 0);
    CHECK_EQUAL(error_count(), before);
    cl->ReleaseMemObject(m);
    CHECK_EQUAL(cl->ReleaseMemObject(m), CL_INVALID_MEM_OBJECT);
    CHECK_EQUAL(error_count(), before + 1);
    CHECK_EQUAL(launch(q, k, 0, NULL, NULL), CL_INVALID_MEM_OBJECT); /* its argument is gone */
    CHECK_EQUAL(error_count(), before + 2);
    CHECK_EQUAL(cl->Finish((cl_command_queue)word), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQUAL(cl->RetainEvent((cl_event)q), CL_INVALID_EVENT);
    CHECK_EQUAL(error_count(), before + 4);
    CHECK_EQUAL(cl->EnqueueMarkerWithWaitList(q, 0, NULL, &event), 0);
    CHECK_EQUAL(cl->EnqueueMarkerWithWaitList(other, 1, &event, NULL), 0);
    CHECK_EQUAL(crossing_count(), crossings + 1);
    cl->Finish(other);
    cl->ReleaseEvent(event);
    cl->ReleaseKernel(k);
    cl->ReleaseCommandQueue(q), cl->ReleaseCommandQueue(other);
    check_nothing_lives();
}

static void test_build_failure_has_a_log(void)
{
    const char *text = "kernel void add(global float *y) {}\n  #error no float here\n";
    char log[256] = "";
    cl_int code;
    cl_program p = cl->CreateProgramWithSource(context, 1, &text, NULL, &code);
    CHECK_EQUAL(cl->BuildProgram(p, 0, NULL, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    CHECK_EQUAL(cl->GetProgramBuildInfo(p, devices[0], CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL), 0);
    CHECK_STRING(log, "<kernel>:2:4: error: no float here\n");
    CHECK(cl->CreateKernel(p, "add", &code) == NULL);
    CHECK_EQUAL(code, CL_INVALID_PROGRAM_EXECUTABLE);
    cl->ReleaseProgram(p);
}

static void test_sub_devices(void)
{
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 2, 0};
    const cl_device_partition_property counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 3, 1, 0, 0},
                                       too_many[] = {CL_DEVICE_PARTITION_BY_COUNTS, 4, 1, 0, 0};
    cl_device_partition_property type[8];
    cl_device_id parts[4];
    cl_uint count = 0, units = 0;
    size_t size = 0;
    CHECK_EQUAL(cl->CreateSubDevices(devices[0], equally, 4, parts, &count), 0);
    CHECK_EQUAL(count, 2);
    CHECK_EQUAL(live("device"), 2);
    cl->ReleaseDevice(parts[0]), cl->ReleaseDevice(parts[1]);
    CHECK_EQUAL(cl->CreateSubDevices(devices[0], counts, 4, parts, &count), 0);
    CHECK_EQUAL(cl->GetDeviceInfo(parts[0], CL_DEVICE_MAX_COMPUTE_UNITS, 4, &units, NULL), 0);
    CHECK_EQUAL(units, 3);
    CHECK_EQUAL(cl->GetDeviceInfo(parts[0], CL_DEVICE_PARTITION_TYPE, sizeof type, type, &size), 0);
    CHECK(size == sizeof counts && memcmp(type, counts, size) == 0);
    cl->ReleaseDevice(parts[0]), cl->ReleaseDevice(parts[1]);
    CHECK_EQUAL(cl->CreateSubDevices(devices[0], too_many, 4, parts, &count), CL_INVALID_DEVICE_PARTITION_COUNT);
    CHECK_EQUAL(live("device"), 0);
}

static bool set_up(void)
{
    const char *text = source;
    cl_int code = 1;
    setenv("FAKE_DEVICES", "2", 1);
    driver.path = getenv("SYC_FAKE_DRIVER");
    if (driver.path == NULL || syc__driver_open(&driver) != SYC_OK || driver.refusal != NULL)
        return false;
    *(void **)&live = dlsym(driver.library, "fake_live");
    *(void **)&error_count = dlsym(driver.library, "fake_error_count");
    *(void **)&crossing_count = dlsym(driver.library, "fake_crossing_count");
    *(void **)&hold = dlsym(driver.library, "fake_hold");
    cl->GetDeviceIDs(driver.platforms[0], CL_DEVICE_TYPE_ALL, 2, devices, NULL);
    context = cl->CreateContext(NULL, 2, devices, NULL, NULL, &code);
    program = cl->CreateProgramWithSource(context, 1, &text, NULL, &code);
    return cl->BuildProgram(program, 0, NULL, NULL, NULL, NULL) == 0;
}

int main(void)
{
    if (!set_up()) {
        fputs("SYC_FAKE_DRIVER must name the fake driver\n", stderr);
        return 2;
    }
    RUN(test_add_in_place_over_an_offset_range);
    RUN(test_transfers_and_ids);
    RUN(test_events);
    RUN(test_order);
    RUN(test_release_with_work_in_flight);
    RUN(test_build_failure_has_a_log);
    RUN(test_sub_devices);
    CHECK_EQUAL(error_count(), 0);
    RUN(test_misuse_is_counted);
    cl->ReleaseProgram(program);
    cl->ReleaseContext(context);
    CHECK_EQUAL(live("program"), 0);
    CHECK_EQUAL(live("context"), 0);
    syc_free(driver.platforms);
    return CHECK_EXIT_CODE;
}
