/* Queues against the fake driver: in which order commands run, over which arrays, and on which lane. */
#include "scene.h"

/* spec: H281 */
static void in_order(void)
{
    enum { N = 50 };
    syc_queue *queue;
    cl_uint logs[N][4] = {{0}}, log[N + 2] = {0};

    open_scene();
    queue = new_queue(true);
    for (cl_uint i = 0; i < N; i++)
        syc_command_release(note(queue, log, N + 2, i));
    for (cl_uint i = 0; i < N; i++) /* no two share memory: the queue alone orders them */
        syc_command_release(note(queue, logs[i], 4, i));
    close_queue(queue);
    CHECK_EQUAL(log[0], N);
    for (cl_uint i = 0; i < N; i++) {
        CHECK_EQUAL(log[1 + i], i);
        CHECK_EQUAL(logs[i][1], i);
    }
    close_scene();
}

static void in_order_without_shared_memory(void)
{
    syc_queue *queue;
    syc_command *first, *second;
    cl_uint a = 0, b[4] = {0};

    open_scene();
    queue = new_queue(true);
    fake_hold(1);
    first = slow(queue, &a, 20);
    second = note(queue, b, 4, 1);
    fake_hold(0);
    CHECK_OK(syc_command_wait(second, 30 * SECOND));
    CHECK_EQUAL(a, 1);
    finish(first);
    finish(second);
    close_queue(queue);
    close_scene();
}

/* An independent command does not wait for a slow one before it. */
static void out_of_order(void)
{
    syc_queue *queue;
    syc_command *first, *second;
    cl_uint a = 0, b[4] = {0};

    open_scene();
    queue = new_queue(false);
    first = slow(queue, &a, 300);
    second = note(queue, b, 4, 7);
    finish(second);
    CHECK(!syc_command_ended(first));
    CHECK_EQUAL(b[1], 7);
    finish(first);
    close_queue(queue);
    close_scene();
}

static void explicit_dependencies(void)
{
    syc_queue *queue;
    syc_command *first, *both[2], *last, **after;
    size_t count;
    cl_uint a = 0, b = 0, log[4] = {0}, seven = 7;
    syc_argument arguments[] = {array(log, sizeof log, true), value(&seven)};

    open_scene();
    queue = new_queue(false);
    both[0] = slow(queue, &a, 30);
    both[1] = slow(queue, &b, 30);
    CHECK_OK(submit(queue, "order", arguments, 2, 1, 1, both, 2, &last));
    CHECK_OK(syc_command_wait(last, 30 * SECOND));
    CHECK_EQUAL(a + b, 2);
    finish(both[0]);
    finish(both[1]);
    syc_command_release(last);

    first = slow(queue, &a, 30);
    both[0] = both[1] = first; /* named twice, and behind its array: still one dependency */
    arguments[0] = array(&a, 4, true);
    CHECK_OK(submit(queue, "slow", arguments, 2, 1, 1, both, 2, &last));
    CHECK_OK(syc_command_dependencies(last, &after, &count));
    CHECK_EQUAL(count, 1);
    while (count > 0)
        syc_command_release(after[--count]);
    syc_free(after);
    finish(last);
    last = empty(queue, &first, 1);
    CHECK_OK(syc_command_wait(last, 30 * SECOND));
    CHECK_EQUAL(a, 3);
    finish(first);
    syc_command_release(last);
    close_queue(queue);
    close_scene();
}

/* What shares memory keeps its order in an out-of-order queue: reading after writing, writing after reading, writing
 * after writing. */
static void array_hazards(void)
{
    syc_queue *queue;
    cl_uint x[2] = {1, 2}, y[2] = {3, 4}, z[2] = {5, 6};
    cl_uint ex[2] = {1, 2}, ey[2] = {3, 4}, ez[2] = {5, 6};

    open_scene();
    queue = new_queue(false);
    fake_hold(1);
    syc_command_release(churn(queue, x, y, 2, 10)); /* writes x, reads y */
    syc_command_release(churn(queue, z, x, 2, 20)); /* RAW on x */
    syc_command_release(churn(queue, y, z, 2, 30)); /* WAR on y, RAW on z */
    syc_command_release(churn(queue, x, y, 2, 40)); /* WAW and WAR on x */
    fake_hold(0);
    close_queue(queue);
    for (int i = 0; i < 2; i++) {
        ex[i] = 31 * ex[i] + ey[i] + 10;
        ez[i] = 31 * ez[i] + ex[i] + 20;
        ey[i] = 31 * ey[i] + ez[i] + 30;
        ex[i] = 31 * ex[i] + ey[i] + 40;
        CHECK_EQUAL(x[i], ex[i]);
        CHECK_EQUAL(y[i], ey[i]);
        CHECK_EQUAL(z[i], ez[i]);
    }
    close_scene();
}

/* Readers do not wait for each other, parts of an array that do not meet neither, parts that meet in one byte do. */
static void which_bytes_matter(void)
{
    syc_queue *queue;
    syc_command *reader, *second, *writer, **after;
    cl_uint x[8] = {0}, y[8] = {0}, z[8] = {0};
    size_t count;

    open_scene();
    queue = new_queue(false);
    fake_hold(1);
    reader = churn(queue, y, x, 4, 1);
    second = churn(queue, z, x, 4, 1);
    CHECK_OK(syc_command_dependencies(second, &after, &count));
    CHECK_EQUAL(count, 0);
    syc_free(after);
    writer = churn(queue, x + 4, y + 4, 4, 1);
    CHECK_OK(syc_command_dependencies(writer, &after, &count));
    CHECK_EQUAL(count, 0);
    syc_free(after);
    syc_command_release(writer);
    writer = churn(queue, x + 3, z + 4, 1, 1);
    CHECK_OK(syc_command_dependencies(writer, &after, &count));
    CHECK_EQUAL(count, 2);
    while (count > 0)
        syc_command_release(after[--count]);
    syc_free(after);
    fake_hold(0);
    finish(writer);
    finish(reader);
    finish(second);
    close_queue(queue);
    close_scene();
}

/* Queues of two contexts share arrays: no native edge can order them, the dispatcher does. */
static void two_contexts(void)
{
    enum { ROUNDS = 40 };
    syc_queue *one, *two = NULL;
    syc_context *other = NULL;
    cl_uint log[ROUNDS + 2] = {0}, slowed = 0;

    open_scene();
    one = new_queue(false);
    CHECK_OK(syc_context_create(&device, 1, &other));
    CHECK_OK(syc_queue_create(other, device, (syc_queue_options){.in_order = true}, &two));
    syc_command_release(slow(one, &slowed, 10));
    syc_command_release(slow(two, &slowed, 10));
    for (cl_uint i = 0; i < ROUNDS; i++)
        syc_command_release(note(i % 2 ? one : two, log, ROUNDS + 2, i));
    close_queue(one);
    close_queue(two);
    CHECK_EQUAL(slowed, 2);
    CHECK_EQUAL(log[0], ROUNDS);
    for (cl_uint i = 0; i < ROUNDS; i++)
        CHECK_EQUAL(log[1 + i], i);
    syc_context_release(other);
    close_scene();
}

/* A strided array is packed before the launch and written back before whatever depends on it. */
static void staged_arrays_are_written_back(void)
{
    static const ptrdiff_t shape[] = {4}, strides[] = {8};
    syc_queue *queue;
    syc_command *command, *after;
    cl_uint array_of_8[8] = {0, 100, 0, 101, 0, 102, 0, 103}, copy[8] = {0}, zero = 0, four = 4, eight = 8;
    syc_argument strided = array(array_of_8, 16, true);
    syc_argument fill[] = {strided};
    syc_argument mixing[] = {array(copy, sizeof copy, true), array(array_of_8, sizeof array_of_8, false), value(&zero),
                             value(&eight)};

    open_scene();
    queue = new_queue(false);
    fill[0].span.packed = false;
    fill[0].span.rank = 1;
    fill[0].span.item_size = 4;
    fill[0].span.shape = shape;
    fill[0].span.strides = strides;
    CHECK_OK(submit(queue, "fill_ids", fill, 1, four, 1, NULL, 0, &command));
    CHECK_OK(submit(queue, "churn", mixing, 4, 8, 2, NULL, 0, &after));
    finish(after);
    for (cl_uint i = 0; i < 8; i++) {
        CHECK_EQUAL(array_of_8[i], i % 2 ? 100 + i / 2 : i / 2);
        CHECK_EQUAL(copy[i], array_of_8[i]);
    }
    finish(command);
    close_queue(queue);
    close_scene();
}

/* Of two arguments over the same bytes one of which is copied, neither would see the other's writes. */
static void overlapping_copies_are_refused(void)
{
    static const ptrdiff_t shape[] = {4}, strides[] = {8};
    syc_queue *queue;
    syc_command *command;
    cl_uint data[8] = {0}, zero = 0, four = 4;
    syc_argument arguments[] = {array(data, 16, true), array(data, sizeof data, false), value(&zero), value(&four)};
    syc_argument swapped;

    open_scene();
    queue = new_queue(false);
    arguments[0].span.packed = false;
    arguments[0].span.rank = 1;
    arguments[0].span.item_size = 4;
    arguments[0].span.shape = shape;
    arguments[0].span.strides = strides;
    CHECK_STATUS(submit(queue, "churn", arguments, 4, 4, 1, NULL, 0, &command), SYC_E_INVALID_PARAMETER);
    CHECK(text_has(syc_detail_of(SYC_E_INVALID_PARAMETER).message, "overlap"));
    swapped = arguments[0];
    arguments[0] = arguments[1];
    arguments[0].span.writable = true;
    arguments[1] = swapped;
    arguments[1].span.writable = false;
    CHECK_STATUS(submit(queue, "churn", arguments, 4, 4, 1, NULL, 0, &command), SYC_E_INVALID_PARAMETER);
    arguments[0] = array(data, 16, true);
    arguments[1] = array(data, 16, true); /* the very same array twice is one piece of memory */
    CHECK_OK(submit(queue, "churn", arguments, 4, 4, 1, NULL, 0, &command));
    finish(command);
    close_queue(queue);
    close_scene();
}

/* Work that others put into the native queue is waited for once its handle is out. */
static void foreign_work_is_waited_for(void)
{
    const syc_cl_table *cl;
    syc_queue *queue, *again = NULL;
    syc_command **commands;
    size_t count;
    cl_event marker = NULL;
    cl_command_queue native;

    open_scene();
    cl = syc_context_cl(context);
    queue = new_queue(false);
    CHECK_OK(syc_queue_commands(queue, &commands, &count));
    CHECK_EQUAL(count, 0);
    syc_free(commands);
    native = syc_queue_native(queue);
    fake_hold(1);
    CHECK_EQUAL(cl->EnqueueMarkerWithWaitList(native, 0, NULL, &marker), 0);
    CHECK_OK(syc_queue_commands(queue, &commands, &count));
    CHECK_EQUAL(count, 1);
    CHECK_EQUAL(syc_command_wait(commands[0], MS), SYC_TIMEOUT);
    fake_hold(0);
    finish(commands[0]);
    syc_free(commands);
    cl->ReleaseEvent(marker);

    CHECK_OK(syc_queue_from_native(native, context, &again));
    CHECK(syc_queue_get_options(again).in_order == !device->facts->out_of_order);
    CHECK(!syc_queue_get_options(again).profiling);
    CHECK(syc_queue_native(again) == native);
    close_queue(again);
    close_queue(queue);
    close_scene();
}

static void queues_that_cannot_be(void)
{
    syc_queue *queue = NULL, *good;
    syc_context *other = NULL;
    long not_a_queue = 0;

    open_scene();
    if (device->platform->device_count < 2) {
        CHECK(false);
        return;
    }
    good = new_queue(false);
    CHECK_OK(syc_context_create(&device->platform->devices[1], 1, &other));
    CHECK_STATUS(syc_queue_create(other, device, (syc_queue_options){0}, &queue), SYC_E_INVALID_OBJECT);
    CHECK_STATUS(syc_queue_from_native((cl_command_queue)&not_a_queue, context, &queue), SYC_E_INVALID_OBJECT);
    CHECK_STATUS(syc_queue_from_native(syc_queue_native(good), other, &queue), SYC_E_INVALID_OBJECT);
    syc_context_release(other);
    close_queue(good);
    close_scene();
}

/* Small commands run on the calling thread's lane, large ones on the pool, and no edge crosses the two. */
static void lanes(void)
{
    enum { N = 40 };
    syc_queue *queue;
    syc_command *command;
    cl_uint log[2 * N + 2] = {0}, fresh[4] = {0}, slowed = 0;

    open_scene();
    queue = new_queue(false);
    scene_cost = 1000;
    command = note(queue, fresh, 4, 1);
    CHECK(syc_command_ended(command)); /* complete when submit returns */
    syc_command_release(command);
    command = slow(queue, &slowed, 1);
    CHECK(syc_command_ended(command));
    syc_command_release(command);
    for (cl_uint i = 0; i < 2 * N; i++) {
        scene_cost = i % 3 ? 1000 : UINT64_MAX;
        syc_command_release(note(queue, log, 2 * N + 2, i));
    }
    close_queue(queue);
    CHECK_EQUAL(log[0], 2 * N);
    for (cl_uint i = 0; i < 2 * N; i++)
        CHECK_EQUAL(log[1 + i], i);
    close_scene();
}

/* Commands with no work-items end well without a launch. */
static void empty_ranges_run_nothing(void)
{
    syc_queue *queue;
    syc_command *command;
    cl_uint ids[2] = {8, 8};
    syc_argument argument = array(ids, sizeof ids, true), nothing = array(ids, 0, true);

    open_scene();
    queue = new_queue(false);
    CHECK_OK(submit(queue, "fill_ids", &argument, 1, 0, 1, NULL, 0, &command));
    CHECK(syc_command_ended(command));
    CHECK(syc_command_failure(command) == NULL);
    syc_command_release(command);
    CHECK_EQUAL(ids[0], 8);
    CHECK_OK(submit(queue, "fill_ids", &nothing, 1, 1, 1, NULL, 0, &command)); /* an empty array is no array of none */
    finish(command);
    CHECK_EQUAL(ids[0], 8);
    close_queue(queue);
    close_scene();
}

/* Many readers in flight, then one writer that waits for them all. */
static void many_readers(void)
{
    enum { N = 1000 };
    static cl_uint out[N];
    syc_queue *queue;
    syc_command *last;
    cl_uint x[1] = {1}, zero[1] = {0};

    open_scene();
    queue = new_queue(false);
    fake_hold(1);
    for (cl_uint i = 0; i < N; i++)
        syc_command_release(churn(queue, &out[i], x, 1, 0));
    last = churn(queue, x, zero, 1, 1);
    fake_hold(0);
    CHECK_OK(syc_command_wait(last, 50 * SECOND));
    for (cl_uint i = 0; i < N; i++)
        CHECK_EQUAL(out[i], 1);
    CHECK_EQUAL(x[0], 32);
    syc_command_release(last);
    close_queue(queue);
    close_scene();
}

int main(void)
{
    FIND_FAKE_DRIVER;
    ON_EVERY_DEVICE(in_order);
    ON_EVERY_DEVICE(in_order_without_shared_memory);
    CHILD(SHARING, out_of_order);
    CHILD(LANES, out_of_order);
    CHILD(COPYING, out_of_order);
    ON_EVERY_DEVICE(explicit_dependencies);
    ON_EVERY_DEVICE(array_hazards);
    ON_EVERY_DEVICE(which_bytes_matter);
    ON_EVERY_DEVICE(two_contexts);
    ON_EVERY_DEVICE(staged_arrays_are_written_back);
    ON_EVERY_DEVICE(overlapping_copies_are_refused);
    CHILD(SHARING, many_readers);
    CHILD(UNKNOWN, many_readers);
    CHILD(SHARING, foreign_work_is_waited_for);
    CHILD(UNKNOWN, foreign_work_is_waited_for);
    CHILD("FAKE_DEVICES=2", queues_that_cannot_be);
    CHILD(LANES, lanes);
    CHILD("FAKE_PLATFORM_NAME=Intel(R) OpenCL;FAKE_LOCAL_THREAD=1;", lanes);
    ON_EVERY_DEVICE(empty_ranges_run_nothing);
    return CHECK_EXIT_CODE;
}
