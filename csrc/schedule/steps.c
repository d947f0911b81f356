/* Steps: the events of a command's OpenCL calls, and the memory that the calls use. */
#include "schedule/steps.h"

#include "base/alloc.h"
#include "cl/constants.h"
#include "cl/entries.h"
#include "memory/strided_copy.h"
#include "schedule/replay/recording.h"

#include <string.h>

void syc__steps_init(struct syc__steps *steps, syc_command *command, cl_command_queue queue, const cl_event *after,
                     cl_uint after_count)
{
    *steps = (struct syc__steps){.command = command,
                                 .work = command->work,
                                 .cl = syc_context_cl(command->context),
                                 .queue = queue,
                                 .after = after,
                                 .after_count = after_count};
    steps->before = steps->few[0];
    steps->current = steps->few[1];
    steps->before_room = steps->current_room = sizeof steps->few[0] / sizeof steps->few[0][0];
}

static void drop(const struct syc__steps *steps, cl_event event)
{
    syc_event_let_go(steps->command->context, event);
    syc_live_add(SYC_LIVE_CL_EVENT, -1);
}

static bool is_few(const struct syc__steps *steps, const cl_event *events)
{
    return events == steps->few[0] || events == steps->few[1];
}

/* Room for one more event; out of the struct when they get many. */
static syc_status make_room(struct syc__steps *steps)
{
    cl_event *events = NULL;
    size_t room = 0;
    syc_status status;
    if (steps->current_count < steps->current_room)
        return SYC_OK;
    if (!is_few(steps, steps->current))
        return syc_grow(&steps->current, &steps->current_room, steps->current_count + 1, sizeof *events);
    status = syc_grow(&events, &room, steps->current_count + 1, sizeof *events);
    if (status != SYC_OK)
        return status;
    memcpy(events, steps->current, steps->current_count * sizeof *events);
    steps->current = events;
    steps->current_room = room;
    return SYC_OK;
}

syc_status syc__steps_add(struct syc__steps *steps, cl_event event)
{
    syc_status status = make_room(steps);
    syc_live_add(SYC_LIVE_CL_EVENT, 1);
    if (status != SYC_OK) {
        (void)steps->cl->WaitForEvents(1, &event); /* nothing may be left running: the failure is ours, not its */
        drop(steps, event);
        return status;
    }
    steps->current[steps->current_count++] = event;
    return SYC_OK;
}

static void forget(struct syc__steps *steps, cl_event *events, size_t count, size_t *room)
{
    for (size_t i = 0; i < count; i++)
        drop(steps, events[i]);
    if (!is_few(steps, events))
        syc_free(events);
    *room = 0;
}

/* The first step's first event stays: its start is the command's. */
static void keep_first(struct syc__steps *steps)
{
    if (steps->command->first != NULL || steps->before_count == 0)
        return;
    steps->command->first = steps->before[0];
    steps->before[0] = steps->before[--steps->before_count];
}

void syc__steps_next(struct syc__steps *steps)
{
    cl_event *free_few;
    if (steps->current_count == 0)
        return;
    keep_first(steps);
    forget(steps, steps->before, steps->before_count, &steps->before_room);
    free_few = steps->current == steps->few[0] ? steps->few[1] : steps->few[0];
    steps->before = steps->current;
    steps->before_count = steps->current_count;
    steps->before_room = steps->current_room;
    steps->current = free_few;
    steps->current_count = 0;
    steps->current_room = sizeof steps->few[0] / sizeof steps->few[0][0];
    steps->after = steps->before;
    steps->after_count = (cl_uint)steps->before_count;
}

void syc__steps_clear(struct syc__steps *steps, bool failed)
{
    if (failed && steps->before_count > 0)
        (void)steps->cl->WaitForEvents((cl_uint)steps->before_count, steps->before);
    if (failed && steps->current_count > 0)
        (void)steps->cl->WaitForEvents((cl_uint)steps->current_count, steps->current);
    forget(steps, steps->before, steps->before_count, &steps->before_room);
    forget(steps, steps->current, steps->current_count, &steps->current_room);
    steps->before_count = steps->current_count = 0;
}

/* One event for the command's end: the last step's, or a marker behind several. NULL native when there was no call, and
 * of a launch without an event. */
syc_status syc__steps_close(struct syc__steps *steps)
{
    syc_status status = SYC_OK;
    cl_event end = NULL;

    syc__steps_next(steps);
    if (steps->before_count == 0 && !syc__is_silent(steps->command))
        return SYC_OK;
    if (steps->before_count == 1) {
        end = steps->before[0];
        steps->before_count = 0;
    } else if (steps->before_count > 1) {
        SYC_CL(steps->cl, EnqueueMarkerWithWaitList, (steps->queue, steps->after_count, steps->after, &end));
        syc_live_add(SYC_LIVE_CL_EVENT, 1);
    }
    steps->command->native = end;
    syc__count_silent(steps->command);
    if (steps->command->queue->device->facts->flush_each)
        SYC_CL(steps->cl, Flush, (steps->queue));
done:
    return status;
}

static syc_status hold(struct syc__work *work, syc_buffer *buffer, cl_mem memory)
{
    syc_status status = syc_grow(&work->held, &work->held_room, work->held_count + 1, sizeof *work->held);
    if (status == SYC_OK)
        work->held[work->held_count++] = (struct syc__held){buffer, memory};
    return status;
}

syc_status syc__steps_memory(struct syc__steps *steps, size_t index, size_t low, size_t bytes, cl_mem *out)
{
    const syc_need *need = &steps->work->needs[index];
    return syc__steps_place_memory(steps, need->buffer, need->place, low, bytes, out);
}

syc_status syc__steps_place_memory(struct syc__steps *steps, syc_buffer *buffer, unsigned place, size_t low,
                                   size_t bytes, cl_mem *out)
{
    syc_status status = syc_buffer_hold_view(buffer, place, steps->command->context, low, bytes, out);
    if (status != SYC_OK || *out == NULL)
        return status;
    status = hold(steps->work, buffer, *out);
    if (status != SYC_OK)
        syc_buffer_drop_view(buffer, *out);
    return status;
}

syc_status syc__steps_whole(struct syc__steps *steps, size_t index, cl_mem *out)
{
    return syc__steps_memory(steps, index, 0, steps->work->needs[index].buffer->bytes, out);
}

syc_status syc__steps_scratch(struct syc__steps *steps, size_t bytes, char **out)
{
    enum { CACHE_LINE = 128 };
    struct syc__work *work = steps->work;
    char *memory = NULL;
    syc_status status = syc_grow(&work->scratch, &work->scratch_room, work->scratch_count + 1, sizeof *work->scratch);
    if (status == SYC_OK)
        status = syc_alloc_aligned(CACHE_LINE, bytes, &memory);
    if (status != SYC_OK)
        return status;
    work->scratch[work->scratch_count++] = (struct syc__scratch){memory, NULL};
    *out = memory;
    return SYC_OK;
}

syc_status syc__steps_scratch_memory(struct syc__steps *steps, size_t bytes, cl_mem *out)
{
    cl_context context = steps->command->context->native;
    syc_status status = SYC_OK;
    cl_mem memory = NULL;
    cl_int code = 0;

    SYC_CL_OBJECT(steps->cl, memory, CreateBuffer, (context, CL_MEM_READ_WRITE, bytes, NULL, &code));
    syc_live_add(SYC_LIVE_CL_MEM, 1);
    status = hold(steps->work, NULL, memory);
    if (status != SYC_OK) {
        (void)steps->cl->ReleaseMemObject(memory); /* the failure to tell is the other */
        syc_live_add(SYC_LIVE_CL_MEM, -1);
        return status;
    }
    *out = memory;
done:
    return status;
}

syc_status syc__steps_unpack(struct syc__steps *steps, const syc_host_array *array, const char *packed)
{
    struct syc__work *work = steps->work;
    for (size_t i = 0; i < work->scratch_count; i++) {
        if (work->scratch[i].bytes == packed)
            work->scratch[i].to = array;
    }
    steps->command->write_back = true;
    return SYC_OK;
}

void syc__work_unpack(const struct syc__work *work)
{
    if (work->ops->kind == SYC_TASK_REPLAY) {
        for (const struct syc__part *part = work->replay.parts; part != NULL; part = part->next)
            syc__work_unpack(&part->work);
    }
    for (size_t i = 0; i < work->scratch_count; i++) {
        if (work->scratch[i].to != NULL)
            syc_host_array_unpack(work->scratch[i].to, work->scratch[i].bytes);
    }
}
