/* Copies between launches without an event: they may stand anywhere in a native queue, so they tell of nothing. */
#include "rows.h"

enum { LOUD = 3, MOST_SILENT = 7 };

static syc_command *read_x(void)
{
    syc_need wanted = need(x, 0, 1, false, true);
    syc_command *access = NULL;
    wanted.at_host = true;
    CHECK_OK(syc_access_begin(&wanted, (syc_keep){0}, (syc_site){"scene.py", 440, NULL}, &access));
    return access;
}

/* Lets the host read the buffer of which a copy is on its way. */
static void end_reading(syc_command *access)
{
    CHECK_OK(syc_access_wait(access, 30 * SECOND));
    syc_access_end(access);
}

static void open_copies(void)
{
    open_row((syc_queue_options){.in_order = true});
    finish(bump(queue, x, 0, N)); /* the host has no copy any more */
    of_each++;
}

static syc_command *reading;
static atomic_bool interrupts;
static __typeof__(((syc_cl_table *)NULL)->EnqueueNDRangeKernel) enqueue_now;

/* A copy that another thread calls for comes between a launch's registration and its call. */
static cl_int enqueue_late(cl_command_queue q, cl_kernel k, cl_uint dims, const size_t *offset, const size_t *global,
                           const size_t *local, cl_uint n, const cl_event *after, cl_event *event)
{
    if (atomic_exchange(&interrupts, false))
        reading = read_x();
    return enqueue_now(q, k, dims, offset, global, local, n, after, event);
}

/* Its end is not that of a launch which was submitted before and enqueued behind it. */
static void one_overtakes(void)
{
    cl_uint ms = 1500;
    syc_need needs[1];
    syc_argument arguments[2];
    syc_command *launch;
    syc_command_status seen;
    syc_cl_table *cl;
    long before;

    open_copies();
    cl = &device->platform->driver->cl;
    enqueue_now = cl->EnqueueNDRangeKernel;
    cl->EnqueueNDRangeKernel = enqueue_late;
    needs[0] = need(y, 0, 1, true, true);
    arguments[0] = part(0, needs);
    arguments[1] = value(&ms);
    fake_hold(1);
    turns(LOUD + 2);
    before = events();
    atomic_store(&interrupts, true);
    CHECK_OK(submit_with(queue, "slow", needs, 1, arguments, 2, 1, 450, &launch));
    CHECK(reading != NULL);
    CHECK_EQUAL(events(), before + 1); /* the copy's */
    fake_hold(0);
    syc_sleep_ns(100 * MS); /* by then the copy has ended, which nobody has seen */
    CHECK_OK(syc_command_poll(launch, &seen));
    CHECK(seen != SYC_COMMAND_COMPLETE);
    end_reading(reading);
    finish(launch);
    cl->EnqueueNDRangeKernel = enqueue_now;
    close_row();
}

/* What waits for another queue's work comes behind a marker, though a copy stands between. */
static void what_waits_looks_past_them(void)
{
    syc_queue *other;
    syc_command *late, *behind, *one, *access;
    cl_uint a = 0;

    open_copies();
    other = new_queue(true);
    fake_hold(1);
    late = slow(other, &a, 1500);
    turns(LOUD + 2);
    one = hold_one(0);
    access = read_x();
    behind = bump_after(late);
    fake_hold(0);
    end_reading(access);
    finish(one);
    CHECK(!syc_command_ended(late));
    finish(behind);
    finish(late);
    CHECK_EQUAL(element(y, 1), expected);
    syc_queue_release(other);
    close_row();
}

/* They end no row: no more than seven are silent in one, and a marker behind the last tells of all. */
static void they_end_no_row(void)
{
    syc_command *one, *access;
    long before;

    open_copies();
    fake_hold(1);
    turns(LOUD + 2);
    one = hold_one(1);
    access = read_x();
    before = events();
    turns(MOST_SILENT - 2);
    CHECK_EQUAL(events(), before);
    turns(1);
    CHECK_EQUAL(events(), before + 1);
    turns(2);
    CHECK_OK(syc_fault_install(device->platform->driver));
    fake_hold(0);
    end_reading(access);
    finish(one);
    CHECK_EQUAL(syc_fault_calls("EnqueueMarkerWithWaitList"), 0);
    CHECK_EQUAL(element(y, 1), expected);
    close_row();
}

/* Nor do they keep a marker from those behind them. */
static void a_marker_is_behind_them(void)
{
    syc_command *one, *last, *access;

    open_copies();
    fake_hold(1);
    turns(LOUD + 2);
    one = hold_one(1);
    access = read_x();
    turns(3);
    last = hold_one(0);
    CHECK_OK(syc_fault_install(device->platform->driver));
    CHECK_STATUS(syc_command_wait(one, MS), SYC_TIMEOUT);
    fake_hold(0);
    finish(last);
    finish(one);
    end_reading(access);
    CHECK_EQUAL(syc_fault_calls("EnqueueMarkerWithWaitList"), 1);
    CHECK_EQUAL(element(y, 1), expected);
    close_row();
}

int main(void)
{
    FIND_FAKE_DRIVER;
    CHILD(SILENT, one_overtakes);
    CHILD(SILENT, what_waits_looks_past_them);
    CHILD(SILENT, they_end_no_row);
    CHILD(SILENT, a_marker_is_behind_them);
    return CHECK_EXIT_CODE;
}
