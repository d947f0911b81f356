/* Launches without an event, on a device where they cost less: they keep the order, their ends and failures are told,
 * and what they hold is let go. */
#include "rows.h"

#include "schedule/host_task.h"
#include "schedule/order.h"
#include "schedule/profile.h"

static void the_order_is_kept(void)
{
    open_row((syc_queue_options){.in_order = true});
    fake_hold(1);
    turns(MANY);
    CHECK(events() <= MOST_EVENTS);
    fake_hold(0);
    CHECK_EQUAL(element(y, 1), expected);
    close_row();
}

/* Those that nobody waits for begin all the same. */
static void all_begin(void)
{
    open_row((syc_queue_options){.in_order = true});
    fake_hold(1);
    turns(MANY);
    fake_hold(0);
    for (int patience = 0; patience < 5000 && fake_live("event") != events(); patience++)
        syc_sleep_ns(MS);
    CHECK_EQUAL(fake_live("event"), events());
    CHECK_EQUAL(element(y, 1), expected);
    close_row();
}

/* The latest of a row is waited for by a marker, which tells of the others, too; without one the queue is asked. */
static void they_are_waited_for(void)
{
    for (int refused = 0; refused < 2; refused++) {
        syc_command *one, *last;
        syc_command_status seen;
        open_row((syc_queue_options){.in_order = true});
        fake_hold(1);
        turns(MANY);
        one = hold_one(2);
        last = hold_one(0);
        CHECK_OK(syc_fault_install(device->platform->driver)); /* counts from here */
        if (refused)
            CHECK_OK(syc_fault_arm("EnqueueMarkerWithWaitList", 1, CL_OUT_OF_RESOURCES));
        else
            CHECK_STATUS(syc_command_wait(one, MS), SYC_TIMEOUT);
        fake_hold(0);
        finish(last);
        finish(one);
        CHECK_EQUAL(syc_fault_calls("EnqueueMarkerWithWaitList"), 1);
        CHECK_EQUAL(syc_fault_calls("Finish"), refused);
        CHECK_EQUAL(syc_queue_pending(queue), 0);
        fake_hold(1);
        turns(MANY);
        last = hold_one(3);
        fake_hold(0);
        for (int patience = 0; patience < 5000; patience++) {
            CHECK_OK(syc_command_poll(last, &seen));
            if (seen == SYC_COMMAND_COMPLETE)
                break;
            syc_sleep_ns(MS);
        }
        CHECK_EQUAL(seen, SYC_COMMAND_COMPLETE);
        finish(last);
        CHECK_EQUAL(element(y, 1), expected);
        close_row();
    }
}

/* One whose event somebody keeps has an event by the time that the next one comes. */
static void who_keeps_the_event_is_told_first(void)
{
    syc_command *kept_one;
    open_row((syc_queue_options){.in_order = true});
    fake_hold(1);
    turns(5);
    kept_one = turn(6);
    CHECK_OK(syc_fault_install(device->platform->driver));
    turns(1);
    CHECK_EQUAL(syc_fault_calls("EnqueueMarkerWithWaitList"), 1);
    turns(1);
    CHECK_EQUAL(syc_fault_calls("EnqueueMarkerWithWaitList"), 1);
    fake_hold(0);
    finish(kept_one);
    CHECK_EQUAL(element(y, 1), expected);
    close_row();
}

static const char maybe[] =
    "may not have run, because a command that it depends on, submitted at scene.py:430, failed: ";

static void finish_failed(SYC_TAKE syc_command *command, const char *words)
{
    CHECK_OK(syc_command_wait(command, 30 * SECOND));
    CHECK(syc_command_failure(command) != NULL);
    CHECK(strncmp(syc_failure_detail(syc_command_failure(command)).message, words, strlen(words)) == 0);
    CHECK(!command->ran);
    syc_command_release(command);
}

/* A failure of one that has no event is told, whoever is asked, and with it that those behind it may have run: which of
 * them failed is not known. What was not enqueued by then has not run. */
static void failures_are_told(void)
{
    for (int refused = 0; refused < 2; refused++) {
        syc_async_error error;
        syc_command *last, *command, *behind;
        syc_detail detail;
        size_t told = 0, named = 0, unknown = 0;
        syc_need needs[1];
        syc_argument arguments[1];

        open_row((syc_queue_options){.in_order = true});
        needs[0] = need(x, 0, N, true, true);
        arguments[0] = part(0, needs);
        fake_hold(1);
        turns(MANY / 2);
        CHECK_OK(submit_with(queue, "fail", needs, 1, arguments, 1, 1, 77, &command));
        syc_command_release(command);
        turns(1);
        last = hold_one(0);
        if (refused)
            CHECK_OK(syc_fault_arm("EnqueueMarkerWithWaitList", 1, CL_OUT_OF_RESOURCES));
        fake_hold(0);
        CHECK_OK(syc_command_wait(last, 30 * SECOND));
        detail = syc_failure_detail(syc_command_failure(last));
        CHECK_EQUAL(detail.cl_code, CL_OUT_OF_RESOURCES);
        CHECK(strncmp(detail.message, maybe, strlen(maybe)) == 0);
        CHECK(last->ran); /* so what was in y is lost */
        behind = empty(queue, &last, 1);
        finish_failed(behind, "not run, because a command that it depends on, submitted at scene.py");
        syc_command_release(last);
        CHECK_EQUAL(syc_queue_pending(queue), 0);
        while (syc_queue_take_error(queue, &error)) {
            const char *words = syc_failure_detail(error.failure).message;
            told++;
            named += strncmp(words, "'churn', or another command in its context, failed while", 56) == 0;
            unknown += strncmp(words, maybe, strlen(maybe)) == 0;
            free_error(&error);
        }
        CHECK(told >= 3 && told <= MANY / 2 + 3);
        CHECK_EQUAL(named, 1);
        CHECK_EQUAL(unknown, told - named - 1); /* without the one that came too late */
        close_row();
    }
}

/* What waits for another queue is not taken for the end of what is before it. */
static void the_end_is_its_own(void)
{
    syc_queue *other;
    syc_command *late, *behind, *one;
    cl_uint a = 0;

    open_row((syc_queue_options){.in_order = true});
    other = new_queue(true);
    fake_hold(1);
    late = slow(other, &a, 1500);
    turns(MANY);
    one = hold_one(2);
    behind = bump_after(late);
    fake_hold(0);
    finish(one);
    CHECK(!syc_command_ended(late));
    finish(behind);
    CHECK(syc_command_ended(late));
    finish(late);
    CHECK_EQUAL(element(y, 1), expected);
    syc_queue_release(other);
    close_row();
}

/* A host task, and a command that is nothing but order, come after them. */
static void the_host_comes_after(void)
{
    syc_command *task, *taken, *order;
    syc_task host = {.ops = &syc_host_task_ops};
    void *payload;

    open_row((syc_queue_options){.in_order = true});
    fake_hold(1);
    turns(MANY);
    atomic_fetch_add(&kept, 1);
    CHECK_OK(syc_queue_submit(queue, &host, NULL, 0, (syc_keep){let_go_of, NULL}, (syc_site){0}, &task));
    CHECK_STATUS(syc_host_task_take(20 * MS, &taken, &payload), SYC_TIMEOUT);
    fake_hold(0);
    CHECK_OK(syc_host_task_take(30 * SECOND, &taken, &payload));
    CHECK(taken == task);
    CHECK_EQUAL(syc_queue_pending(queue), 1);
    syc_host_task_finish(taken, SYC_OK);
    finish(task);
    turns(MANY);
    order = empty(queue, NULL, 0);
    finish(order);
    CHECK_EQUAL(syc_queue_pending(queue), 0);
    CHECK_EQUAL(element(y, 1), expected);
    close_row();
}

/* What may be no call of OpenCL's at all ends after them, too. */
static void hints_come_after(void)
{
    syc_task task = {.ops = &syc_hint_ops, .hint = {.address = of_y, .bytes = sizeof of_y, .advice = 12345}};
    syc_command *hint;

    open_row((syc_queue_options){.in_order = true});
    fake_hold(1);
    turns(MANY);
    CHECK_OK(syc_queue_submit(queue, &task, NULL, 0, (syc_keep){0}, (syc_site){0}, &hint));
    CHECK_STATUS(syc_command_wait(hint, 20 * MS), SYC_TIMEOUT);
    turns(2);
    fake_hold(0);
    finish(hint);
    CHECK(syc_queue_pending(queue) <= 2);
    CHECK_EQUAL(element(y, 1), expected);
    close_row();
}

/* Where times are asked for, each has its event. */
static void times_are_kept(void)
{
    syc_profile_mark mark;
    syc_profile_record *records = NULL;
    syc_command *last;
    syc_times times;
    size_t count = 0;

    open_row((syc_queue_options){.in_order = true, .profiling = true});
    turns(MANY);
    last = turn(3);
    CHECK_OK(syc_command_wait(last, 30 * SECOND));
    CHECK_OK(syc_command_times(last, &times));
    CHECK(times.start >= times.submit && times.end > times.start);
    syc_command_release(last);
    close_row();

    open_row((syc_queue_options){.in_order = true});
    syc_profile_open(queue, &mark);
    CHECK_OK(syc_profile_settle(queue));
    turns(MANY);
    last = turn(3);
    finish(last);
    CHECK_OK(syc_profile_close(queue, &mark, &records, &count));
    CHECK(count >= MANY + 1);
    for (size_t i = 1; i < count; i++)
        CHECK(records[i].end != records[i - 1].end);
    syc_profile_free(records, count);
    CHECK_EQUAL(element(y, 1), expected);
    close_row();
}

/* Who drops the events and the queue leaves nothing behind: other queues' submissions look after it. */
static void what_nobody_waits_for_is_let_go(void)
{
    syc_queue *other;
    cl_uint *data = calloc(N, sizeof *data);
    syc_buffer *mine;

    open_row((syc_queue_options){.in_order = true});
    other = new_queue(true);
    mine = wrap(data, N);
    fake_hold(1);
    turns(MANY);
    fake_hold(0);
    for (int patience = 0; patience < 5000 && syc_queue_pending(queue) > 0; patience++) {
        syc_command_release(bump(other, mine, 0, N));
        syc_sleep_ns(MS);
    }
    CHECK_EQUAL(syc_queue_pending(queue), 0);
    close_queue(other);
    syc_buffer_release(mine);
    free(data);
    close_row();
}

/* A child asks its parent's driver nothing; the end of the process waits for them. */
static void fork_and_end(void)
{
    syc_command *last;
    syc_command_status seen;
    char *description = NULL;
    int result = 0;
    pid_t child;

    open_row((syc_queue_options){.in_order = true});
    fake_hold(1);
    turns(MANY);
    last = hold_one(0);
    CHECK_OK(syc_fault_install(device->platform->driver));
    child = fork();
    if (child == 0) {
        alarm(HANG_SECONDS);
        _exit(syc_command_poll(last, &seen) == SYC_OK || syc_command_wait(last, SECOND) == SYC_OK ||
              syc_fault_calls("EnqueueMarkerWithWaitList") > 0);
    }
    CHECK(child > 0 && waitpid(child, &result, 0) == child);
    CHECK_EQUAL(result, 0);
    fake_hold(0);
    CHECK_EQUAL(syc_schedule_drain(30 * SECOND, &description), 0);
    syc_free(description);
    CHECK(syc_command_ended(last));
    CHECK(syc_command_failure(last) == NULL);
    CHECK_EQUAL(syc_queue_pending(queue), 0);
    syc_command_release(last);
    close_row();
}

static atomic_uint sum;

/* Each adds to both buffers, one of which the host reads in between, so that copies come in between. */
static void *submit_from_a_thread(void *seed)
{
    uint64_t state = (uint64_t)(uintptr_t)seed;
    for (int i = 0; i < 400; i++) {
        uint32_t number = next_random(&state);
        syc_command *command = bump(queue, number % 3 == 0 ? x : y, 0, N);
        atomic_fetch_add(&sum, 1);
        if (number % 17 == 0)
            CHECK_OK(syc_command_wait(command, 30 * SECOND));
        syc_command_release(command);
        if (number % 23 == 0)
            CHECK(element(x, 2) > 0);
    }
    return NULL;
}

static void threads(void)
{
    enum { THREADS = 3 };
    pthread_t all[THREADS];
    unsigned before;

    open_row((syc_queue_options){.in_order = true});
    before = element(x, 1) + element(y, 1);
    for (int i = 0; i < THREADS; i++)
        CHECK_EQUAL(pthread_create(&all[i], NULL, submit_from_a_thread, (void *)(uintptr_t)(i + 5)), 0);
    for (int i = 0; i < THREADS; i++)
        CHECK_EQUAL(pthread_join(all[i], NULL), 0);
    CHECK_EQUAL(element(x, 1) + element(y, 1), before + atomic_load(&sum));
    close_row();
}

/* Where neither a marker nor a wait for the queue is to be had, that is an error of who waits, and no end. */
static void a_refused_wait_is_no_end(void)
{
    syc_command *last;
    open_row((syc_queue_options){.in_order = true});
    fake_hold(1);
    turns(MANY);
    last = hold_one(0);
    CHECK_OK(syc_fault_install(device->platform->driver));
    CHECK_OK(syc_fault_arm("EnqueueMarkerWithWaitList", 1, CL_OUT_OF_HOST_MEMORY));
    CHECK_OK(syc_fault_arm("Finish", 1, CL_OUT_OF_HOST_MEMORY));
    CHECK_STATUS(syc_command_wait(last, 30 * SECOND), SYC_E_MEMORY_ALLOCATION);
    CHECK(!syc_command_ended(last));
    fake_hold(0);
    finish(last);
    CHECK_EQUAL(element(y, 1), expected);
    close_row();
}

/* The order stands for the end of a launch, and not for that of other work. */
static void other_work_is_waited_for(void)
{
    syc_command *first, *second;
    open_row((syc_queue_options){.in_order = true});
    fake_hold(1);
    first = turn(1);
    second = turn(2);
    CHECK(syc__is_ordered(second, first));
    first->launches = false;
    CHECK(!syc__is_ordered(second, first));
    first->launches = true;
    fake_hold(0);
    finish(first);
    finish(second);
    close_row();
}

int main(void)
{
    FIND_FAKE_DRIVER;
    CHILD(SILENT, the_order_is_kept);
    CHILD(SILENT, all_begin);
    CHILD(SILENT, they_are_waited_for);
    CHILD(SILENT, who_keeps_the_event_is_told_first);
    CHILD(SILENT, failures_are_told);
    CHILD(SILENT, the_end_is_its_own);
    CHILD(SILENT, the_host_comes_after);
    CHILD(SILENT, hints_come_after);
    CHILD(SILENT, times_are_kept);
    CHILD(SILENT, what_nobody_waits_for_is_let_go);
    CHILD(SILENT, fork_and_end);
    CHILD(SILENT, threads);
    CHILD(SILENT, a_refused_wait_is_no_end);
    CHILD(SILENT, other_work_is_waited_for);
    return CHECK_EXIT_CODE;
}
