/* Replays: other arguments, what cannot be recorded, failures that name the recorded command, and nothing left. */
#include "recordings.h"

/* -- other arguments -- */

static void other_arguments(void)
{
    cl_uint x[16] = {0}, y[16] = {0}, a = 1, n = 16, b = 100;
    syc_replacement changes[2];
    syc_queue *queue;
    syc_recording *recording;
    syc_command *command;
    syc_buffer *first, *second, *twin;
    cl_uint data[3][16];

    open_scene();
    queue = new_queue(false);
    recording = begin(queue);
    syc_command_release(churn(queue, y, x, n, a)); /* y = 31 y + x + a */
    CHECK_OK(syc_recording_end(recording));
    changes[0] = (syc_replacement){.command = 0, .argument = 2, .value = value(&b)};
    CHECK_OK(replay_with(recording, changes, 1, &command));
    finish(command);
    CHECK_EQUAL(y[3], 100);
    finish(replay(recording)); /* as it was recorded again */
    CHECK_EQUAL(y[3], 3101);
    changes[0] = (syc_replacement){.command = 0, .argument = 0, .value = array(x, 64, true)};
    changes[1] = (syc_replacement){.command = 0, .argument = 1, .value = array(y, 64, false)};
    CHECK_OK(replay_with(recording, changes, 2, &command));
    finish(command);
    CHECK_EQUAL(x[3], 3102);
    CHECK_EQUAL(y[3], 3101);
    syc_recording_release(recording);

    for (int i = 0; i < 3; i++)
        memset(data[i], 0, sizeof data[i]);
    first = filled(data[0], 16, 0);
    second = filled(data[1], 16, 0);
    twin = filled(data[2], 16, 50);
    recording = begin(queue);
    syc_command_release(bump(queue, first, 0, 16));
    syc_command_release(bump(queue, second, 0, 16));
    syc_command_release(mirror(queue, first, 0, second, 0, 16));
    CHECK_OK(syc_recording_end(recording));
    /* What the second and third command use is another buffer: the first's. Their order was not needed when they were
     * recorded, and is now. */
    changes[0] = (syc_replacement){.command = 1, .argument = 0};
    changes[0].need = need(first, 0, 16, true, true);
    changes[0].value = part(0, &changes[0].need);
    CHECK_OK(replay_with(recording, changes, 1, &command));
    finish(command);
    CHECK_EQUAL(element(first, 5), 5);
    CHECK_EQUAL(element(second, 5), 5);
    /* The second buffer everywhere is another one. */
    changes[0].need = need(twin, 0, 16, true, true);
    changes[0].value = part(0, &changes[0].need);
    changes[1] = (syc_replacement){.command = 2, .argument = 1};
    changes[1].need = need(twin, 0, 16, false, true);
    changes[1].value = part(0, &changes[1].need);
    CHECK_OK(replay_with(recording, changes, 2, &command));
    finish(command);
    CHECK_EQUAL(element(first, 5), 56);
    CHECK_EQUAL(element(second, 5), 5);
    CHECK_EQUAL(element(twin, 5), 56);
    /* What was replaced everywhere may be gone. */
    drop(second);
    CHECK_OK(replay_with(recording, changes, 2, &command));
    finish(command);
    CHECK_EQUAL(element(first, 5), 57);
    syc_recording_release(recording);
    drop(first);
    drop(twin);
    close_queue(queue);
    close_scene();
}

/* -- what cannot be -- */

static void *end_elsewhere(void *recording)
{
    CHECK_EQUAL(syc_recording_end(recording), SYC_E_INVALID);
    return NULL;
}

static void refusals(void)
{
    cl_uint x[4] = {0}, y[4] = {0};
    syc_queue *queue, *other;
    syc_recording *recording, *nested = NULL;
    syc_command *command = NULL;
    syc_task host = {.ops = &syc_host_task_ops}, copy = {.ops = &syc_copy_ops};
    syc_buffer *buffer;
    syc_replay *made = NULL;
    cl_uint data[4];
    pthread_t thread;

    open_scene();
    queue = new_queue(false);
    other = new_queue(false);
    buffer = filled(data, 4, 0);
    recording = begin(queue);
    CHECK_EQUAL(syc_recording_begin(queue, &nested), SYC_E_INVALID);
    CHECK(text_has(syc_detail_of(SYC_E_INVALID).message, "this thread records the queue already"));
    CHECK_EQUAL(syc_recording_begin(other, &nested), SYC_E_INVALID);
    CHECK(text_has(syc_detail_of(SYC_E_INVALID).message, "this thread records another queue already"));
    CHECK_EQUAL(syc_queue_submit(queue, &host, NULL, 0, (syc_keep){0}, (syc_site){0}, &command), SYC_E_INVALID);
    CHECK(text_has(syc_detail_of(SYC_E_INVALID).message, "a host task cannot be recorded"));
    copy.copy.to = (syc_side){.kind = SYC_SIDE_ARRAY, .array = array(x, 16, true).span, .bytes = 16};
    copy.copy.from = (syc_side){.kind = SYC_SIDE_ARRAY, .array = array(y, 16, false).span, .bytes = 16};
    CHECK_EQUAL(syc_queue_submit(queue, &copy, NULL, 0, (syc_keep){0}, (syc_site){0}, &command), SYC_E_INVALID);
    CHECK(text_has(syc_detail_of(SYC_E_INVALID).message, "a copy from one host array to another, or a fill"));
    syc_command_release(bump(queue, buffer, 0, 4));
    CHECK(syc_recording_uses(buffer));
    CHECK_EQUAL(syc_replay_create(recording, NULL, 0, &made), SYC_E_INVALID);
    CHECK(text_has(syc_detail_of(SYC_E_INVALID).message, "the recording has not ended"));
    finish(slow(other, x, 1)); /* another queue runs what it gets */
    CHECK_EQUAL(x[0], 1);
    CHECK_OK(syc_recording_end(recording));
    CHECK_EQUAL(syc_recording_end(recording), SYC_E_INVALID);
    drop(buffer); /* by its user: a recording does not keep it open */
    CHECK_EQUAL(syc_replay_create(recording, NULL, 0, &made), SYC_E_INVALID_OBJECT);
    CHECK(text_has(syc_detail_of(SYC_E_INVALID_OBJECT).message,
                   "has been closed, and the kernel recorded at scene.py:400 uses it"));
    syc_recording_release(recording);
    recording = begin(queue);
    syc_command_release(slow(queue, x, 1));
    syc_recording_discard(recording);
    CHECK(!syc_queue_is_recorded(queue));
    CHECK_EQUAL(syc_replay_create(recording, NULL, 0, &made), SYC_E_INVALID);
    CHECK(text_has(syc_detail_of(SYC_E_INVALID).message, "the recording was given up"));
    syc_recording_release(recording);
    recording = begin(queue);
    CHECK_EQUAL(pthread_create(&thread, NULL, end_elsewhere, recording), 0);
    pthread_join(thread, NULL);
    CHECK(!syc_queue_is_recorded(queue));
    syc_recording_release(recording);
    close_queue(queue);
    close_queue(other);
    close_scene();
}

/* A staged array would be packed at the beginning and unpacked at the end. */
static void misaligned_arrays(void)
{
    char bytes[64] = {0};
    cl_uint two = 2;
    syc_queue *queue;
    syc_recording *recording;
    syc_argument arguments[] = {array(bytes + 1, 16, true), value(&two)};
    syc_argument shifted[] = {array(bytes + 5, 16, true), value(&two)};
    syc_command *command = NULL;

    open_scene();
    queue = new_queue(false);
    recording = begin(queue);
    CHECK_OK(submit(queue, "bump", arguments, 2, 2, 700, NULL, 0, &command));
    syc_command_release(command);
    CHECK_OK(submit(queue, "bump", arguments, 2, 2, 701, NULL, 0, &command));
    syc_command_release(command);
    CHECK_OK(syc_recording_end(recording));
    finish(replay(recording));
    CHECK_EQUAL(bytes[1], 2);
    CHECK_EQUAL(bytes[5], 2);
    CHECK_EQUAL(bytes[9], 0);
    syc_recording_release(recording);
    recording = begin(queue);
    CHECK_OK(submit(queue, "bump", arguments, 2, 2, 702, NULL, 0, &command));
    syc_command_release(command);
    CHECK_OK(submit(queue, "bump", shifted, 2, 2, 703, NULL, 0, &command));
    syc_command_release(command);
    CHECK_EQUAL(syc_recording_end(recording), SYC_E_INVALID);
    CHECK(text_has(syc_detail_of(SYC_E_INVALID).message,
                   "the kernel recorded at scene.py:702 and the kernel recorded at scene.py:703 use one host array"));
    syc_recording_release(recording);
    close_queue(queue);
    close_scene();
}

/* -- failures -- */

static void failures_name_the_command(void)
{
    cl_uint x = 0, y = 0;
    syc_queue *queue;
    syc_recording *recording;
    syc_command *command;
    syc_async_error error;

    open_scene();
    queue = new_queue(false);
    recording = begin(queue);
    syc_command_release(slow(queue, &x, 1));
    syc_command_release(failing(queue, &x, 801));
    syc_command_release(slow(queue, &y, 1));
    CHECK_OK(syc_recording_end(recording));
    command = replay(recording);
    CHECK_OK(syc_command_wait(command, 30 * SECOND));
    CHECK(syc_command_failure(command) != NULL);
    drop_error(queue, &error);
    CHECK_STRING(error.site, "scene.py:801");
    CHECK(text_has(syc_failure_detail(error.failure).message, "'fail' failed while it ran on"));
    CHECK(text_has(syc_failure_detail(error.failure).message, "replayed at replay.py:9"));
    CHECK_EQUAL(syc_failure_detail(error.failure).cl_code, CL_OUT_OF_RESOURCES);
    free_error(&error);
    syc_command_release(command);
    syc_recording_release(recording);
    close_queue(queue);
    close_scene();
}

static void calls_that_fail(void)
{
    cl_uint x = 0;
    syc_queue *queue;
    syc_recording *recording;
    syc_command *command = NULL;
    syc_status refused;

    open_scene();
    refused =
        device->facts->understates_groups ? SYC_E_KERNEL_NOT_SUPPORTED : SYC_E_RUNTIME; /* as a launch: of one item */
    queue = new_queue(false);
    CHECK_OK(syc_fault_install(device->platform->driver));
    recording = begin(queue);
    for (int i = 0; i < 3; i++)
        syc_command_release(slow(queue, &x, 1));
    CHECK_OK(syc_recording_end(recording));
    CHECK_OK(syc_fault_arm("EnqueueNDRangeKernel", 2, CL_OUT_OF_RESOURCES));
    CHECK_EQUAL(replay_with(recording, NULL, 0, &command), refused);
    CHECK(text_has(syc_detail_of(refused).message,
                   "command 1 of the recording, 'slow', submitted at scene.py:100: clEnqueueNDRangeKernel failed"));
    x = 0;
    finish(replay(recording));
    CHECK_EQUAL(x, 3);
    syc_recording_release(recording);
    close_queue(queue);
    CHECK_OK(syc_fault_install(NULL));
    close_scene();
}

/* Every allocation on the way fails once. */
static void without_memory(void)
{
    cl_uint data[64];
    syc_buffer *buffer;
    syc_queue *queue;
    long failed = 0;
    bool whole = false;

    open_scene();
    queue = new_queue(false);
    buffer = filled(data, 64, 0);
    for (long nth = 1; nth < 500 && !whole; nth++) {
        cl_uint n = 16;
        syc_recording *recording = NULL;
        syc_command *command = NULL;
        syc_need needs[] = {need(buffer, 1, 16, true, true)};
        syc_argument arguments[] = {part(0, needs), value(&n)};
        syc_status status;
        syc_alloc_fail_at(nth);
        status = syc_recording_begin(queue, &recording);
        for (int i = 0; i < 2 && status == SYC_OK; i++) {
            status = submit_with(queue, "bump", needs, 1, arguments, 2, 16, 900, &command);
            if (status == SYC_OK)
                syc_command_release(command);
        }
        if (status == SYC_OK)
            status = syc_recording_end(recording);
        if (status == SYC_OK)
            status = replay_with(recording, NULL, 0, &command);
        if (status == SYC_OK)
            finish(command);
        else
            CHECK_EQUAL(status, SYC_E_MEMORY_ALLOCATION);
        syc_alloc_fail_at(0);
        whole = status == SYC_OK;
        failed += !whole;
        if (recording != NULL)
            syc_recording_discard(recording);
        syc_recording_release(recording);
        CHECK(!syc_queue_is_recorded(queue));
    }
    CHECK(whole);
    CHECK(failed > 10);
    close_queue(queue);
    drop(buffer);
    close_scene();
}

int main(void)
{
    FIND_FAKE_DRIVER;
    ON_EVERY_DEVICE(other_arguments);
    ON_EVERY_DEVICE(refusals);
    ON_EVERY_DEVICE(misaligned_arrays);
    ON_EVERY_DEVICE(failures_name_the_command);
    ON_EVERY_DEVICE(calls_that_fail);
    CHILD(SHARING, without_memory);
    CHILD(COPYING, without_memory);
    return CHECK_EXIT_CODE;
}
