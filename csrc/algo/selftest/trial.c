/* Running a kernel behind everybody's back: native objects of its own, in no count, no graph and no user's queue, on a
 * thread that is left alone when it does not come back. */
#include "algo/selftest/parts.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/process.h"
#include "base/thread.h"
#include "cl/constants.h"
#include "cl/room.h"
#include "cl/sub_group.h"
#include "library/device_options.h"
#include "program/compiler.h"
#include "program/cures/machine_code.h"
#include "program/cures/pocl_short_builtins.h"
#include "program/log/build_log.h"
#include "program/recipe.h"

#include <string.h>

static const uint64_t look_ns = 50000;
/* The slowest driver takes 10 s for the slowest family where eight others use the machine. */
static const uint64_t kernel_limit_ns = 30000000000u, limit_of_all_ns = 90000000000u;

syc_status syc__trial_create(syc_context *context, syc_device *device, syc__trial **out)
{
    syc_status status = SYC_OK;
    syc__trial *trial = NULL;

    SYC_TRY(syc_alloc(sizeof *trial, &trial));
    pthread_mutex_init(&trial->lock, NULL);
    syc_cond_init(&trial->end);
    syc_context_retain(context);
    syc_device_retain(device);
    trial->context = context;
    trial->device = device;
    trial->kernel_ns = kernel_limit_ns;
    trial->all_ns = limit_of_all_ns;
    atomic_init(&trial->users, 1);
    *out = trial;
done:
    return status;
}

void syc__trial_release(syc__trial *trial)
{
    if (trial == NULL || atomic_fetch_sub(&trial->users, 1) > 1)
        return;
    for (size_t i = 0; i < SYC__KNOWN_BUFFERS; i++)
        syc_free(trial->buffers[i].bytes);
    syc_program_release(trial->program);
    syc_free(trial->options);
    syc_text_clear(&trial->words);
    pthread_cond_destroy(&trial->end);
    pthread_mutex_destroy(&trial->lock);
    syc_device_release(trial->device);
    syc_context_release(trial->context);
    syc_free(trial);
}

syc_status syc__trial_buffer(syc__trial *trial, size_t size, void *out_pointer)
{
    syc_status status = SYC_OK;
    size_t at = trial->buffer_count;

    SYC_TRY(syc_alloc(size, &trial->buffers[at].bytes));
    trial->buffers[at].size = size;
    trial->buffer_count++;
    *(void **)out_pointer = trial->buffers[at].bytes;
done:
    return status;
}

/* Those of a build, where the way has not been found out yet. What work-groups have of their own takes OpenCL C 3.0;
 * what they do not have goes by sub-groups there, too. */
syc_status syc__trial_options(syc__trial *trial, syc_family family, unsigned way)
{
    const syc_signatures *kernels = syc_program_signatures(trial->program);
    const bool groups = family == SYC_FAMILY_WORK_GROUPS || family == SYC_FAMILY_JOINT;
    syc__device_choice choice;
    syc_text options = {0};
    syc_status status = SYC_OK;

    syc__device_choose(trial->context, kernels, 0, &choice);
    choice.plain = (way & SYC_WAY_PLAIN) != 0;
    if (groups)
        choice.group = (syc_group_shape)(way & SYC_WAY_VALUE);
    choice.sub_group = syc_sub_group_kind_of(trial->device);
    if (family == SYC_FAMILY_SUB_GROUPS) {
        choice.group = SYC_GROUP_LEADER;
        choice.sub_group = (syc_sub_group_kind)(way & SYC_WAY_VALUE);
    }
    syc__device_complete(trial->context, kernels, &choice);
    SYC_TRY(syc__program_options(trial->program, trial->context, &choice, &options));
    if (groups && choice.group == SYC_GROUP_NATIVE)
        syc_text_add(&options, " -cl-std=CL3.0");
    SYC_CHECK(!options.cut, SYC_E_MEMORY_ALLOCATION, "no memory for build options");
    SYC_TRY(syc_copy_string(syc_text_get(&options), &trial->options)); /* also where there are none */
done:
    syc_text_clear(&options);
    return status;
}

/* -- on the thread -- */

/* The arguments of a launch. */
struct native {
    cl_program program;
    cl_kernel kernel;
    cl_command_queue queue;
    cl_mem buffers[SYC__KNOWN_BUFFERS];
    cl_event event;
};

/* A driver that is asked to let go of what never ends may wait for it: then everything is left as it is. */
static void clear(const syc_cl_table *cl, struct native *n)
{
    if (n->event != NULL)
        (void)cl->ReleaseEvent(n->event); /* here and below: nothing was lost that the process would miss */
    for (size_t i = 0; i < SYC__KNOWN_BUFFERS; i++)
        if (n->buffers[i] != NULL)
            (void)cl->ReleaseMemObject(n->buffers[i]);
    if (n->kernel != NULL)
        (void)cl->ReleaseKernel(n->kernel);
    if (n->program != NULL)
        (void)cl->ReleaseProgram(n->program);
    if (n->queue != NULL)
        (void)cl->ReleaseCommandQueue(n->queue);
}

/* The compiler's first error. */
static void say_log(const char *log, size_t length, syc_text *out)
{
    const size_t start = strspn(log, " \t\r\n");
    syc_log_error error = {0};

    if (syc_log_first_error(log, length, &error) == SYC_OK && error.message != NULL && *error.message != '\0')
        syc_text_add(out, "%s", error.message);
    else
        syc__text_add_clean(out, syc__slice_line((syc_slice){log + start, length - start}));
    syc_log_error_clear(&error);
}

/* A lack of the machine is no fault of the text's. */
static syc_status check_build(const syc__trial *trial, cl_program program, cl_int code)
{
    syc_text words = {0};
    size_t length = 0;
    char *log = NULL;
    syc_status status = SYC_OK;

    if (code == 0)
        return SYC_OK;
    if (code == CL_OUT_OF_RESOURCES || code == CL_OUT_OF_HOST_MEMORY || code == CL_COMPILER_NOT_AVAILABLE)
        return syc_fail_cl(SYC_HERE, "clBuildProgram", code);
    if (syc__read_log(trial->context, program, trial->device, &log, &length) == SYC_OK)
        say_log(log, length, &words);
    status = words.length > 0
                 ? syc_fail(SYC_E_BUILD, SYC_HERE, "it does not build: %s", syc_text_get(&words))
                 : syc_fail(SYC_E_BUILD, SYC_HERE, "it does not build (code %d), and the compiler says nothing", code);
    syc_text_clear(&words);
    syc_free(log);
    return status;
}

static syc_status build(const syc__trial *trial, struct native *n)
{
    const syc_cl_table *cl = syc_context_cl(trial->context);
    const syc_signatures *kernels = syc_program_signatures(trial->program);
    const cl_device_id *device = &trial->device->lanes[SYC_LANE_POOL];
    const char *options = trial->fault == SYC_SELFTEST_BROKEN ? "-D__kernel=asked_for_by_a_test" : trial->options;
    struct syc__program_texts texts;
    cl_program mended = NULL;
    cl_int code = 0;
    syc_status status = SYC_OK;

    SYC_TRY(syc_driver_check_room(trial->device->platform->driver));
    SYC_TRY(syc_driver_check_linker(trial->device->platform->driver));
    syc__program_texts(trial->program, 0, &texts);
    SYC_TRY(syc__build_brief(trial->context, &texts, (syc_slice){"", 0}, device, options, &n->program));
    if (n->program == NULL) {
        SYC_CL_OBJECT(cl, n->program, CreateProgramWithSource,
                      (trial->context->native, texts.count, texts.texts, texts.lengths, &code));
        code = syc__native_build(trial->context, n->program, device, options);
    }
    SYC_TRY(check_build(trial, n->program, code));
    SYC_TRY(syc__machine_code_cure(trial->context, n->program, options, &mended));
    if (mended != NULL) {
        (void)cl->ReleaseProgram(n->program); /* the other one is in its place */
        n->program = mended;
    }
    SYC_CL_OBJECT(cl, n->kernel, CreateKernel, (n->program, kernels->items[0].name, &code));
done:
    return status;
}

static syc_status set_arguments(const syc__trial *trial, struct native *n)
{
    const syc_cl_table *cl = syc_context_cl(trial->context);
    cl_uint at = 0;
    cl_int code = 0;
    syc_status status = SYC_OK;

    for (size_t i = 0; i < trial->buffer_count; i++) {
        SYC_CL_OBJECT(cl, n->buffers[i], CreateBuffer,
                      (trial->context->native, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, trial->buffers[i].size,
                       trial->buffers[i].bytes, &code));
    }
    for (size_t i = 0; i < trial->named; i++)
        SYC_CL(cl, SetKernelArg, (n->kernel, at++, sizeof n->buffers[i], &n->buffers[i]));
    for (size_t i = 0; i < trial->value_count; i++) {
        const struct syc__trial_value *value = &trial->values[i];
        const void *bytes = value->kind == SYC__TRIAL_LOCAL    ? NULL
                            : value->kind == SYC__TRIAL_BUFFER ? (const void *)&n->buffers[value->bytes]
                                                               : &value->bytes;
        SYC_CL(cl, SetKernelArg,
               (n->kernel, at++, value->kind == SYC__TRIAL_BUFFER ? sizeof(cl_mem) : value->size, bytes));
    }
done:
    return status;
}

/* SYC_TIMEOUT: it has not ended, and may never. */
static syc_status wait(const syc__trial *trial, cl_event event)
{
    const syc_cl_table *cl = syc_context_cl(trial->context);
    uint64_t began = syc_now_ns();
    cl_int state = CL_QUEUED;
    syc_status status = SYC_OK;

    for (;;) {
        SYC_CL(cl, GetEventInfo, (event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
        SYC_CHECK(state >= 0, SYC_E_KERNEL, "it fails with code %d", state);
        if (state == CL_COMPLETE && trial->fault != SYC_SELFTEST_HANGS)
            return SYC_OK;
        if (syc_now_ns() - began > trial->kernel_ns)
            return SYC_TIMEOUT;
        syc_sleep_ns(look_ns);
    }
done:
    return status;
}

static syc_status launch(syc__trial *trial, struct native *n)
{
    const syc_cl_table *cl = syc_context_cl(trial->context);
    cl_int code = 0;
    syc_status status = SYC_OK;

    SYC_TRY(build(trial, n));
    SYC_CL_OBJECT(cl, n->queue, CreateCommandQueue,
                  (trial->context->native, trial->device->lanes[SYC_LANE_POOL], 0, &code));
    SYC_TRY(set_arguments(trial, n));
    SYC_CL(
        cl, EnqueueNDRangeKernel,
        (n->queue, n->kernel, trial->launch.dims, NULL, trial->launch.global, trial->launch.local, 0, NULL, &n->event));
    SYC_CL(cl, Flush, (n->queue));
    SYC_TRY(wait(trial, n->event));
    for (size_t i = trial->written; i < trial->buffer_count; i++)
        SYC_CL(cl, EnqueueReadBuffer,
               (n->queue, n->buffers[i], 1, 0, trial->buffers[i].size, trial->buffers[i].bytes, 0, NULL, NULL));
done:
    return status;
}

/* The verdict on the way that the failure means. A known lack of the machine is none. */
static syc__outcome judge(syc_status status)
{
    int code = syc_detail_of(status).cl_code;
    if (status == SYC_TIMEOUT)
        return SYC__WRONG;
    return status == SYC_E_BUILD || status == SYC_E_KERNEL || code == CL_INVALID_KERNEL_NAME ||
                   code == CL_INVALID_WORK_GROUP_SIZE || code == CL_INVALID_KERNEL_ARGS || code == CL_INVALID_ARG_SIZE
               ? SYC__FAILED
               : SYC__UNTESTED;
}

/* Of a number of 4 bytes or more something that no rounding makes. */
static void spoil(void *bytes)
{
    uint32_t first;
    memcpy(&first, bytes, sizeof first);
    first ^= 0x55555555u;
    memcpy(bytes, &first, sizeof first);
}

static void end(syc__trial *trial, syc__outcome outcome, syc_text words)
{
    pthread_mutex_lock(&trial->lock);
    trial->outcome = outcome;
    trial->words = words;
    trial->ended = true;
    pthread_cond_broadcast(&trial->end);
    pthread_mutex_unlock(&trial->lock);
}

static void perform(syc__trial *trial)
{
    struct native native = {.program = NULL};
    syc_text words = {0};
    syc_status status = launch(trial, &native);
    syc__outcome outcome;

    if (status == SYC_OK && trial->fault == SYC_SELFTEST_WRONG)
        spoil(trial->buffers[trial->written].bytes);
    if (status == SYC_OK)
        outcome = trial->check(trial, &words) ? SYC__RIGHT : SYC__WRONG;
    else
        outcome = judge(status);
    if (status == SYC_TIMEOUT)
        syc_text_add(&words, "it did not end in %.3g s", (double)trial->kernel_ns / 1e9);
    else if (status != SYC_OK)
        syc_text_add(&words, "%s", syc_detail_of(status).message);
    if (status != SYC_TIMEOUT && syc_process_alive())
        clear(syc_context_cl(trial->context), &native);
    end(trial, outcome, words);
}

/* Where nobody waits any more the driver is left alone: the process may be at its end. */
static void *run(void *argument)
{
    syc__trial *trial = argument;
    if (trial->fault == SYC_SELFTEST_STUCK)
        syc_sleep_ns(2 * trial->all_ns);
    if (syc_process_alive() && atomic_load(&trial->users) > 1) {
        syc_process_begin_work();
        perform(trial);
        syc_process_end_work();
    } else {
        end(trial, SYC__UNTESTED, (syc_text){0});
    }
    syc__trial_release(argument);
    return NULL;
}

/* -- who waits -- */

static bool start(syc__trial *trial)
{
    pthread_attr_t attributes;
    pthread_t thread;
    bool started;

    if (!syc_thread_fits(0) || pthread_attr_init(&attributes) != 0)
        return false;
    atomic_fetch_add(&trial->users, 1);
    started = pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0 &&
              pthread_create(&thread, &attributes, run, trial) == 0;
    if (!started)
        atomic_fetch_sub(&trial->users, 1);
    pthread_attr_destroy(&attributes);
    return started;
}

syc__outcome syc__trial_run(syc__trial *trial, syc_text *words)
{
    struct timespec deadline = syc_deadline(trial->all_ns);
    syc__outcome outcome = SYC__WRONG;
    int late = 0;

    if (!start(trial)) {
        syc_text_add(words, "there is no thread for it");
        syc__trial_release(trial);
        return SYC__UNTESTED;
    }
    pthread_mutex_lock(&trial->lock);
    while (!trial->ended && late == 0)
        late = pthread_cond_timedwait(&trial->end, &trial->lock, &deadline);
    if (trial->ended) {
        outcome = trial->outcome;
        syc_text_add(words, "%s", syc_text_get(&trial->words));
    } else {
        syc_text_add(words, "the driver did not come back in %.3g s", (double)trial->all_ns / 1e9);
    }
    pthread_mutex_unlock(&trial->lock);
    syc__trial_release(trial);
    return outcome;
}
