/* Commands against the fake driver: their states, waits, times, failures and native events. */
#include "cl/fault.h"
#include "memory/usm/usm.h"
#include "scene.h"

/* spec: H291 */
static void states(void)
{
    syc_queue *queue;
    syc_command *command;
    syc_command_status seen;
    cl_uint out = 5;

    open_scene();
    queue = new_queue(false);
    fake_hold(1);
    command = slow(queue, &out, 1);
    CHECK_OK(syc_command_poll(command, &seen));
    CHECK_EQUAL(seen, SYC_COMMAND_SUBMITTED);
    CHECK(!syc_command_ended(command));
    CHECK(syc_command_failure(command) == NULL);
    CHECK(syc_command_queue(command) == queue);
    CHECK_EQUAL(syc_queue_pending(queue), 1);
    fake_hold(0);
    CHECK_OK(syc_command_wait(command, 30 * SECOND));
    CHECK_OK(syc_command_poll(command, &seen));
    CHECK_EQUAL(seen, SYC_COMMAND_COMPLETE);
    CHECK_EQUAL(out, 6);
    CHECK_EQUAL(syc_queue_pending(queue), 0);
    CHECK_OK(syc_command_wait(command, 0)); /* once ended, no time is needed */
    syc_command_release(command);
    close_queue(queue);
    close_scene();
}

/* Polling alone brings a command to its end, and says when it runs. */
static void polling_ends_it(void)
{
    syc_queue *queue;
    syc_command *command;
    syc_command_status seen = SYC_COMMAND_SUBMITTED;
    cl_uint out = 0;
    bool ran = false;

    open_scene();
    queue = new_queue(false);
    command = slow(queue, &out, 50);
    for (int patience = 0; patience < 20000 && seen != SYC_COMMAND_COMPLETE; patience++) {
        CHECK_OK(syc_command_poll(command, &seen));
        ran |= seen == SYC_COMMAND_RUNNING;
        syc_sleep_ns(MS);
    }
    CHECK_EQUAL(seen, SYC_COMMAND_COMPLETE);
    CHECK(ran || !device->facts->shares_host_memory); /* of several native steps the last one is looked at */
    CHECK_EQUAL(out, 1);
    syc_command_release(command);
    close_queue(queue);
    close_scene();
}

static void waits_run_out(void)
{
    syc_queue *queue;
    syc_command *command, *second;
    cl_uint out = 0;
    uint64_t began;

    open_scene();
    queue = new_queue(true);
    fake_hold(1);
    command = slow(queue, &out, 1);
    second = slow(queue, &out, 1);
    began = syc_now_ns();
    CHECK_EQUAL(syc_command_wait(command, 0), SYC_TIMEOUT);
    CHECK_EQUAL(syc_command_wait(second, 0), SYC_TIMEOUT);
    CHECK_EQUAL(syc_command_wait(command, 30 * MS), SYC_TIMEOUT);
    CHECK_EQUAL(syc_command_wait(second, 30 * MS), SYC_TIMEOUT);
    CHECK(syc_now_ns() - began >= 60 * MS);
    fake_hold(0);
    finish(second);
    finish(command);
    CHECK_EQUAL(out, 2);
    close_queue(queue);
    close_scene();
}

static void *wait_forever(void *command)
{
    CHECK_OK(syc_command_wait(command, 50 * SECOND));
    CHECK(syc_command_ended(command));
    return NULL;
}

static void many_threads_wait_for_one(void)
{
    enum { THREADS = 8 };
    syc_queue *queue;
    syc_command *command;
    pthread_t threads[THREADS];
    cl_uint out = 0;

    open_scene();
    queue = new_queue(false);
    fake_hold(1);
    command = slow(queue, &out, 5);
    for (int t = 0; t < THREADS; t++)
        CHECK_EQUAL(pthread_create(&threads[t], NULL, wait_forever, command), 0);
    syc_sleep_ns(5 * MS);
    fake_hold(0);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    CHECK_EQUAL(out, 1);
    syc_command_release(command);
    close_queue(queue);
    close_scene();
}

/* The event keeps nothing but its outcome: all that the command used is gone once it has ended. */
static long held_by_command(void)
{
    return labs(kept - let_go) + syc_live_count(SYC_LIVE_CL_MEM) + syc_live_count(SYC_LIVE_CL_EVENT);
}

/* The driver is not asked about what a command has waited for natively. */
static void the_last_one_speaks_for_all(void)
{
    enum { COUNT = 8 };
    syc_queue *queue;
    syc_command *commands[COUNT];
    syc_command_status seen = SYC_COMMAND_SUBMITTED;
    cl_uint log[1 + COUNT] = {0};
    long polls = 0;

    open_scene();
    queue = new_queue(false);
    fake_hold(1);
    for (cl_uint k = 0; k < COUNT; k++)
        commands[k] = note(queue, log, 1 + COUNT, k);
    CHECK_OK(syc_fault_install(context->platform->driver));
    fake_hold(0);
    for (; polls < 20000 && seen != SYC_COMMAND_COMPLETE; polls++) {
        CHECK_OK(syc_command_poll(commands[COUNT - 1], &seen));
        syc_sleep_ns(MS);
    }
    CHECK_EQUAL(seen, SYC_COMMAND_COMPLETE);
    for (size_t k = 0; k < COUNT; k++) {
        CHECK(syc_command_ended(commands[k]));
        CHECK(syc_command_failure(commands[k]) == NULL);
        syc_command_release(commands[k]);
    }
    CHECK_EQUAL(syc_fault_calls("GetEventInfo"), polls);
    CHECK_OK(syc_fault_install(NULL));
    CHECK_EQUAL(syc_queue_pending(queue), 0);
    close_queue(queue);
    close_scene();
}

static void ended_commands_hold_nothing(void)
{
    syc_queue *queue;
    syc_command *command;
    cl_uint out = 0;

    open_scene();
    queue = new_queue(false);
    command = slow(queue, &out, 1);
    CHECK_OK(syc_command_wait(command, 30 * SECOND));
    CHECK(settles(held_by_command));
    CHECK_EQUAL(syc_live_count(SYC_LIVE_COMMAND), 1);
    syc_command_release(command);
    close_queue(queue);
    close_scene();
}

/* spec: H296 H297 */
static void times_of_a_profiling_queue(void)
{
    syc_queue *queue = NULL;
    syc_command *command, *nothing;
    syc_times times = {0};
    cl_uint out = 0;

    open_scene();
    CHECK_OK(syc_queue_create(context, device, (syc_queue_options){.profiling = true}, &queue));
    command = slow(queue, &out, 20);
    CHECK_OK(syc_command_wait(command, 30 * SECOND));
    CHECK_OK(syc_command_times(command, &times));
    CHECK(times.submit > 0 && times.submit <= times.start && times.start < times.end);
    CHECK(times.end - times.start >= 20 * MS);
    nothing = empty(queue, NULL, 0);
    CHECK_OK(syc_command_times(nothing, &times));
    syc_command_release(nothing);
    syc_command_release(command);
    close_queue(queue);
    close_scene();
}

/* spec: H295 */
static void times_that_there_are_not(void)
{
    syc_queue *plain, *profiling = NULL;
    syc_command *command;
    syc_times times;
    syc_async_error error;
    cl_uint out = 0;

    open_scene();
    plain = new_queue(false);
    command = slow(plain, &out, 1);
    CHECK_OK(syc_command_wait(command, 30 * SECOND));
    CHECK_STATUS(syc_command_times(command, &times), SYC_E_INVALID_OBJECT);
    syc_command_release(command);
    close_queue(plain);

    CHECK_OK(syc_queue_create(context, device, (syc_queue_options){.profiling = true}, &profiling));
    CHECK_OK(syc_fault_install(device->platform->driver));
    CHECK_OK(syc_fault_arm("GetEventProfilingInfo", 2, CL_OUT_OF_RESOURCES));
    command = slow(profiling, &out, 1);
    CHECK_OK(syc_command_wait(command, 30 * SECOND));
    CHECK_STATUS(syc_command_times(command, &times), SYC_E_PROFILING);
    CHECK_STRING(syc_detail_of(SYC_E_PROFILING).api, "clGetEventProfilingInfo");
    CHECK_EQUAL(syc_detail_of(SYC_E_PROFILING).cl_code, CL_OUT_OF_RESOURCES);
    CHECK_OK(syc_fault_install(NULL));
    syc_command_release(command);

    command = failing(profiling, &out, 7);
    CHECK_OK(syc_command_wait(command, 30 * SECOND));
    CHECK(syc_command_failure(command) != NULL);
    syc_command_release(command);
    CHECK(syc_queue_take_error(profiling, &error));
    syc_failure_free(error.failure);
    syc_free(error.site);
    close_queue(profiling);
    close_scene();
}

/* spec: H287 */
static void dependencies_are_listed_while_they_last(void)
{
    syc_queue *queue;
    syc_command *first, *second, **after = NULL;
    cl_uint out = 0;
    size_t count = 0;

    open_scene();
    queue = new_queue(false);
    fake_hold(1);
    first = slow(queue, &out, 1);
    second = slow(queue, &out, 1);
    CHECK_OK(syc_command_dependencies(second, &after, &count));
    CHECK_EQUAL(count, 1);
    CHECK(count == 1 && after[0] == first);
    for (size_t i = 0; i < count; i++)
        syc_command_release(after[i]);
    syc_free(after);
    fake_hold(0);
    CHECK_OK(syc_command_wait(second, 30 * SECOND));
    CHECK_OK(syc_command_dependencies(second, &after, &count));
    CHECK_EQUAL(count, 0);
    syc_free(after);
    finish(first);
    finish(second);
    close_queue(queue);
    close_scene();
}

static bool has_ended(cl_event event)
{
    cl_int execution = CL_QUEUED;
    CHECK_EQUAL(device->platform->driver->cl.GetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof execution,
                                                          &execution, NULL),
                0);
    return execution == CL_COMPLETE;
}

static void native_events(void)
{
    syc_queue *queue;
    syc_command *command, *again = NULL;
    cl_event native = NULL;
    cl_uint out = 0;

    open_scene();
    queue = new_queue(false);
    fake_hold(1);
    command = slow(queue, &out, 1);
    CHECK_OK(syc_command_native(command, &native));
    CHECK(!has_ended(native));
    CHECK_OK(syc_command_from_native(native, context, &again));
    CHECK(syc_command_queue(again) == NULL);
    CHECK_EQUAL(syc_command_wait(again, MS), SYC_TIMEOUT);
    syc_command_native_release(command, native);
    fake_hold(0);
    finish(again);
    CHECK_OK(syc_command_wait(command, 30 * SECOND));
    CHECK_EQUAL(out, 1);
    CHECK_OK(syc_command_native(command, &native)); /* a marker stands for what is over */
    CHECK_EQUAL(device->platform->driver->cl.WaitForEvents(1, &native), 0);
    CHECK(has_ended(native));
    syc_command_native_release(command, native);
    syc_command_release(command);
    close_queue(queue);
    close_scene();
}

/* A command that waits in the core has no event to show; an ended foreign one has none any more. */
static void events_that_there_are_not(void)
{
    syc_queue *queue;
    syc_command *first, *second, *foreign = NULL;
    cl_event native = NULL;
    cl_uint out = 0;

    open_scene();
    queue = new_queue(true);
    fake_hold(1);
    first = slow(queue, &out, 1);
    second = slow(queue, &out, 1);
    CHECK_STATUS(syc_command_native(second, &native), SYC_E_INVALID_OBJECT);
    CHECK_OK(syc_command_native(first, &native));
    CHECK_OK(syc_command_from_native(native, context, &foreign));
    syc_command_native_release(first, native);
    fake_hold(0);
    CHECK_OK(syc_command_wait(foreign, 30 * SECOND));
    CHECK_STATUS(syc_command_native(foreign, &native), SYC_E_INVALID_OBJECT);
    syc_command_release(foreign);
    finish(first);
    finish(second);
    close_queue(queue);
    close_scene();
}

static void foreign_events_of_elsewhere(void)
{
    syc_queue *queue;
    syc_context *other = NULL;
    syc_command *command, *foreign = NULL;
    cl_event native = NULL;
    cl_uint out = 0;
    long not_an_event = 0;

    open_scene();
    queue = new_queue(false);
    CHECK_OK(syc_context_create(&device, 1, &other));
    command = slow(queue, &out, 1);
    CHECK_OK(syc_command_native(command, &native));
    CHECK_STATUS(syc_command_from_native(native, other, &foreign), SYC_E_INVALID_OBJECT);
    CHECK_STATUS(syc_command_from_native((cl_event)&not_an_event, context, &foreign), SYC_E_INVALID_OBJECT);
    CHECK_STATUS(syc_command_from_native(NULL, context, &foreign), SYC_E_INVALID_OBJECT);
    syc_command_native_release(command, native);
    finish(command);
    syc_context_release(other);
    close_queue(queue);
    close_scene();
}

/* A foreign event orders commands like one of ours, and its failure poisons them. */
static void foreign_events_order(void)
{
    syc_queue *queue;
    syc_command *source, *foreign = NULL, *after;
    syc_argument argument;
    syc_async_error error;
    cl_event native = NULL;
    cl_uint out = 0, ids[4] = {9, 9, 9, 9};

    open_scene();
    queue = new_queue(false);
    fake_hold(1);
    source = slow(queue, &out, 1);
    CHECK_OK(syc_command_native(source, &native));
    CHECK_OK(syc_command_from_native(native, context, &foreign));
    syc_command_native_release(source, native);
    argument = array(ids, sizeof ids, true);
    CHECK_OK(submit(queue, "fill_ids", &argument, 1, 4, 1, &foreign, 1, &after));
    syc_sleep_ns(5 * MS);
    CHECK(!syc_command_ended(after));
    fake_hold(0);
    finish(after);
    CHECK_EQUAL(out, 1);
    CHECK_EQUAL(ids[3], 3);
    finish(foreign);
    finish(source);

    fake_hold(1);
    source = failing(queue, &out, 11);
    CHECK_OK(syc_command_native(source, &native));
    CHECK_OK(syc_command_from_native(native, context, &foreign));
    syc_command_native_release(source, native);
    CHECK_OK(submit(queue, "fill_ids", &argument, 1, 4, 12, &foreign, 1, &after));
    fake_hold(0);
    CHECK_OK(syc_command_wait(after, 30 * SECOND));
    CHECK(syc_command_failure(after) != NULL);
    finish(after);
    finish(foreign);
    finish(source);
    for (int i = 0; i < 2; i++) {
        CHECK(syc_queue_take_error(queue, &error));
        syc_failure_free(error.failure);
        syc_free(error.site);
    }
    CHECK(!syc_queue_take_error(queue, &error));
    close_queue(queue);
    close_scene();
}

/* Values are copied by the submission, whatever becomes of the caller's. */
static void values_are_copied(void)
{
    syc_queue *queue;
    syc_command *command;
    cl_uint log[4] = {0}, number = 42;
    syc_argument arguments[] = {array(log, sizeof log, true), value(&number)};

    open_scene();
    queue = new_queue(false);
    fake_hold(1);
    CHECK_OK(submit(queue, "order", arguments, 2, 1, 1, NULL, 0, &command));
    number = 0;
    fake_hold(0);
    finish(command);
    CHECK_EQUAL(log[1], 42);
    close_queue(queue);
    close_scene();
}

/* A kernel object that had a pointer there before refuses what stands for NULL. */
static void null_behind_a_pointer(void)
{
    syc_queue *queue;
    syc_command *command;
    syc_usm *usm = NULL;
    cl_uint n = 0;
    syc_argument arguments[] = {{.kind = SYC_ARGUMENT_POINTER, .size = 4}, value(&n)};

    open_scene();
    queue = new_queue(true);
    CHECK_OK(syc_usm_create(context, device, SYC_USM_DEVICE, 4, 0, &usm));
    for (int turn = 0; turn < 4; turn++) {
        arguments[0].pointer = turn % 2 == 0 ? usm->data : NULL;
        finish(must(submit(queue, "bump", arguments, 2, 1, 1, NULL, 0, &command), &command));
        CHECK(!syc_queue_take_error(queue, &(syc_async_error){0}));
    }
    CHECK_OK(syc_usm_free(usm));
    (void)syc_usm_trim_all();
    close_queue(queue);
    close_scene();
}

int main(void)
{
    FIND_FAKE_DRIVER;
    ON_EVERY_DEVICE(states);
    ON_EVERY_DEVICE(polling_ends_it);
    CHILD(SHARING, the_last_one_speaks_for_all);
    ON_EVERY_DEVICE(waits_run_out);
    ON_EVERY_DEVICE(many_threads_wait_for_one);
    ON_EVERY_DEVICE(ended_commands_hold_nothing);
    ON_EVERY_DEVICE(times_of_a_profiling_queue);
    ON_EVERY_DEVICE(times_that_there_are_not);
    ON_EVERY_DEVICE(dependencies_are_listed_while_they_last);
    ON_EVERY_DEVICE(native_events);
    CHILD(UNKNOWN, events_that_there_are_not);
    ON_EVERY_DEVICE(foreign_events_of_elsewhere);
    ON_EVERY_DEVICE(foreign_events_order);
    ON_EVERY_DEVICE(values_are_copied);
    CHILD(COPYING "FAKE_SVM=coarse;FAKE_STICKY=1", null_behind_a_pointer);
    return CHECK_EXIT_CODE;
}
