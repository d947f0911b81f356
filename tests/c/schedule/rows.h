/* What the tests of silent launches share: a queue in order of a device on which they cost less, and turns of a sum. */
#ifndef SYC_TESTS_ROWS_H
#define SYC_TESTS_ROWS_H

#include "buffers.h"

/* Nothing starts before it is flushed, and what fails takes its context along. */
#define SILENT COPYING "FAKE_LAZY=1;FAKE_FATAL=1"

enum { N = 4, MANY = 48, MOST_EVENTS = 10 };

static syc_queue *queue;
static syc_buffer *y, *x;
static cl_uint of_y[N], of_x[N], expected, of_each; /* what each turn adds: x's */

static inline void open_row(syc_queue_options options)
{
    open_scene();
    CHECK_OK(syc_fault_install(device->platform->driver));
    CHECK_OK(syc_queue_create(context, device, options, &queue));
    y = wrap(of_y, N);
    x = wrap(of_x, N);
    finish(bump(queue, y, 0, N)); /* now they are at the device */
    finish(bump(queue, x, 0, N));
    expected = element(y, 1);
    of_each = element(x, 1);
    CHECK_EQUAL(of_each, 1);
}

static inline void close_row(void)
{
    CHECK_OK(syc_fault_install(NULL));
    syc_buffer_release(y);
    syc_buffer_release(x);
    memset(of_x, 0, sizeof of_x);
    syc_queue_release(queue);
    close_scene();
}

/* y = 31 y + x + a: the order of two shows. */
static inline syc_command *turn_in(syc_queue *in, cl_uint a)
{
    cl_uint n = N;
    syc_need needs[] = {need(y, 0, N, true, true), need(x, 0, N, false, true)};
    syc_argument arguments[] = {part(0, needs), part(1, needs), value(&a), value(&n)};
    syc_command *command = NULL;
    expected = 31 * expected + of_each + a;
    return must(submit_with(in, "churn", needs, 2, arguments, 4, N, 430, &command), &command);
}

static inline syc_command *turn(cl_uint a)
{
    return turn_in(queue, a);
}

static inline void turns(cl_uint count)
{
    for (cl_uint i = 0; i < count; i++)
        syc_command_release(turn(i * i + 1));
}

/* y += 1, after a command of another queue. */
static inline syc_command *bump_after(syc_command *late)
{
    cl_uint n = N;
    syc_need needs[] = {need(y, 0, N, true, true)};
    syc_argument arguments[] = {part(0, needs), value(&n)};
    const syc_signatures *all = syc_program_signatures(program);
    syc_task task = {.ops = &syc_launch_ops,
                     .needs = needs,
                     .need_count = 1,
                     .launch = {.program = program,
                                .kernel = (size_t)(syc_signatures_find(all, "bump") - all->items),
                                .geometry = {.dims = 1, .global = {N, 1, 1}, .local = {1, 1, 1}},
                                .arguments = arguments,
                                .argument_count = 2}};
    syc_command *behind = NULL;
    CHECK_OK(syc_queue_submit(queue, &task, &late, 1, (syc_keep){0}, (syc_site){0}, &behind));
    expected++;
    return behind;
}

/* The command of the queue that is `from_end` before the newest, retained. */
static inline syc_command *hold_one(size_t from_end)
{
    syc_command **commands = NULL, *found = NULL;
    size_t count = 0;
    CHECK_OK(syc_queue_commands(queue, &commands, &count));
    CHECK(count > from_end);
    for (size_t i = 0; i < count; i++) {
        if (i + from_end + 1 == count)
            found = commands[i];
        else
            syc_command_release(commands[i]);
    }
    syc_free(commands);
    return found;
}

static inline long events(void)
{
    return syc_live_count(SYC_LIVE_CL_EVENT);
}

#endif
