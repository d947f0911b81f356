/* The ends of many commands, and of the process: nothing stays behind, and what cannot end is said. */
#include "schedule/order.h"

#include "scene.h"

/* Whoever waits for the last of many commands only, and drops the rest, holds nothing. */
static void waiting_for_the_last_is_enough(void)
{
#ifdef __SANITIZE_THREAD__
    enum { N = 10000 };
#else
    enum { N = 100000 };
#endif
    syc_queue *queue;
    syc_command *last = NULL;
    cl_uint log[4] = {0}, x[1] = {0}, most = 0;

    open_scene();
    queue = new_queue(true);
    for (cl_uint i = 0; i < N; i++) {
        syc_command_release(last);
        last = churn(queue, log, x, 1, 1);
        if (syc_queue_pending(queue) > most)
            most = (cl_uint)syc_queue_pending(queue);
        if (i % 512 == 511)
            CHECK_OK(syc_command_wait(last, 30 * SECOND));
    }
    finish(last);
    CHECK(settles(in_flight_things));
    CHECK_EQUAL(syc_queue_pending(queue), 0);
    CHECK(most <= 520);
    close_queue(queue);
    close_scene();
}

/* A queue that its owner dropped is brought to its end by the submissions to others. */
static void dropped_queues_end_too(void)
{
    syc_queue *dropped, *queue;
    cl_uint a = 0, b[4] = {0};

    open_scene();
    dropped = new_queue(false);
    syc_command_release(slow(dropped, &a, 5));
    syc_queue_release(dropped);
    queue = new_queue(false);
    for (int patience = 0; patience < 5000 && syc_live_count(SYC_LIVE_QUEUE) > 1; patience++) {
        b[0] = 0;
        finish(note(queue, b, 4, 1));
        syc_sleep_ns(MS);
    }
    CHECK_EQUAL(syc_live_count(SYC_LIVE_QUEUE), 1);
    CHECK_EQUAL(a, 1);
    close_queue(queue);
    close_scene();
}

/* The drain waits for what can end, and names what does not. */
static void drain_and_close(void)
{
    syc_queue *queue, *second;
    syc_command *command, *after, *late = NULL;
    syc_context *other = NULL;
    syc_task nothing = {.ops = &syc_nothing_ops};
    char *description = NULL;
    cl_uint a = 0, b = 0;

    open_scene();
    queue = new_queue(false);
    CHECK_OK(syc_context_create(&device, 1, &other));
    CHECK_OK(syc_queue_create(other, device, (syc_queue_options){0}, &second));
    syc_command_release(slow(queue, &a, 20));
    syc_command_release(slow(second, &a, 20));
    CHECK_EQUAL(syc_schedule_drain(30 * SECOND, &description), 0);
    CHECK(description == NULL || description[0] == '\0');
    syc_free(description);
    CHECK_EQUAL(a, 2);

    fake_hold(1);
    command = slow(queue, &b, 1);
    after = slow(second, &b, 1);
    CHECK_EQUAL(syc_schedule_drain(20 * MS, &description), 2);
    CHECK(text_has(description, "scene.py:100: 'slow' on "));
    syc_free(description);
    expected_report = "never fetched";
    syc_set_report_hook(hear_expected);
    syc_schedule_close(1000000000);
    CHECK_EQUAL(reported, 0);                       /* the description has said it */
    CHECK_OK(syc_command_wait(after, 30 * SECOND)); /* it never ran: another context's command was before it */
    CHECK_EQUAL(syc_failure_detail(syc_command_failure(after)).status, SYC_E_CLOSED);
    CHECK_STATUS(syc_queue_submit(queue, &nothing, NULL, 0, (syc_keep){0}, (syc_site){0}, &late), SYC_E_CLOSED);
    fake_hold(0);
    finish(command);
    CHECK_EQUAL(b, 1);
    syc_command_release(after);
    close_queue(queue);
    close_queue(second);
    syc_context_release(other);
    close_scene();
}

/* One queue whose driver does not answer does not keep the drain from the others. */
static void drain_survives_a_failing_question(void)
{
    syc_queue *queue;
    char *description = NULL;
    cl_uint a = 0;

    open_scene();
    queue = new_queue(false);
    CHECK_OK(syc_fault_install(device->platform->driver));
    syc_command_release(slow(queue, &a, 10));
    CHECK_OK(syc_fault_arm("GetEventInfo", 1, CL_OUT_OF_RESOURCES));
    CHECK_EQUAL(syc_schedule_drain(30 * SECOND, &description), 0);
    syc_free(description);
    CHECK_EQUAL(a, 1);
    CHECK_OK(syc_fault_install(NULL));
    close_queue(queue);
    close_scene();
}

/* The device goes on where the host has no memory left, whatever the driver answers. */
static void lack_of_memory_is_no_end(void)
{
    syc_queue *queue;
    syc_command *command;
    cl_uint a = 0;

    open_scene();
    queue = new_queue(false);
    CHECK_OK(syc_fault_install(device->platform->driver));
    command = slow(queue, &a, 20);
    CHECK_OK(syc_fault_arm("Flush", 1, CL_OUT_OF_HOST_MEMORY));
    CHECK(!syc__is_lost(command, CL_OUT_OF_HOST_MEMORY));
    CHECK_OK(syc_fault_arm("Flush", 1, CL_OUT_OF_RESOURCES));
    CHECK(syc__is_lost(command, CL_OUT_OF_RESOURCES));
    CHECK(!syc__is_lost(command, CL_OUT_OF_RESOURCES)); /* it flushes */
    finish(command);
    CHECK_EQUAL(a, 1);
    CHECK_OK(syc_fault_install(NULL));
    close_queue(queue);
    close_scene();
}

/* A fault that is the end of its context is the end of all in flight there, and is told; nobody waits for it later. */
static void faults_end_all(void)
{
    enum { COUNT = 6 };
    syc_queue *queue;
    syc_command *all[COUNT];
    syc_async_error error;
    char *description = NULL;
    cl_uint a[COUNT] = {0};

    open_scene();
    queue = new_queue(false);
    finish(slow(queue, &a[0], 0));
    fake_hold(1);
    for (size_t i = 0; i < COUNT; i++)
        all[i] = i == 2 ? failing(queue, &a[i], 88) : slow(queue, &a[i], 1);
    fake_hold(0);
    CHECK_OK(syc_command_wait(all[2], 30 * SECOND));
    CHECK_EQUAL(syc_failure_detail(syc_command_failure(all[2])).cl_code, CL_OUT_OF_RESOURCES);
    for (size_t i = 3; i < COUNT; i++) {
        CHECK_OK(syc_command_wait(all[i], 30 * SECOND));
        CHECK(syc_command_failure(all[i]) != NULL);
    }
    CHECK_EQUAL(syc_schedule_drain(30 * SECOND, &description), 0);
    syc_free(description);
    for (size_t told = 0; syc_queue_take_error(queue, &error); told++) {
        CHECK(told > 0 ||
              text_has(syc_failure_detail(error.failure).message, "', or another command in its context, "));
        free_error(&error);
    }
    for (size_t i = 0; i < COUNT; i++)
        syc_command_release(all[i]);
    close_queue(queue);
    close_scene();
}

int main(void)
{
    FIND_FAKE_DRIVER;
    CHILD(SHARING, waiting_for_the_last_is_enough);
    CHILD(UNKNOWN, dropped_queues_end_too);
    CHILD(SHARING, dropped_queues_end_too);
    CHILD(SHARING, drain_and_close);
    CHILD(UNKNOWN, drain_and_close);
    ON_EVERY_DEVICE(drain_survives_a_failing_question);
    ON_EVERY_DEVICE(lack_of_memory_is_no_end);
    CHILD(SHARING "FAKE_FATAL=1", faults_end_all);
    CHILD(COPYING "FAKE_FATAL=1", faults_end_all);
    return CHECK_EXIT_CODE;
}
