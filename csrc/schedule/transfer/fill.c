/* Fills, and hints. OpenCL fills runs with patterns of 1 to 128 bytes, powers of two. For all else a first piece is
 * written, and what has been filled so far is copied behind itself, as often as it takes. */
#include "schedule/steps.h"

#include "cl/constants.h"
#include "cl/entries.h"
#include "memory/usm/usm.h"
#include "schedule/transfer/transfer.h"

#include <string.h>

enum { WIDEST_NATIVE = 128, WIDENED = 16, TILE_BYTES = 64 << 10, FEW_ROWS = 16 };

struct filling {
    struct syc__steps *steps;
    const char *pattern;
    size_t size;
    char wide[WIDENED];
};

/* -- the pattern -- */

/* The shortest piece of which the pattern is made: zeros of any type are one byte. */
static size_t period(const char *pattern, size_t size)
{
    for (size_t piece = 1; piece <= size / 2; piece++) {
        if (size % piece == 0 && memcmp(pattern, pattern + piece, size - piece) == 0)
            return piece;
    }
    return size;
}

static bool is_native(size_t size)
{
    return size <= WIDEST_NATIVE && (size & (size - 1)) == 0;
}

/* Every row begins, and ends, on a multiple of `size`. */
static bool is_aligned(const struct syc__end *end, size_t size)
{
    const syc_box *box = &end->box;
    size_t first = end->where == SYC__AT_POINTER ? (uintptr_t)end->address + box->origin : box->origin;
    return first % size == 0 && box->extent[0] % size == 0 && (box->extent[1] == 1 || box->pitch[0] % size == 0) &&
           (box->extent[2] == 1 || box->pitch[1] % size == 0);
}

/* Drivers fill faster with wider patterns. */
static void widen(struct filling *f, const struct syc__end *end)
{
    size_t size = f->size;
    if (!is_native(size))
        return;
    while (2 * size <= WIDENED && is_aligned(end, 2 * size))
        size *= 2;
    if (size == f->size)
        return;
    for (size_t at = 0; at < size; at += f->size)
        memcpy(f->wide + at, f->pattern, f->size);
    f->pattern = f->wide;
    f->size = size;
}

/* -- runs -- */

static syc_status fill_natively(struct filling *f, const struct syc__end *end, size_t offset, size_t bytes)
{
    struct syc__steps *s = f->steps;
    syc_status status = SYC_OK;
    cl_event event = NULL;

    if (end->where == SYC__AT_POINTER) {
        SYC_TRY(syc_usm_enqueue_fill(s->command->context, s->queue, end->address + offset, f->pattern, f->size, bytes,
                                     s->after_count, s->after, &event));
        return syc__steps_take(s, event);
    }
    SYC_CL(s->cl, EnqueueFillBuffer,
           (s->queue, end->memory, f->pattern, f->size, offset, bytes, s->after_count, s->after, &event));
    status = syc__steps_add(s, event);
done:
    return status;
}

static syc_status fill_run(struct filling *f, const struct syc__end *end, size_t offset, size_t bytes)
{
    size_t limit = (size_t)f->steps->command->queue->device->facts->fill_limit / f->size * f->size;
    syc_status status = SYC_OK;
    for (size_t done = 0, part; done < bytes; done += part) {
        part = bytes - done < limit ? bytes - done : limit;
        SYC_TRY(fill_natively(f, end, offset + done, part));
    }
done:
    return status;
}

/* Copies the first `done` of a dimension (bytes, rows or planes) behind themselves until all are done. */
static syc_status repeat(struct filling *f, const struct syc__end *end, unsigned dimension, size_t done)
{
    size_t count = end->box.extent[dimension], step = dimension == 0 ? 1 : end->box.pitch[dimension - 1];
    syc_status status = SYC_OK;
    for (size_t part; done < count; done += part) {
        struct syc__end from = *end, to = *end;
        part = done < count - done ? done : count - done;
        from.box.extent[dimension] = part;
        for (unsigned d = dimension + 1; d < 3; d++)
            from.box.extent[d] = 1;
        to.box = from.box;
        to.box.origin += done * step;
        from.box = syc_box_tidy(&from.box);
        to.box = syc_box_tidy(&to.box);
        syc__steps_next(f->steps);
        SYC_TRY(syc__transfer(f->steps, &to, &from));
    }
done:
    return status;
}

/* The first row, with a pattern that OpenCL cannot fill with: a piece of it comes from the host. */
static syc_status write_row(struct filling *f, const struct syc__end *end)
{
    size_t row = end->box.extent[0], tile = TILE_BYTES / f->size * f->size;
    struct syc__end first = *end, host;
    char *bytes = NULL;
    syc_status status = SYC_OK;

    tile = tile < row ? tile : row;
    SYC_TRY(syc__steps_scratch(f->steps, tile, &bytes));
    for (size_t at = 0; at < tile; at++)
        bytes[at] = f->pattern[at % f->size];
    host = syc__end_on_host(bytes, tile);
    first.box = syc_box_run(end->box.origin, tile);
    SYC_TRY(syc__transfer(f->steps, &first, &host));
    SYC_TRY(repeat(f, end, 0, tile));
done:
    return status;
}

/* -- boxes -- */

static syc_status fill_rows(struct filling *f, const struct syc__end *end)
{
    const syc_box *box = &end->box;
    syc_status status = SYC_OK;
    for (size_t z = 0; z < box->extent[2]; z++) {
        for (size_t y = 0; y < box->extent[1]; y++)
            SYC_TRY(fill_run(f, end, box->origin + z * box->pitch[1] + y * box->pitch[0], box->extent[0]));
    }
done:
    return status;
}

static bool is_in_reach(const struct filling *f, const struct syc__end *end)
{
    const syc_box *box = &end->box;
    size_t high =
        box->origin + box->extent[0] + (box->extent[1] - 1) * box->pitch[0] + (box->extent[2] - 1) * box->pitch[1];
    return f->size >= WIDENED || end->where == SYC__AT_POINTER ||
           high <= f->steps->command->queue->device->facts->fill_reach;
}

static syc_status fill_box(struct filling *f, const struct syc__end *end)
{
    const syc_box *box = &end->box;
    bool native = is_native(f->size) && is_aligned(end, f->size) && is_in_reach(f, end);
    syc_status status = SYC_OK;

    if (native && box->extent[1] * box->extent[2] <= FEW_ROWS)
        return fill_rows(f, end);
    if (native)
        SYC_TRY(fill_run(f, end, box->origin, box->extent[0]));
    else
        SYC_TRY(write_row(f, end));
    SYC_TRY(repeat(f, end, 1, 1));
    SYC_TRY(repeat(f, end, 2, 1));
done:
    return status;
}

/* The pattern does not begin anew with each row: it is laid out in a run first. */
static syc_status fill_by_run(struct filling *f, const struct syc__end *end)
{
    size_t bytes = syc_box_bytes(&end->box);
    struct syc__end run = {.where = SYC__IN_MEMORY, .box = syc_box_run(0, bytes)};
    syc_status status = SYC_OK;

    SYC_TRY(syc__steps_scratch_memory(f->steps, bytes, &run.memory));
    run.buffer = NULL;
    SYC_TRY(fill_box(f, &run));
    syc__steps_next(f->steps);
    SYC_TRY(syc__transfer(f->steps, end, &run));
done:
    return status;
}

static syc_status enqueue_fill(struct syc__steps *s)
{
    const syc_fill *fill = &s->work->fill;
    struct filling f = {.steps = s, .pattern = fill->pattern, .size = period(fill->pattern, fill->pattern_size)};
    struct syc__end end = {
        .where = SYC__AT_POINTER, .address = fill->to.pointer, .box = syc_box_run(0, fill->to.bytes)};
    syc_status status = SYC_OK;

    if (fill->to.kind == SYC_SIDE_BUFFER) {
        const syc_need *need = &s->work->needs[fill->to.need];
        SYC_CHECK(need->buffer->image.rank == 0, SYC_E_FEATURE_NOT_SUPPORTED, "images cannot be filled");
        end = (struct syc__end){.where = SYC__IN_MEMORY,
                                .buffer = need->buffer,
                                .apart = syc_place_is_device(need->place),
                                .box = syc_box_tidy(&fill->to.box)};
        SYC_TRY(syc__steps_whole(s, fill->to.need, &end.memory));
    }
    widen(&f, &end);
    if (end.box.extent[0] % f.size != 0 && !syc_box_is_run(&end.box))
        SYC_TRY(fill_by_run(&f, &end));
    else
        SYC_TRY(fill_box(&f, &end));
done:
    return status;
}

const syc_task_ops syc_fill_ops = {.kind = SYC_TASK_FILL, .word = "fill", .enqueue = enqueue_fill};

/* -- hints -- */

/* Where the driver has nothing for it, the command still ends after what it waits for. */
static syc_status enqueue_hint(struct syc__steps *s)
{
    const syc_hint *hint = &s->work->hint;
    const syc_command *command = s->command;
    syc_status status = SYC_OK;
    cl_event event = NULL;

    if (hint->prefetch)
        SYC_TRY(syc_usm_enqueue_prefetch(command->context, s->queue, hint->address, hint->bytes, s->after_count,
                                         s->after, &event));
    else
        SYC_TRY(syc_usm_enqueue_advice(command->context, command->queue->device, s->queue, hint->address, hint->bytes,
                                       hint->advice, s->after_count, s->after, &event));
    if (event != NULL)
        return syc__steps_take(s, event);
    if (s->after_count == 0)
        return SYC_OK;
    SYC_CL(s->cl, EnqueueMarkerWithWaitList, (s->queue, s->after_count, s->after, &event));
    status = syc__steps_add(s, event);
done:
    return status;
}

const syc_task_ops syc_hint_ops = {.kind = SYC_TASK_HINT, .word = "hint", .enqueue = enqueue_hint};
