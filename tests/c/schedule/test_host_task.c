/* Host tasks: taken by workers when all they depend on has ended, and a part of the graph like any command. */
#include "scene.h"

#include "schedule/host_task.h"

static syc_status submit_host(syc_queue *queue, const syc_need *needs, size_t need_count, syc_command *const *after,
                              size_t after_count, void *payload, syc_command **out)
{
    syc_task task = {.ops = &syc_host_task_ops, .needs = needs, .need_count = need_count};
    atomic_fetch_add(&kept, 1);
    return syc_queue_submit(queue, &task, after, after_count, (syc_keep){let_go_of, payload},
                            (syc_site){"scene.py", 500, NULL}, out);
}

static syc_command *host(syc_queue *queue, syc_command *const *after, size_t after_count, void *payload)
{
    syc_command *command;
    return must(submit_host(queue, NULL, 0, after, after_count, payload, &command), &command);
}

static syc_command *take(void **payload)
{
    syc_command *command = NULL;
    void *unused;
    CHECK_OK(syc_host_task_take(30 * SECOND, &command, payload != NULL ? payload : &unused));
    return command;
}

static bool none_is_ready(void)
{
    syc_command *command;
    void *payload;
    return syc_host_task_take(20 * MS, &command, &payload) == SYC_TIMEOUT;
}

/* It is ready when what it depends on has ended, not before, and what depends on it waits for it. */
static void runs_in_its_place(void)
{
    syc_queue *queue;
    syc_command *before, *task, *after, *taken;
    cl_uint a = 0, log[4] = {0}, number = 7;
    syc_argument arguments[] = {array(log, sizeof log, true), value(&number)};
    void *payload = NULL;
    int mark;

    open_scene();
    queue = new_queue(false);
    fake_hold(1);
    before = slow(queue, &a, 1);
    task = host(queue, &before, 1, &mark);
    CHECK_OK(submit(queue, "order", arguments, 2, 1, 0, &task, 1, &after));
    CHECK(none_is_ready());
    fake_hold(0);
    taken = take(&payload);
    CHECK(taken == task);
    CHECK(payload == &mark);
    CHECK_EQUAL(a, 1);
    CHECK(syc_command_ended(before));
    CHECK(!syc_command_ended(task));
    CHECK_EQUAL(log[0], 0);
    CHECK(none_is_ready());
    syc_host_task_finish(taken, SYC_OK);
    CHECK(syc_command_ended(task));
    CHECK(syc_command_failure(task) == NULL);
    finish(after);
    CHECK_EQUAL(log[1], 7);
    finish(before);
    finish(task);
    close_queue(queue);
    close_scene();
}

static void in_order_of_submission(void)
{
    enum { N = 10 };
    syc_queue *queue;
    char marks[N];
    void *payload = NULL;

    open_scene();
    queue = new_queue(true);
    for (int i = 0; i < N; i++)
        syc_command_release(host(queue, NULL, 0, &marks[i]));
    for (int i = 0; i < N; i++) {
        syc_command *taken = take(&payload);
        CHECK_EQUAL((char *)payload - marks, i);
        CHECK(none_is_ready()); /* the queue runs one at a time */
        syc_host_task_finish(taken, SYC_OK);
    }
    close_queue(queue);
    close_scene();
}

enum { MANY = 400, TAKERS = 4 };
static atomic_int times_taken[MANY];

static void *taker(void *unused)
{
    syc_command *command;
    void *payload;
    while (syc_host_task_take(200 * MS, &command, &payload) == SYC_OK) {
        atomic_fetch_add((atomic_int *)payload, 1);
        syc_host_task_finish(command, SYC_OK);
    }
    return unused;
}

static void each_once(void)
{
    syc_queue *queue;
    pthread_t threads[TAKERS];

    open_scene();
    queue = new_queue(false);
    for (int i = 0; i < TAKERS; i++)
        pthread_create(&threads[i], NULL, taker, NULL);
    for (int i = 0; i < MANY; i++)
        syc_command_release(host(queue, NULL, 0, &times_taken[i]));
    for (int i = 0; i < TAKERS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < MANY; i++)
        CHECK_EQUAL(times_taken[i], 1);
    close_queue(queue);
    close_scene();
}

static atomic_long causes_let_go;

static void let_go_of_cause(void *payload)
{
    (void)payload;
    atomic_fetch_add(&causes_let_go, 1);
}

/* Its failure is asynchronous, carries what the caller said of it, and poisons what depends on it. */
static void failures(void)
{
    syc_queue *queue;
    syc_command *task, *dependent, *taken;
    syc_async_error error;
    int cause;

    open_scene();
    queue = new_queue(false);
    task = host(queue, NULL, 0, NULL);
    dependent = host(queue, &task, 1, NULL);
    taken = take(NULL);
    (void)syc_fail(SYC_E_KERNEL, SYC_HERE, "the task said no");
    syc_detail_set_cause((syc_keep){let_go_of_cause, &cause});
    syc_host_task_finish(taken, SYC_E_KERNEL);
    CHECK_OK(syc_command_wait(dependent, 30 * SECOND));
    CHECK(none_is_ready());
    CHECK_STRING(syc_failure_detail(syc_command_failure(task)).message, "the task said no");
    CHECK(syc_failure_detail(syc_command_failure(task)).cause == &cause);
    CHECK(
        text_has(syc_failure_detail(syc_command_failure(dependent)).message, "scene.py:500, failed: the task said no"));
    CHECK(syc_failure_detail(syc_command_failure(dependent)).cause == NULL);
    drop_error(queue, &error);
    CHECK(syc_failure_detail(error.failure).cause == &cause);
    finish(task);
    CHECK_EQUAL(causes_let_go, 0); /* the list's copy shares it */
    free_error(&error);
    CHECK_EQUAL(causes_let_go, 1);
    drop_error(queue, &error);
    free_error(&error);
    CHECK(!syc_queue_take_error(queue, &error));
    finish(dependent);
    close_queue(queue);
    close_scene();
}

static syc_buffer *new_buffer(cl_uint *data, size_t bytes)
{
    syc_host_array span = {.data = (char *)data, .bytes = bytes, .writable = true, .alignment = 4, .packed = true};
    syc_buffer *buffer = NULL;
    CHECK_OK(syc_buffer_create(&(syc_buffer_source){.bytes = bytes, .array = &span, .in_place = true}, &buffer));
    return buffer;
}

/* A kernel writes a buffer, a host task reads it at the host, a kernel may write it again only then. */
static void buffers_come_to_the_host(void)
{
    enum { N = 64 };
    syc_queue *queue;
    syc_buffer *buffer;
    syc_command *writer, *task, *again, *taken;
    cl_uint data[N];
    const syc_signatures *all;
    syc_need write = {.bytes = sizeof data, .write = true},
             read = {.bytes = sizeof data, .keep = true, .at_host = true};
    syc_argument argument = {.kind = SYC_ARGUMENT_BUFFER, .size = sizeof data, .buffer = {.alignment = 4}};
    syc_task fill = {.ops = &syc_launch_ops, .needs = &write, .need_count = 1};

    open_scene();
    memset(data, 0xff, sizeof data);
    all = syc_program_signatures(program);
    queue = new_queue(false);
    write.buffer = read.buffer = buffer = new_buffer(data, sizeof data);
    fill.launch = (syc_launch){.program = program,
                               .kernel = (size_t)(syc_signatures_find(all, "fill_ids") - all->items),
                               .geometry = {.dims = 1, .global = {N, 1, 1}, .local = {1, 1, 1}, .cost_ns = UINT64_MAX},
                               .arguments = &argument,
                               .argument_count = 1};
    CHECK_OK(syc_queue_submit(queue, &fill, NULL, 0, (syc_keep){0}, (syc_site){0}, &writer));
    CHECK_OK(submit_host(queue, &read, 1, NULL, 0, NULL, &task));
    CHECK_OK(syc_queue_submit(queue, &fill, NULL, 0, (syc_keep){0}, (syc_site){0}, &again));
    taken = take(NULL);
    for (cl_uint i = 0; i < N; i++)
        CHECK_EQUAL(((cl_uint *)syc_buffer_address(buffer, SYC_PLACE_HOST, 0))[i], i);
    CHECK_STATUS(syc_command_wait(again, 20 * MS), SYC_TIMEOUT);
    syc_host_task_finish(taken, SYC_OK);
    finish(writer);
    finish(task);
    finish(again);
    close_queue(queue);
    syc_buffer_release(buffer);
    close_scene();
}

/* For interop: the memory object of what the task needs at the device, and of nothing else. */
static void memory_objects(void)
{
    enum { N = 1024 };
    syc_queue *queue;
    syc_buffer *buffer, *other;
    syc_command *task, *taken;
    static cl_uint data[N], more[N];
    cl_mem memory = NULL;
    size_t bytes = 0;
    syc_need need = {.bytes = sizeof data, .write = true, .keep = true};

    open_scene();
    queue = new_queue(false);
    need.buffer = buffer = new_buffer(data, sizeof data);
    other = new_buffer(more, sizeof more);
    CHECK_OK(submit_host(queue, &need, 1, NULL, 0, NULL, &task));
    taken = take(NULL);
    CHECK_OK(syc_host_task_memory(taken, buffer, 0, sizeof data, &memory));
    CHECK_EQUAL(syc_context_cl(context)->GetMemObjectInfo(memory, CL_MEM_SIZE, sizeof bytes, &bytes, NULL), 0);
    CHECK_EQUAL(bytes, sizeof data);
    CHECK_STATUS(syc_host_task_memory(taken, other, 0, sizeof more, &memory), SYC_E_INVALID_OBJECT);
    CHECK_STATUS(syc_host_task_memory(taken, buffer, 0, sizeof data + 1, &memory), SYC_E_INVALID_OBJECT);
    syc_host_task_finish(taken, SYC_OK);
    finish(task);
    close_queue(queue);
    syc_buffer_release(buffer);
    syc_buffer_release(other);
    close_scene();
}

static void *late_worker(void *unused)
{
    syc_command *command;
    void *payload;
    syc_sleep_ns(50 * MS);
    CHECK_OK(syc_host_task_take(SECOND, &command, &payload));
    syc_sleep_ns(50 * MS);
    syc_host_task_finish(command, SYC_OK);
    CHECK_STATUS(syc_host_task_take(30 * SECOND, &command, &payload), SYC_E_CLOSED); /* woken, not timed out */
    return unused;
}

/* The end of the process waits for them, and ends those that never ran. */
static void the_end(void)
{
    syc_queue *queue;
    syc_command *first, *never, *command;
    syc_async_error error;
    pthread_t worker;
    void *payload;
    char *words = NULL;

    open_scene();
    queue = new_queue(false);
    first = host(queue, NULL, 0, NULL);
    pthread_create(&worker, NULL, late_worker, NULL);
    CHECK_EQUAL(syc_schedule_drain(30 * SECOND, &words), 0);
    syc_free(words);
    CHECK(syc_command_ended(first));
    syc_sleep_ns(20 * MS);
    syc_schedule_close(1000000000);
    pthread_join(worker, NULL);
    CHECK_STATUS(syc_host_task_take(30 * SECOND, &command, &payload), SYC_E_CLOSED);
    CHECK_STATUS(submit_host(queue, NULL, 0, NULL, 0, NULL, &never), SYC_E_CLOSED);
    CHECK(!syc_queue_take_error(queue, &error));
    finish(first);
    close_queue(queue);
    close_scene();
}

static void what_never_ran(void)
{
    syc_queue *queue;
    syc_command *task;
    syc_async_error error;
    char *words = NULL;

    open_scene();
    queue = new_queue(false);
    task = host(queue, NULL, 0, NULL);
    CHECK_EQUAL(syc_schedule_drain(20 * MS, &words), 1);
    CHECK(text_has(words, "scene.py:500"));
    CHECK(text_has(words, "host task"));
    syc_free(words);
    syc_schedule_close(1000000000);
    CHECK(syc_command_ended(task));
    CHECK_EQUAL(syc_failure_detail(syc_command_failure(task)).status, SYC_E_CLOSED);
    while (syc_queue_take_error(queue, &error))
        free_error(&error);
    finish(task);
    syc_queue_release(queue);
    close_scene();
}

int main(void)
{
    FIND_FAKE_DRIVER;
    ON_EVERY_DEVICE(runs_in_its_place);
    CHILD(SHARING, in_order_of_submission);
    CHILD(UNKNOWN, in_order_of_submission);
    CHILD(SHARING, each_once);
    CHILD(SHARING, failures);
    ON_EVERY_DEVICE(buffers_come_to_the_host);
    ON_EVERY_DEVICE(memory_objects);
    CHILD(SHARING, the_end);
    CHILD(SHARING, what_never_ran);
    return CHECK_EXIT_CODE;
}
