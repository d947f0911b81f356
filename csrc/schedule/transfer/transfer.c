/* Transfers: the OpenCL call that copies between two ends, or the steps where there is none. */
#include "schedule/transfer/transfer.h"

#include "cl/constants.h"
#include "cl/entries.h"
#include "memory/usm/usm.h"
#include "schedule/transfer/staging.h"

#include <string.h>

/* As many rectangles cost no more than going through scratch memory. */
enum { MOST_CALLS = 64 };

static size_t most_calls(const syc_box *a, const syc_box *b)
{
    return syc_box_is_run(a) || syc_box_is_run(b) ? SIZE_MAX : MOST_CALLS;
}

bool syc__transfer_fits(const syc_box *a, const syc_box *b)
{
    syc_rects rects;
    return syc_boxes_match(a, b, false, most_calls(a, b), &rects);
}

bool syc__transfer_waits(const syc_facts *facts, size_t bytes)
{
    return facts->staged_transfers && !facts->shares_host_memory && bytes >= SYC__STAGED_BYTES;
}

/* Waits for the step before the current one. */
static syc_status settle(struct syc__steps *steps)
{
    syc_status status = SYC_OK;
    if (steps->before_count == 0)
        return SYC_OK;
    SYC_CL(steps->cl, Flush, (steps->queue));
    SYC_CL(steps->cl, WaitForEvents, ((cl_uint)steps->before_count, steps->before));
done:
    return status;
}

static void count(bool apart, bool to_device, size_t bytes)
{
    syc_traffic moved = {0};
    if (!apart)
        return;
    *(to_device ? &moved.to_device_bytes : &moved.from_device_bytes) = bytes;
    syc_traffic_add(&moved);
}

/* -- between memory objects, and between them and the host -- */

/* Large transfers, where the driver is slow with pageable memory: true if it has been done, `status` says how. */
static bool stage(struct syc__steps *s, struct syc__far far, char *host, size_t bytes, bool to_device,
                  syc_status *status)
{
    struct syc__pinned *pinned;
    if (!syc__transfer_waits(s->command->queue->device->facts, bytes))
        return false;
    pinned = syc__staging_take(s->command->queue, to_device);
    if (pinned == NULL)
        return false;
    *status = syc__stage(s, pinned, far, host, bytes, to_device);
    syc__staging_give(pinned);
    return true;
}

syc_status syc__transfer_run(struct syc__steps *s, cl_mem memory, size_t offset, char *host, size_t bytes,
                             bool to_device, bool apart)
{
    syc_status status = SYC_OK;
    cl_event event = NULL;

    count(apart, to_device, bytes);
    if (apart && stage(s, (struct syc__far){.memory = memory, .offset = offset}, host, bytes, to_device, &status))
        return status;
    if (to_device)
        SYC_CL(s->cl, EnqueueWriteBuffer,
               (s->queue, memory, CL_FALSE, offset, bytes, host, s->after_count, s->after, &event));
    else
        SYC_CL(s->cl, EnqueueReadBuffer,
               (s->queue, memory, CL_FALSE, offset, bytes, host, s->after_count, s->after, &event));
    status = syc__steps_add(s, event);
done:
    return status;
}

/* Rows on the host: its origin is an address, so that only the memory object's needs one. */
static syc_status transfer_rows(struct syc__steps *s, const struct syc__end *memory, const struct syc__end *host,
                                const syc_rects *r, bool to_device)
{
    static const size_t nowhere[3] = {0, 0, 0};
    const size_t origin[3] = {to_device ? r->to_origin : r->from_origin, 0, 0};
    const size_t *pitch = to_device ? r->to_pitch : r->from_pitch, *other = to_device ? r->from_pitch : r->to_pitch;
    char *address = host->address + (to_device ? r->from_origin : r->to_origin);
    syc_status status = SYC_OK;
    cl_event event = NULL;

    count(memory->apart, to_device, r->extent[0] * r->extent[1] * r->extent[2]);
    if (to_device)
        SYC_CL(s->cl, EnqueueWriteBufferRect,
               (s->queue, memory->memory, CL_FALSE, origin, nowhere, r->extent, pitch[0], pitch[1], other[0], other[1],
                address, s->after_count, s->after, &event));
    else
        SYC_CL(s->cl, EnqueueReadBufferRect,
               (s->queue, memory->memory, CL_FALSE, origin, nowhere, r->extent, pitch[0], pitch[1], other[0], other[1],
                address, s->after_count, s->after, &event));
    status = syc__steps_add(s, event);
done:
    return status;
}

static syc_status transfer_host(struct syc__steps *s, const struct syc__end *to, const struct syc__end *from,
                                const syc_rects *r)
{
    bool to_device = to->where == SYC__IN_MEMORY;
    if (!syc_rects_are_runs(r))
        return transfer_rows(s, to_device ? to : from, to_device ? from : to, r, to_device);
    return to_device ? syc__transfer_run(s, to->memory, r->to_origin, from->address + r->from_origin, r->extent[0],
                                         true, to->apart)
                     : syc__transfer_run(s, from->memory, r->from_origin, to->address + r->to_origin, r->extent[0],
                                         false, from->apart);
}

/* The origin as a column, a row and a plane: drivers look at those when they look for overlaps. */
static void split_origin(size_t origin, const size_t pitch[2], bool planes, size_t out[3])
{
    out[2] = planes ? origin / pitch[1] : 0;
    out[1] = (origin - out[2] * pitch[1]) / pitch[0];
    out[0] = origin - out[2] * pitch[1] - out[1] * pitch[0];
}

static int copy_rows(struct syc__steps *s, cl_mem to, cl_mem from, const syc_rects *r, cl_event *event)
{
    bool planes = r->extent[2] > 1;
    size_t to_origin[3], from_origin[3];
    split_origin(r->to_origin, r->to_pitch, planes, to_origin);
    split_origin(r->from_origin, r->from_pitch, planes, from_origin);
    return s->cl->EnqueueCopyBufferRect(s->queue, from, to, from_origin, to_origin, r->extent, r->from_pitch[0],
                                        r->from_pitch[1], r->to_pitch[0], r->to_pitch[1], s->after_count, s->after,
                                        event);
}

static syc_status add_rows(struct syc__steps *s, cl_mem to, cl_mem from, const syc_rects *r)
{
    syc_status status = SYC_OK;
    cl_event event = NULL;
    int code = copy_rows(s, to, from, r, &event);
    if (code != 0)
        status = syc_fail_cl(SYC_HERE, "clEnqueueCopyBufferRect", code);
    else
        status = syc__steps_add(s, event);
    return status;
}

/* Through a run of scratch memory. */
static syc_status copy_rows_apart(struct syc__steps *s, cl_mem memory, const syc_rects *r)
{
    size_t row = r->extent[0], plane = row * r->extent[1];
    syc_rects out = *r, in = *r;
    syc_status status = SYC_OK;
    cl_mem scratch = NULL;

    out.to_origin = in.from_origin = 0;
    out.to_pitch[0] = in.from_pitch[0] = row;
    out.to_pitch[1] = in.from_pitch[1] = plane;
    SYC_TRY(syc__steps_scratch_memory(s, plane * r->extent[2], &scratch));
    SYC_TRY(add_rows(s, scratch, memory, &out));
    syc__steps_next(s);
    SYC_TRY(add_rows(s, memory, scratch, &in));
done:
    return status;
}

static syc_status transfer_memory(struct syc__steps *s, const struct syc__end *to, const struct syc__end *from,
                                  const syc_rects *r)
{
    syc_status status = SYC_OK;
    cl_event event = NULL;
    int code;

    if (syc_rects_are_runs(r)) {
        SYC_CL(s->cl, EnqueueCopyBuffer,
               (s->queue, from->memory, to->memory, r->from_origin, r->to_origin, r->extent[0], s->after_count,
                s->after, &event));
        return syc__steps_add(s, event);
    }
    code = copy_rows(s, to->memory, from->memory, r, &event);
    /* PoCL 3.0: it takes rows that lie in each other's gaps for an overlap.
     * Seen by: copies of parts of one buffer. */
    if (code == CL_MEM_COPY_OVERLAP && to->memory == from->memory)
        return copy_rows_apart(s, to->memory, r);
    if (code != 0)
        return syc_fail_cl(SYC_HERE, "clEnqueueCopyBufferRect", code);
    status = syc__steps_add(s, event);
done:
    return status;
}

/* -- images -- */

/* The pitches with which a host box holds the image's rows and planes; false if it holds no whole rows. */
static bool find_pitches(const syc_image_shape *image, const syc_box *host, size_t pitch[2])
{
    size_t row = image->extent[0] * image->pixel;
    syc_box rows = {0, {row, image->extent[1], image->extent[2]}, {2 * row, 4 * row * image->extent[1]}};
    syc_rects r;
    if (syc_box_bytes(host) != syc_box_bytes(&rows) || !syc_boxes_match(host, &rows, false, 1, &r) ||
        r.extent[0] != row)
        return false;
    pitch[0] = image->extent[1] > 1 ? r.to_pitch[0] : row;
    pitch[1] = image->extent[1] > 1 ? r.to_pitch[1] : r.to_pitch[0];
    return pitch[0] % image->pixel == 0;
}

static syc_status transfer_image(struct syc__steps *s, const struct syc__end *to, const struct syc__end *from)
{
    static const size_t origin[3] = {0, 0, 0};
    bool to_device = to->where == SYC__IN_IMAGE;
    const struct syc__end *image = to_device ? to : from, *host = to_device ? from : to;
    const syc_image_shape *shape = &image->buffer->image;
    size_t pitch[2] = {0, 0};
    char *address = host->address + host->box.origin;
    syc_status status = SYC_OK;
    cl_event event = NULL;

    SYC_CHECK(find_pitches(shape, &host->box, pitch), SYC_E_INVALID, "host memory does not hold the image's rows");
    if (shape->rank < 3)
        pitch[1] = 0;
    count(true, to_device, syc_box_bytes(&host->box));
    if (to_device)
        SYC_CL(s->cl, EnqueueWriteImage,
               (s->queue, image->memory, CL_FALSE, origin, shape->extent, pitch[0], pitch[1], address, s->after_count,
                s->after, &event));
    else
        SYC_CL(s->cl, EnqueueReadImage,
               (s->queue, image->memory, CL_FALSE, origin, shape->extent, pitch[0], pitch[1], address, s->after_count,
                s->after, &event));
    status = syc__steps_add(s, event);
done:
    return status;
}

/* -- unified shared memory -- */

static syc_status transfer_pointer(struct syc__steps *s, const struct syc__end *to, const struct syc__end *from)
{
    bool apart = !s->command->queue->device->facts->shares_host_memory, to_device = to->where == SYC__AT_POINTER;
    char *there = to->address + to->box.origin, *here = from->address + from->box.origin;
    size_t bytes = to->box.extent[0];
    syc_status status = SYC_OK;
    cl_event event = NULL;

    if (to->where != from->where) {
        count(apart, to_device, bytes);
        if (stage(s, (struct syc__far){.pointer = to_device ? there : here}, to_device ? here : there, bytes, to_device,
                  &status))
            return status;
    }
    SYC_TRY(syc_usm_enqueue_copy(s->command->context, s->queue, there, here, bytes, s->after_count, s->after, &event));
    status = syc__steps_take(s, event);
done:
    return status;
}

/* -- which -- */

static bool pointers_overlap(const struct syc__end *to, const struct syc__end *from)
{
    const char *a = to->address + to->box.origin, *b = from->address + from->box.origin;
    size_t bytes = to->box.extent[0];
    return a < b + bytes && b < a + bytes;
}

/* True if calls of one step do it; `rects` is filled in where memory objects take part. */
static bool is_direct(const struct syc__end *to, const struct syc__end *from, syc_rects *rects)
{
    bool same = to->buffer != NULL && to->buffer == from->buffer;
    size_t pitch[2];

    if (syc_box_bytes(&to->box) != syc_box_bytes(&from->box))
        return false;
    if (to->where == SYC__IN_IMAGE || from->where == SYC__IN_IMAGE) {
        const struct syc__end *image = to->where == SYC__IN_IMAGE ? to : from, *host = image == to ? from : to;
        return host->where == SYC__ON_HOST && find_pitches(&image->buffer->image, &host->box, pitch);
    }
    if (to->where == SYC__AT_POINTER || from->where == SYC__AT_POINTER)
        return to->where != SYC__IN_MEMORY && from->where != SYC__IN_MEMORY && syc_box_is_run(&to->box) &&
               syc_box_is_run(&from->box) && !pointers_overlap(to, from);
    if (to->where == SYC__ON_HOST && from->where == SYC__ON_HOST)
        return false;
    if (same && syc_boxes_overlap(&to->box, &from->box))
        return false;
    return syc_boxes_match(&to->box, &from->box, same, most_calls(&to->box, &from->box), rects);
}

static syc_status transfer_once(struct syc__steps *s, const struct syc__end *to, const struct syc__end *from,
                                syc_rects r)
{
    bool on_host = to->where == SYC__ON_HOST || from->where == SYC__ON_HOST;
    syc_status status = SYC_OK;

    if (to->where == SYC__IN_IMAGE || from->where == SYC__IN_IMAGE)
        return transfer_image(s, to, from);
    if (to->where == SYC__AT_POINTER || from->where == SYC__AT_POINTER)
        return transfer_pointer(s, to, from);
    for (size_t n = 0; n < r.count; n++, r.to_origin += r.to_step, r.from_origin += r.from_step)
        SYC_TRY(on_host ? transfer_host(s, to, from, &r) : transfer_memory(s, to, from, &r));
done:
    return status;
}

/* A run of scratch memory between the two: the device's where both are memory objects, else the host's. */
static syc_status make_scratch(struct syc__steps *s, const struct syc__end *to, const struct syc__end *from,
                               struct syc__end *out)
{
    size_t bytes = syc_box_bytes(&from->box);
    syc_status status = SYC_OK;

    *out = syc__end_on_host(NULL, bytes);
    if (to->where == SYC__IN_MEMORY && from->where == SYC__IN_MEMORY) {
        out->where = SYC__IN_MEMORY;
        SYC_TRY(syc__steps_scratch_memory(s, bytes, &out->memory));
    } else {
        SYC_TRY(syc__steps_scratch(s, bytes, &out->address));
    }
done:
    return status;
}

/* An array that overlaps shared memory lies in it, and is copied as that. */
static struct syc__end in_shared_memory(const struct syc__end *end, const struct syc__end *other)
{
    struct syc__end found = *end;
    if (end->where == SYC__ON_HOST && other->where == SYC__AT_POINTER && syc_box_is_run(&end->box) &&
        pointers_overlap(end, other))
        found.where = SYC__AT_POINTER;
    return found;
}

static syc_status transfer(struct syc__steps *s, const struct syc__end *to, const struct syc__end *from)
{
    struct syc__end scratch;
    syc_rects rects = {.count = 0};
    syc_status status = SYC_OK;

    if (is_direct(to, from, &rects))
        return transfer_once(s, to, from, rects);
    SYC_TRY(make_scratch(s, to, from, &scratch));
    SYC_CHECK(is_direct(&scratch, from, &rects), SYC_E_FEATURE_NOT_SUPPORTED,
              "a copy out of a part of an image is not possible");
    SYC_TRY(transfer_once(s, &scratch, from, rects));
    syc__steps_next(s);
    scratch.box = syc_box_run(0, syc_box_bytes(&to->box));
    if (scratch.where == SYC__ON_HOST && s->command->queue->device->facts->reads_at_enqueue)
        SYC_TRY(settle(s));
    SYC_CHECK(is_direct(to, &scratch, &rects), SYC_E_FEATURE_NOT_SUPPORTED,
              "a copy into a part of an image is not possible");
    SYC_TRY(transfer_once(s, to, &scratch, rects));
done:
    return status;
}

syc_status syc__transfer(struct syc__steps *s, const struct syc__end *to, const struct syc__end *from)
{
    const struct syc__end there = in_shared_memory(to, from), here = in_shared_memory(from, to);
    return transfer(s, &there, &here);
}
