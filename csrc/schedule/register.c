/* Registration: the dependencies of a command, and its uses for later commands to find. */
#include "base/alloc.h"
#include "memory/usm/usm.h"
#include "schedule/replay/recording.h"

/* Collects dependencies through callbacks that cannot return a status. */
struct collecting {
    syc_command *command;
    syc_status status;
};

static void depend(syc_command *on, void *user)
{
    struct collecting *c = user;
    if (c->status == SYC_OK && !syc_command_ended(on))
        c->status = syc__command_depend_locked(c->command, on);
}

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

static syc_status add_uses(syc_command *command)
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
static void await_arrivals(const syc_buffer *buffer, unsigned place, size_t low, size_t high, struct collecting *c)
{
    if (buffer->places[place].arrivals != NULL)
        syc_hazards_visit(buffer->places[place].arrivals, low, high, false, depend, c);
}

/* In an ordered queue: the command submitted before. Copies are not of the user's order, and may be this command's own.
 */
static void follow_newest(const syc_queue *queue, struct collecting *c)
{
    syc_command *newest = queue->newest;
    while (newest != NULL && newest->carries)
        newest = newest->in_flight_previous;
    if (newest != NULL)
        depend(newest, c);
}

static syc_status collect(syc_command *command, syc_command *const *after, size_t after_count)
{
    const struct syc__work *work = command->work;
    const syc_queue *queue = command->queue;
    struct collecting c = {command, SYC_OK};
    syc_status status = SYC_OK;

    for (size_t i = 0; i < after_count; i++) {
        if (syc_command_failure(after[i]) != NULL) /* ended already, and poisons what names it */
            SYC_TRY(syc__command_depend_locked(command, after[i]));
        else
            depend(after[i], &c);
    }
    if (queue != NULL && queue->options.in_order && work->ops->kind != SYC__MOVE)
        follow_newest(queue, &c);
    command->named_count = command->after_count;
    for (size_t i = 0; i < work->use_count; i++)
        syc_hazards_visit(work->uses[i].map, work->uses[i].low, work->uses[i].high, work->uses[i].write, depend, &c);
    for (size_t i = 0; i < work->need_count; i++)
        await_arrivals(work->needs[i].buffer, work->needs[i].place, work->needs[i].low,
                       work->needs[i].low + work->needs[i].bytes, &c);
    if (work->ops->kind == SYC__MOVE)
        await_arrivals(work->move.buffer, work->move.from, work->move.low, work->move.high, &c);
    status = c.status;
done:
    return status;
}

static void remove_uses(syc_command *command)
{
    struct syc__work *work = command->work;
    for (size_t i = 0; work != NULL && i < work->use_count; i++)
        syc_hazards_remove(work->uses[i].map, work->uses[i].low, work->uses[i].high, command);
    if (work != NULL)
        work->use_count = 0;
}

void syc__enter_queue_locked(syc_command *command)
{
    syc_queue *queue = command->queue;
    syc_command_retain(command);
    command->in_flight_previous = queue->newest;
    if (queue->newest != NULL)
        queue->newest->in_flight_next = command;
    else
        queue->oldest = command;
    queue->newest = command;
    queue->pending++;
    syc__pending++;
}

static void leave_queue(syc_command *command)
{
    syc_queue *queue = command->queue;
    if (command->in_flight_previous != NULL)
        command->in_flight_previous->in_flight_next = command->in_flight_next;
    else
        queue->oldest = command->in_flight_next;
    if (command->in_flight_next != NULL)
        command->in_flight_next->in_flight_previous = command->in_flight_previous;
    else
        queue->newest = command->in_flight_previous;
    command->in_flight_next = command->in_flight_previous = NULL;
    queue->pending--;
    syc__pending--;
}

/* The search through what a command waits for: a stack, since chains are as long as users make them. */
struct search {
    syc_command **items;
    size_t count, room;
    unsigned long long mark;
};

static void push(struct search *search, syc_command *command)
{
    if (syc_command_ended(command) || command->looked_at == search->mark)
        return;
    command->looked_at = search->mark;
    if (syc_grow(&search->items, &search->room, search->count + 1, sizeof(syc_command *)) == SYC_OK)
        search->items[search->count++] = command; /* without memory a hang may go unnoticed, no more */
}

static bool is_held_here(const syc_command *command)
{
    return command->granted && pthread_equal(command->owner, pthread_self());
}

bool syc__is_stuck_locked(syc_command *command)
{
    static unsigned long long searches;
    struct search search = {0};
    bool stuck = false;

    search.mark = ++searches;
    push(&search, command);
    while (search.count > 0 && !stuck) {
        const syc_command *next = search.items[--search.count];
        stuck = is_held_here(next);
        for (size_t i = 0; i < next->after_count; i++)
            push(&search, next->after[i]);
    }
    syc_free(search.items);
    return stuck;
}

/* A use that was replaced cannot be brought back, so room for all new ones is made before the first. */
syc_status syc__register_locked(syc_command *command, syc_command *const *after, size_t after_count)
{
    struct syc__work *work = command->work;
    syc_status status = SYC_OK;
    size_t reserved = 0;

    SYC_TRY(add_uses(command));
    SYC_TRY(collect(command, after, after_count));
    SYC_CHECK(work->ops->kind != SYC__ACCESS || !syc__is_stuck_locked(command), SYC_E_ACCESSOR,
              "the host access would never be granted: this thread holds one to the same buffer, or runs a host task "
              "that uses it, which must end first");
    SYC_CHECK(!command->awaited || work->ops->kind == SYC__MOVE || command->after_count == 0 ||
                  !syc__is_stuck_locked(command),
              SYC_E_INVALID,
              "the call would wait for ever: its command comes after a host accessor that this thread holds and must "
              "close first, or after the host task that runs here; with wait=False it returns at once");
    for (; reserved < work->use_count; reserved++) {
        const struct syc__use *u = &work->uses[reserved];
        SYC_TRY(syc_hazards_reserve(u->map, u->low, u->high, u->write));
    }
    for (size_t i = 0; i < work->use_count; i++) {
        const struct syc__use *u = &work->uses[i];
        syc_hazards_use(u->map, u->low, u->high, u->write, command);
    }
    if (command->queue != NULL)
        syc__enter_queue_locked(command);
    syc__graph_record_locked(command, after, after_count);
done:
    if (status != SYC_OK)
        remove_uses(command);
    return status;
}

void syc__unregister_locked(syc_command *command)
{
    remove_uses(command);
    if (command->queue != NULL)
        leave_queue(command);
}
