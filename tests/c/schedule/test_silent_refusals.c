/* Launches without an event where a marker is refused, and where others are given their native queue. */
#include "rows.h"

#include "schedule/order.h"

/* Who asks for a status is told "not yet", however often a marker is refused, and hears of the end when one is had. */
static void a_poll_does_not_wait(void)
{
    syc_command *last;
    syc_command_status seen = SYC_COMMAND_COMPLETE;

    open_row((syc_queue_options){.in_order = true});
    fake_hold(1);
    turns(MANY);
    last = hold_one(0);
    CHECK_OK(syc_fault_install(device->platform->driver));
    for (unsigned i = 0; i < 3; i++) {
        CHECK_OK(syc_fault_arm("EnqueueMarkerWithWaitList", 1, i == 1 ? CL_OUT_OF_RESOURCES : CL_OUT_OF_HOST_MEMORY));
        CHECK_OK(syc_command_poll(last, &seen));
        CHECK(seen != SYC_COMMAND_COMPLETE);
    }
    CHECK_EQUAL(syc_fault_calls("EnqueueMarkerWithWaitList"), 3);
    CHECK_EQUAL(syc_fault_calls("Finish"), 0);
    fake_hold(0);
    for (int patience = 0; patience < 5000 && seen != SYC_COMMAND_COMPLETE; patience++) {
        CHECK_OK(syc_command_poll(last, &seen));
        syc_sleep_ns(MS);
    }
    CHECK_EQUAL(seen, SYC_COMMAND_COMPLETE);
    finish(last);
    CHECK_EQUAL(element(y, 1), expected);
    close_row();
}

/* After a fault the driver refuses markers with its code: who only polls hears of the end all the same. */
static void a_poll_hears_of_a_lost_context(void)
{
    syc_command *last, *command;
    syc_command_status seen = SYC_COMMAND_SUBMITTED;
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
    fake_hold(0);
    for (int patience = 0; patience < 5000 && seen != SYC_COMMAND_COMPLETE; patience++) {
        syc_sleep_ns(MS);
        CHECK_OK(syc_fault_arm("EnqueueMarkerWithWaitList", 1, CL_OUT_OF_RESOURCES));
        CHECK_OK(syc_command_poll(last, &seen));
    }
    CHECK_EQUAL(seen, SYC_COMMAND_COMPLETE);
    CHECK_EQUAL(syc_failure_detail(syc_command_failure(last)).cl_code, CL_OUT_OF_RESOURCES);
    syc_command_release(last);
    close_row();
}

/* What waits for another queue, and should come behind a marker, is put off: its submission returns. */
static void a_submission_does_not_wait(void)
{
    syc_queue *other;
    syc_command *late, *behind;
    cl_uint a = 0;

    open_row((syc_queue_options){.in_order = true});
    other = new_queue(true);
    fake_hold(1);
    late = slow(other, &a, 100);
    turns(MANY);
    CHECK_OK(syc_fault_install(device->platform->driver));
    CHECK_OK(syc_fault_arm("EnqueueMarkerWithWaitList", 1, CL_OUT_OF_HOST_MEMORY));
    behind = bump_after(late);
    CHECK(syc_fault_calls("EnqueueMarkerWithWaitList") >= 1); /* the dispatcher asks again */
    CHECK_EQUAL(syc_fault_calls("Finish"), 0);
    CHECK_EQUAL(syc__state_of(behind), SYC__DEFERRED);
    turns(2);
    fake_hold(0);
    finish(behind);
    CHECK(syc_command_ended(late));
    finish(late);
    CHECK_EQUAL(element(y, 1), expected);
    syc_queue_release(other);
    close_row();
}

static atomic_bool interrupts, given;
static pthread_t taker;
static __typeof__(((syc_cl_table *)NULL)->EnqueueNDRangeKernel) enqueue_now;

static void *take_the_queue(void *unused)
{
    (void)syc_queue_native(queue);
    atomic_store(&given, true);
    return unused;
}

/* Another thread asks for the native queue between the decision to be silent and the launch's call. */
static cl_int enqueue_late(cl_command_queue q, cl_kernel k, cl_uint dims, const size_t *offset, const size_t *global,
                           const size_t *local, cl_uint n, const cl_event *after, cl_event *event)
{
    if (atomic_exchange(&interrupts, false)) {
        CHECK(event == NULL);
        CHECK_EQUAL(pthread_create(&taker, NULL, take_the_queue, NULL), 0);
        syc_sleep_ns(50 * MS);
        CHECK(!atomic_load(&given)); /* else what is put into it may come before the launch, and before its marker */
    }
    return enqueue_now(q, k, dims, offset, global, local, n, after, event);
}

static void a_queue_is_given_with_markers(void)
{
    syc_command *last;
    syc_cl_table *cl;
    cl_event event;

    open_row((syc_queue_options){.in_order = true});
    cl = &device->platform->driver->cl;
    enqueue_now = cl->EnqueueNDRangeKernel;
    cl->EnqueueNDRangeKernel = enqueue_late;
    fake_hold(1);
    turns(5);
    atomic_store(&interrupts, true);
    turns(1);
    last = hold_one(0);
    CHECK_EQUAL(pthread_join(taker, NULL), 0);
    event = syc__hold_native(last);
    CHECK(event != NULL);
    if (event != NULL)
        syc_event_let_go(context, event);
    turns(1);
    syc_command_release(last);
    last = hold_one(1); /* a marker of the hand-over's comes first */
    CHECK(!last->silent);
    fake_hold(0);
    finish(last);
    CHECK_EQUAL(element(y, 1), expected);
    cl->EnqueueNDRangeKernel = enqueue_now;
    close_row();
}

int main(void)
{
    FIND_FAKE_DRIVER;
    CHILD(SILENT, a_poll_does_not_wait);
    CHILD(SILENT, a_poll_hears_of_a_lost_context);
    CHILD(SILENT, a_submission_does_not_wait);
    CHILD(SILENT, a_queue_is_given_with_markers);
    return CHECK_EXIT_CODE;
}
