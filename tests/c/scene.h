/* What the tests of programs, commands and queues share: a context on the fake driver, a program with its kernels, and
 * short words for submitting them. Each test is a child process that ends with nothing alive. */
#ifndef SYC_TESTS_SCENE_H
#define SYC_TESTS_SCENE_H

#include "base/clock.h"
#include "child.h"
#include "cl/context.h"
#include "program/program.h"
#include "schedule/queue.h"
#include "schedule/task.h"
#include "source/declarations/signature.h"

#include <pthread.h>

enum { MS = 1000000, HANG_SECONDS = 60 };
#define SECOND 1000000000ull

/* Three kinds of device: one that shares the host's memory and has native wait lists, one that copies and has them, and
 * one that copies and orders nothing by itself. */
#define SHARING POCL
#define LANES   POCL "FAKE_DEVICES=2;FAKE_DEVICE_NAMES=pthread-X:basic-X;"
#define COPYING "FAKE_PLATFORM_NAME=NVIDIA CUDA;FAKE_TYPE=gpu;"
#define UNKNOWN "FAKE_PLATFORM_NAME=Fake;"

#define ON_EVERY_DEVICE(test)               \
    do {                                    \
        CHILD(SHARING, test);               \
        CHILD(LANES, test);                 \
        CHILD(COPYING, test);               \
        CHILD(UNKNOWN, test);               \
        CHILD(UNKNOWN "FAKE_LAZY=1", test); \
    } while (0)

static const char scene_source[] = "kernel void add(global float *y, global const float *x, float a, uint n) { }\n"
                                   "kernel void fill_ids(global uint *out) { }\n"
                                   "kernel void slow(global uint *out, uint milliseconds) { for (;;) ; }\n"
                                   "kernel void fail(global uint *out) { }\n"
                                   "kernel void order(global uint *log, uint value) { }\n"
                                   "kernel void churn(global uint *y, global const uint *x, uint a, uint n) { }\n"
                                   "kernel void bump(global uint *y, uint n) { }\n"
                                   "kernel void mirror(global uint *y, global const uint *x, uint n) { }\n";

static syc_device *device;
static syc_context *context;
static syc_program *program;
static uint64_t scene_cost = UINT64_MAX; /* what commands are said to cost; little takes them to the calling thread */
static atomic_long kept, let_go;         /* keeps given to submissions, and released */

static inline void *fake_function(const char *name)
{
    return dlsym(dlopen(fake, RTLD_NOW | RTLD_NOLOAD), name);
}

static inline void fake_hold(int hold)
{
    void (*function)(int);
    *(void **)&function = fake_function("fake_hold");
    function(hold);
}

static inline int fake_crossings(void)
{
    int (*function)(void);
    *(void **)&function = fake_function("fake_crossing_count");
    return function();
}

static inline void open_scene(void)
{
    alarm(HANG_SECONDS);
    device = first_platform()->devices[0];
    CHECK_OK(syc_context_create(&device, 1, &context));
    CHECK_OK(syc_program_create(scene_source, strlen(scene_source), NULL, &program));
}

/* Threads that end commands let go of things a moment after they say that a command has ended. */
static inline bool settles(long (*count)(void))
{
    for (int patience = 0; patience < 5000 && count() != 0; patience++)
        syc_sleep_ns(MS);
    return count() == 0;
}

static inline long scene_alive(void)
{
    static const char *const kinds[] = {"context", "queue", "mem", "program", "kernel", "event"};
    static const syc_live ours[] = {SYC_LIVE_CONTEXT, SYC_LIVE_PROGRAM,    SYC_LIVE_QUEUE,     SYC_LIVE_COMMAND,
                                    SYC_LIVE_FAILURE, SYC_LIVE_CL_CONTEXT, SYC_LIVE_CL_QUEUE,  SYC_LIVE_CL_EVENT,
                                    SYC_LIVE_CL_MEM,  SYC_LIVE_CL_PROGRAM, SYC_LIVE_CL_KERNEL, SYC_LIVE_BUFFER};
    long alive = labs(kept - let_go);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        alive += labs(fake_live(kinds[i]));
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        alive += labs(syc_live_count(ours[i]));
    return alive;
}

static inline void show_alive(void)
{
    fprintf(stderr, "%ld keeps given, %ld released\n", (long)kept, (long)let_go);
    for (int kind = 0; kind < SYC_LIVE_COUNT; kind++)
        fprintf(stderr, "%s %ld, ", syc_live_name(kind), syc_live_count(kind));
    fprintf(stderr, "\n");
}

/* Nothing of ours and nothing of the driver's is left, and no handle was misused on the way. */
static inline void close_scene(void)
{
    syc_program_release(program);
    syc_context_release(context);
    program = NULL;
    context = NULL;
    if (!settles(scene_alive)) {
        show_alive();
        check__failures++;
    }
    CHECK_EQUAL(fake_errors(), 0);
    CHECK_EQUAL(fake_crossings(), 0);
}

static inline syc_queue *new_queue(bool in_order)
{
    syc_queue *queue = NULL;
    CHECK_OK(syc_queue_create(context, device, (syc_queue_options){.in_order = in_order}, &queue));
    return queue;
}

static inline void let_go_of(void *payload)
{
    (void)payload;
    atomic_fetch_add(&let_go, 1);
}

static inline syc_argument array(void *data, size_t bytes, bool writable)
{
    return (syc_argument){.kind = SYC_ARGUMENT_SPAN,
                          .span = {.data = data, .bytes = bytes, .writable = writable, .alignment = 4, .packed = true}};
}

static inline syc_argument value(const void *data)
{
    return (syc_argument){.kind = SYC_ARGUMENT_VALUE, .size = 4, .value = data};
}

/* Submits `name` over `items` work-items, `line` being where. */
static inline syc_status submit(syc_queue *queue, const char *name, const syc_argument *arguments, size_t count,
                                size_t items, long line, syc_command *const *after, size_t after_count,
                                syc_command **out)
{
    const syc_signatures *all = syc_program_signatures(program);
    syc_task task = {
        .ops = &syc_launch_ops,
        .launch = {.program = program,
                   .kernel = (size_t)(syc_signatures_find(all, name) - all->items),
                   .geometry = {.dims = 1, .global = {items, 1, 1}, .local = {1, 1, 1}, .cost_ns = scene_cost},
                   .arguments = arguments,
                   .argument_count = count}};
    atomic_fetch_add(&kept, 1);
    return syc_queue_submit(queue, &task, after, after_count, (syc_keep){let_go_of, NULL},
                            (syc_site){"scene.py", (int)line, NULL}, out);
}

/* The same for commands that the test expects to be taken. */
static inline syc_command *must(syc_status status, syc_command **out)
{
    CHECK_OK(status);
    return status == SYC_OK ? *out : NULL;
}

static inline syc_command *slow(syc_queue *queue, cl_uint *out, cl_uint ms)
{
    syc_command *command;
    syc_argument arguments[] = {array(out, 4, true), value(&ms)};
    return must(submit(queue, "slow", arguments, 2, 1, 100, NULL, 0, &command), &command);
}

static inline syc_command *note(syc_queue *queue, cl_uint *log, size_t room, cl_uint number)
{
    syc_command *command;
    syc_argument arguments[] = {array(log, room * 4, true), value(&number)};
    return must(submit(queue, "order", arguments, 2, 1, 200, NULL, 0, &command), &command);
}

static inline syc_command *churn(syc_queue *queue, cl_uint *y, cl_uint *x, cl_uint n, cl_uint a)
{
    syc_command *command;
    syc_argument arguments[] = {array(y, n * 4, true), array(x, n * 4, false), value(&a), value(&n)};
    return must(submit(queue, "churn", arguments, 4, n, 300, NULL, 0, &command), &command);
}

static inline syc_command *failing(syc_queue *queue, cl_uint *out, long line)
{
    syc_command *command;
    syc_argument arguments[] = {array(out, 4, true)};
    return must(submit(queue, "fail", arguments, 1, 1, line, NULL, 0, &command), &command);
}

/* An empty command: it only orders. */
static inline syc_command *empty(syc_queue *queue, syc_command *const *after, size_t count)
{
    syc_command *command;
    syc_task task = {.ops = &syc_nothing_ops};
    return must(syc_queue_submit(queue, &task, after, count, (syc_keep){0}, (syc_site){0}, &command), &command);
}

static inline void finish(syc_command *command)
{
    if (command == NULL)
        return;
    CHECK_OK(syc_command_wait(command, 30 * SECOND));
    CHECK(syc_command_ended(command));
    syc_command_release(command);
}

/* Waits for everything in the queue and drops it. */
static inline void close_queue(syc_queue *queue)
{
    syc_command **commands = NULL;
    size_t count = 0;
    CHECK_OK(syc_queue_commands(queue, &commands, &count));
    for (size_t i = 0; i < count; i++)
        finish(commands[i]);
    syc_free(commands);
    syc_queue_release(queue);
}

static inline void drop_error(syc_queue *queue, syc_async_error *error)
{
    bool found = syc_queue_take_error(queue, error);
    CHECK(found);
    if (!found)
        exit(1);
}

static inline void free_error(syc_async_error *error)
{
    syc_failure_free(error->failure);
    syc_free(error->site);
}

static inline bool text_has(const char *text, const char *part)
{
    bool found = text != NULL && strstr(text, part) != NULL;
    if (!found)
        fprintf(stderr, "\"%s\" is not in \"%s\"\n", part, text != NULL ? text : "(null)");
    return found;
}

/* What commands hold while they are in flight. */
static inline long in_flight_things(void)
{
    return syc_live_count(SYC_LIVE_COMMAND) + syc_live_count(SYC_LIVE_CL_EVENT) + syc_live_count(SYC_LIVE_CL_MEM) +
           labs(kept - let_go);
}

/* A report hook that counts the reports with the expected words. */
static atomic_int reported;
static const char *expected_report; /* words of it */

static inline void hear_expected(const syc_detail *detail)
{
    atomic_fetch_add(&reported, text_has(detail->message, expected_report));
}

static inline long missing_reports(void)
{
    return 1 - atomic_load(&reported);
}

/* A small generator, so that a seed says all. */
static inline uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(*state >> 33);
}

#endif
