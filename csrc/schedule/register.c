/* Registration: the dependencies of a command, and its uses for later commands to find (uses.c). */
#include "base/alloc.h"
#include "schedule/order.h"

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
    syc__uses_visit_locked(work, depend, &c);
    status = c.status;
done:
    return status;
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

    SYC_TRY(syc__uses_find_locked(command));
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
        syc__uses_drop_locked(command);
    return status;
}

void syc__unregister_locked(syc_command *command)
{
    syc__uses_drop_locked(command);
    if (command->queue != NULL)
        leave_queue(command);
}
