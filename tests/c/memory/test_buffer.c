/* Buffers: data is where it is needed, in the order of submission, and nothing moves without need. */
#include "buffers.h"

enum { N = 64 };

static void one_device(void)
{
    cl_uint data[N] = {0};
    syc_queue *queue;
    syc_buffer *buffer;

    open_scene();
    queue = new_queue(false);
    buffer = wrap(data, N);
    for (int i = 0; i < 5; i++)
        syc_command_release(bump(queue, buffer, 0, N));
    CHECK_EQUAL(element(buffer, 3), 5);
    syc_command_release(bump(queue, buffer, 8, 8)); /* a part */
    write_back(buffer);
    CHECK_EQUAL(data[7], 5);
    CHECK_EQUAL(data[8], 6);
    CHECK_EQUAL(data[15], 6);
    CHECK_EQUAL(data[16], 5);
    CHECK(!syc_buffer_in_use(buffer));
    syc_buffer_release(buffer);
    syc_queue_release(queue);
    close_scene();
}

/* An odd offset: no sub-buffer of the driver begins there. */
static void misaligned_part(void)
{
    cl_uint data[N] = {0};
    syc_queue *queue;
    syc_buffer *buffer;

    open_scene();
    queue = new_queue(false);
    buffer = wrap(data, N);
    syc_command_release(bump(queue, buffer, 1, 3));
    syc_command_release(bump(queue, buffer, 5, 7));
    write_back(buffer);
    for (size_t i = 0; i < N; i++)
        CHECK_EQUAL(data[i], (i >= 1 && i < 4) || (i >= 5 && i < 12));
    syc_buffer_release(buffer);
    syc_queue_release(queue);
    close_scene();
}

/* Two contexts are two places on a device with memory of its own. */
static void two_contexts(void)
{
    cl_uint data[N] = {0};
    syc_context *other = NULL;
    syc_queue *a, *b = NULL;
    syc_buffer *buffer, *copy;

    open_scene();
    a = new_queue(false);
    CHECK_OK(syc_context_create(&device, 1, &other));
    CHECK_OK(syc_queue_create(other, device, (syc_queue_options){0}, &b));
    buffer = wrap(data, N);
    copy = sized(N);
    for (int i = 0; i < 6; i++) {
        syc_command_release(bump(i % 2 ? a : b, buffer, 0, N));
        syc_command_release(bump(i % 2 ? b : a, buffer, 4, 4));
    }
    syc_command_release(mirror(b, copy, 0, buffer, 0, N));
    syc_command_release(bump(a, copy, 0, 1));
    CHECK_EQUAL(element(copy, 0), 7);
    CHECK_EQUAL(element(copy, 5), 12);
    CHECK_EQUAL(element(copy, 9), 6);
    write_back(buffer);
    CHECK_EQUAL(data[7], 12);
    CHECK_EQUAL(data[8], 6);
    syc_buffer_release(copy);
    syc_buffer_release(buffer);
    syc_queue_release(b);
    syc_queue_release(a);
    syc_context_release(other);
    close_scene();
}

static size_t waits_of(syc_command *command)
{
    syc_command **after = NULL;
    size_t count = 0;
    CHECK_OK(syc_command_dependencies(command, &after, &count));
    for (size_t i = 0; i < count; i++)
        syc_command_release(after[i]);
    syc_free(after);
    return count;
}

static void edges(void)
{
    syc_queue *queue;
    syc_buffer *x, *y, *z;
    syc_command *writer, *first, *second, *last, *apart;

    open_scene();
    queue = new_queue(false);
    x = sized(N);
    y = sized(N);
    z = sized(N);
    finish(bump(queue, x, 0, N));
    fake_hold(1);
    writer = bump(queue, x, 0, N);
    CHECK_EQUAL(waits_of(writer), 0);
    first = mirror(queue, y, 0, x, 0, N);
    second = mirror(queue, z, 0, x, 0, N);
    CHECK_EQUAL(waits_of(first), 1); /* readers wait for the writer, not for each other */
    CHECK_EQUAL(waits_of(second), 1);
    last = bump(queue, x, 0, N / 2);
    CHECK_EQUAL(waits_of(last), 3);
    apart = bump(queue, x, N / 2, N / 2);
    CHECK_EQUAL(waits_of(apart), 3);
    fake_hold(0);
    finish(writer);
    finish(first);
    finish(second);
    finish(last);
    finish(apart);
    syc_buffer_release(x);
    syc_buffer_release(y);
    syc_buffer_release(z);
    syc_queue_release(queue);
    close_scene();
}

/* What is submitted while the host holds the buffer waits for it; other work goes on. */
static void host_access_holds(void)
{
    cl_uint data[N] = {0};
    syc_command_status seen;
    syc_queue *queue;
    syc_buffer *buffer, *other;
    syc_command *access, *held, *free_one, *never = NULL;
    syc_need again;

    open_scene();
    queue = new_queue(false);
    buffer = wrap(data, N);
    other = sized(N);
    syc_command_release(bump(queue, buffer, 0, N));
    access = open_access(buffer, 0, N, true);
    CHECK_EQUAL(*(cl_uint *)(void *)syc_access_data(access), 1);
    held = bump(queue, buffer, 0, N);
    free_one = bump(queue, other, 0, N);
    finish(free_one);
    CHECK(syc_command_is_stuck(held));
    CHECK_OK(syc_command_poll(held, &seen));
    CHECK_EQUAL(seen, SYC_COMMAND_SUBMITTED);
    again = need(buffer, 0, N, false, true);
    again.at_host = true;
    CHECK_STATUS(syc_access_begin(&again, (syc_keep){0}, (syc_site){0}, &never), SYC_E_ACCESSOR);
    *(cl_uint *)(void *)syc_access_data(access) = 10;
    syc_access_end(access);
    finish(held);
    CHECK_EQUAL(element(buffer, 0), 11);
    CHECK_EQUAL(element(buffer, 1), 2);
    write_back(buffer);
    syc_buffer_release(buffer);
    syc_buffer_release(other);
    syc_queue_release(queue);
    close_scene();
}

/* An access that is given up before it was granted keeps its place in the order, and nobody waits for it here. */
static void abandoned_access(void)
{
    syc_queue *queue;
    syc_buffer *buffer;
    syc_command *first, *access = NULL, *last;
    syc_need wanted;

    open_scene();
    queue = new_queue(false);
    buffer = sized(N);
    finish(mirror(queue, buffer, 0, buffer, 0, N));
    fake_hold(1);
    first = bump(queue, buffer, 0, N);
    wanted = need(buffer, 0, N, true, true);
    wanted.at_host = true;
    CHECK_OK(syc_access_begin(&wanted, (syc_keep){0}, (syc_site){0}, &access));
    CHECK_EQUAL(syc_access_wait(access, 2 * MS), SYC_TIMEOUT);
    last = bump(queue, buffer, 0, N);
    syc_access_end(access);
    CHECK(!syc_command_ended(last));
    fake_hold(0);
    finish(first);
    finish(last);
    syc_buffer_release(buffer);
    syc_queue_release(queue);
    close_scene();
}

static void set_error_fail(syc_queue *queue, syc_buffer *buffer)
{
    syc_need needs[] = {need(buffer, 0, N, true, true)};
    syc_argument arguments[] = {part(0, needs)};
    syc_command *command = NULL;
    finish(must(submit_with(queue, "fail", needs, 1, arguments, 1, 1, 55, &command), &command));
}

static void drop_errors(syc_queue *queue, int expected)
{
    syc_async_error error;
    int count = 0;
    while (syc_queue_take_error(queue, &error)) {
        syc_failure_free(error.failure);
        syc_free(error.site);
        count++;
    }
    CHECK_EQUAL(count, expected);
}

/* After a kernel that failed the bytes are what a copy elsewhere has, or are refused with the origin's words. */
static void failed_writer(void)
{
    cl_uint data[N] = {7, 7, 7};
    syc_queue *queue;
    syc_buffer *buffer;
    syc_command *access = NULL;
    syc_need wanted;
    syc_status status;
    bool shares;

    open_scene();
    shares = device->facts->shares_host_memory;
    queue = new_queue(false);
    buffer = wrap(data, N);
    set_error_fail(queue, buffer);
    drop_errors(queue, 1);
    wanted = need(buffer, 0, N, false, true);
    wanted.at_host = true;
    status = syc_access_begin(&wanted, (syc_keep){0}, (syc_site){0}, &access);
    if (shares) {
        CHECK(status != SYC_OK);
        CHECK(strstr(syc_detail_of(status).message, "contents were lost") != NULL);
        finish(mirror(queue, buffer, 0, buffer, 0, 0)); /* of nothing: still lost */
    } else {
        CHECK_OK(status);
        CHECK_OK(syc_access_wait(access, 30 * SECOND));
        CHECK_EQUAL(*(cl_uint *)(void *)syc_access_data(access), 7);
        syc_access_end(access);
    }
    write_back(buffer);
    CHECK_EQUAL(data[0], 7);
    syc_buffer_release(buffer);
    syc_queue_release(queue);
    close_scene();
}

/* A strided array is copied in once, and back into its own elements only. */
static void strided_origin(void)
{
    cl_uint data[2 * N];
    ptrdiff_t shape[] = {N}, strides[] = {8};
    syc_host_array span = {.data = (char *)data,
                           .bytes = N * 4,
                           .alignment = 4,
                           .rank = 1,
                           .item_size = 4,
                           .shape = shape,
                           .strides = strides};
    syc_buffer_source source = {.bytes = N * 4, .array = &span, .in_place = true};
    syc_buffer *buffer = NULL;
    syc_queue *queue;

    for (cl_uint i = 0; i < 2 * N; i++)
        data[i] = i;
    open_scene();
    queue = new_queue(false);
    CHECK_OK(syc_buffer_create(&source, &buffer));
    syc_command_release(bump(queue, buffer, 1, N - 2));
    CHECK_EQUAL(element(buffer, 0), 0);
    CHECK_EQUAL(element(buffer, 1), 3);
    write_back(buffer);
    for (cl_uint i = 0; i < 2 * N; i++)
        CHECK_EQUAL(data[i], i + (i % 2 == 0 && i >= 2 && i < 2 * N - 2));
    syc_buffer_release(buffer);
    syc_queue_release(queue);
    close_scene();
}

/* Between a hand-over and the next command the array is the user's to change. */
static void handed_over(void)
{
    cl_uint data[N] = {0};
    syc_queue *queue;
    syc_buffer *buffer;

    open_scene();
    queue = new_queue(false);
    buffer = wrap(data, N);
    syc_command_release(bump(queue, buffer, 0, N));
    write_back(buffer);
    CHECK_EQUAL(data[0], 1);
    syc_buffer_hand_over(buffer);
    data[0] = 10;
    syc_command_release(bump(queue, buffer, 0, N));
    write_back(buffer);
    CHECK_EQUAL(data[0], 11);
    CHECK_EQUAL(data[1], 2);
    syc_buffer_release(buffer);
    syc_queue_release(queue);
    close_scene();
}

enum { BUFFERS = 3, STEPS = 400, QUEUES = 3 };

/* Random commands over parts of three buffers, in three queues of two contexts, against plain arrays. */
static void random_programs(void)
{
    static cl_uint model[BUFFERS][N], data[BUFFERS][N];
    syc_context *other = NULL;
    syc_queue *queues[QUEUES];
    syc_buffer *buffers[BUFFERS];

    memset(model, 0, sizeof model);
    memset(data, 0, sizeof data);
    open_scene();
    CHECK_OK(syc_context_create(&device, 1, &other));
    queues[0] = new_queue(false);
    queues[1] = new_queue(true);
    CHECK_OK(syc_queue_create(other, device, (syc_queue_options){0}, &queues[2]));
    for (int i = 0; i < BUFFERS; i++)
        buffers[i] = wrap(data[i], N);
    srand(11);
    for (int n = 0; n < STEPS; n++) {
        int y = rand() % BUFFERS, x = (y + 1 + rand() % (BUFFERS - 1)) % BUFFERS;
        size_t low = (size_t)rand() % N, count = 1 + (size_t)rand() % (N - low),
               from = (size_t)rand() % (N - count + 1);
        syc_queue *queue = queues[rand() % QUEUES];
        if (rand() % 8 == 0) {
            CHECK_EQUAL(element(buffers[y], low), model[y][low]);
        } else if (rand() % 2) {
            syc_command_release(bump(queue, buffers[y], low, count));
            for (size_t i = 0; i < count; i++)
                model[y][low + i]++;
        } else {
            syc_command_release(mirror(queue, buffers[y], low, buffers[x], from, count));
            memcpy(&model[y][low], &model[x][from], count * 4);
        }
    }
    for (int i = 0; i < BUFFERS; i++) {
        write_back(buffers[i]);
        CHECK(memcmp(model[i], data[i], sizeof data[i]) == 0);
        syc_buffer_release(buffers[i]);
    }
    for (int i = 0; i < QUEUES; i++)
        syc_queue_release(queues[i]);
    syc_context_release(other);
    close_scene();
}

int main(void)
{
    FIND_FAKE_DRIVER;
    ON_EVERY_DEVICE(one_device);
    ON_EVERY_DEVICE(misaligned_part);
    ON_EVERY_DEVICE(two_contexts);
    ON_EVERY_DEVICE(edges);
    ON_EVERY_DEVICE(host_access_holds);
    ON_EVERY_DEVICE(abandoned_access);
    ON_EVERY_DEVICE(failed_writer);
    ON_EVERY_DEVICE(strided_origin);
    ON_EVERY_DEVICE(handed_over);
    ON_EVERY_DEVICE(random_programs);
    return CHECK_EXIT_CODE;
}
