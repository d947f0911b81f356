/* Explicit copies: finds the two ends of a copy. The host packs and unpacks layouts that no call can read or write. */
#include "schedule/steps.h"

#include "base/alloc.h"
#include "cl/constants.h"
#include "memory/strided_copy.h"
#include "schedule/transfer/transfer.h"

#include <string.h>

/* -- what a copy needs -- */

static const syc_need *need_of(const struct syc__work *work, const syc_side *side)
{
    return &work->needs[side->need];
}

static bool is_image(const struct syc__work *work, const syc_side *side)
{
    return side->kind == SYC_SIDE_BUFFER && need_of(work, side)->buffer->image.rank > 0;
}

/* In memory that is not the host's. */
static bool is_apart(const struct syc__work *work, const syc_side *side, const syc_facts *facts)
{
    if (side->kind == SYC_SIDE_BUFFER)
        return syc_place_is_device(need_of(work, side)->place);
    return side->kind == SYC_SIDE_POINTER && !facts->shares_host_memory;
}

/* The other end of an array, as a box. */
static syc_box box_of(const syc_side *side)
{
    return side->kind == SYC_SIDE_BUFFER ? syc_box_tidy(&side->box) : syc_box_run(0, side->bytes);
}

/* Its layout is one that calls take. An image's rows are looked at when they are copied: packed ones always do. */
static bool array_fits(const struct syc__work *work, const syc_side *array, const syc_side *other)
{
    syc_box box, there = box_of(other);
    if (array->array.packed)
        return true;
    if (other->kind != SYC_SIDE_BUFFER || is_image(work, other) || !syc_host_array_box(&array->array, &box))
        return false;
    return syc__transfer_fits(&box, &there);
}

bool syc__copy_is_by_host(const struct syc__work *work, const syc_side *side, const syc_facts *facts)
{
    const syc_side *other = side == &work->copy.to ? &work->copy.from : &work->copy.to;
    return !facts->shares_host_memory || !array_fits(work, side, other);
}

/* The addresses of an array or of shared memory. */
static void addresses(const syc_side *side, uintptr_t *low, uintptr_t *high)
{
    if (side->kind == SYC_SIDE_ARRAY) {
        syc_host_array_extent(&side->array, low, high);
        return;
    }
    *low = (uintptr_t)side->pointer;
    *high = *low + side->bytes;
}

static bool touch(const syc_side *a, const syc_side *b)
{
    uintptr_t a_low, a_high, b_low, b_high;
    addresses(a, &a_low, &a_high);
    addresses(b, &b_low, &b_high);
    return a_low < b_high && b_low < a_high;
}

/* Between what OpenCL has no call for, so that the bytes pass through the host's memory in two steps. */
static bool passes_host(const struct syc__work *work, const syc_copy *copy, const syc_facts *facts)
{
    const syc_side *to = &copy->to, *from = &copy->from;
    if (to->kind == SYC_SIDE_BUFFER && from->kind == SYC_SIDE_BUFFER)
        return is_image(work, to) || is_image(work, from);
    if (to->kind != SYC_SIDE_BUFFER && from->kind != SYC_SIDE_BUFFER)
        return touch(to, from);
    if (to->kind == SYC_SIDE_ARRAY || from->kind == SYC_SIDE_ARRAY)
        return false;
    return !facts->shares_host_memory || is_image(work, to) || is_image(work, from);
}

static bool reads_early(const syc_command *command)
{
    const struct syc__work *work = command->work;
    const syc_copy *copy = &work->copy;
    const syc_facts *facts = command->queue->device->facts;
    bool apart = is_apart(work, &copy->to, facts) || is_apart(work, &copy->from, facts);

    if (copy->from.kind == SYC_SIDE_ARRAY &&
        (copy->to.kind == SYC_SIDE_ARRAY || !array_fits(work, &copy->from, &copy->to) ||
         (apart && facts->reads_at_enqueue)))
        return true;
    if (passes_host(work, copy, facts) && facts->reads_at_enqueue)
        return true;
    return apart && (copy->to.kind != SYC_SIDE_BUFFER || copy->from.kind != SYC_SIDE_BUFFER) &&
           syc__transfer_waits(facts, copy->to.bytes);
}

/* -- arrays to arrays -- */

/* Done here and now. */
static syc_status copy_arrays(struct syc__steps *s)
{
    const syc_copy *copy = &s->work->copy;
    const syc_host_array *to = &copy->to.array, *from = &copy->from.array;
    bool apart = !touch(&copy->to, &copy->from);
    char *packed = NULL;
    syc_status status = SYC_OK;

    s->command->ran = true;
    if (to->packed && from->packed) {
        memmove(to->data, from->data, to->bytes);
    } else if (from->packed && apart) {
        syc_host_array_unpack(to, from->data);
    } else if (to->packed && apart) {
        syc_host_array_pack(from, to->data);
    } else {
        SYC_TRY(syc__steps_scratch(s, from->bytes, &packed));
        syc_host_array_pack(from, packed);
        syc_host_array_unpack(to, packed);
    }
done:
    return status;
}

/* -- ends -- */

/* Where the device works on the host's memory, calls on shared memory can take the buffer's bytes as they lie there. */
static bool is_host_run(const syc_need *need, const syc_side *other, const syc_box *box)
{
    return other->kind == SYC_SIDE_POINTER && !syc_place_is_device(need->place) && syc_box_is_run(box);
}

static syc_status find_buffer(struct syc__steps *s, const syc_side *side, const syc_side *other, struct syc__end *out)
{
    const syc_need *need = need_of(s->work, side);
    syc_box box = syc_box_tidy(&side->box);
    syc_status status = SYC_OK;

    *out = (struct syc__end){.where = need->buffer->image.rank > 0 ? SYC__IN_IMAGE : SYC__IN_MEMORY,
                             .buffer = need->buffer,
                             .apart = syc_place_is_device(need->place)};
    out->box = box; /* of an image: calls read and write all of it */
    if (out->where == SYC__IN_MEMORY)
        (void)syc_box_cut(&box, s->work->copy.to.bytes, &out->box); /* longer than asked for where that is no box */
    if (is_host_run(need, other, &out->box)) {
        out->where = SYC__ON_HOST;
        out->address = syc_buffer_address(need->buffer, need->place, 0);
        return SYC_OK;
    }
    SYC_TRY(syc__steps_whole(s, side->need, &out->memory));
done:
    return status;
}

/* An array as it is, or packed memory that stands for it. */
static syc_status find_array(struct syc__steps *s, const syc_side *side, const syc_side *other, bool reads,
                             struct syc__end *out)
{
    const syc_host_array *span = &side->array;
    char *packed = NULL;
    syc_status status = SYC_OK;

    *out = syc__end_on_host(span->data, span->bytes);
    if (array_fits(s->work, side, other)) {
        (void)syc_host_array_box(span, &out->box);
        goto done;
    }
    SYC_TRY(syc__steps_scratch(s, span->bytes, &packed));
    syc_traffic_add(&(syc_traffic){.staged_arrays = 1, .staged_bytes = span->bytes});
    out->address = packed;
    if (reads)
        syc_host_array_pack(span, packed);
    else
        SYC_TRY(syc__steps_unpack(s, span, packed));
done:
    return status;
}

static syc_status find_end(struct syc__steps *s, const syc_side *side, const syc_side *other, bool reads,
                           struct syc__end *out)
{
    if (side->kind == SYC_SIDE_BUFFER)
        return find_buffer(s, side, other, out);
    if (side->kind == SYC_SIDE_ARRAY)
        return find_array(s, side, other, reads, out);
    *out = (struct syc__end){
        .where = SYC__AT_POINTER, .address = side->pointer, .box = syc_box_run(0, s->work->copy.to.bytes)};
    return SYC_OK;
}

static syc_status enqueue(struct syc__steps *s)
{
    const syc_copy *copy = &s->work->copy;
    struct syc__end to, from;
    syc_status status = SYC_OK;

    if (copy->to.kind == SYC_SIDE_ARRAY && copy->from.kind == SYC_SIDE_ARRAY)
        return copy_arrays(s);
    SYC_TRY(find_end(s, &copy->from, &copy->to, true, &from));
    SYC_TRY(find_end(s, &copy->to, &copy->from, false, &to));
    SYC_TRY(syc__transfer(s, &to, &from));
done:
    return status;
}

const syc_task_ops syc_copy_ops = {
    .kind = SYC_TASK_COPY, .word = "copy", .enqueue = enqueue, .reads_early = reads_early};
