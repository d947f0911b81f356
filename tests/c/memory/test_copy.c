/* Explicit copies and fills between buffers, host arrays of any layout and shared memory, against plain loops. */
#include "buffers.h"

#include "memory/strided_copy.h"
#include "memory/usm/usm.h"

enum { ROOM = 1200, BUFFERS = 2, ARRAYS = 2, POINTERS = 2, MEMORIES = BUFFERS + ARRAYS + POINTERS, STEPS = 150 };

#define SHARING_SVM SHARING "FAKE_SVM=fine;"
#define COPYING_SVM COPYING "FAKE_SVM=coarse;"
#define COPYING_USM COPYING "FAKE_INTEL_USM=1;"

/* What each memory holds, and what it should hold. */
static unsigned char model[MEMORIES][ROOM], arrays[ARRAYS][ROOM];
static syc_buffer *buffers[BUFFERS];
static syc_usm *allocations[POINTERS];
static size_t pointer_count; /* 0 where the device has no shared memory */
static uint64_t seed;

static size_t random_below(size_t limit)
{
    return next_random(&seed) % limit;
}

/* -- sides -- */

/* A side, where its bytes lie in the memory, and the layout of a span. */
struct end {
    size_t memory;
    syc_side side;
    size_t places[ROOM];
    ptrdiff_t shape[3], strides[3];
};

static void random_extents(size_t bytes, size_t extent[3])
{
    for (int d = 0; d < 2; d++) {
        do
            extent[d] = 1 + random_below(bytes);
        while (bytes % extent[d] != 0);
        bytes /= extent[d];
    }
    extent[2] = bytes;
}

static void at_buffer(struct end *e, size_t bytes)
{
    syc_box *box = &e->side.box;
    e->side.kind = SYC_SIDE_BUFFER;
    random_extents(bytes, box->extent);
    box->pitch[0] = box->extent[0] + random_below(3) * random_below(4);
    box->pitch[1] = box->pitch[0] * (box->extent[1] + random_below(2));
    if (syc_box_end(box) > ROOM)
        *box = syc_box_run(0, bytes);
    box->origin = random_below(ROOM - syc_box_end(box) + 1);
    for (size_t n = 0; n < bytes; n++) {
        size_t row = n / box->extent[0];
        e->places[n] = box->origin + n % box->extent[0] + row % box->extent[1] * box->pitch[0] +
                       row / box->extent[1] * box->pitch[1];
    }
}

/* Strides of any order and sign, none of them sharing elements. */
static void at_array(struct end *e, size_t bytes)
{
    size_t extent[3], item = bytes % 4 == 0 && random_below(2) ? 4 : 1, reach = item, first = 0;
    unsigned order = (unsigned)random_below(6);
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

    random_extents(bytes / item, extent);
    for (int i = 0; i < 3; i++) { /* from the smallest stride on */
        int d = orders[order][i];
        size_t stride = reach + (random_below(3) == 0 ? random_below(3) : 0);
        e->shape[d] = (ptrdiff_t)extent[d];
        e->strides[d] = (ptrdiff_t)stride;
        reach = stride * extent[d];
        if (random_below(4) == 0) {
            first += stride * (extent[d] - 1);
            e->strides[d] = -e->strides[d];
        }
    }
    e->side.kind = SYC_SIDE_ARRAY;
    e->side.array = (syc_host_array){.bytes = bytes, .writable = true, .alignment = 1, .rank = 3, .item_size = item};
    if (reach > ROOM || random_below(3) == 0) {
        e->side.array.packed = true;
        first = random_below(ROOM - bytes + 1);
    }
    e->side.array.data = (char *)arrays[e->memory - BUFFERS] + first;
    for (size_t n = 0; n < bytes; n++) {
        size_t rest = n / item;
        e->places[n] = first + n % item;
        for (int d = 2; d >= 0 && !e->side.array.packed; rest /= extent[d--])
            e->places[n] += (rest % extent[d]) * (size_t)e->strides[d];
        if (e->side.array.packed)
            e->places[n] = first + n;
    }
}

static void at_pointer(struct end *e, size_t bytes)
{
    size_t low = random_below(ROOM - bytes + 1);
    e->side.kind = SYC_SIDE_POINTER;
    e->side.pointer = allocations[e->memory - BUFFERS - ARRAYS]->data + low;
    for (size_t n = 0; n < bytes; n++)
        e->places[n] = low + n;
}

static void random_end(struct end *e, size_t memory, size_t bytes)
{
    e->memory = memory;
    e->side = (syc_side){.bytes = bytes};
    if (memory < BUFFERS)
        at_buffer(e, bytes);
    else if (memory < BUFFERS + ARRAYS)
        at_array(e, bytes);
    else
        at_pointer(e, bytes);
    e->side.array.shape = e->shape;
    e->side.array.strides = e->strides;
    e->side.bytes = bytes;
}

/* -- tasks -- */

/* Needs and allocations of up to two ends. */
struct uses {
    syc_need needs[2];
    syc_usm *allocations[2];
    size_t need_count, allocation_count;
};

static void use(struct uses *uses, struct end *e, bool write)
{
    if (e->memory < BUFFERS) {
        e->side.need = uses->need_count;
        uses->needs[uses->need_count++] =
            (syc_need){.buffer = buffers[e->memory], .bytes = ROOM, .write = write, .keep = true};
    }
    if (e->memory >= BUFFERS + ARRAYS)
        uses->allocations[uses->allocation_count++] = allocations[e->memory - BUFFERS - ARRAYS];
}

static syc_status submit_task(syc_queue *queue, syc_task *task, const struct uses *uses, syc_command **last)
{
    syc_command *command = NULL;
    syc_status status;
    task->needs = uses->needs;
    task->need_count = uses->need_count;
    task->allocations = uses->allocations;
    task->allocation_count = uses->allocation_count;
    status =
        syc_queue_submit(queue, task, last, *last != NULL, (syc_keep){0}, (syc_site){"copy.py", 1, NULL}, &command);
    if (status != SYC_OK)
        return status;
    syc_command_release(*last);
    *last = command;
    return SYC_OK;
}

/* Bytes are read before any is written. */
static void copy_model(const struct end *to, const struct end *from)
{
    unsigned char bytes[ROOM];
    for (size_t n = 0; n < to->side.bytes; n++)
        bytes[n] = model[from->memory][from->places[n]];
    for (size_t n = 0; n < to->side.bytes; n++)
        model[to->memory][to->places[n]] = bytes[n];
}

static syc_status random_copy(syc_queue *queue, struct end *to, struct end *from, syc_command **last)
{
    size_t bytes = 1 + random_below(ROOM / 3), memories = BUFFERS + ARRAYS + pointer_count;
    struct uses uses = {.need_count = 0};
    syc_task task = {.ops = &syc_copy_ops};
    syc_status status;

    random_end(to, random_below(memories), bytes);
    random_end(from, random_below(memories), bytes);
    use(&uses, to, true);
    use(&uses, from, false);
    task.copy = (syc_copy){.to = to->side, .from = from->side};
    status = submit_task(queue, &task, &uses, last);
    if (status == SYC_OK)
        copy_model(to, from);
    return status;
}

static syc_status random_fill(syc_queue *queue, struct end *to, syc_command **last)
{
    static const size_t sizes[] = {1, 2, 3, 4, 8, 12, 16, 24, 64, 128, 200};
    size_t size = sizes[random_below(sizeof sizes / sizeof *sizes)], bytes = size * (1 + random_below(ROOM / 3 / size));
    size_t memory = random_below(BUFFERS + pointer_count);
    unsigned char pattern[256];
    struct uses uses = {.need_count = 0};
    syc_task task = {.ops = &syc_fill_ops};
    syc_status status;

    for (size_t i = 0, period = 1 + random_below(2 * size); i < size; i++)
        pattern[i] = (unsigned char)(i < period ? random_below(256) : pattern[i - period]);
    random_end(to, memory < BUFFERS ? memory : memory + ARRAYS, bytes);
    use(&uses, to, true);
    task.fill = (syc_fill){.to = to->side, .pattern = pattern, .pattern_size = size};
    status = submit_task(queue, &task, &uses, last);
    for (size_t n = 0; n < bytes && status == SYC_OK; n++)
        model[to->memory][to->places[n]] = pattern[n % size];
    return status;
}

/* -- the whole -- */

static void make_memories(void)
{
    bool has = false;
    for (size_t i = 0; i < BUFFERS; i++) {
        syc_buffer_source source = {.bytes = ROOM};
        CHECK_OK(syc_buffer_create(&source, &buffers[i]));
    }
    CHECK_OK(syc_usm_supported(device, SYC_USM_DEVICE, &has));
    pointer_count = has ? POINTERS : 0;
    for (size_t i = 0; i < pointer_count; i++)
        CHECK_OK(syc_usm_create(context, device, SYC_USM_DEVICE, ROOM, 0, &allocations[i]));
}

static void drop_memories(void)
{
    for (size_t i = 0; i < BUFFERS; i++)
        syc_buffer_release(buffers[i]);
    for (size_t i = 0; i < pointer_count; i++)
        CHECK_OK(syc_usm_free(allocations[i]));
    (void)syc_usm_trim_all();
}

/* All of a memory, either way: model's rows are arrays too. */
static syc_status transfer(syc_queue *queue, size_t memory, unsigned char *array, bool out, syc_command **last)
{
    struct end there = {.memory = memory, .side = {.bytes = ROOM}};
    syc_side here = {.kind = SYC_SIDE_ARRAY,
                     .array = {.data = (char *)array, .bytes = ROOM, .writable = true, .alignment = 1, .packed = true},
                     .bytes = ROOM};
    struct uses uses = {.need_count = 0};
    syc_task task = {.ops = &syc_copy_ops};

    if (memory < BUFFERS) {
        there.side.kind = SYC_SIDE_BUFFER;
        there.side.box = syc_box_run(0, ROOM);
    } else {
        there.side.kind = SYC_SIDE_POINTER;
        there.side.pointer = allocations[memory - BUFFERS - ARRAYS]->data;
    }
    use(&uses, &there, !out);
    task.copy = out ? (syc_copy){.to = here, .from = there.side} : (syc_copy){.to = there.side, .from = here};
    return submit_task(queue, &task, &uses, last);
}

static void begin(syc_queue *queue, syc_command **last)
{
    for (size_t m = 0; m < BUFFERS + ARRAYS + pointer_count; m++) {
        for (size_t i = 0; i < ROOM; i++)
            model[m][i] = (unsigned char)random_below(256);
        if (m >= BUFFERS && m < BUFFERS + ARRAYS)
            memcpy(arrays[m - BUFFERS], model[m], ROOM);
        else
            CHECK_OK(transfer(queue, m, model[m], false, last));
    }
    finish(*last);
    *last = NULL;
}

static void check_memories(syc_queue *queue, syc_command **last)
{
    static unsigned char got[MEMORIES][ROOM];
    for (size_t m = 0; m < BUFFERS + ARRAYS + pointer_count; m++) {
        if (m < BUFFERS || m >= BUFFERS + ARRAYS)
            CHECK_OK(transfer(queue, m, got[m], true, last));
    }
    finish(*last);
    *last = NULL;
    for (size_t m = 0; m < BUFFERS + ARRAYS + pointer_count; m++)
        CHECK(memcmp(m >= BUFFERS && m < BUFFERS + ARRAYS ? arrays[m - BUFFERS] : got[m], model[m], ROOM) == 0);
}

enum pace { EACH, CHAIN, HELD };

static void check_step(int step, const struct end *ends)
{
    if (check__failures != 0)
        fprintf(stderr, "step %d: memory %zu from %zu, %zu bytes\n", step, ends[0].memory, ends[1].memory,
                ends[0].side.bytes);
}

/* HELD: nothing runs until all has been submitted, which therefore must not wait for anything. */
static void random_program(enum pace pace)
{
    static struct end ends[STEPS][2]; /* strides live as long as the command */
    syc_command *last = NULL;
    syc_queue *queue;

    open_scene();
    make_memories();
    queue = new_queue(seed % 2 == 0);
    begin(queue, &last);
    fake_hold(pace == HELD);
    for (int i = 0; i < STEPS && check__failures == 0; i++) {
        CHECK_OK(random_below(4) == 0 ? random_fill(queue, &ends[i][0], &last)
                                      : random_copy(queue, &ends[i][0], &ends[i][1], &last));
        if (pace == EACH || (pace == CHAIN && i % 50 == 49))
            check_memories(queue, &last);
        check_step(i, ends[i]);
    }
    fake_hold(0);
    check_memories(queue, &last);
    drop_memories();
    close_queue(queue);
    close_scene();
}

static void random_steps(void)
{
    seed = 7;
    random_program(EACH);
}

static void random_chain(void)
{
    seed = 8;
    random_program(CHAIN);
}

static void random_chain_in_order(void)
{
    seed = 12;
    random_program(CHAIN);
}

static void held_chain(void)
{
    seed = 10;
    random_program(HELD);
}

static void held_chain_out_of_order(void)
{
    seed = 11;
    random_program(HELD);
}

/* The source may be longer than the destination: its first bytes are copied. */
static void longer_sources(void)
{
    unsigned char got[ROOM];
    syc_command *last = NULL;
    syc_queue *queue;

    seed = 5;
    open_scene();
    make_memories();
    queue = new_queue(false);
    begin(queue, &last);
    for (size_t bytes = 1; bytes <= 60; bytes++) {
        syc_side from = {.box = {10, {5, 4, 3}, {9, 45}}, .need = 0, .bytes = 60};
        syc_side to = {.need = 1, .box = syc_box_run(3, bytes), .bytes = bytes};
        struct uses uses = {.need_count = 2,
                            .needs = {{.buffer = buffers[0], .bytes = ROOM, .keep = true},
                                      {.buffer = buffers[1], .bytes = ROOM, .keep = true, .write = true}}};
        syc_task task = {.ops = &syc_copy_ops, .copy = {.to = to, .from = from}};
        CHECK_OK(submit_task(queue, &task, &uses, &last));
        CHECK_OK(transfer(queue, 1, got, true, &last));
        finish(last);
        last = NULL;
        for (size_t n = 0; n < bytes; n++)
            CHECK_EQUAL(got[3 + n], model[0][10 + n % 5 + n / 5 % 4 * 9 + n / 20 * 45]);
        CHECK_EQUAL(got[3 + bytes], model[1][3 + bytes]);
    }
    drop_memories();
    close_queue(queue);
    close_scene();
}

/* A fill that waits, on a device that gets a limited number of bytes right in one call. */
static void fill_after_copy(void)
{
    cl_uint data[64], out[64];
    const cl_uint seven = 7;
    syc_buffer *buffer;
    syc_queue *queue;
    syc_command *last = NULL;
    syc_task task = {.ops = &syc_fill_ops, .fill = {.pattern = &seven, .pattern_size = 4}};
    struct uses uses = {.need_count = 1};

    open_scene();
    for (cl_uint i = 0; i < 64; i++)
        data[i] = i;
    queue = new_queue(false);
    buffer = wrap(data, 64);
    uses.needs[0] = (syc_need){.buffer = buffer, .bytes = sizeof data, .write = true, .keep = true};
    task.fill.to = (syc_side){.box = {8, {8, 4, 1}, {32, 128}}, .bytes = 32};
    CHECK_OK(submit_task(queue, &task, &uses, &last));
    uses.needs[0].write = false;
    task = (syc_task){.ops = &syc_copy_ops};
    task.copy.from = (syc_side){.box = syc_box_run(0, sizeof data), .bytes = sizeof data};
    task.copy.to = (syc_side){.kind = SYC_SIDE_ARRAY,
                              .array = {.data = (char *)out, .bytes = sizeof out, .packed = true},
                              .bytes = sizeof out};
    CHECK_OK(submit_task(queue, &task, &uses, &last));
    finish(last);
    for (cl_uint i = 0; i < 64; i++)
        CHECK_EQUAL(out[i], i < 32 && (i % 8 == 2 || i % 8 == 3) ? 7 : i);
    write_back(buffer);
    syc_buffer_release(buffer);
    close_queue(queue);
    close_scene();
}

/* Hints that the driver has no call for end in order all the same. */
static void hints(void)
{
    syc_command *last = NULL;
    syc_queue *queue;

    seed = 4;
    open_scene();
    make_memories();
    queue = new_queue(false);
    begin(queue, &last);
    for (int i = 0; i < 4; i++) {
        struct uses uses = {.allocations = {allocations[0]}, .allocation_count = 1};
        syc_task task = {.ops = &syc_hint_ops,
                         .hint = {.prefetch = i % 2 == 0, .address = allocations[0]->data, .bytes = ROOM}};
        CHECK_OK(submit_task(queue, &task, &uses, &last));
    }
    check_memories(queue, &last);
    drop_memories();
    close_queue(queue);
    close_scene();
}

int main(void)
{
    FIND_FAKE_DRIVER;
    ON_EVERY_DEVICE(random_steps);
    ON_EVERY_DEVICE(random_chain);
    CHILD(SHARING_SVM, random_steps);
    CHILD(COPYING_SVM, random_steps);
    CHILD(COPYING_USM, random_steps);
    CHILD(SHARING_SVM, random_chain);
    CHILD(COPYING_SVM, random_chain);
    CHILD(COPYING_SVM, random_chain_in_order);
    CHILD(COPYING_USM, random_chain);
    CHILD(SHARING, held_chain); /* not on the calling thread's own device, where small commands are waited for */
    CHILD(COPYING, held_chain);
    CHILD(COPYING, held_chain_out_of_order);
    CHILD(UNKNOWN, held_chain);
    CHILD(UNKNOWN "FAKE_LAZY=1", held_chain);
    CHILD(SHARING_SVM, held_chain);
    CHILD(COPYING_SVM, held_chain);
    CHILD(COPYING_SVM, held_chain_out_of_order);
    CHILD(COPYING_USM, held_chain);
    ON_EVERY_DEVICE(longer_sources);
    ON_EVERY_DEVICE(fill_after_copy);
    CHILD(SHARING_SVM, hints);
    CHILD(COPYING_SVM, hints);
    CHILD(COPYING_USM, hints);
    return CHECK_EXIT_CODE;
}
