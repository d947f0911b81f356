/* From a command to OpenCL calls. On a device that shares the host's memory that is one launch; elsewhere arrays are
 * written first and read back after, and events chain the steps. */
#include "base/alloc.h"
#include "schedule/order.h"

#include <string.h>

/* One command on its way into a native queue. */
struct enqueuing {
    syc_command *command;
    struct syc__work *work;
    const syc_cl_table *cl;
    cl_command_queue queue;
    cl_kernel kernel;
    cl_event *steps; /* the events that the next step waits for: an array of its own, or `only` */
    cl_event only;
    cl_uint step_count;
    const cl_event *after;
    cl_uint after_count;
};

static void drop_event(const struct enqueuing *e, cl_event event)
{
    int code = e->cl->ReleaseEvent(event);
    if (code != 0)
        syc_report(syc_fail_cl(SYC_HERE, "clReleaseEvent", code));
    syc_live_add(SYC_LIVE_CL_EVENT, -1);
}

static bool is_copied(const syc_binding *binding)
{
    return binding->staging != NULL || binding->transfer;
}

/* Two arguments of which one is copied would not see each other's writes, and its copy back would undo some. */
static syc_status refuse_overlap(const struct syc__work *work, size_t index)
{
    const syc_binding *binding = &work->bindings[index];
    for (size_t i = 0; i < index; i++) {
        const syc_binding *other = &work->bindings[i];
        if (other->memory == NULL || !(is_copied(binding) || is_copied(other)) ||
            !(binding->span.writable || other->span.writable) || !syc_spans_overlap(&binding->span, &other->span))
            continue;
        return syc_fail(SYC_E_INVALID_PARAMETER, SYC_HERE,
                        "two array arguments of kernel '%s' overlap in memory and one may be written: they are copied "
                        "for this device or layout, so one copy would overwrite the other; pass disjoint arrays",
                        syc_program_signatures(work->program)->items[work->kernel].name);
    }
    return SYC_OK;
}

static bool same_layout(const syc_span *a, const syc_span *b)
{
    size_t bytes = (size_t)a->rank * sizeof *a->shape;
    if (a->data != b->data || a->bytes != b->bytes || a->packed != b->packed)
        return false;
    return a->packed || (a->rank == b->rank && a->item_size == b->item_size && memcmp(a->shape, b->shape, bytes) == 0 &&
                         memcmp(a->strides, b->strides, bytes) == 0);
}

/* The same array passed twice is one piece of memory for the kernel too: it must do for the strictest of its
 * parameters. */
static syc_span merged_span(const struct syc__work *work, const syc_span *span)
{
    syc_span merged = *span;
    for (size_t i = 0; i < work->argument_count; i++) {
        const syc_span *other = &work->arguments[i].span;
        if (work->arguments[i].kind != SYC_ARGUMENT_SPAN || !same_layout(other, span))
            continue;
        merged.writable |= other->writable;
        merged.alignment = other->alignment > merged.alignment ? other->alignment : merged.alignment;
    }
    return merged;
}

static const syc_binding *find_same(const struct syc__work *work, size_t index, const syc_span *span)
{
    for (size_t i = 0; i < index; i++) {
        if (work->bindings[i].memory != NULL && same_layout(&work->bindings[i].span, span))
            return &work->bindings[i];
    }
    return NULL;
}

static syc_status bind_one(struct enqueuing *e, size_t index, const syc_span *argument, cl_mem *out)
{
    struct syc__work *work = e->work;
    syc_span span = merged_span(work, argument);
    syc_binding *binding = &work->bindings[index];
    const syc_binding *same = find_same(work, index, &span);
    syc_status status = SYC_OK;

    if (same != NULL) { /* its own place stays empty: nothing to copy, nothing to release */
        *out = same->memory;
        return SYC_OK;
    }
    SYC_TRY(syc_binding_create(e->command->context, e->command->queue->device->facts, &span, binding));
    SYC_TRY(refuse_overlap(work, index));
    if (binding->staging != NULL && span.writable)
        e->command->write_back = true;
    *out = binding->memory;
done:
    return status;
}

static syc_status set_arguments(struct enqueuing *e)
{
    syc_status status = SYC_OK;
    size_t bound = 0;

    for (size_t i = 0; i < e->work->argument_count; i++) {
        const syc_argument *a = &e->work->arguments[i];
        cl_mem memory = NULL;
        switch (a->kind) {
        case SYC_ARGUMENT_VALUE:
            SYC_CL(e->cl, SetKernelArg, (e->kernel, (cl_uint)i, a->size, a->value));
            break;
        case SYC_ARGUMENT_LOCAL:
            SYC_CL(e->cl, SetKernelArg, (e->kernel, (cl_uint)i, a->size, NULL));
            break;
        case SYC_ARGUMENT_SPAN:
            SYC_TRY(bind_one(e, bound++, &a->span, &memory));
            SYC_CL(e->cl, SetKernelArg, (e->kernel, (cl_uint)i, sizeof memory, &memory));
            break;
        }
    }
done:
    return status;
}

static char *host_side(const syc_binding *binding)
{
    return binding->staging != NULL ? binding->staging : binding->span.data;
}

/* Forgets the events of the step before; the new step's are in their place. */
static void next_step(struct enqueuing *e, cl_event *events, cl_uint count)
{
    for (cl_uint i = 0; i < e->step_count; i++)
        drop_event(e, e->steps[i]);
    if (e->steps != &e->only)
        syc_free(e->steps);
    e->steps = events;
    e->step_count = count;
    e->after = events;
    e->after_count = count;
}

/* Copies every transferred array to the device (or the writable ones back), all at once, after the step before. */
static syc_status transfer(struct enqueuing *e, bool to_device)
{
    syc_status status = SYC_OK;
    cl_event *events = NULL;
    cl_uint count = 0;
    syc_traffic moved = {0};

    SYC_TRY(syc_alloc_array(e->work->binding_count, sizeof *events, &events));
    for (size_t i = 0; i < e->work->binding_count; i++) {
        syc_binding *b = &e->work->bindings[i];
        if (!b->transfer || (!to_device && !b->span.writable))
            continue;
        if (to_device) {
            SYC_CL(e->cl, EnqueueWriteBuffer,
                   (e->queue, b->memory, CL_FALSE, 0, b->span.bytes, host_side(b), e->after_count, e->after,
                    &events[count]));
            moved.to_device_bytes += b->span.bytes;
        } else {
            SYC_CL(e->cl, EnqueueReadBuffer,
                   (e->queue, b->memory, CL_FALSE, 0, b->span.bytes, host_side(b), e->after_count, e->after,
                    &events[count]));
            moved.from_device_bytes += b->span.bytes;
        }
        syc_live_add(SYC_LIVE_CL_EVENT, 1);
        count++;
    }
    syc_traffic_add(&moved);
done:
    if (status != SYC_OK && count > 0) /* the arrays must not be let go while a copy is under way */
        (void)e->cl->WaitForEvents(count, events);
    if (count > 0) {
        next_step(e, events, count);
        events = NULL;
    }
    syc_free(events);
    return status;
}

static bool any_transfer(const struct syc__work *work)
{
    for (size_t i = 0; i < work->binding_count; i++) {
        if (work->bindings[i].transfer)
            return true;
    }
    return false;
}

/* When the launch fails, the steps behind it say only that something before them did. */
static syc_status keep_launch_event(const struct enqueuing *e, cl_event event)
{
    syc_status status = SYC_OK;
    SYC_CL(e->cl, RetainEvent, (event));
    syc_live_add(SYC_LIVE_CL_EVENT, 1);
    e->command->launched = event;
done:
    return status;
}

/* One launch, after the step before. */
static syc_status launch_part(struct enqueuing *e, const syc_geometry *g)
{
    const size_t *offset = g->offset[0] | g->offset[1] | g->offset[2] ? g->offset : NULL;
    syc_status status = SYC_OK;
    cl_event event = NULL;

    SYC_CL(e->cl, EnqueueNDRangeKernel,
           (e->queue, e->kernel, g->dims, offset, g->global, g->local, e->after_count, e->after, &event));
    syc_live_add(SYC_LIVE_CL_EVENT, 1);
    if (e->step_count > 0 && e->command->first == NULL) { /* the first step's start is the command's */
        e->command->first = e->steps[0];
        e->steps[0] = e->steps[--e->step_count];
    }
    next_step(e, NULL, 0);
    e->only = event;
    next_step(e, &e->only, 1);
    if (any_transfer(e->work) && e->command->launched == NULL)
        SYC_TRY(keep_launch_event(e, event));
done:
    return status;
}

static syc_status launch(struct enqueuing *e)
{
    syc_geometry part = e->work->geometry;
    size_t rest = part.rest;
    syc_status status = SYC_OK;

    part.global[0] -= rest;
    SYC_TRY(launch_part(e, &part));
    if (rest == 0)
        goto done;
    part.offset[0] += part.global[0];
    part.global[0] = rest;
    part.local[0] = 1;
    SYC_TRY(launch_part(e, &part));
done:
    return status;
}

/* One event for the command's end: the last step's, or a marker behind several. */
static syc_status close_steps(struct enqueuing *e)
{
    syc_status status = SYC_OK;
    cl_event end = NULL;

    if (e->step_count == 1) {
        end = e->steps[0];
        e->step_count = 0;
    } else {
        SYC_CL(e->cl, EnqueueMarkerWithWaitList, (e->queue, e->step_count, e->steps, &end));
        syc_live_add(SYC_LIVE_CL_EVENT, 1);
    }
    e->command->native = end;
    if (e->command->queue->device->facts->flush_each)
        SYC_CL(e->cl, Flush, (e->queue));
done:
    return status;
}

/* After a failure half-way: what was enqueued must be over before the memory under it may go. */
static void undo(struct enqueuing *e)
{
    if (e->command->native != NULL) {
        (void)e->cl->WaitForEvents(1, &e->command->native);
        drop_event(e, e->command->native);
        e->command->native = NULL;
    }
    if (e->step_count > 0)
        (void)e->cl->WaitForEvents(e->step_count, e->steps);
}

syc_status syc__enqueue(syc_command *command, syc_lane lane, const cl_event *after, cl_uint after_count)
{
    struct enqueuing e = {.command = command,
                          .work = command->work,
                          .cl = syc_context_cl(command->context),
                          .queue = command->queue->natives[lane],
                          .after = after,
                          .after_count = after_count};
    syc_status status = SYC_OK;
    syc_build *build = NULL;

    command->lane = lane;
    SYC_TRY(syc_program_build(e.work->program, command->context, &build));
    SYC_TRY(syc_build_take_kernel(build, e.work->kernel, &e.kernel));
    SYC_TRY(set_arguments(&e));
    if (any_transfer(e.work))
        SYC_TRY(transfer(&e, true));
    SYC_TRY(launch(&e));
    if (any_transfer(e.work))
        SYC_TRY(transfer(&e, false));
    SYC_TRY(close_steps(&e));
done:
    if (status != SYC_OK)
        undo(&e);
    next_step(&e, NULL, 0);
    if (e.kernel != NULL)
        syc_build_give_kernel(build, e.work->kernel, e.kernel);
    return status;
}
