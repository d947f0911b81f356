/* Recording: what a submission that is recorded comes after. */
#include "schedule/replay/recording.h"

#include "base/alloc.h"
#include "program/program.h"
#include "source/declarations/signature.h"

static syc_status check_kind(const syc_task *task)
{
    bool arrays = task->ops->kind == SYC_TASK_COPY && task->copy.to.kind == SYC_SIDE_ARRAY &&
                  task->copy.from.kind == SYC_SIDE_ARRAY;
    syc_status status = SYC_OK;
    SYC_CHECK(task->ops->kind != SYC_TASK_HOST, SYC_E_INVALID,
              "a host task cannot be recorded: Python would have to run in the middle of the replay; end the recording "
              "before it and begin another one after it");
    SYC_CHECK(task->ops->kind != SYC_TASK_REPLAY, SYC_E_INVALID,
              "a replay cannot be recorded: submit the commands themselves again");
    SYC_CHECK(
        !arrays, SYC_E_INVALID,
        "a copy from one host array to another, or a fill of one, cannot be recorded: it is no work for the device");
    for (size_t i = 0; i < task->need_count; i++)
        SYC_CHECK(!task->needs[i].at_host, SYC_E_INVALID,
                  "update_host cannot be recorded: the host would have to look at the buffer in the middle of the "
                  "replay; read the buffer after it");
done:
    return status;
}

/* -- order -- */

static syc_status map_of(syc_recording *recording, const syc_buffer *buffer, syc_hazards **out)
{
    syc_status status = SYC_OK;
    for (size_t i = 0; i < recording->map_count; i++) {
        if (recording->maps[i].buffer == buffer) {
            *out = recording->maps[i].hazards;
            return SYC_OK;
        }
    }
    SYC_TRY(syc_grow(&recording->maps, &recording->map_room, recording->map_count + 1, sizeof *recording->maps));
    SYC_TRY(syc_hazards_create(out));
    recording->maps[recording->map_count++] = (struct syc__recorded_map){buffer, *out};
done:
    return status;
}

/* One command on its way into the recording. First all is looked at that it comes after, and room made; then, when
 * nothing can fail any more, its own uses are noted. */
struct entering {
    syc_recording *recording;
    syc_command *stub;
    bool noting;
    syc_status status;
};

static void depend(syc_command *on, void *user)
{
    struct entering *e = user;
    if (e->status == SYC_OK)
        e->status = syc__command_depend_locked(e->stub, on);
}

static syc_status look_at(struct entering *e, const syc_buffer *buffer, uintptr_t low, uintptr_t high, bool write)
{
    syc_hazards *map = NULL;
    syc_status status = SYC_OK;
    if (low >= high)
        return SYC_OK;
    SYC_TRY(map_of(e->recording, buffer, &map));
    if (e->noting) {
        syc_hazards_use(map, low, high, write, e->stub);
        return SYC_OK;
    }
    syc_hazards_visit(map, low, high, write, depend, e);
    SYC_TRY(e->status);
    SYC_TRY(syc_hazards_reserve(map, low, high, write));
done:
    return status;
}

static syc_status look_at_array(struct entering *e, const syc_host_array *span, bool write)
{
    uintptr_t low, high;
    syc_host_array_extent(span, &low, &high);
    return look_at(e, NULL, low, high, write);
}

/* The rules of memory, as register.c has them. */
static syc_status look_at_memory(struct entering *e, const struct syc__work *work)
{
    syc_status status = SYC_OK;
    for (size_t i = 0; i < work->need_count; i++) {
        const syc_need *n = &work->needs[i];
        SYC_TRY(look_at(e, n->buffer, n->low, n->low + n->bytes, n->write));
    }
    for (size_t i = 0; work->ops->kind == SYC_TASK_LAUNCH && i < work->launch.argument_count; i++) {
        const syc_argument *a = &work->launch.arguments[i];
        if (a->kind == SYC_ARGUMENT_SPAN)
            SYC_TRY(look_at_array(e, &a->span, a->span.writable));
    }
    if (work->ops->kind == SYC_TASK_COPY && work->copy.from.kind == SYC_SIDE_ARRAY)
        SYC_TRY(look_at_array(e, &work->copy.from.array, false));
    if (work->ops->kind == SYC_TASK_COPY && work->copy.to.kind == SYC_SIDE_ARRAY)
        SYC_TRY(look_at_array(e, &work->copy.to.array, true));
done:
    return status;
}

/* Events of this recording order inside it; all others are waited for by each replay. */
static syc_status look_at_events(struct entering *e, syc_command *const *after, size_t count)
{
    syc_recording *r = e->recording;
    syc_status status = SYC_OK;
    for (size_t i = 0; i < count; i++) {
        if (syc__state_of(after[i]) == SYC__RECORDED && after[i]->recording == r->id) {
            depend(after[i], e);
            SYC_TRY(e->status);
            continue;
        }
        SYC_TRY(syc__refuse_recorded(after[i], "depends_on"));
        if (syc_command_ended(after[i]) && syc_command_failure(after[i]) == NULL)
            continue;
        SYC_TRY(syc_grow(&r->outer, &r->outer_room, r->outer_count + 1, sizeof(syc_command *)));
        syc_command_retain(after[i]);
        r->outer[r->outer_count++] = after[i];
    }
done:
    return status;
}

static syc_status look_around(struct entering *e, const struct syc__work *work, syc_command *const *after, size_t count)
{
    syc_status status = SYC_OK;
    SYC_TRY(look_at_events(e, after, count));
    if (!e->recording->queue->options.in_order)
        SYC_TRY(look_at_memory(e, work));
    else if (e->recording->count > 0)
        depend(e->recording->items[e->recording->count - 1].stub, e);
    status = e->status;
done:
    return status;
}

static syc_status add_after(struct syc__recorded *item, size_t *room, size_t index)
{
    syc_status status = SYC_OK;
    for (size_t i = 0; i < item->after_count; i++) {
        if (item->after[i] == index)
            return SYC_OK;
    }
    SYC_TRY(syc_grow(&item->after, room, item->after_count + 1, sizeof *item->after));
    item->after[item->after_count++] = index;
done:
    return status;
}

/* Commands that make no call have nothing to wait for: whoever comes after one comes after what it comes after. */
static syc_status find_places(const syc_recording *recording, struct syc__recorded *item)
{
    size_t room = 0;
    syc_status status = SYC_OK;
    for (size_t i = 0; i < item->stub->after_count; i++) {
        size_t at = item->stub->after[i]->recorded_at;
        const struct syc__recorded *before = &recording->items[at];
        if (!before->empty)
            SYC_TRY(add_after(item, &room, at));
        for (size_t j = 0; before->empty && j < before->after_count; j++)
            SYC_TRY(add_after(item, &room, before->after[j]));
    }
done:
    return status;
}

static void append(struct entering *e, struct syc__recorded *item)
{
    syc_recording *recording = e->recording;
    for (size_t i = 0; !item->empty && i < item->after_count; i++)
        recording->items[item->after[i]].followed = true;
    e->noting = true;
    if (!recording->queue->options.in_order)
        (void)look_at_memory(e, item->work);
    recording->items[recording->count++] = *item;
}

static syc_status make_stub(const syc_recording *recording, syc_command **out)
{
    syc_status status = syc__command_create(recording->queue, recording->queue->context, out);
    if (status != SYC_OK)
        return status;
    (*out)->recording = recording->id;
    (*out)->recorded_at = recording->count;
    syc__set_state(*out, SYC__RECORDED);
    return SYC_OK;
}

syc_status syc__record(syc_recording *recording, const syc_task *task, syc_command *const *after, size_t after_count,
                       syc_keep keep, syc_site site, syc_command **out)
{
    struct syc__recorded item = {0};
    struct entering e = {.recording = recording};
    syc_status status = SYC_OK;

    SYC_TRY(syc_process_check());
    SYC_TRY(check_kind(task));
    SYC_TRY(make_stub(recording, &item.stub));
    SYC_TRY(syc__work_create(task, &item.work));
    item.work->keep = keep;
    item.work->site = site;
    keep = (syc_keep){0};
    item.empty = syc__work_empty(item.work);
    e.stub = item.stub;
    SYC_TRY(look_around(&e, item.work, after, after_count));
    SYC_TRY(find_places(recording, &item));
    SYC_TRY(syc_grow(&recording->items, &recording->room, recording->count + 1, sizeof *recording->items));
    append(&e, &item);
    recording->arrays |= task->arrays;
    syc_command_retain(item.stub);
    *out = item.stub;
    return SYC_OK;
done:
    if (item.stub != NULL) {
        syc__work_free(item.stub, item.work);
        syc_command_release(item.stub);
    }
    syc_free(item.after);
    syc_keep_let_go(keep);
    return status;
}

/* -- questions -- */

bool syc_recording_has_arrays(const syc_recording *recording)
{
    return recording->arrays;
}

size_t syc_recording_count(const syc_recording *recording)
{
    return recording->count;
}

syc_recorded_command syc_recording_command(const syc_recording *recording, size_t index)
{
    const struct syc__work *work = recording->items[index].work;
    syc_recorded_command c = {.word = work->ops->word, .name = "", .needs = work->needs, .site = work->site};
    if (work->ops->kind == SYC_TASK_LAUNCH) {
        c.name = syc_program_signatures(work->launch.program)->items[work->launch.kernel].name;
        c.launch = (syc_launch){.program = work->launch.program,
                                .kernel = work->launch.kernel,
                                .geometry = work->launch.geometry,
                                .arguments = work->launch.arguments,
                                .argument_count = work->launch.argument_count,
                                .told = work->launch.told};
    }
    return c;
}

const size_t *syc_recording_after(const syc_recording *recording, size_t index, size_t *count)
{
    *count = recording->items[index].after_count;
    return recording->items[index].after;
}
