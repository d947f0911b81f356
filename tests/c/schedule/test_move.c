/* Moves: buffers' bytes on their way between the user's array, host storage and devices, and large transfers through
 * pinned memory. */
#include "buffers.h"

#include "memory/image.h"
#include "schedule/transfer/staging.h"

enum { BIG = (9 << 18) / 4 + 3, NEVER = 1 << 30 }; /* elements: beyond what is staged, and no whole number of parts */

/* -- large transfers -- */

static cl_uint *numbers(cl_uint first)
{
    cl_uint *data = malloc(BIG * sizeof *data);
    if (data == NULL)
        exit(2);
    for (cl_uint i = 0; i < BIG; i++)
        data[i] = first + i;
    return data;
}

static void check_numbers(const cl_uint *data, cl_uint first)
{
    size_t wrong = 0;
    for (cl_uint i = 0; i < BIG; i++)
        wrong += data[i] != first + i;
    CHECK_EQUAL(wrong, 0);
}

/* To the device for a kernel, and back for the host. */
static void there_and_back(void)
{
    cl_uint *data;
    syc_queue *queue;
    syc_buffer *buffer;

    open_scene();
    data = numbers(5);
    queue = new_queue(false);
    buffer = wrap(data, BIG);
    for (int i = 0; i < 3; i++)
        syc_command_release(bump(queue, buffer, 0, BIG));
    write_back(buffer);
    check_numbers(data, 8);
    syc_command_release(bump(queue, buffer, 1, BIG - 1)); /* a part, from an odd place on */
    write_back(buffer);
    CHECK_EQUAL(data[0], 8);
    data[0]++;
    check_numbers(data, 9);
    syc_buffer_release(buffer);
    syc_queue_release(queue);
    free(data);
    close_scene();
}

static syc_side array_side(cl_uint *data)
{
    return (syc_side){
        .kind = SYC_SIDE_ARRAY,
        .array = {.data = (char *)data, .bytes = BIG * 4, .writable = true, .alignment = 4, .packed = true},
        .bytes = BIG * 4};
}

/* All of an array into a buffer, or out of it. */
static syc_status copy_all(syc_queue *queue, syc_buffer *buffer, cl_uint *data, bool in, syc_command **out)
{
    syc_need needs[] = {need(buffer, 0, BIG, in, !in)};
    syc_side there = {.box = syc_box_run(0, BIG * 4), .bytes = BIG * 4}, here = array_side(data);
    syc_task task = {.ops = &syc_copy_ops, .needs = needs, .need_count = 1};
    task.copy = in ? (syc_copy){.to = there, .from = here} : (syc_copy){.to = here, .from = there};
    return syc_queue_submit(queue, &task, NULL, 0, (syc_keep){0}, (syc_site){"move.py", 1, NULL}, out);
}

static void copies(void)
{
    cl_uint *data, *out;
    syc_command *command = NULL;
    syc_queue *queue;
    syc_buffer *buffer;

    open_scene();
    data = numbers(1);
    out = numbers(0);
    queue = new_queue(false);
    buffer = sized(BIG);
    finish(must(copy_all(queue, buffer, data, true, &command), &command));
    syc_command_release(bump(queue, buffer, 0, BIG));
    finish(must(copy_all(queue, buffer, out, false, &command), &command));
    check_numbers(out, 2);
    syc_buffer_release(buffer);
    syc_queue_release(queue);
    free(data);
    free(out);
    close_scene();
}

/* Shared memory is the device's, too. */
static void shared_memory(void)
{
    cl_uint *data, *out;
    syc_command *command = NULL;
    syc_queue *queue;
    syc_usm *usm = NULL;
    syc_task task = {.ops = &syc_copy_ops, .allocations = &usm, .allocation_count = 1};

    open_scene();
    data = numbers(1);
    out = numbers(0);
    queue = new_queue(false);
    CHECK_OK(syc_usm_create(context, device, SYC_USM_DEVICE, BIG * 4, 0, &usm));
    task.copy =
        (syc_copy){.to = {.kind = SYC_SIDE_POINTER, .pointer = usm->data, .bytes = BIG * 4}, .from = array_side(data)};
    finish(must(syc_queue_submit(queue, &task, NULL, 0, (syc_keep){0}, (syc_site){0}, &command), &command));
    task.copy.from = task.copy.to;
    task.copy.to = array_side(out);
    finish(must(syc_queue_submit(queue, &task, NULL, 0, (syc_keep){0}, (syc_site){0}, &command), &command));
    check_numbers(out, 1);
    CHECK_OK(syc_usm_free(usm));
    (void)syc_usm_trim_all();
    syc_queue_release(queue);
    free(data);
    free(out);
    close_scene();
}

/* Many threads, several queues, one context: pinned memory goes from one transfer to the next. */
static void *transfer_much(void *argument)
{
    cl_uint first = *(cl_uint *)argument, *data = numbers(first);
    syc_queue *queue = new_queue(first % 2 == 0);
    syc_buffer *buffer = sized(BIG);
    syc_command *command = NULL;
    for (cl_uint i = 1; i <= 3; i++) {
        finish(must(copy_all(queue, buffer, data, true, &command), &command));
        syc_command_release(bump(queue, buffer, 0, BIG));
        finish(must(copy_all(queue, buffer, data, false, &command), &command));
        check_numbers(data, first + i);
    }
    syc_buffer_release(buffer);
    close_queue(queue);
    free(data);
    return NULL;
}

static void threads(void)
{
    enum { THREADS = 4 };
    pthread_t running[THREADS];
    cl_uint firsts[THREADS] = {10, 21, 32, 43};

    open_scene();
    for (size_t i = 0; i < THREADS; i++)
        CHECK_EQUAL(pthread_create(&running[i], NULL, transfer_much, &firsts[i]), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(running[i], NULL);
    close_scene();
}

/* Behind a kernel that takes its time: submitting does not wait for it. */
static void behind_a_kernel(void)
{
    cl_uint *data, *out, word = 0;
    syc_command *command = NULL, *before;
    syc_queue *queue;
    syc_buffer *buffer;
    uint64_t began;

    open_scene();
    data = numbers(1);
    out = numbers(0);
    queue = new_queue(true);
    buffer = sized(BIG);
    finish(must(copy_all(queue, buffer, data, true, &command), &command));
    before = slow(queue, &word, 300);
    began = syc_now_ns();
    CHECK_OK(copy_all(queue, buffer, out, false, &command));
    CHECK(syc_now_ns() - began < 200 * (uint64_t)MS);
    finish(command);
    check_numbers(out, 1);
    syc_command_release(before);
    syc_buffer_release(buffer);
    close_queue(queue);
    free(data);
    free(out);
    close_scene();
}

/* One mapping, however many transfers, each of them in several parts. */
static void pinned_once(void)
{
    cl_uint *data;
    syc_command *command = NULL;
    syc_queue *queue;
    syc_buffer *buffer;
    long writes;

    open_scene();
    data = numbers(1);
    CHECK_OK(syc_fault_install(device->platform->driver));
    queue = new_queue(false);
    buffer = sized(BIG);
    finish(must(copy_all(queue, buffer, data, true, &command), &command));
    writes = syc_fault_calls("EnqueueWriteBuffer");
    CHECK(writes >= BIG * 4 / (512 << 10));
    finish(must(copy_all(queue, buffer, data, true, &command), &command));
    CHECK(syc_fault_calls("EnqueueWriteBuffer") >= 2 * writes - 8);
    CHECK_EQUAL(syc_fault_calls("EnqueueMapBuffer"), 1);
    syc_buffer_release(buffer);
    close_queue(queue);
    CHECK_EQUAL(syc_fault_calls("EnqueueUnmapMemObject"), 1);
    CHECK_OK(syc_fault_install(NULL));
    free(data);
    close_scene();
}

/* One call of a transfer fails: so does the copy, nothing is left running, and the next one works. */
static void fail_once(syc_queue *queue, const char *entry, long nth, bool in, bool must_fail)
{
    cl_uint *data = numbers(1);
    syc_command *command = NULL;
    syc_buffer *buffer = sized(BIG);
    syc_status status;
    bool failed;

    if (must_fail) /* pinned memory is there already */
        finish(must(copy_all(queue, buffer, data, true, &command), &command));
    CHECK_OK(syc_fault_arm(entry, nth, CL_OUT_OF_RESOURCES));
    status = copy_all(queue, buffer, data, in, &command);
    failed = status != SYC_OK;
    if (failed)
        CHECK_EQUAL(syc_detail_of(status).cl_code, CL_OUT_OF_RESOURCES);
    if (status == SYC_OK) {
        CHECK_OK(syc_command_wait(command, 30 * SECOND));
        failed = syc_command_failure(command) != NULL;
        syc_command_release(command);
    }
    if (must_fail && !failed)
        fprintf(stderr, "%s, call %ld: nothing failed\n", entry, nth);
    CHECK(failed || !must_fail);
    CHECK_OK(syc_fault_arm(entry, NEVER, CL_OUT_OF_RESOURCES));
    free(data);
    data = numbers(1);
    finish(must(copy_all(queue, buffer, data, true, &command), &command));
    memset(data, 0, BIG * sizeof *data);
    finish(must(copy_all(queue, buffer, data, false, &command), &command));
    check_numbers(data, 1);
    syc_buffer_release(buffer);
    free(data);
}

static void faults(void)
{
    static const struct {
        const char *entry;
        bool in;
    } cases[] = {{"EnqueueWriteBuffer", true},
                 {"EnqueueReadBuffer", false},
                 {"WaitForEvents", true},
                 {"WaitForEvents", false},
                 {"Flush", true}};
    enum { CALLS = 4 };
    syc_queue *queue;

    open_scene();
    CHECK_OK(syc_fault_install(device->platform->driver));
    queue = new_queue(false);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (long n = 1; n <= CALLS; n++)
            fail_once(queue, cases[i].entry, n, cases[i].in, true);
    }
    close_queue(queue);
    CHECK_OK(syc_fault_install(NULL));
    close_scene();
}

/* Without pinned memory large transfers are as slow as the driver makes them, but they are done. */
static void no_pinned_memory(void)
{
    syc_queue *queue;
    open_scene();
    CHECK_OK(syc_fault_install(device->platform->driver));
    queue = new_queue(false);
    fail_once(queue, "CreateBuffer", 2, true, false); /* the first is the buffer's own */
    close_queue(queue);
    queue = new_queue(false);
    fail_once(queue, "EnqueueMapBuffer", 1, true, false);
    close_queue(queue);
    CHECK_OK(syc_fault_install(NULL));
    close_scene();
}

/* -- the user's array -- */

/* Every other element of an array, backwards: bytes of it are wanted from odd places on, and given back. */
static void strided_origin(void)
{
    enum { N = 50 };
    cl_uint data[2 * N];
    const ptrdiff_t shape[] = {5, 10}, strides[] = {-80, 8};
    syc_host_array span = {.data = (char *)&data[80],
                           .bytes = N * 4,
                           .writable = true,
                           .alignment = 4,
                           .rank = 2,
                           .item_size = 4,
                           .shape = shape,
                           .strides = strides};
    syc_buffer_source source = {.bytes = N * 4, .array = &span, .in_place = true};
    syc_buffer *buffer = NULL;
    syc_queue *queue;
    syc_command *access = NULL;
    syc_need odd;

    open_scene();
    for (cl_uint i = 0; i < 2 * N; i++)
        data[i] = i * 0x01010101;
    queue = new_queue(false);
    CHECK_OK(syc_buffer_create(&source, &buffer));
    odd = (syc_need){.buffer = buffer, .low = 39, .bytes = 6, .write = true, .keep = true, .at_host = true};
    CHECK_OK(syc_access_begin(&odd, (syc_keep){0}, (syc_site){0}, &access));
    CHECK_OK(syc_access_wait(access, 30 * SECOND));
    CHECK_EQUAL(syc_access_data(access)[0], 98); /* the last byte of the first row */
    CHECK_EQUAL(syc_access_data(access)[1], 60); /* the second row lies before the first */
    CHECK_EQUAL(syc_access_data(access)[5], 62);
    memset(syc_access_data(access), 1, 6);
    syc_access_end(access);
    syc_command_release(bump(queue, buffer, 20, 10));
    CHECK_EQUAL(element(buffer, 20), 40 * 0x01010101 + 1);
    write_back(buffer);
    CHECK_EQUAL(data[98], 98 * 0x010101 + 0x01000000);
    CHECK_EQUAL(data[60], 0x01010101);
    CHECK_EQUAL(data[62], 62 * 0x01010100 + 1);
    CHECK_EQUAL(data[58], 58 * 0x01010101 + 1);
    for (cl_uint i = 1; i < 2 * N; i += 2)
        CHECK_EQUAL(data[i], i * 0x01010101); /* what is between is nobody's */
    syc_buffer_release(buffer);
    syc_queue_release(queue);
    close_scene();
}

/* -- images -- */

enum { WIDTH = 7, HEIGHT = 5, DEPTH = 3, PIXEL = 4, ROW = WIDTH * PIXEL };

static syc_status copy_image(syc_queue *queue, syc_buffer *image, unsigned char *array, const syc_box *rows, bool in)
{
    size_t bytes = syc_box_bytes(rows);
    syc_need needs[] = {{.buffer = image, .bytes = image->bytes, .write = in, .keep = !in}};
    syc_side there = {.box = *rows, .bytes = bytes};
    syc_side here = {.kind = SYC_SIDE_ARRAY,
                     .array = {.data = (char *)array, .bytes = bytes, .writable = true, .alignment = 1, .packed = true},
                     .bytes = bytes};
    syc_task task = {.ops = &syc_copy_ops, .needs = needs, .need_count = 1};
    syc_command *command = NULL;
    syc_status status;
    task.copy = in ? (syc_copy){.to = there, .from = here} : (syc_copy){.to = here, .from = there};
    status = syc_queue_submit(queue, &task, NULL, 0, (syc_keep){0}, (syc_site){"move.py", 2, NULL}, &command);
    if (status == SYC_OK)
        finish(command);
    return status;
}

/* Rows with gaps at the host, none in the device's image, whose pixels kernels and copies see. */
static void check_image(unsigned rank)
{
    syc_image_shape shape = {.rank = rank, .extent = {WIDTH, rank > 1 ? HEIGHT : 1, rank > 2 ? DEPTH : 1}};
    syc_buffer_source source = {.image = &shape};
    unsigned char pixels[ROW * HEIGHT * DEPTH], out[ROW * HEIGHT * DEPTH];
    syc_buffer *image = NULL;
    syc_command *access = NULL;
    syc_queue *queue;
    syc_need all = {.write = true, .keep = true, .at_host = true};
    syc_box rows;
    size_t bytes;

    open_scene();
    queue = new_queue(false);
    CHECK(syc_image_format_find("r8g8b8a8_uint", &shape));
    shape.row_pitch = rank > 1 ? ROW + 8 : 0;
    shape.slice_pitch = rank > 2 ? (ROW + 8) * (HEIGHT + 1) : 0;
    CHECK_OK(syc_image_layout(&shape, &source.bytes));
    CHECK_OK(syc_buffer_create(&source, &image));
    rows = (syc_box){0, {ROW, shape.extent[1], shape.extent[2]}, {shape.row_pitch, shape.slice_pitch}};
    bytes = syc_box_bytes(&rows);
    for (size_t i = 0; i < bytes; i++)
        pixels[i] = (unsigned char)(i * 7 + 1);
    CHECK_OK(copy_image(queue, image, pixels, &rows, true));
    all.buffer = image;
    all.bytes = image->bytes;
    CHECK_OK(syc_access_begin(&all, (syc_keep){0}, (syc_site){0}, &access)); /* moves it to the host */
    CHECK_OK(syc_access_wait(access, 30 * SECOND));
    for (size_t i = 0; i < bytes; i++) {
        size_t row = i / ROW, at = row / rows.extent[1] * shape.slice_pitch + row % rows.extent[1] * shape.row_pitch;
        CHECK_EQUAL((unsigned char)syc_access_data(access)[at + i % ROW], pixels[i]);
        syc_access_data(access)[at + i % ROW]++;
    }
    syc_access_end(access);
    CHECK_OK(copy_image(queue, image, out, &rows, false)); /* and to the device again */
    for (size_t i = 0; i < bytes; i++)
        CHECK_EQUAL(out[i], (unsigned char)(pixels[i] + 1));
    syc_buffer_release(image);
    syc_queue_release(queue);
    close_scene();
}

static void image_1d(void)
{
    check_image(1);
}

static void image_2d(void)
{
    check_image(2);
}

static void image_3d(void)
{
    check_image(3);
}

int main(void)
{
    FIND_FAKE_DRIVER;
    ON_EVERY_DEVICE(there_and_back);
    ON_EVERY_DEVICE(copies);
    CHILD(SHARING "FAKE_SVM=fine;", shared_memory);
    CHILD(COPYING "FAKE_SVM=coarse;", shared_memory);
    CHILD(COPYING "FAKE_INTEL_USM=1;", shared_memory);
    CHILD(COPYING, threads);
    CHILD(COPYING, behind_a_kernel);
    CHILD(COPYING, pinned_once);
    CHILD(COPYING, faults);
    CHILD(COPYING, no_pinned_memory);
    ON_EVERY_DEVICE(strided_origin);
    ON_EVERY_DEVICE(image_1d);
    ON_EVERY_DEVICE(image_2d);
    ON_EVERY_DEVICE(image_3d);
    return CHECK_EXIT_CODE;
}
