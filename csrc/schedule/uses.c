/* What a command uses, in maps of hazards: which bytes, and whether it writes them. */
#include "base/alloc.h"
#include "memory/usm/usm.h"
#include "schedule/replay/recording.h"

static syc_status add_use(struct syc__work *work, syc_hazards *map, uintptr_t low, uintptr_t high, bool write)
{
    syc_status status;
    if (low >= high)
        return SYC_OK;
    status = syc_grow(&work->uses, &work->use_room, work->use_count + 1, sizeof *work->uses);
    if (status == SYC_OK)
        work->uses[work->use_count++] = (struct syc__use){map, low, high, write};
    return status;
}

static syc_status shared_map(syc_hazards **out)
{
    syc_status status = SYC_OK;
    *out = syc__hazards_locked();
    SYC_CHECK(*out != NULL, SYC_E_MEMORY_ALLOCATION, "no memory to order commands by the arrays that they use");
done:
    return status;
}

/* Host arrays by their addresses: a kernel's, and the host's side of a copy. */
static syc_status add_array(struct syc__work *work, const syc_host_array *span, bool write)
{
    syc_hazards *map = NULL;
    uintptr_t low, high;
    syc_status status = shared_map(&map);
    if (status != SYC_OK)
        return status;
    syc_host_array_extent(span, &low, &high);
    return add_use(work, map, low, high, write);
}

static syc_status add_recorded_arrays(struct syc__work *work)
{
    const struct syc__layout *layout = work->replay.replay->layout;
    syc_status status = SYC_OK;
    for (size_t i = 0; i < layout->array_count; i++)
        SYC_TRY(add_array(work, &layout->arrays[i].span, layout->arrays[i].span.writable));
    for (size_t i = 0; i < layout->end_count; i++)
        SYC_TRY(add_array(work, &layout->ends[i].span, layout->ends[i].span.writable));
done:
    return status;
}

static syc_status add_arrays(struct syc__work *work)
{
    syc_status status = SYC_OK;
    for (size_t i = 0; work->ops->kind == SYC_TASK_LAUNCH && i < work->launch.argument_count; i++) {
        const syc_argument *a = &work->launch.arguments[i];
        if (a->kind == SYC_ARGUMENT_SPAN)
            SYC_TRY(add_array(work, &a->span, a->span.writable));
    }
    if (work->ops->kind == SYC_TASK_COPY && work->copy.from.kind == SYC_SIDE_ARRAY)
        SYC_TRY(add_array(work, &work->copy.from.array, false));
    if (work->ops->kind == SYC_TASK_COPY && work->copy.to.kind == SYC_SIDE_ARRAY)
        SYC_TRY(add_array(work, &work->copy.to.array, true));
    if (work->ops->kind == SYC_TASK_REPLAY)
        SYC_TRY(add_recorded_arrays(work));
done:
    return status;
}

/* Memory that the host has mapped is unmapped for a command and mapped again: two at a time would undo each other. */
static syc_status add_allocations(struct syc__work *work)
{
    syc_status status = SYC_OK;
    for (size_t i = 0; i < work->allocation_count; i++) {
        const syc_usm *usm = work->allocations[i];
        syc_hazards *map = NULL;
        if (!usm->coarse || atomic_load(&usm->host_holds) == 0)
            continue;
        SYC_TRY(shared_map(&map));
        SYC_TRY(add_use(work, map, (uintptr_t)usm->data, (uintptr_t)usm->data + usm->bytes, true));
    }
done:
    return status;
}

/* A move reads what it copies, as far as other commands are concerned; where it arrives only those look who read there.
 */
static syc_status add_move(struct syc__work *work)
{
    struct syc__move *move = &work->move;
    syc_place *to = &move->buffer->places[move->to];
    syc_status status = SYC_OK;
    if (to->arrivals == NULL)
        SYC_TRY(syc_hazards_create(&to->arrivals));
    SYC_TRY(add_use(work, move->buffer->hazards, move->low, move->high, false));
    SYC_TRY(add_use(work, to->arrivals, move->low, move->high, true));
done:
    return status;
}

syc_status syc__uses_find_locked(syc_command *command)
{
    struct syc__work *work = command->work;
    syc_status status = SYC_OK;
    work->use_count = 0;
    for (size_t i = 0; i < work->need_count; i++) {
        const syc_need *n = &work->needs[i];
        SYC_TRY(add_use(work, n->buffer->hazards, n->low, n->low + n->bytes, n->write || command->rescues));
    }
    SYC_TRY(add_arrays(work));
    SYC_TRY(add_allocations(work));
    if (work->ops->kind == SYC__MOVE)
        SYC_TRY(add_move(work));
done:
    return status;
}

/* Copies on their way to where the command will read. */
static void visit_arrivals(const syc_buffer *buffer, unsigned place, size_t low, size_t high,
                           void (*each)(syc_command *, void *), void *user)
{
    if (buffer->places[place].arrivals != NULL)
        syc_hazards_visit(buffer->places[place].arrivals, low, high, false, each, user);
}

void syc__uses_visit_locked(const struct syc__work *work, void (*each)(syc_command *, void *), void *user)
{
    for (size_t i = 0; i < work->use_count; i++)
        syc_hazards_visit(work->uses[i].map, work->uses[i].low, work->uses[i].high, work->uses[i].write, each, user);
    for (size_t i = 0; i < work->need_count; i++)
        visit_arrivals(work->needs[i].buffer, work->needs[i].place, work->needs[i].low,
                       work->needs[i].low + work->needs[i].bytes, each, user);
    if (work->ops->kind == SYC__MOVE)
        visit_arrivals(work->move.buffer, work->move.from, work->move.low, work->move.high, each, user);
}

void syc__uses_drop_locked(syc_command *command)
{
    struct syc__work *work = command->work;
    for (size_t i = 0; work != NULL && i < work->use_count; i++)
        syc_hazards_remove(work->uses[i].map, work->uses[i].low, work->uses[i].high, command);
    if (work != NULL)
        work->use_count = 0;
}
