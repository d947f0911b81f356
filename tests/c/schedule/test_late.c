/* Commands that fail late, against the fake driver: whom they poison, who is told, and that the order holds. */
#include "scene.h"

/* A failure poisons what depends on it; each says where the origin was submitted, and each is handed out once. */
static void failures_poison_their_dependents(void)
{
    syc_queue *queue;
    syc_command *first, *second, *third, *innocent;
    syc_async_error error;
    syc_detail detail;
    cl_uint a = 5, b[4] = {0}, other[4] = {0}, seven = 7;
    syc_argument arguments[] = {array(b, sizeof b, true), value(&seven)};

    open_scene();
    queue = new_queue(false);
    fake_hold(1);
    first = failing(queue, &a, 41);
    CHECK_OK(submit(queue, "order", arguments, 2, 1, 42, &first, 1, &second));
    CHECK_OK(submit(queue, "order", arguments, 2, 1, 43, NULL, 0, &third)); /* by the array that it shares */
    innocent = note(queue, other, 4, 1);
    fake_hold(0);
    CHECK_OK(syc_command_wait(third, 30 * SECOND)); /* a wait never raises the command's own failure */
    CHECK_OK(syc_command_wait(innocent, 30 * SECOND));
    CHECK_EQUAL(b[0], 0);
    CHECK_EQUAL(other[1], 1);
    CHECK(syc_command_failure(innocent) == NULL);
    CHECK_OK(syc_command_wait(first, 30 * SECOND));
    detail = syc_failure_detail(syc_command_failure(first));
    CHECK_EQUAL(detail.status, SYC_E_KERNEL);
    CHECK_EQUAL(detail.cl_code, CL_OUT_OF_RESOURCES);
    CHECK(text_has(detail.message, "'fail' failed while it ran on"));
    for (int i = 0; i < 2; i++) {
        detail = syc_failure_detail(syc_command_failure(i == 0 ? second : third));
        CHECK_EQUAL(detail.cl_code, CL_OUT_OF_RESOURCES);
        CHECK(text_has(detail.message, "submitted at scene.py:41, failed"));
    }
    for (int i = 0; i < 3; i++) {
        drop_error(queue, &error);
        CHECK(error.site != NULL && strncmp(error.site, "scene.py:4", 10) == 0);
        free_error(&error);
    }
    CHECK(!syc_queue_take_error(queue, &error));
    finish(first);
    finish(second);
    finish(third);
    finish(innocent);
    syc_command_release(note(queue, other, 4, 2)); /* the queue still works */
    close_queue(queue);
    CHECK_EQUAL(other[2], 2);
    close_scene();
}

/* A command that names a failed one fails too, however late it comes. */
static void ended_failures_poison_too(void)
{
    syc_queue *queue;
    syc_command *first, *second;
    syc_async_error error;
    cl_uint a = 0, b[4] = {0}, seven = 7;
    syc_argument arguments[] = {array(b, sizeof b, true), value(&seven)};

    open_scene();
    queue = new_queue(false);
    first = failing(queue, &a, 51);
    CHECK_OK(syc_command_wait(first, 30 * SECOND));
    CHECK_OK(submit(queue, "order", arguments, 2, 1, 52, &first, 1, &second));
    CHECK_OK(syc_command_wait(second, 30 * SECOND));
    CHECK(syc_command_failure(second) != NULL);
    CHECK_EQUAL(b[0], 0);
    finish(first);
    finish(second);
    drop_error(queue, &error);
    CHECK_STRING(error.site, "scene.py:51");
    free_error(&error);
    drop_error(queue, &error);
    CHECK_STRING(error.site, "scene.py:52");
    free_error(&error);
    syc_command_release(note(queue, b, 4, 2)); /* but what merely shares the array of an ended one does not */
    close_queue(queue);
    CHECK_EQUAL(b[1], 2);
    close_scene();
}

/* A command whose launch fails is raised by the submission and by nothing else. It keeps its place all the same: what
 * comes after it must not overtake what it waited for. */
static void doomed_commands_keep_the_order(void)
{
    const char *entry;
    syc_queue *queue;
    syc_command *first, *doomed = NULL, *last;
    syc_async_error error;
    cl_uint a = 0, log[4] = {0}, seven = 7, one = 1;
    syc_argument slowly[] = {array(log, 4, true), value(&one)};
    syc_argument arguments[] = {array(log, sizeof log, true), value(&seven)};

    open_scene();
    queue = new_queue(false);
    finish(slow(queue, &a, 0)); /* builds the program */
    CHECK_OK(syc_fault_install(device->platform->driver));
    fake_hold(1);
    CHECK_OK(submit(queue, "slow", slowly, 2, 1, 61, NULL, 0, &first));
    entry = device->facts->shares_host_memory ? "EnqueueNDRangeKernel" : "EnqueueWriteBuffer";
    CHECK_OK(syc_fault_arm(entry, 1, CL_OUT_OF_HOST_MEMORY));
    if (device->facts->out_of_order && (device->facts->shares_host_memory || !device->facts->reads_at_enqueue)) {
        CHECK_STATUS(submit(queue, "order", arguments, 2, 1, 62, NULL, 0, &doomed), SYC_E_MEMORY_ALLOCATION);
        CHECK(text_has(syc_detail_of(SYC_E_MEMORY_ALLOCATION).api, entry));
    } else { /* it is enqueued later, so it fails later */
        CHECK_OK(submit(queue, "order", arguments, 2, 1, 62, NULL, 0, &doomed));
    }
    CHECK_OK(submit(queue, "order", arguments, 2, 1, 63, NULL, 0, &last));
    syc_sleep_ns(20 * MS);
    CHECK(!syc_command_ended(last));
    CHECK_EQUAL(log[0], 0);
    fake_hold(0);
    CHECK_OK(syc_command_wait(last, 30 * SECOND));
    CHECK(syc_command_failure(last) != NULL); /* it depends on the doomed one by the array */
    CHECK_EQUAL(log[0], 1);
    finish(first);
    finish(last);
    if (doomed != NULL) {
        CHECK_OK(syc_command_wait(doomed, 30 * SECOND));
        syc_command_release(doomed);
        drop_error(queue, &error);
        CHECK_STRING(error.site, "scene.py:62");
        free_error(&error);
    }
    drop_error(queue, &error);
    CHECK_STRING(error.site, "scene.py:63");
    free_error(&error);
    CHECK(!syc_queue_take_error(queue, &error));
    CHECK_OK(syc_fault_install(NULL));
    close_queue(queue);
    close_scene();
}

/* While a launch is on its way into failure, another thread's command that depends on it is with the dispatcher
 * already: the doomed one must get before it there, or both wait for ever. */
static syc_queue *racing_queue;
static cl_uint racing_log[4];

static void *follow(void *unused)
{
    (void)unused;
    while (syc_queue_pending(racing_queue) < 2)
        ;
    syc_command_release(note(racing_queue, racing_log, 4, 2));
    return NULL;
}

static void doomed_commands_go_first(void)
{
    enum { ROUNDS = 40 };
    cl_uint seven = 7, slowed = 0;
    syc_argument arguments[] = {array(racing_log, sizeof racing_log, true), value(&seven)};
    syc_async_error error;

    open_scene();
    racing_queue = new_queue(true);
    finish(note(racing_queue, racing_log, 4, 0));
    CHECK_OK(syc_fault_install(device->platform->driver));
    for (int round = 0; round < ROUNDS; round++) {
        syc_command *doomed = NULL;
        pthread_t thread;
        syc_program_release(program); /* a build takes its time */
        CHECK_OK(syc_program_create(scene_source, strlen(scene_source), NULL, &program));
        racing_log[0] = 0;
        fake_hold(1);
        syc_command_release(slow(racing_queue, &slowed, 0));
        CHECK_EQUAL(pthread_create(&thread, NULL, follow, NULL), 0);
        CHECK_OK(syc_fault_arm("EnqueueNDRangeKernel", 1, CL_OUT_OF_HOST_MEMORY));
        (void)submit(racing_queue, "order", arguments, 2, 1, 1, NULL, 0, &doomed);
        syc_command_release(doomed); /* in the other order it is the follower that fails */
        pthread_join(thread, NULL);
        fake_hold(0);
        while (syc_queue_pending(racing_queue) > 0) {
            syc_command **commands;
            size_t count;
            CHECK_OK(syc_queue_commands(racing_queue, &commands, &count));
            while (count > 0)
                finish(commands[--count]);
            syc_free(commands);
        }
    }
    CHECK_OK(syc_fault_install(NULL));
    while (syc_queue_take_error(racing_queue, &error))
        free_error(&error);
    close_queue(racing_queue);
    close_scene();
}

/* Errors that nobody fetched are reported when the queue goes. */
static void errors_outlive_nobody(void)
{
    syc_queue *queue;
    cl_uint a = 0;

    open_scene();
    expected_report = "'fail' failed";
    syc_set_report_hook(hear_expected);
    queue = new_queue(false);
    finish(failing(queue, &a, 71));
    close_queue(queue);
    CHECK(settles(missing_reports));
    close_scene();
}

/* A dependency that cannot be asked for once is asked again; the order holds. */
static void dispatcher_asks_again(void)
{
    syc_queue *one, *two = NULL;
    syc_context *other = NULL;
    syc_command *first, *second, *third;
    cl_uint log[8] = {0}, a = 0;

    open_scene();
    one = new_queue(false);
    CHECK_OK(syc_context_create(&device, 1, &other));
    CHECK_OK(syc_queue_create(other, device, (syc_queue_options){0}, &two));
    finish(slow(one, &a, 1));
    finish(slow(two, &a, 1));
    CHECK_OK(syc_fault_install(device->platform->driver));
    fake_hold(1);
    first = note(one, log, 8, 1);
    second = note(two, log, 8, 2);
    CHECK_OK(syc_fault_arm("GetEventInfo", 1, CL_OUT_OF_RESOURCES));
    syc_sleep_ns(30 * MS);
    third = note(one, log, 8, 3);
    syc_sleep_ns(30 * MS);
    fake_hold(0);
    CHECK_OK(syc_command_wait(third, 30 * SECOND));
    CHECK_EQUAL(log[0], 3);
    CHECK(log[1] == 1 && log[2] == 2 && log[3] == 3);
    CHECK_OK(syc_fault_install(NULL));
    finish(first);
    finish(second);
    finish(third);
    close_queue(one);
    close_queue(two);
    syc_context_release(other);
    close_scene();
}

/* With the n-th allocation failing, a submission raises or succeeds, loses nothing, and never forgets an order. */
static void submissions_without_memory(void)
{
    static const ptrdiff_t shape[] = {2}, strides[] = {8};
    syc_queue *queue;
    cl_uint y[4] = {1, 2, 3, 4}, x[2] = {5, 6}, two = 2, a = 3, expected[2] = {1, 3}, out = 0;
    syc_argument arguments[] = {array(y, 8, true), array(x, 8, false), value(&a), value(&two)};
    bool succeeded = false;

    open_scene();
    queue = new_queue(false);
    arguments[0].span.packed = false;
    arguments[0].span.rank = 1;
    arguments[0].span.item_size = 4;
    arguments[0].span.shape = shape;
    arguments[0].span.strides = strides;
    for (long n = 1; n < 200 && !succeeded; n++) {
        syc_command *before = slow(queue, &out, 1), *command = NULL;
        syc_status status;
        syc_alloc_fail_at(n);
        status = submit(queue, "churn", arguments, 4, 2, 1, NULL, 0, &command);
        syc_alloc_fail_at(0);
        if (status == SYC_OK) {
            CHECK_OK(syc_command_wait(command, 30 * SECOND));
            if (syc_command_failure(command) == NULL)
                for (int i = 0; i < 2; i++)
                    expected[i] = 31 * expected[i] + x[i] + a;
            succeeded = n > 60;
        } else {
            CHECK_EQUAL(status, SYC_E_MEMORY_ALLOCATION);
        }
        syc_command_release(command);
        finish(before);
        close_queue(queue);
        CHECK(settles(in_flight_things));
        queue = new_queue(false);
        CHECK_EQUAL(y[0], expected[0]);
        CHECK_EQUAL(y[2], expected[1]);
        CHECK(y[1] == 2 && y[3] == 4);
    }
    CHECK(succeeded);
    close_queue(queue);
    close_scene();
}

int main(void)
{
    FIND_FAKE_DRIVER;
    ON_EVERY_DEVICE(failures_poison_their_dependents);
    ON_EVERY_DEVICE(ended_failures_poison_too);
    CHILD(SHARING, doomed_commands_keep_the_order);
    CHILD(LANES, doomed_commands_keep_the_order);
    CHILD(COPYING, doomed_commands_keep_the_order);
    CHILD(UNKNOWN, doomed_commands_keep_the_order);
    CHILD(SHARING, doomed_commands_go_first);
    ON_EVERY_DEVICE(errors_outlive_nobody);
    ON_EVERY_DEVICE(dispatcher_asks_again);
    ON_EVERY_DEVICE(submissions_without_memory);
    return CHECK_EXIT_CODE;
}
