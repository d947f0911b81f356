/* Who waits long has a thread wait in the driver, where the table says so: it comes back, holds nothing, and nothing
 * relies on it. */
#include "scene.h"

#define INTEL "FAKE_PLATFORM_NAME=Intel(R) OpenCL;"

static long driver_waits(void)
{
    return syc_fault_calls("WaitForEvents");
}

/* Waits for the command, which does not begin, until that is too long. */
static void wait_in_vain(syc_command *command, uint64_t ns)
{
    CHECK_STATUS(syc_command_wait(command, ns), SYC_TIMEOUT);
}

/* In the driver waits one, however often the program asks; it is back when the command has ended. */
static void one_waits_in_the_driver(void)
{
    syc_queue *queue;
    syc_command *command;
    cl_uint a = 0;

    open_scene();
    CHECK_OK(syc_fault_install(device->platform->driver));
    queue = new_queue(false);
    fake_hold(1);
    command = slow(queue, &a, 1);
    wait_in_vain(command, MS / 100);
    CHECK_EQUAL(driver_waits(), 0); /* it would come too late to be of use */
    for (int i = 0; i < 3; i++)
        wait_in_vain(command, 20 * MS);
    CHECK_EQUAL(driver_waits(), device->facts->companion ? 1 : 0);
    fake_hold(0);
    finish(command);
    CHECK_EQUAL(a, 1);
    CHECK_OK(syc_fault_install(NULL));
    close_queue(queue);
    close_scene();
}

/* What is said to be soon done is waited for in the driver by whoever waits, where that does the work: it need not ask
 * how far it is. */
static void brief_work_is_done_by_the_waiter(void)
{
    syc_queue *queue;
    cl_uint a = 0;

    open_scene();
    queue = new_queue(false);
    for (int brief = 0; brief < 2; brief++) {
        syc_command *command;
        scene_cost = brief ? 1000 : UINT64_MAX;
        CHECK_OK(syc_fault_install(device->platform->driver));
        command = slow(queue, &a, 20);
        finish(command);
        CHECK_EQUAL(syc_fault_calls("GetEventInfo") == 1, brief && device->facts->waiter_works);
        CHECK_OK(syc_fault_install(NULL));
    }
    CHECK_EQUAL(a, 2);
    close_queue(queue);
    close_scene();
}

/* What the driver says to it is of no consequence. */
static void its_failures_are_nobody_s(void)
{
    syc_queue *queue;
    syc_command *command;
    cl_uint a = 0;

    open_scene();
    CHECK_OK(syc_fault_install(device->platform->driver));
    queue = new_queue(false);
    for (int i = 0; i < 2; i++) {
        fake_hold(1);
        command = slow(queue, &a, 1);
        CHECK_OK(syc_fault_arm(i == 0 ? "WaitForEvents" : "RetainEvent", i == 0 ? 1 : 2, CL_OUT_OF_RESOURCES));
        wait_in_vain(command, 20 * MS);
        fake_hold(0);
        finish(command);
    }
    CHECK_EQUAL(a, 2);
    CHECK_OK(syc_fault_install(NULL));
    close_queue(queue);
    close_scene();
}

static void *wait_for(void *command)
{
    CHECK_OK(syc_command_wait(command, 30 * SECOND));
    return NULL;
}

/* There is one, for as many as wait. */
static void several_wait(void)
{
    enum { N = 4 };
    syc_queue *queues[N];
    syc_command *commands[N];
    pthread_t threads[N];
    cl_uint a[N] = {0};

    open_scene();
    for (int i = 0; i < N; i++)
        queues[i] = new_queue(false);
    for (int round = 0; round < 20; round++) {
        fake_hold(1);
        for (int i = 0; i < N; i++) {
            commands[i] = slow(queues[i], &a[i], 1);
            CHECK_EQUAL(pthread_create(&threads[i], NULL, wait_for, commands[i]), 0);
        }
        syc_sleep_ns(MS);
        fake_hold(0);
        for (int i = 0; i < N; i++) {
            CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
            finish(commands[i]);
        }
    }
    for (int i = 0; i < N; i++) {
        CHECK_EQUAL(a[i], 20);
        close_queue(queues[i]);
    }
    close_scene();
}

/* The end of the process does not wait for one that the driver keeps; of one that has come back there is no trace. */
static void the_end(void)
{
    syc_queue *queue;
    syc_command *command;
    cl_uint a = 0;
    uint64_t began;

    open_scene();
    queue = new_queue(false);
    fake_hold(1);
    command = slow(queue, &a, 1);
    wait_in_vain(command, 20 * MS);
    began = syc_now_ns();
    syc_schedule_close(1000000000);
    CHECK(syc_now_ns() - began < 20 * SECOND);
    wait_in_vain(command, 20 * MS);
    fake_hold(0);
    finish(command);
    CHECK_EQUAL(a, 1);
    close_queue(queue);
    close_scene();
    began = syc_now_ns();
    syc_schedule_close(1000000000);
    CHECK(syc_now_ns() - began < SECOND / 2);
}

int main(void)
{
    FIND_FAKE_DRIVER;
    CHILD(SHARING, one_waits_in_the_driver);
    CHILD(COPYING, one_waits_in_the_driver);
    CHILD(INTEL, one_waits_in_the_driver);
    CHILD(SHARING, brief_work_is_done_by_the_waiter);
    CHILD(INTEL, brief_work_is_done_by_the_waiter);
    CHILD(SHARING, its_failures_are_nobody_s);
    CHILD(SHARING, several_wait);
    CHILD(SHARING, the_end);
    return CHECK_EXIT_CODE;
}
