/* Replays: the calls of all recorded commands, one command's after another's, without what was done once and for all
 * when they were recorded. Where the native queue keeps the order, a launch names nothing that it waits for; else the
 * events of the commands that it comes after. */
#include "base/alloc.h"
#include "base/text.h"
#include "cl/constants.h"
#include "cl/entries.h"
#include "schedule/replay/recording.h"
#include "schedule/steps.h"

#include <string.h>

struct replaying {
    struct syc__steps *steps; /* the whole command's */
    struct syc__work *work;
    const syc_recording *recording;
    const syc_replay *replay;
    const struct syc__layout *layout;
    struct syc__kernel_set *set;
    bool ordered;  /* the native queue keeps the order */
    cl_mem *slots; /* NULL: a copy must stand in for the bytes */
    cl_mem *arrays;
    cl_event *waits; /* of several commands, one after the other */
    size_t wait_room;
    size_t latest; /* command with events, SIZE_MAX: none yet */
};

/* -- what a command waits for -- */

/* The events that tell the end of the command. */
static size_t events_of(const struct replaying *r, size_t item, const cl_event **out)
{
    const struct syc__stretch *stretch = &r->work->replay.stretches[item];
    *out = r->work->replay.events + stretch->ends;
    return stretch->last - stretch->ends;
}

static syc_status add_waits(struct replaying *r, size_t before, size_t *count)
{
    const cl_event *events;
    size_t more = events_of(r, before, &events);
    syc_status status = syc_grow(&r->waits, &r->wait_room, *count + more, sizeof(cl_event));
    if (status != SYC_OK)
        return status;
    memcpy(r->waits + *count, events, more * sizeof(cl_event));
    *count += more;
    return SYC_OK;
}

static syc_status find_waits(struct replaying *r, size_t index, const cl_event **out, cl_uint *out_count)
{
    const struct syc__recorded *item = &r->recording->items[index];
    const size_t *before = r->layout->serial ? &r->latest : item->after;
    size_t before_count = r->layout->serial ? r->latest != SIZE_MAX : item->after_count, count = 0;
    syc_status status = SYC_OK;

    if (before_count == 1) {
        count = events_of(r, before[0], out);
    } else if (before_count > 1) {
        for (size_t i = 0; i < before_count; i++)
            SYC_TRY(add_waits(r, before[i], &count));
        *out = r->waits;
    }
    if (count == 0) { /* nothing before it in here, or nothing that could be waited for */
        *out = r->steps->after;
        count = r->steps->after_count;
    }
    *out_count = (cl_uint)count;
done:
    return status;
}

static syc_status keep_event(struct replaying *r, cl_event event)
{
    struct syc__work *work = r->work;
    syc_status status =
        syc_grow(&work->replay.events, &work->replay.event_room, work->replay.event_count + 1, sizeof(cl_event));
    syc_live_add(SYC_LIVE_CL_EVENT, 1);
    if (status != SYC_OK) {
        (void)r->steps->cl->WaitForEvents(1, &event); /* nothing may be left running: the failure is ours, not its */
        syc_event_let_go(r->steps->command->context, event);
        syc_live_add(SYC_LIVE_CL_EVENT, -1);
        return status;
    }
    work->replay.events[work->replay.event_count++] = event;
    return SYC_OK;
}

/* -- launches with a kernel of their own -- */

static bool has_slots(const struct replaying *r, size_t index)
{
    const struct syc__work *work = r->recording->items[index].work;
    for (size_t i = 0; i < work->launch.argument_count; i++) {
        if (work->launch.arguments[i].kind == SYC_ARGUMENT_BUFFER && r->slots[r->layout->items[index].links[i]] == NULL)
            return false;
    }
    return true;
}

static syc_status set_memory(const struct replaying *r, size_t index)
{
    const struct syc__work *work = r->recording->items[index].work;
    const size_t *links = r->layout->items[index].links;
    cl_kernel kernel = r->set->kernels[index];
    syc_status status = SYC_OK;

    for (size_t i = 0; i < work->launch.argument_count; i++) {
        syc_argument_kind kind = work->launch.arguments[i].kind;
        const cl_mem *memory = kind == SYC_ARGUMENT_BUFFER ? r->slots : kind == SYC_ARGUMENT_SPAN ? r->arrays : NULL;
        if (memory != NULL)
            SYC_CL(r->steps->cl, SetKernelArg, (kernel, (cl_uint)i, sizeof *memory, &memory[links[i]]));
    }
done:
    return status;
}

/* Values and pointers of this replay, or what was recorded instead of them. */
static syc_status set_changes(const struct replaying *r, size_t index, bool recorded)
{
    const struct syc__laid *laid = &r->layout->items[index];
    const syc_argument *own = r->recording->items[index].work->launch.arguments;
    syc_context *context = r->steps->command->context;
    syc_status status = SYC_OK;

    for (size_t i = 0; i < laid->change_count; i++) {
        const syc_replacement *change = &r->replay->changes[laid->changes + i];
        const syc_argument *a = recorded ? &own[change->argument] : &change->value;
        if (a->kind != SYC_ARGUMENT_BUFFER && a->kind != SYC_ARGUMENT_SPAN)
            SYC_TRY(syc__set_plain_argument(context, r->set->kernels[index], change->argument, a));
    }
done:
    return status;
}

static syc_status launch_part(struct replaying *r, size_t index, const syc_geometry *g, cl_uint count,
                              const cl_event *after, cl_event *out)
{
    syc_status status = SYC_OK;
    SYC_TRY(syc__enqueue_part(r->steps, r->recording->items[index].work, r->set->kernels[index], g, count, after, out));
    status = keep_event(r, *out);
done:
    return status;
}

/* As launch.c does it: the rest comes after the whole groups. Its event is the command's end. */
static syc_status launch(struct replaying *r, size_t index)
{
    syc_geometry part = r->recording->items[index].work->launch.geometry;
    size_t rest = part.rest;
    const cl_event *after = NULL;
    cl_event event = NULL, first;
    cl_uint count = 0;
    syc_status status = SYC_OK;

    if (!r->ordered || r->latest == SIZE_MAX)
        SYC_TRY(find_waits(r, index, &after, &count));
    SYC_TRY(set_memory(r, index));
    SYC_TRY(set_changes(r, index, false));
    part.global[0] -= rest;
    SYC_TRY(launch_part(r, index, &part, count, count > 0 ? after : NULL, &event));
    if (rest > 0) {
        part.offset[0] += part.global[0];
        part.global[0] = rest;
        part.local[0] = 1;
        first = event;
        r->work->replay.stretches[index].ends++;
        SYC_TRY(launch_part(r, index, &part, !r->ordered, r->ordered ? NULL : &first, &event));
    }
    SYC_TRY(set_changes(r, index, true));
done:
    return status;
}

/* -- all other commands -- */

/* A copy of the recorded work, with this replay's arguments and places. */
static syc_status make_part(struct replaying *r, size_t index, struct syc__part **out)
{
    const struct syc__work *work = r->recording->items[index].work;
    const struct syc__laid *laid = &r->layout->items[index];
    size_t needs = work->need_count + laid->change_count;
    size_t arguments = work->ops->kind == SYC_TASK_LAUNCH ? work->launch.argument_count : 0;
    struct syc__part *part = NULL;
    syc_argument *copied;
    syc_status status = syc_alloc(sizeof *part + needs * sizeof *work->needs + arguments * sizeof(syc_argument), &part);

    if (status != SYC_OK)
        return status;
    part->work = *work;
    part->work.keep = (syc_keep){0};
    part->work.binding_count = 0;
    part->work.needs = (syc_need *)(part + 1);
    copied = (syc_argument *)(part->work.needs + needs);
    for (size_t i = 0; i < needs; i++) {
        if (laid->needs[i] == SIZE_MAX)
            continue;
        part->work.needs[i] =
            i < work->need_count ? work->needs[i] : r->replay->changes[laid->changes + i - work->need_count].need;
        part->work.needs[i].place = r->work->needs[laid->needs[i]].place;
    }
    if (arguments > 0)
        part->work.launch.arguments = memcpy(copied, work->launch.arguments, arguments * sizeof *copied);
    for (size_t i = 0; i < laid->change_count; i++) {
        const syc_replacement *change = &r->replay->changes[laid->changes + i];
        copied[change->argument] = change->value;
        if (change->value.kind == SYC_ARGUMENT_BUFFER)
            copied[change->argument].buffer.need = work->need_count + i;
    }
    part->next = r->work->replay.parts;
    r->work->replay.parts = part;
    *out = part;
    return SYC_OK;
}

/* The arrays of a launch, in the order of its arguments. */
static syc_status arrays_of(const struct replaying *r, size_t index, cl_mem **out)
{
    const struct syc__work *work = r->recording->items[index].work;
    size_t count = 0;
    syc_status status;
    if (work->ops->kind != SYC_TASK_LAUNCH)
        return SYC_OK;
    status = syc_alloc_array(work->launch.argument_count, sizeof(cl_mem), out);
    for (size_t i = 0; status == SYC_OK && i < work->launch.argument_count; i++) {
        if (work->launch.arguments[i].kind == SYC_ARGUMENT_SPAN)
            (*out)[count++] = r->arrays[r->layout->items[index].links[i]];
    }
    return status;
}

/* The last step's events become the replay's. */
static syc_status take_events(struct replaying *r, struct syc__steps *s)
{
    syc_status status = SYC_OK;
    syc__steps_next(s);
    while (s->before_count > 0) {
        cl_event event = s->before[s->before_count - 1];
        SYC_TRY(syc_grow(&r->work->replay.events, &r->work->replay.event_room, r->work->replay.event_count + 1,
                         sizeof(cl_event)));
        r->work->replay.events[r->work->replay.event_count++] = event;
        s->before_count--;
    }
done:
    return status;
}

static syc_status enqueue_part(struct replaying *r, size_t index)
{
    struct syc__steps s;
    struct syc__part *part = NULL;
    const cl_event *after = NULL;
    cl_mem *arrays = NULL;
    cl_uint count = 0;
    bool begun = false;
    syc_status status = SYC_OK;

    SYC_TRY(make_part(r, index, &part));
    SYC_TRY(arrays_of(r, index, &arrays));
    SYC_TRY(find_waits(r, index, &after, &count));
    syc__steps_init(&s, r->steps->command, r->steps->queue, after, count);
    s.work = &part->work;
    s.arrays = arrays;
    begun = true;
    SYC_TRY(part->work.ops->enqueue(&s));
    SYC_TRY(take_events(r, &s));
done:
    if (begun)
        syc__steps_clear(&s, status != SYC_OK);
    syc_free(arrays);
    return status;
}

/* -- the whole -- */

static syc_status bind_slots(struct replaying *r)
{
    const struct syc__layout *layout = r->layout;
    syc_status status = SYC_OK;
    SYC_TRY(syc_alloc_array(layout->slot_count + layout->array_count + 1, sizeof(cl_mem), &r->slots));
    r->arrays = r->slots + layout->slot_count;
    for (size_t i = 0; i < layout->slot_count; i++) {
        const struct syc__slot *slot = &layout->slots[i];
        const syc_need *need = &r->work->needs[slot->need];
        if (!syc_place_is_device(need->place) &&
            (uintptr_t)syc_buffer_address(need->buffer, need->place, slot->low) % slot->alignment != 0)
            continue;
        SYC_TRY(syc__steps_memory(r->steps, slot->need, slot->low, slot->bytes, &r->slots[i]));
    }
done:
    return status;
}

static syc_status bind_arrays(const struct replaying *r)
{
    syc_command *command = r->steps->command;
    syc_status status = SYC_OK;
    for (size_t i = 0; i < r->layout->array_count; i++) {
        syc_binding *binding = &r->work->bindings[i];
        SYC_TRY(
            syc_binding_create(command->context, command->queue->device->facts, &r->layout->arrays[i].span, binding));
        command->write_back |= binding->staging != NULL && binding->span.writable;
        r->arrays[i] = binding->memory;
    }
    SYC_TRY(syc__steps_bindings(r->steps, true));
done:
    return status;
}

/* For the times: the first command's start, unless something had to be copied before. */
static syc_status keep_first(const struct replaying *r)
{
    syc_command *command = r->steps->command;
    syc_status status = SYC_OK;
    if (!syc__keeps_times(command->queue) || command->first != NULL || r->steps->before_count > 0 ||
        r->work->replay.event_count == 0)
        return SYC_OK;
    SYC_CL(r->steps->cl, RetainEvent, (r->work->replay.events[0]));
    syc_live_add(SYC_LIVE_CL_EVENT, 1);
    command->first = r->work->replay.events[0];
done:
    return status;
}

static syc_status name_failure(const struct replaying *r, size_t index, syc_status failed)
{
    const syc_command *command = r->steps->command;
    syc_detail detail = syc_detail_of(failed);
    char *words = NULL;
    const char *site = NULL;
    char *owned = NULL;

    r->work->replay.failed = index + 1;
    site = owned = syc__command_site(command);
    if (syc_copy_string(detail.message, &words) != SYC_OK) {
        syc_free(owned);
        return failed;
    }
    failed = syc_fail_cl_as(detail.status, detail.where, detail.api, detail.cl_code,
                            "command %zu of the recording, '%s', submitted at %s: %s", index,
                            syc__command_name(command), site != NULL ? site : "an unknown place", words);
    syc_free(words);
    syc_free(owned);
    return failed;
}

static syc_status enqueue_items(struct replaying *r)
{
    syc_status status = SYC_OK;
    size_t i = 0;

    for (; i < r->recording->count; i++) {
        struct syc__stretch *stretch = &r->work->replay.stretches[i];
        stretch->first = stretch->ends = stretch->last = r->work->replay.event_count;
        if (r->recording->items[i].empty)
            continue;
        if (r->set->kernels[i] != NULL && has_slots(r, i))
            SYC_TRY(launch(r, i));
        else
            SYC_TRY(enqueue_part(r, i));
        stretch->last = r->work->replay.event_count;
        if (stretch->last > stretch->ends)
            r->latest = i;
        SYC_TRY(keep_first(r));
    }
done:
    return status == SYC_OK ? status : name_failure(r, i, status);
}

/* Puts the events that nothing comes after into `waits`. */
static syc_status find_ends(struct replaying *r, size_t *count)
{
    syc_status status = SYC_OK;
    *count = 0;
    if (r->latest == SIZE_MAX)
        return SYC_OK;
    if (r->ordered) {
        SYC_TRY(syc_grow(&r->waits, &r->wait_room, 1, sizeof(cl_event)));
        r->waits[(*count)++] = r->work->replay.events[r->work->replay.event_count - 1];
        return SYC_OK;
    }
    if (r->layout->serial)
        return add_waits(r, r->latest, count);
    for (size_t i = 0; i < r->recording->count; i++) {
        if (!r->recording->items[i].followed && !r->recording->items[i].empty)
            SYC_TRY(add_waits(r, i, count));
    }
done:
    return status;
}

/* One event for the end of all of them. */
static syc_status join(struct replaying *r)
{
    struct syc__steps *s = r->steps;
    cl_event end = NULL;
    size_t count;
    syc_status status = SYC_OK;

    SYC_TRY(find_ends(r, &count));
    if (count == 0)
        return SYC_OK;
    if (count == 1) {
        SYC_CL(s->cl, RetainEvent, (r->waits[0]));
        end = r->waits[0];
    } else {
        SYC_CL(s->cl, EnqueueMarkerWithWaitList, (s->queue, (cl_uint)count, r->waits, &end));
    }
    SYC_TRY(syc__steps_add(s, end));
done:
    return status;
}

/* After a failure nothing of it is left running. */
static void wait_for_all(const struct replaying *r)
{
    if (r->work->replay.event_count == 0)
        return;
    r->steps->command->ran = true;
    (void)r->steps->cl->WaitForEvents((cl_uint)r->work->replay.event_count, r->work->replay.events);
}

syc_status syc__enqueue_replay(struct syc__steps *steps)
{
    const syc_replay *replay = steps->work->replay.replay;
    syc_recording *recording = replay->recording;
    struct replaying r = {.steps = steps,
                          .work = steps->work,
                          .recording = recording,
                          .replay = replay,
                          .layout = replay->layout,
                          .ordered = recording->queue->options.in_order || steps->command->lane == SYC_LANE_CALLER,
                          .latest = SIZE_MAX};
    syc_status status = SYC_OK;

    SYC_TRY(syc__kernel_set_take(recording, &r.set));
    SYC_TRY(syc_alloc_array(recording->count, sizeof *r.work->replay.stretches, &r.work->replay.stretches));
    SYC_TRY(bind_slots(&r));
    SYC_TRY(bind_arrays(&r));
    SYC_TRY(enqueue_items(&r));
    SYC_TRY(join(&r));
    SYC_TRY(syc__steps_bindings(steps, false));
done:
    if (status != SYC_OK)
        wait_for_all(&r);
    if (r.set != NULL && status == SYC_OK)
        syc__kernel_set_give(recording, r.set);
    else if (r.set != NULL)
        syc__kernel_set_drop(recording, r.set);
    syc_free(r.slots);
    syc_free(r.waits);
    return status;
}
