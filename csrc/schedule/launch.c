/* Kernels: their arguments, and the launch. On a device that shares the host's memory that is one call; elsewhere host
 * arrays are written first and read back after. */
#include "base/alloc.h"
#include "cl/entries.h"
#include "memory/sampler.h"
#include "program/build.h"
#include "schedule/steps.h"
#include "source/declarations/signature.h"

/* A part of a buffer that the driver has no sub-buffer for, or that begins on an address which the kernel's type cannot
 * have: a copy stands in for it. */
struct window {
    const syc_argument *argument;
    cl_mem memory, whole;
};

struct launching {
    struct syc__steps *steps;
    cl_kernel kernel;
    struct window *windows;
    size_t window_count, window_room;
};

static bool is_copied(const syc_binding *binding)
{
    return binding->staging != NULL || binding->transfer;
}

static const char *name_of(const struct syc__work *work)
{
    return syc_program_signatures(work->launch.program)->items[work->launch.kernel].name;
}

/* Two arguments of which one is copied would not see each other's writes, and its copy back would undo some. */
static syc_status refuse_overlap(const struct syc__work *work, size_t index)
{
    const syc_binding *binding = &work->bindings[index];
    for (size_t i = 0; i < index; i++) {
        const syc_binding *other = &work->bindings[i];
        if (other->memory == NULL || !(is_copied(binding) || is_copied(other)) ||
            !(binding->span.writable || other->span.writable) || !syc_host_arrays_overlap(&binding->span, &other->span))
            continue;
        return syc_fail(SYC_E_INVALID_PARAMETER, SYC_HERE,
                        "two array arguments of kernel '%s' overlap in memory and one may be written: they are copied "
                        "for this device or layout, so one copy would overwrite the other; pass disjoint arrays",
                        name_of(work));
    }
    return SYC_OK;
}

/* The same array passed twice is one piece of memory for the kernel too: it must do for the strictest of its
 * parameters. */
static syc_host_array merged_span(const struct syc__work *work, const syc_host_array *span)
{
    syc_host_array merged = *span;
    for (size_t i = 0; i < work->launch.argument_count; i++) {
        const syc_argument *other = &work->launch.arguments[i];
        if (other->kind != SYC_ARGUMENT_SPAN || !syc_host_arrays_same(&other->span, span))
            continue;
        merged.writable |= other->span.writable;
        merged.alignment = other->span.alignment > merged.alignment ? other->span.alignment : merged.alignment;
    }
    return merged;
}

static const syc_binding *find_same(const struct syc__work *work, size_t index, const syc_host_array *span)
{
    for (size_t i = 0; i < index; i++) {
        if (work->bindings[i].memory != NULL && syc_host_arrays_same(&work->bindings[i].span, span))
            return &work->bindings[i];
    }
    return NULL;
}

static syc_status bind_array(struct launching *l, size_t index, const syc_host_array *argument, cl_mem *out)
{
    syc_command *command = l->steps->command;
    struct syc__work *work = l->steps->work;
    syc_host_array span = merged_span(work, argument);
    syc_binding *binding = &work->bindings[index];
    const syc_binding *same = find_same(work, index, &span);
    syc_status status = SYC_OK;

    if (l->steps->arrays != NULL) { /* a replay binds the arrays of all its commands by itself */
        *out = l->steps->arrays[index];
        return SYC_OK;
    }
    if (same != NULL) { /* its own place stays empty: nothing to copy, nothing to release */
        *out = same->memory;
        return SYC_OK;
    }
    SYC_TRY(syc_binding_create(command->context, command->queue->device->facts, &span, binding));
    SYC_TRY(refuse_overlap(work, index));
    if (binding->staging != NULL && span.writable)
        command->write_back = true;
    *out = binding->memory;
done:
    return status;
}

static bool is_misaligned(const syc_need *need, const syc_argument *a)
{
    return a->size > 0 && !syc_place_is_device(need->place) &&
           (uintptr_t)syc_buffer_address(need->buffer, need->place, a->buffer.low) % a->buffer.alignment != 0;
}

static bool same_bytes(const syc_argument *a, const syc_argument *b)
{
    return a->buffer.need == b->buffer.need && a->buffer.low == b->buffer.low && a->size == b->size;
}

static bool share_bytes(const struct syc__work *work, const syc_argument *a, const syc_argument *b)
{
    return work->needs[a->buffer.need].buffer == work->needs[b->buffer.need].buffer &&
           a->buffer.low < b->buffer.low + b->size && b->buffer.low < a->buffer.low + a->size;
}

/* As for arrays: a copy does not see what another argument writes. */
static syc_status refuse_window(const struct syc__work *work, const syc_argument *a)
{
    for (size_t i = 0; i < work->launch.argument_count; i++) {
        const syc_argument *b = &work->launch.arguments[i];
        if (b->kind != SYC_ARGUMENT_BUFFER || same_bytes(a, b) || !share_bytes(work, a, b) ||
            !(work->needs[a->buffer.need].write || work->needs[b->buffer.need].write))
            continue;
        return syc_fail(
            SYC_E_ACCESSOR, SYC_HERE,
            "two arguments of kernel '%s' are overlapping parts of one buffer of which one is written, and one "
            "begins where the device's alignment allows no pointer: they cannot be used together",
            name_of(work));
    }
    return SYC_OK;
}

static syc_status open_window(struct launching *l, const syc_argument *a, cl_mem *out)
{
    struct syc__work *work = l->steps->work;
    struct window window = {.argument = a};
    syc_status status = SYC_OK;

    for (size_t i = 0; i < l->window_count; i++) {
        if (same_bytes(l->windows[i].argument, a)) {
            *out = l->windows[i].memory;
            return SYC_OK;
        }
    }
    SYC_TRY(refuse_window(work, a));
    SYC_TRY(syc_grow(&l->windows, &l->window_room, l->window_count + 1, sizeof *l->windows));
    SYC_TRY(syc__steps_whole(l->steps, a->buffer.need, &window.whole));
    SYC_TRY(syc__steps_scratch_memory(l->steps, a->size, &window.memory));
    l->windows[l->window_count++] = window;
    syc_traffic_add(&(syc_traffic){.staged_arrays = 1, .staged_bytes = a->size});
    *out = window.memory;
done:
    return status;
}

/* Fills the windows, or (after the launch) takes what was written out of them. */
static syc_status copy_windows(struct launching *l, bool in)
{
    struct syc__steps *s = l->steps;
    syc_status status = SYC_OK;

    syc__steps_next(s);
    for (size_t i = 0; i < l->window_count; i++) {
        const struct window *w = &l->windows[i];
        const syc_need *need = &s->work->needs[w->argument->buffer.need];
        size_t low = w->argument->buffer.low, bytes = w->argument->size;
        cl_event event = NULL;
        if (in ? !need->keep : !need->write)
            continue;
        if (in)
            SYC_CL(s->cl, EnqueueCopyBuffer,
                   (s->queue, w->whole, w->memory, low, 0, bytes, s->after_count, s->after, &event));
        else
            SYC_CL(s->cl, EnqueueCopyBuffer,
                   (s->queue, w->memory, w->whole, 0, low, bytes, s->after_count, s->after, &event));
        SYC_TRY(syc__steps_add(s, event));
    }
    syc__steps_next(s);
done:
    return status;
}

static syc_status bind_buffer(struct launching *l, const syc_argument *a, cl_mem *out)
{
    const syc_need *need = &l->steps->work->needs[a->buffer.need];
    syc_status status = SYC_OK;
    if (is_misaligned(need, a))
        return open_window(l, a, out);
    status = syc__steps_memory(l->steps, a->buffer.need, a->buffer.low, a->size, out);
    return status == SYC_OK && *out == NULL ? open_window(l, a, out) : status;
}

static syc_status set_memory(const struct launching *l, size_t index, cl_mem memory)
{
    syc_status status = SYC_OK;
    SYC_CL(l->steps->cl, SetKernelArg, (l->kernel, (cl_uint)index, sizeof memory, &memory));
done:
    return status;
}

static syc_status set_sampler(syc_context *context, cl_kernel kernel, size_t index, syc_sampler *sampler)
{
    cl_sampler native = NULL;
    syc_status status = SYC_OK;
    SYC_TRY(syc_sampler_native(sampler, context, &native));
    SYC_CL(syc_context_cl(context), SetKernelArg, (kernel, (cl_uint)index, sizeof native, &native));
done:
    return status;
}

syc_status syc__set_plain_argument(syc_context *context, cl_kernel kernel, size_t index, const syc_argument *a)
{
    const syc_cl_table *cl = syc_context_cl(context);
    syc_status status = SYC_OK;
    switch (a->kind) {
    case SYC_ARGUMENT_VALUE:
        SYC_CL(cl, SetKernelArg, (kernel, (cl_uint)index, a->size, a->value));
        break;
    case SYC_ARGUMENT_LOCAL:
        SYC_CL(cl, SetKernelArg, (kernel, (cl_uint)index, a->size, NULL));
        break;
    case SYC_ARGUMENT_POINTER:
        return syc_usm_set_argument(context, kernel, (cl_uint)index, a->pointer);
    default:
        return set_sampler(context, kernel, index, a->sampler);
    }
done:
    return status;
}

static syc_status set_arguments(struct launching *l)
{
    const struct syc__work *work = l->steps->work;
    syc_status status = SYC_OK;
    size_t bound = 0;

    for (size_t i = 0; i < work->launch.argument_count; i++) {
        const syc_argument *a = &work->launch.arguments[i];
        cl_mem memory = NULL;
        switch (a->kind) {
        case SYC_ARGUMENT_SPAN:
            SYC_TRY(bind_array(l, bound++, &a->span, &memory));
            SYC_TRY(set_memory(l, i, memory));
            break;
        case SYC_ARGUMENT_BUFFER:
            SYC_TRY(bind_buffer(l, a, &memory));
            SYC_TRY(set_memory(l, i, memory));
            break;
        default:
            SYC_TRY(syc__set_plain_argument(l->steps->command->context, l->kernel, i, a));
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

syc_status syc__steps_bindings(struct syc__steps *s, bool to_device)
{
    syc_status status = SYC_OK;
    syc_traffic moved = {0};

    syc__steps_next(s);
    for (size_t i = 0; i < s->work->binding_count; i++) {
        syc_binding *b = &s->work->bindings[i];
        cl_event event = NULL;
        if (!b->transfer || (!to_device && !b->span.writable))
            continue;
        if (to_device) {
            SYC_CL(s->cl, EnqueueWriteBuffer,
                   (s->queue, b->memory, CL_FALSE, 0, b->span.bytes, host_side(b), s->after_count, s->after, &event));
            moved.to_device_bytes += b->span.bytes;
        } else {
            SYC_CL(s->cl, EnqueueReadBuffer,
                   (s->queue, b->memory, CL_FALSE, 0, b->span.bytes, host_side(b), s->after_count, s->after, &event));
            moved.from_device_bytes += b->span.bytes;
        }
        SYC_TRY(syc__steps_add(s, event));
    }
    syc__steps_next(s);
    syc_traffic_add(&moved);
done:
    return status;
}

/* When the launch fails, the steps behind it say only that something before them did. */
static syc_status keep_launch_event(const struct syc__steps *s, cl_event event)
{
    syc_status status = SYC_OK;
    if (s->command->launched != NULL)
        return SYC_OK;
    SYC_CL(s->cl, RetainEvent, (event));
    syc_live_add(SYC_LIVE_CL_EVENT, 1);
    s->command->launched = event;
done:
    return status;
}

static bool ends_with_launch(const struct launching *l)
{
    const struct syc__work *work = l->steps->work;
    for (size_t i = 0; i < work->binding_count; i++) {
        if (work->bindings[i].transfer)
            return false;
    }
    for (size_t i = 0; i < work->allocation_count; i++) {
        if (syc_usm_is_wanted(work->allocations[i]))
            return false;
    }
    return l->window_count == 0;
}

/* A driver that does not tell how large the groups of a kernel may be, or its items' arrays, tells it now. */
static syc_status fail_launch(const syc_device *device, const syc_geometry *g, int code)
{
    size_t items = g->local[0] * g->local[1] * g->local[2];
    if (code != CL_OUT_OF_RESOURCES || !device->facts->understates_groups)
        return syc_fail_cl(SYC_HERE, "clEnqueueNDRangeKernel", code);
    if (items == 1)
        return syc_fail_cl_as(SYC_E_KERNEL_NOT_SUPPORTED, SYC_HERE, "clEnqueueNDRangeKernel", code,
                              "clEnqueueNDRangeKernel failed with CL_OUT_OF_RESOURCES (%d): device '%s' has not enough "
                              "memory for the variables of a single work-item of this kernel; smaller arrays need less",
                              code, syc_device_name(device));
    return syc_fail_cl_as(SYC_E_ND_RANGE, SYC_HERE, "clEnqueueNDRangeKernel", code,
                          "clEnqueueNDRangeKernel failed with CL_OUT_OF_RESOURCES (%d): device '%s' has not enough "
                          "registers or local memory for work-groups of %zu items of this kernel; smaller ones need "
                          "less",
                          code, syc_device_name(device), items);
}

syc_status syc__launch_build(const syc_queue *queue, const struct syc__work *work, syc_build **out)
{
    syc_program *program = work->launch.program;
    unsigned turn = syc_program_turn(program, work->launch.kernel, queue->device, work->launch.geometry.local);
    return syc_program_build_turned(program, queue->context, turn, out);
}

syc_build *syc__launch_known_build(const syc_queue *queue, const struct syc__work *work)
{
    syc_program *program = work->launch.program;
    unsigned turn = syc_program_turn(program, work->launch.kernel, queue->device, work->launch.geometry.local);
    return syc_program_known_build(program, queue->context, turn);
}

syc_status syc__enqueue_part(const struct syc__steps *s, const struct syc__work *work, cl_kernel kernel,
                             const syc_geometry *g, cl_uint after_count, const cl_event *after, cl_event *out)
{
    syc_geometry turned = *g;
    const syc__nd_launch launch = {.queue = s->queue,
                                   .kernel = kernel,
                                   .dims = g->dims,
                                   .offset = g->offset[0] | g->offset[1] | g->offset[2] ? turned.offset : NULL,
                                   .global = turned.global,
                                   .local = turned.local,
                                   .after_count = after_count,
                                   .after = after};
    bool alone = s->command->lane == SYC_LANE_CALLER;
    syc_build *build = NULL;
    syc_status status = SYC_OK;
    int code = CL_SUCCESS;

    SYC_TRY(syc__launch_build(s->command->queue, work, &build)); /* which has been built */
    syc_program_turn_sizes(build->turn, turned.global);
    syc_program_turn_sizes(build->turn, turned.local);
    syc_program_turn_sizes(build->turn, turned.offset);
    SYC_TRY(syc__launch_clash_launch(build->flights, s->cl, work->launch.kernel, alone, &launch, out, &code));
    if (code != CL_SUCCESS)
        status = fail_launch(s->command->queue->device, g, code);
done:
    return status;
}

/* One launch, after the step before. */
static syc_status launch_part(const struct launching *l, const syc_geometry *g)
{
    struct syc__steps *s = l->steps;
    syc_status status = SYC_OK;
    cl_event event = NULL;

    if (!ends_with_launch(l) || s->work->launch.geometry.rest > 0 || s->before_count > 0)
        s->command->silent = false;
    if (s->command->silent) {
        SYC_TRY(syc__enqueue_part(s, s->work, l->kernel, g, 0, NULL, NULL));
        s->command->ran = true;
        return SYC_OK;
    }
    SYC_TRY(syc__enqueue_part(s, s->work, l->kernel, g, s->after_count, s->after, &event));
    SYC_TRY(syc__steps_add(s, event));
    if (!ends_with_launch(l))
        SYC_TRY(keep_launch_event(s, event));
    syc__steps_next(s);
done:
    return status;
}

static syc_status launch(const struct launching *l)
{
    syc_geometry part = l->steps->work->launch.geometry;
    size_t rest = part.rest;
    syc_status status = SYC_OK;

    part.global[0] -= rest;
    SYC_TRY(launch_part(l, &part));
    if (rest == 0)
        goto done;
    part.offset[0] += part.global[0];
    part.global[0] = rest;
    part.local[0] = 1;
    SYC_TRY(launch_part(l, &part));
done:
    return status;
}

uint64_t syc__pointer_mask(const syc_queue *queue, const struct syc__work *work)
{
    uint64_t mask = 0;
    if (!queue->device->facts->usm_argument_sticks)
        return 0;
    for (size_t i = 0; i < work->launch.argument_count; i++) {
        const syc_argument *a = &work->launch.arguments[i];
        if (a->kind == SYC_ARGUMENT_POINTER && a->pointer != NULL) /* a null pointer is set as a cl_mem */
            mask |= (uint64_t)1 << (i % 64);
    }
    return mask;
}

static syc_status enqueue(struct syc__steps *steps)
{
    struct launching l = {.steps = steps};
    size_t index = steps->work->launch.kernel;
    uint64_t mask = syc__pointer_mask(steps->command->queue, steps->work);
    syc_status status = SYC_OK;
    syc_build *build = NULL;

    if (steps->work->launch.native != NULL) { /* no other launch sets its arguments */
        l.kernel = steps->work->launch.native;
        return launch(&l);
    }
    SYC_TRY(syc__launch_build(steps->command->queue, steps->work, &build));
    SYC_TRY(syc_build_take_kernel(build, index, mask, &l.kernel));
    SYC_TRY(set_arguments(&l));
    SYC_TRY(syc__steps_bindings(steps, true));
    SYC_TRY(copy_windows(&l, true));
    SYC_TRY(launch(&l));
    SYC_TRY(copy_windows(&l, false));
    SYC_TRY(syc__steps_bindings(steps, false));
done:
    if (l.kernel != NULL)
        syc_build_give_kernel(build, index, mask, l.kernel);
    syc_free(l.windows);
    return status;
}

/* The host reads a staged array when it binds it, and some drivers any array when its copy to the device is enqueued:
 * only when all before it has ended. */
static bool reads_early(const syc_command *command)
{
    const struct syc__work *work = command->work;
    const syc_facts *facts = command->queue->device->facts;
    for (size_t i = 0; i < work->launch.argument_count; i++) {
        const syc_argument *a = &work->launch.arguments[i];
        if (a->kind == SYC_ARGUMENT_SPAN &&
            (syc_host_array_is_staged(facts, &a->span) || (!facts->shares_host_memory && facts->reads_at_enqueue)))
            return true;
    }
    return false;
}

const syc_task_ops syc_launch_ops = {
    .kind = SYC_TASK_LAUNCH, .word = "kernel", .enqueue = enqueue, .reads_early = reads_early};
