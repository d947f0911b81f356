/* Programs against the fake driver: one build per context however many ask, remembered failures, lent kernels, limits,
 * and programs made elsewhere. */
#include "scene.h"

static long builds(void)
{
    return syc_fault_calls("BuildProgram");
}

static const syc_cl_table *table(void)
{
    return syc_context_cl(context);
}

static syc_program *program_of(const char *text)
{
    syc_program *made = NULL;
    CHECK_OK(syc_program_create(text, strlen(text), NULL, &made));
    return made;
}

static void nothing_is_built_before_it_is_needed(void)
{
    size_t length = 0;
    open_scene();
    CHECK_EQUAL(fake_live("program"), 0);
    CHECK_EQUAL(syc_program_signatures(program)->count, 8);
    CHECK_STRING(syc_program_source(program, &length), scene_source);
    CHECK_EQUAL(length, strlen(scene_source));
    CHECK_STRING(syc_program_options(program), "");
    close_scene();
}

static void one_build_per_context(void)
{
    syc_build *first = NULL, *again = NULL, *elsewhere = NULL, *wrapped = NULL;
    syc_context *other = NULL, *same = NULL;

    open_scene();
    CHECK_OK(syc_fault_install(device->platform->driver));
    CHECK_OK(syc_program_build(program, context, &first));
    CHECK_OK(syc_program_build(program, context, &again));
    CHECK(first == again);
    CHECK_EQUAL(builds(), 1);
    CHECK_OK(syc_context_create(&device, 1, &other));
    CHECK_OK(syc_program_build(program, other, &elsewhere));
    CHECK(elsewhere != first && syc_build_native(elsewhere) != syc_build_native(first));
    CHECK_EQUAL(builds(), 2);
    CHECK_OK(syc_context_from_native(context->native, &same));
    CHECK_OK(syc_program_build(program, same, &wrapped));
    CHECK(wrapped == first);
    CHECK_OK(syc_fault_install(NULL));
    syc_context_release(same);
    syc_context_release(other);
    close_scene();
}

/* -- threads -- */

enum { THREADS = 12 };
static pthread_barrier_t barrier;
static syc_build *built[THREADS];
static syc_status outcome[THREADS];

static void *ask(void *argument)
{
    size_t i = (size_t)(intptr_t)argument;
    pthread_barrier_wait(&barrier);
    outcome[i] = syc_program_build(program, context, &built[i]);
    if (outcome[i] != SYC_OK)
        CHECK(strstr(syc_detail_of(outcome[i]).message, "broken") != NULL);
    return NULL;
}

static void ask_with_many(void)
{
    pthread_t threads[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (intptr_t i = 0; i < THREADS; i++)
        CHECK_EQUAL(pthread_create(&threads[i], NULL, ask, (void *)i), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
}

static void many_threads_build_once(void)
{
    open_scene();
    CHECK_OK(syc_fault_install(device->platform->driver));
    ask_with_many();
    for (int i = 0; i < THREADS; i++)
        CHECK(outcome[i] == SYC_OK && built[i] == built[0]);
    CHECK_EQUAL(builds(), 1);
    CHECK_EQUAL(fake_live("program"), 1);
    CHECK_OK(syc_fault_install(NULL));
    close_scene();
}

static void many_threads_fail_once(void)
{
    open_scene();
    CHECK_OK(syc_fault_install(device->platform->driver));
    syc_program_release(program);
    program = program_of("kernel void fail(global uint *out) { }\n#error broken\n");
    ask_with_many();
    for (int i = 0; i < THREADS; i++)
        CHECK_EQUAL(outcome[i], SYC_E_BUILD);
    CHECK_EQUAL(builds(), 1);
    CHECK_OK(syc_fault_install(NULL));
    close_scene();
}

/* -- failures -- */

static void failed_builds_are_remembered(void)
{
    syc_build *build = NULL;
    syc_detail detail;

    open_scene();
    CHECK_OK(syc_fault_install(device->platform->driver));
    syc_program_release(program);
    program = program_of("kernel void fail(global uint *out)\n{\n#error broken words\n}\n");
    for (int i = 0; i < 3; i++) {
        (void)syc_fail(SYC_E_INVALID, "elsewhere", "another failure");
        CHECK_STATUS(syc_program_build(program, context, &build), SYC_E_BUILD);
        detail = syc_detail_of(SYC_E_BUILD);
        CHECK_STRING(detail.api, "clBuildProgram");
        CHECK_EQUAL(detail.cl_code, CL_BUILD_PROGRAM_FAILURE);
        CHECK(strstr(detail.message, "broken words") != NULL);
        CHECK(detail.build_log != NULL && strstr(detail.build_log, "error: broken words") != NULL);
    }
    CHECK(build == NULL);
    CHECK_EQUAL(builds(), 1);
    CHECK_OK(syc_fault_install(NULL));
    close_scene();
}

/* What is no verdict on the text may pass: it is tried again. */
static void other_failures_are_tried_again(void)
{
    static const struct {
        const char *entry;
        int code;
        syc_status status;
    } faults[] = {{"CreateProgramWithSource", CL_OUT_OF_HOST_MEMORY, SYC_E_MEMORY_ALLOCATION},
                  {"BuildProgram", CL_OUT_OF_HOST_MEMORY, SYC_E_MEMORY_ALLOCATION},
                  {"BuildProgram", CL_OUT_OF_RESOURCES, SYC_E_RUNTIME},
                  {"BuildProgram", CL_COMPILER_NOT_AVAILABLE, SYC_E_FEATURE_NOT_SUPPORTED}};
    syc_build *build = NULL;

    open_scene();
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        syc_program *fresh = program_of(scene_source);
        CHECK_OK(syc_fault_install(device->platform->driver));
        CHECK_OK(syc_fault_arm(faults[i].entry, 1, faults[i].code));
        CHECK_STATUS(syc_program_build(fresh, context, &build), faults[i].status);
        CHECK_EQUAL(syc_detail_of(faults[i].status).cl_code, faults[i].code);
        CHECK(strstr(syc_detail_of(faults[i].status).api, faults[i].entry) != NULL);
        CHECK_OK(syc_program_build(fresh, context, &build));
        CHECK_OK(syc_fault_install(NULL));
        CHECK_EQUAL(fake_live("program"), 1);
        syc_program_release(fresh);
    }
    for (long n = 1;; n++) { /* the same for our own memory */
        syc_program *fresh = program_of(scene_source);
        syc_status status;
        syc_alloc_fail_at(n);
        status = syc_program_build(fresh, context, &build);
        syc_alloc_fail_at(0);
        if (status == SYC_OK) {
            CHECK(n > 2);
            syc_program_release(fresh);
            break;
        }
        CHECK_EQUAL(status, SYC_E_MEMORY_ALLOCATION);
        CHECK_OK(syc_program_build(fresh, context, &build));
        syc_program_release(fresh);
    }
    close_scene();
}

/* A build that fails stays a build failure when its log cannot be had. */
static void builds_fail_without_a_log_too(void)
{
    syc_build *build = NULL;
    open_scene();
    syc_program_release(program);
    for (int n = 1; n <= 2; n++) {
        program = program_of("kernel void fail(global uint *out) { }\n#error broken\n");
        CHECK_OK(syc_fault_install(device->platform->driver));
        CHECK_OK(syc_fault_arm("GetProgramBuildInfo", n, CL_OUT_OF_HOST_MEMORY));
        CHECK_STATUS(syc_program_build(program, context, &build), SYC_E_BUILD);
        CHECK_STRING(syc_detail_of(SYC_E_BUILD).api, "clBuildProgram");
        CHECK_OK(syc_fault_install(NULL));
        syc_program_release(program);
    }
    program = NULL;
    close_scene();
}

static void programs_without_memory(void)
{
    syc_program *made = NULL;
    open_scene();
    for (long n = 1;; n++) {
        syc_status status;
        syc_alloc_fail_at(n);
        status = syc_program_create(scene_source, strlen(scene_source), "-DX=1", &made);
        syc_alloc_fail_at(0);
        CHECK_EQUAL(syc_live_count(SYC_LIVE_PROGRAM), 1 + (status == SYC_OK));
        if (status == SYC_OK)
            break;
        CHECK_EQUAL(status, SYC_E_MEMORY_ALLOCATION);
    }
    CHECK_STRING(syc_program_options(made), "-DX=1");
    syc_program_release(made);
    syc_program_release(NULL);
    CHECK_STATUS(syc_program_create("a\0b", 3, NULL, &made), SYC_E_INVALID_PARAMETER);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_PROGRAM), 1);
    close_scene();
}

static void warnings_are_in_the_log(void)
{
    syc_program *warned;
    syc_build *build = NULL;
    char *log = NULL;

    open_scene();
    CHECK_OK(syc_program_build(program, context, &build));
    CHECK_OK(syc_build_log(build, device, &log));
    CHECK_STRING(log, "");
    syc_free(log);
    warned = program_of("kernel void fail(global uint *out) { }\n#warning odd\n");
    CHECK_OK(syc_program_build(warned, context, &build));
    CHECK_OK(syc_build_log(build, device, &log));
    CHECK(strstr(log, "warning: odd") != NULL);
    syc_free(log);
    syc_program_release(warned);
    close_scene();
}

/* -- kernels -- */

static void kernels_are_lent(void)
{
    enum { MANY = 20 };
    syc_build *build = NULL;
    cl_kernel a = NULL, b = NULL, c = NULL, many[MANY];

    open_scene();
    CHECK_OK(syc_program_build(program, context, &build));
    CHECK_OK(syc_build_take_kernel(build, 0, 0, &a));
    CHECK_OK(syc_build_take_kernel(build, 0, 0, &b));
    CHECK(a != b); /* two launches never share one */
    CHECK_EQUAL(fake_live("kernel"), 2);
    syc_build_give_kernel(build, 0, 0, a);
    CHECK_OK(syc_build_take_kernel(build, 0, 0, &c));
    CHECK(c == a);
    CHECK_OK(syc_build_take_kernel(build, 1, 0, &a)); /* another name, another pool */
    CHECK(a != b && a != c);
    CHECK_EQUAL(fake_live("kernel"), 3);
    syc_build_give_kernel(build, 1, 0, a);
    syc_build_give_kernel(build, 0, 0, b);
    syc_build_give_kernel(build, 0, 0, c);
    CHECK_OK(syc_build_take_kernel(build, 0, 2, &a)); /* its second argument is to be a pointer, and stay one */
    CHECK(a != b && a != c);
    syc_build_give_kernel(build, 0, 2, a);

    CHECK_OK(syc_fault_install(device->platform->driver));
    CHECK_OK(syc_fault_arm("CreateKernel", 1, CL_INVALID_KERNEL_NAME));
    CHECK_STATUS(syc_build_take_kernel(build, 2, 0, &a), SYC_E_KERNEL);
    CHECK_STRING(syc_detail_of(SYC_E_KERNEL).api, "clCreateKernel");
    for (int i = 0; i < MANY; i++)
        CHECK_OK(syc_build_take_kernel(build, 2, 0, &many[i]));
    for (int i = 0; i < MANY; i++) { /* where there is no room to remember one it goes, and nothing is lost */
        syc_alloc_fail_at(1);
        syc_build_give_kernel(build, 2, 0, many[i]);
    }
    syc_alloc_fail_at(0);
    CHECK(fake_live("kernel") < 4 + MANY);
    CHECK_EQUAL(fake_live("kernel"), syc_live_count(SYC_LIVE_CL_KERNEL));
    CHECK_OK(syc_fault_install(NULL));
    close_scene();
}

static void *borrow(void *argument)
{
    for (int i = 0; i < 300; i++) {
        cl_kernel native = NULL;
        cl_uint number = (cl_uint)i;
        CHECK_OK(syc_build_take_kernel(argument, 4, 0, &native));
        CHECK_EQUAL(table()->SetKernelArg(native, 1, sizeof number, &number), 0);
        syc_build_give_kernel(argument, 4, 0, native);
    }
    return NULL;
}

static void threads_borrow_kernels(void)
{
    pthread_t threads[4];
    syc_build *build = NULL;

    open_scene();
    CHECK_OK(syc_program_build(program, context, &build));
    for (int t = 0; t < 4; t++)
        CHECK_EQUAL(pthread_create(&threads[t], NULL, borrow, build), 0);
    for (int t = 0; t < 4; t++)
        pthread_join(threads[t], NULL);
    CHECK(fake_live("kernel") <= 4);
    close_scene();
}

static void limits_are_read_once(void)
{
    const syc_kernel_limits *limits = NULL, *again = NULL;
    syc_build *build = NULL;
    long calls;

    open_scene();
    CHECK_OK(syc_program_build(program, context, &build));
    CHECK_OK(syc_fault_install(device->platform->driver));
    CHECK_OK(syc_build_limits(build, 1, device, &limits));
    calls = syc_fault_calls("GetKernelWorkGroupInfo");
    CHECK_EQUAL(limits->max_group, 256);
    CHECK(limits->multiple > 0);
    CHECK_OK(syc_build_limits(build, 1, device, &again));
    CHECK(again == limits);
    CHECK_EQUAL(syc_fault_calls("GetKernelWorkGroupInfo"), calls);
    CHECK_EQUAL(fake_live("kernel"), 1); /* the one that was asked is kept for a launch */
    for (long n = 1; n <= calls; n++) {
        CHECK_OK(syc_fault_arm("GetKernelWorkGroupInfo", n, CL_OUT_OF_RESOURCES));
        CHECK_STATUS(syc_build_limits(build, 2, device, &limits), SYC_E_RUNTIME);
        CHECK_STRING(syc_detail_of(SYC_E_RUNTIME).api, "clGetKernelWorkGroupInfo");
        CHECK_EQUAL(fake_live("kernel"), 2);
    }
    for (long n = 1; n <= 2; n++) {
        syc_alloc_fail_at(n);
        CHECK_STATUS(n == 1 ? syc_build_limits(build, 3, device, &limits) : SYC_E_MEMORY_ALLOCATION,
                     SYC_E_MEMORY_ALLOCATION);
    }
    syc_alloc_fail_at(0);
    CHECK_OK(syc_build_limits(build, 2, device, &limits));
    CHECK_OK(syc_fault_install(NULL));
    close_scene();
}

/* -- programs made elsewhere -- */

static cl_program native_program(void)
{
    const char *text = scene_source;
    cl_int code = 0;
    cl_program native = table()->CreateProgramWithSource(context->native, 1, &text, NULL, &code);
    CHECK_EQUAL(code, 0);
    CHECK_EQUAL(table()->BuildProgram(native, 0, NULL, NULL, NULL, NULL), 0);
    return native;
}

static void programs_from_elsewhere(void)
{
    syc_program *wrapped = NULL, *of_kernel = NULL;
    syc_build *build = NULL;
    cl_program native;
    cl_kernel kernel;
    cl_int code;
    size_t index = 0;

    open_scene();
    native = native_program();
    kernel = table()->CreateKernel(native, "slow", &code);
    CHECK_OK(syc_program_from_native(native, &wrapped));
    CHECK_EQUAL(syc_program_signatures(wrapped)->count, 8);
    CHECK_OK(syc_fault_install(device->platform->driver));
    CHECK_OK(syc_program_build(wrapped, context, &build));
    CHECK_EQUAL(builds(), 0); /* it was built already */
    CHECK(syc_build_native(build) == native);
    CHECK_OK(syc_fault_install(NULL));
    CHECK_OK(syc_program_from_native_kernel(kernel, &of_kernel, &index));
    CHECK_STRING(syc_program_signatures(of_kernel)->items[index].name, "slow");
    table()->ReleaseKernel(kernel);
    table()->ReleaseProgram(native);
    CHECK_EQUAL(fake_live("program"), 1); /* ours, retained */
    syc_program_release(wrapped);
    syc_program_release(of_kernel);
    close_scene();
}

static void what_is_no_program(void)
{
    syc_program *wrapped = NULL;
    size_t index = 0;
    long nothing = 0;

    open_scene();
    CHECK_STATUS(syc_program_from_native((cl_program)&nothing, &wrapped), SYC_E_INVALID_OBJECT);
    CHECK_STATUS(syc_program_from_native(NULL, &wrapped), SYC_E_INVALID_OBJECT);
    CHECK_STATUS(syc_program_from_native_kernel((cl_kernel)&nothing, &wrapped, &index), SYC_E_INVALID_OBJECT);
    CHECK_STATUS(syc_program_from_native_kernel(NULL, &wrapped, &index), SYC_E_INVALID_OBJECT);
    CHECK(wrapped == NULL);
    close_scene();
}

/* Every call that wrapping makes fails once, and nothing of it stays. */
static void failing_wraps(void)
{
    static const char *const entries[] = {"GetKernelInfo", "GetProgramInfo", "RetainProgram"};
    syc_program *wrapped = NULL;
    cl_program native;
    cl_kernel kernel;
    cl_int code;
    size_t index;

    open_scene();
    native = native_program();
    kernel = table()->CreateKernel(native, "slow", &code);
    CHECK_OK(syc_fault_install(device->platform->driver));
    for (size_t e = 0; e < 3; e++) {
        for (long n = 1; n < 20; n++) {
            syc_status status;
            CHECK_OK(syc_fault_arm(entries[e], n, CL_OUT_OF_RESOURCES));
            status = syc_program_from_native_kernel(kernel, &wrapped, &index);
            if (status == SYC_OK) {
                CHECK(n > 1);
                syc_program_release(wrapped);
                break;
            }
            CHECK_EQUAL(status, SYC_E_RUNTIME);
            CHECK_EQUAL(syc_live_count(SYC_LIVE_PROGRAM), 1);
            CHECK_EQUAL(syc_live_count(SYC_LIVE_CL_PROGRAM), 0);
        }
    }
    CHECK_OK(syc_fault_install(NULL));
    for (long n = 1;; n++) {
        syc_status status;
        syc_alloc_fail_at(n);
        status = syc_program_from_native_kernel(kernel, &wrapped, &index);
        syc_alloc_fail_at(0);
        if (status == SYC_OK)
            break;
        CHECK_EQUAL(status, SYC_E_MEMORY_ALLOCATION);
        CHECK_EQUAL(syc_live_count(SYC_LIVE_PROGRAM), 1);
    }
    syc_program_release(wrapped);
    table()->ReleaseKernel(kernel);
    table()->ReleaseProgram(native);
    close_scene();
}

static int reports;

static void count_report(const syc_detail *detail)
{
    reports += detail->cl_code == CL_INVALID_KERNEL || detail->cl_code == CL_INVALID_PROGRAM;
}

static void failing_releases_are_reported(void)
{
    syc_build *build = NULL;
    cl_kernel kernel = NULL;

    open_scene();
    syc_set_report_hook(count_report);
    CHECK_OK(syc_program_build(program, context, &build));
    CHECK_OK(syc_build_take_kernel(build, 0, 0, &kernel));
    syc_build_give_kernel(build, 0, 0, kernel);
    CHECK_OK(syc_fault_install(device->platform->driver));
    CHECK_OK(syc_fault_arm("ReleaseKernel", 1, CL_INVALID_KERNEL));
    CHECK_OK(syc_fault_arm("ReleaseProgram", 1, CL_INVALID_PROGRAM));
    syc_program_release(program);
    CHECK_EQUAL(reports, 2);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_CL_KERNEL), 0);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_CL_PROGRAM), 0);
    CHECK_OK(syc_fault_install(NULL));
}

int main(void)
{
    FIND_FAKE_DRIVER;
    CHILD(SHARING, nothing_is_built_before_it_is_needed);
    CHILD(SHARING, one_build_per_context);
    CHILD(SHARING, many_threads_build_once);
    CHILD(SHARING, many_threads_fail_once);
    CHILD(SHARING, failed_builds_are_remembered);
    CHILD(SHARING, other_failures_are_tried_again);
    CHILD(SHARING, builds_fail_without_a_log_too);
    CHILD(SHARING, programs_without_memory);
    CHILD(SHARING, warnings_are_in_the_log);
    CHILD(SHARING, kernels_are_lent);
    CHILD(SHARING, threads_borrow_kernels);
    CHILD(SHARING, limits_are_read_once);
    CHILD(SHARING, programs_from_elsewhere);
    CHILD(SHARING, what_is_no_program);
    CHILD(SHARING, failing_wraps);
    CHILD(SHARING, failing_releases_are_reported);
    return CHECK_EXIT_CODE;
}
