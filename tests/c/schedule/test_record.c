/* Recordings: what is recorded does not run, and a replay does what the same submissions would have done. */
#include "recordings.h"

/* -- nothing runs while it is recorded -- */

static void records_and_replays(void)
{
    cl_uint log[8] = {0};
    syc_queue *queue;
    syc_recording *recording;
    size_t count;

    open_scene();
    queue = new_queue(false);
    recording = begin(queue);
    for (cl_uint i = 1; i <= 3; i++)
        syc_command_release(note(queue, log, 8, i * 10));
    CHECK_EQUAL(syc_queue_pending(queue), 0);
    CHECK_OK(syc_recording_end(recording));
    CHECK(!syc_queue_is_recorded(queue));
    CHECK_EQUAL(log[0], 0);
    CHECK_EQUAL(syc_recording_count(recording), 3);
    CHECK_STRING(syc_recording_command(recording, 2).name, "order");
    CHECK_EQUAL(syc_recording_after(recording, 2, &count)[0], 1);
    CHECK_EQUAL(count, 1);
    finish(replay(recording));
    CHECK_EQUAL(log[0], 3);
    CHECK_EQUAL(log[1], 10);
    CHECK_EQUAL(log[3], 30);
    finish(replay(recording));
    CHECK_EQUAL(log[0], 6);
    CHECK_EQUAL(log[6], 30);
    syc_recording_release(recording);
    close_queue(queue);
    close_scene();
}

/* On the calling thread, where there is a lane for it and the commands are small. */
static void runs_on_the_calling_thread(void)
{
    cl_uint log[102] = {0};
    syc_queue *queue;
    syc_recording *recording;
    syc_command *command;

    open_scene();
    queue = new_queue(false);
    scene_cost = 1500;
    recording = begin(queue);
    for (cl_uint i = 0; i < 100; i++)
        syc_command_release(note(queue, log, 102, i));
    CHECK_OK(syc_recording_end(recording));
    command = replay(recording);
    CHECK(syc_command_ended(command));
    CHECK_EQUAL(log[0], 100);
    for (cl_uint i = 0; i < 100; i++)
        CHECK_EQUAL(log[1 + i], i);
    syc_command_release(command);
    syc_recording_release(recording);
    recording = begin(queue);
    scene_cost = 10000; /* a hundred of them are too much for a submission */
    for (cl_uint i = 0; i < 100; i++)
        syc_command_release(note(queue, log, 102, i));
    CHECK_OK(syc_recording_end(recording));
    log[0] = 0;
    fake_hold(1);
    command = replay(recording);
    CHECK(!syc_command_ended(command));
    fake_hold(0);
    finish(command);
    CHECK_EQUAL(log[0], 100);
    syc_recording_release(recording);
    close_queue(queue);
    close_scene();
}

/* -- the same as submissions -- */

enum { BUFFERS = 3, ARRAYS = 2, CELLS = 64, COMMANDS = 40 };

struct memory {
    cl_uint data[BUFFERS][CELLS], arrays[ARRAYS][CELLS];
    syc_buffer *buffers[BUFFERS];
};

static void set_up(struct memory *m)
{
    for (size_t i = 0; i < BUFFERS; i++)
        m->buffers[i] = filled(m->data[i], CELLS, (cl_uint)i * 1000);
    for (size_t i = 0; i < ARRAYS * CELLS; i++)
        m->arrays[i / CELLS][i % CELLS] = 7 * (cl_uint)i;
}

static void copy_part(syc_queue *queue, syc_buffer *to, size_t to_low, syc_buffer *from, size_t from_low, size_t count)
{
    syc_need needs[] = {need(to, to_low, count, true, false), need(from, from_low, count, false, true)};
    syc_task task = {.ops = &syc_copy_ops,
                     .needs = needs,
                     .need_count = 2,
                     .copy = {.to = {.kind = SYC_SIDE_BUFFER, .need = 0, .bytes = count * 4},
                              .from = {.kind = SYC_SIDE_BUFFER, .need = 1, .bytes = count * 4}}};
    syc_command *command = NULL;
    task.copy.to.box = syc_box_run(to_low * 4, count * 4);
    task.copy.from.box = syc_box_run(from_low * 4, count * 4);
    CHECK_OK(syc_queue_submit(queue, &task, NULL, 0, (syc_keep){0}, (syc_site){"scene.py", 500, NULL}, &command));
    syc_command_release(command);
}

static void fill_part(syc_queue *queue, syc_buffer *to, size_t low, size_t count, cl_uint pattern)
{
    syc_need needs[] = {need(to, low, count, true, false)};
    syc_task task = {.ops = &syc_fill_ops,
                     .needs = needs,
                     .need_count = 1,
                     .fill = {.to = {.kind = SYC_SIDE_BUFFER, .need = 0, .bytes = count * 4},
                              .pattern = &pattern,
                              .pattern_size = 4}};
    syc_command *command = NULL;
    task.fill.to.box = syc_box_run(low * 4, count * 4);
    CHECK_OK(syc_queue_submit(queue, &task, NULL, 0, (syc_keep){0}, (syc_site){"scene.py", 510, NULL}, &command));
    syc_command_release(command);
}

/* Parts that begin at any element: on devices with memory of their own copies stand in for most of them. */
static void one_of(syc_queue *queue, struct memory *m, uint64_t *seed)
{
    size_t count = 1 + next_random(seed) % (CELLS / 2), low = next_random(seed) % (CELLS / 2);
    size_t other_low = next_random(seed) % (CELLS / 2);
    syc_buffer *a = m->buffers[next_random(seed) % BUFFERS], *b = m->buffers[next_random(seed) % BUFFERS];
    size_t array = next_random(seed) % ARRAYS;

    switch (next_random(seed) % 6) {
    case 0:
        syc_command_release(bump(queue, a, low, count));
        break;
    case 1:
        if (a != b)
            syc_command_release(mirror(queue, a, low, b, other_low, count));
        break;
    case 2:
        if (a != b)
            copy_part(queue, a, low, b, other_low, count);
        break;
    case 3:
        fill_part(queue, a, low, count, next_random(seed));
        break;
    case 4:
        syc_command_release(empty(queue, NULL, 0));
        break;
    default:
        syc_command_release(churn(queue, m->arrays[array], m->arrays[1 - array], CELLS, next_random(seed)));
    }
}

static void same_as_submitted(uint64_t seed, bool in_order)
{
    struct memory *eager = calloc(1, sizeof *eager), *recorded = calloc(1, sizeof *recorded);
    syc_queue *queue = new_queue(in_order);
    syc_recording *recording;
    enum { ROUNDS = 3 };

    set_up(eager);
    set_up(recorded);
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t same = seed;
        for (int i = 0; i < COMMANDS; i++)
            one_of(queue, eager, &same);
    }
    recording = begin(queue);
    for (int i = 0; i < COMMANDS; i++)
        one_of(queue, recorded, &seed);
    CHECK_OK(syc_recording_end(recording));
    for (int round = 0; round < ROUNDS; round++) /* without a wait between them */
        syc_command_release(replay(recording));
    syc_recording_release(recording);
    close_queue(queue);
    for (size_t i = 0; i < BUFFERS; i++) {
        drop(eager->buffers[i]);
        drop(recorded->buffers[i]);
    }
    CHECK(memcmp(eager->data, recorded->data, sizeof eager->data) == 0);
    CHECK(memcmp(eager->arrays, recorded->arrays, sizeof eager->arrays) == 0);
    free(eager);
    free(recorded);
}

static void random_programs(void)
{
    open_scene();
    for (uint64_t seed = 1; seed <= 30; seed++)
        same_as_submitted(seed, seed % 3 == 0);
    scene_cost = 1000;
    for (uint64_t seed = 31; seed <= 40; seed++)
        same_as_submitted(seed, seed % 3 == 0);
    close_scene();
}

/* -- order inside and around -- */

static void named_events(void)
{
    cl_uint a = 0, b = 0;
    syc_queue *queue, *other;
    syc_recording *recording;
    syc_command *first, *second = NULL, *third = NULL, *outer, *command;
    syc_argument arguments[2];
    cl_uint ms = 1;
    size_t count;

    open_scene();
    queue = new_queue(false);
    other = new_queue(false);
    fake_hold(1);
    outer = slow(other, &b, 1);
    recording = begin(queue);
    first = slow(queue, &a, 1);
    arguments[0] = array(&b, 4, true);
    arguments[1] = value(&ms);
    CHECK_OK(submit(queue, "slow", arguments, 2, 1, 600, &first, 1, &second));
    CHECK_OK(submit(queue, "slow", arguments, 2, 1, 601, &outer, 1, &third));
    CHECK_EQUAL(syc_command_wait(first, 0), SYC_E_INVALID);
    CHECK(text_has(syc_detail_of(SYC_E_INVALID).message, "wait: the event stands for a command that was recorded"));
    CHECK_EQUAL(submit(other, "slow", arguments, 2, 1, 602, &first, 1, &command), SYC_E_INVALID);
    CHECK(
        text_has(syc_detail_of(SYC_E_INVALID).message, "depends_on: the event stands for a command that was recorded"));
    CHECK_OK(syc_recording_end(recording));
    CHECK_EQUAL(syc_recording_after(recording, 1, &count)[0], 0);
    CHECK_EQUAL(count, 1);
    command = replay(recording);
    CHECK_EQUAL(syc_command_wait(command, 20 * MS), SYC_TIMEOUT); /* for what was named outside */
    fake_hold(0);
    finish(command);
    CHECK_EQUAL(a, 1);
    CHECK_EQUAL(b, 3);
    finish(outer);
    finish(replay(recording)); /* that has ended */
    CHECK_EQUAL(b, 5);
    syc_command_release(first);
    syc_command_release(second);
    syc_command_release(third);
    syc_recording_release(recording);
    close_queue(queue);
    close_queue(other);
    close_scene();
}

/* -- threads -- */

enum { THREADS = 4, EACH = 50 };

static void *replay_often(void *recording)
{
    for (int i = 0; i < EACH; i++)
        finish(replay(recording));
    return NULL;
}

static void replays_from_threads(void)
{
    cl_uint data[16];
    syc_queue *queue;
    syc_recording *recording;
    syc_buffer *buffer;
    pthread_t threads[THREADS];

    open_scene();
    queue = new_queue(false);
    buffer = filled(data, 16, 0);
    scene_cost = 1000;
    recording = begin(queue);
    for (int i = 0; i < 3; i++)
        syc_command_release(bump(queue, buffer, 0, 16));
    CHECK_OK(syc_recording_end(recording));
    for (int i = 0; i < THREADS; i++)
        CHECK_EQUAL(pthread_create(&threads[i], NULL, replay_often, recording), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    syc_recording_release(recording);
    CHECK_EQUAL(element(buffer, 2), 2 + 3 * THREADS * EACH);
    close_queue(queue);
    drop(buffer);
    close_scene();
}

int main(void)
{
    FIND_FAKE_DRIVER;
    ON_EVERY_DEVICE(records_and_replays);
    CHILD(LANES, runs_on_the_calling_thread);
    ON_EVERY_DEVICE(random_programs);
    ON_EVERY_DEVICE(named_events);
    ON_EVERY_DEVICE(replays_from_threads);
    return CHECK_EXIT_CODE;
}
