/* Where a command's data must be: the copies that it needs first, and the places that are current after it. */
#include "base/alloc.h"
#include "base/text.h"
#include "memory/buffer.h"
#include "schedule/order.h"

/* -- before: memory -- */

static void release_queue(void *queue)
{
    syc_queue_release(queue);
}

/* Copies out of a device's memory are commands, so there must be a queue to submit them to: one that has used the
 * buffer, or, for memory made elsewhere, one of our own. */
static syc_status ensure_queue(syc_buffer *buffer, unsigned index)
{
    syc_place *place = &buffer->places[index];
    syc_queue *queue = NULL;
    syc_status status = SYC_OK;
    bool has;

    syc__order_lock();
    has = place->queue.payload != NULL;
    syc__order_unlock();
    if (has)
        return SYC_OK;
    SYC_TRY(syc_queue_create(place->context, place->context->devices[0], (syc_queue_options){0}, &queue));
    syc__order_lock();
    if (place->queue.payload == NULL) {
        place->queue = (syc_keep){release_queue, queue};
        queue = NULL;
    }
    syc__order_unlock();
    syc_queue_release(queue);
done:
    return status;
}

static syc_status settle(syc_command *command, syc_need *need)
{
    if (!need->at_host)
        return syc_buffer_settle(need->buffer, command->context, command->queue->device, &need->place);
    need->place = SYC_PLACE_HOST;
    return syc_buffer_settle_host(need->buffer);
}

syc_status syc__settle_needs(syc_command *command)
{
    struct syc__work *work = command->work;
    syc_status status = SYC_OK;
    for (size_t i = 0; i < work->need_count; i++)
        SYC_TRY(settle(command, &work->needs[i]));
done:
    return status;
}

/* A need that only the plan has shown: a copy passes through the host, or out of memory that no queue knows. */
syc_status syc__settle_routes(syc_command *command)
{
    struct syc__work *work = command->work;
    syc_status status = SYC_OK;
    for (size_t i = 0; i < work->need_count; i++) {
        syc_buffer *buffer = work->needs[i].buffer;
        SYC_TRY(syc_buffer_settle_host(buffer));
        for (unsigned p = SYC_PLACE_DEVICE; p < buffer->place_count; p++)
            SYC_TRY(ensure_queue(buffer, p));
    }
done:
    return status;
}

/* -- the plan -- */

struct planning {
    syc_command *command;
    const syc_need *need;
    syc_command **moves; /* retained */
    size_t count, room;
};

/* The queue that a copy runs in: of the context whose memory takes part. */
static syc_queue *queue_for(const struct planning *p, const struct syc__move *move)
{
    if (syc_place_is_device(move->from))
        return move->buffer->places[move->from].queue.payload;
    return p->command->queue;
}

static syc_status add_move(struct planning *p, struct syc__move move)
{
    syc_queue *queue = queue_for(p, &move);
    syc_command *command = NULL;
    syc_status status = SYC_OK;

    SYC_TRY(syc_grow(&p->moves, &p->room, p->count + 1, sizeof(syc_command *)));
    SYC_TRY(syc__command_create(queue, queue != NULL ? queue->context : NULL, &command));
    SYC_TRY(syc__move_create(&move, &command->work));
    command->work->site = p->command->work->site;
    command->carries = true;
    command->awaited = p->command->awaited; /* what it fails with is told by the command that it was made for */
    SYC_TRY(syc__register_locked(command, NULL, 0));
    syc_copies_arrive(&move.buffer->copies, move.low, move.high, move.to);
    p->moves[p->count++] = command;
    command = NULL;
done:
    syc_command_release(command);
    return status;
}

static unsigned first_of(syc_place_set places)
{
    return (unsigned)__builtin_ctz(places);
}

static bool has(syc_place_set places, unsigned place)
{
    return (places >> place & 1) != 0;
}

/* From where the bytes are to come. Device memory is reached through the host's, and so is the user's array unless the
 * device can take it as it is. */
static unsigned source_of(const syc_buffer *buffer, syc_place_set valid, unsigned to)
{
    if (has(valid, SYC_PLACE_HOST))
        return SYC_PLACE_HOST;
    if (has(valid, SYC_PLACE_ORIGIN) && (to == SYC_PLACE_HOST || (buffer->origin.packed && buffer->image.rank == 0)))
        return SYC_PLACE_ORIGIN;
    return to == SYC_PLACE_HOST ? first_of(valid) : SYC_PLACE_HOST;
}

/* True if all that a copy to `to` needs is there. */
static bool is_passable(const syc_buffer *buffer, syc_place_set valid, unsigned to)
{
    unsigned from = source_of(buffer, valid, to);
    if (from == SYC_PLACE_HOST && !has(valid, SYC_PLACE_HOST))
        return buffer->host != NULL && is_passable(buffer, valid, SYC_PLACE_HOST);
    return !syc_place_is_device(from) || buffer->places[from].queue.payload != NULL;
}

/* Brings [low, high), current at `valid`, to `to`; by way of the host where it must be. */
static syc_status bring(struct planning *p, size_t low, size_t high, syc_place_set valid, unsigned to)
{
    syc_buffer *buffer = p->need->buffer;
    unsigned from = source_of(buffer, valid, to);
    syc_status status = SYC_OK;

    if (!is_passable(buffer, valid, to))
        return SYC_TIMEOUT;
    if (from == SYC_PLACE_HOST && !has(valid, SYC_PLACE_HOST))
        SYC_TRY(add_move(
            p, (struct syc__move){buffer, source_of(buffer, valid, SYC_PLACE_HOST), SYC_PLACE_HOST, low, high}));
    SYC_TRY(add_move(p, (struct syc__move){buffer, from, to, low, high}));
done:
    return status;
}

/* All parts of the range that are not current at its place; neighbours that come from the same places go together.
 * Bytes that are current nowhere are undefined, wherever they are. */
static syc_status bring_missing(struct planning *p)
{
    const syc_need *n = p->need;
    syc_copies *copies = &n->buffer->copies;
    size_t end = n->low + n->bytes;
    syc_status status = SYC_OK;

    for (size_t low = n->low, high; low < end; low = high) {
        size_t i = syc_copies_find(copies, low);
        syc_place_set valid = copies->items[i].valid;
        for (high = copies->items[i].high; high < end && copies->items[i + 1].valid == valid;
             high = copies->items[i].high)
            i++;
        high = high < end ? high : end;
        if (valid == 0)
            syc_copies_arrive(copies, low, high, n->place);
        else if (!has(valid, n->place))
            SYC_TRY(bring(p, low, high, valid, n->place));
    }
done:
    return status;
}

/* A reader on a device that shares the host's memory, and the host itself, can use the user's array as it is. */
static void prefer_origin(syc_need *need)
{
    const syc_buffer *buffer = need->buffer;
    syc_place_set common;
    if (need->write || need->place != SYC_PLACE_HOST || !buffer->origin_in_place || need->bytes == 0)
        return;
    common = syc_copies_common(&buffer->copies, need->low, need->low + need->bytes);
    if (has(common, SYC_PLACE_ORIGIN) && !has(common, SYC_PLACE_HOST))
        need->place = SYC_PLACE_ORIGIN;
}

/* Where a buffer has several needs, one that writes moves the others along: they see what it writes. */
static void follow_writer(struct syc__work *work, syc_need *need)
{
    for (size_t i = 0; i < work->need_count; i++) {
        const syc_need *other = &work->needs[i];
        if (other->buffer == need->buffer && other->write && other->place == SYC_PLACE_HOST &&
            need->place == SYC_PLACE_ORIGIN)
            need->place = SYC_PLACE_HOST;
    }
}

static syc_status refuse_lost(const syc_buffer *buffer)
{
    syc_detail detail = syc_failure_detail(buffer->lost);
    syc_text words = {0};
    syc_status status;
    syc_text_add(&words, "the buffer's contents were lost when a command that writes it, submitted at %s, failed: %s",
                 buffer->lost_site != NULL ? buffer->lost_site : "an unknown place", detail.message);
    status = syc_fail_cl_as(detail.status, SYC_HERE, detail.api, detail.cl_code, "%s", syc_text_get(&words));
    syc_text_clear(&words);
    return status;
}

/* The command comes after the writer that failed, known or not: that is its fate, and no fault of the call. */
static syc_status doom_for_lost(syc_command *command, const syc_buffer *buffer)
{
    if (command->doom != NULL)
        return SYC_OK;
    command->poisoned = true; /* it names the origin */
    return syc_failure_capture(refuse_lost(buffer), &command->doom);
}

static syc_status plan(struct planning *p, struct syc__work *work, syc_need *need)
{
    syc_copies *copies = &need->buffer->copies;
    size_t high = need->low + need->bytes;
    syc_status status = SYC_OK;

    if (need->bytes == 0)
        return SYC_OK;
    if (need->place == SYC_PLACE_HOST && need->buffer->host == NULL) /* it was the user's array, spared since */
        return SYC_TIMEOUT;
    SYC_TRY(syc_copies_reserve(copies, need->low, high));
    if (!need->keep)
        return SYC_OK;
    if (!p->command->rescues && syc_copies_any_lost(copies, need->low, high))
        return p->command->queue != NULL ? doom_for_lost(p->command, need->buffer) : refuse_lost(need->buffer);
    prefer_origin(need);
    follow_writer(work, need);
    p->need = need;
    SYC_TRY(bring_missing(p));
done:
    return status;
}

syc_status syc__plan_moves_locked(syc_command *command, syc_command ***moves, size_t *count)
{
    struct planning p = {.command = command, .moves = *moves, .count = *count, .room = *count};
    struct syc__work *work = command->work;
    syc_status status = SYC_OK;

    for (size_t i = 0; i < work->need_count; i++)
        SYC_TRY(plan(&p, work, &work->needs[i]));
done:
    *moves = p.moves;
    *count = p.count;
    return status;
}

void syc__plan_writes_locked(syc_command *command)
{
    const struct syc__work *work = command->work;
    for (size_t i = 0; i < work->need_count; i++) {
        const syc_need *n = &work->needs[i];
        syc_place *place = &n->buffer->places[n->place];
        if (syc_place_is_device(n->place) && place->queue.payload == NULL) {
            syc_queue_retain(command->queue);
            place->queue = (syc_keep){release_queue, command->queue};
        }
        if (!n->write)
            continue;
        n->buffer->written = true;
        if (work->ops->kind == SYC_TASK_NONE) /* allowed to write, it does not: what was current stays so */
            continue;
        syc_copies_write(&n->buffer->copies, n->low, n->low + n->bytes, n->place, command->serial);
    }
}

/* -- after -- */

/* Without memory for a copy the buffer says only that something failed. */
static void lose(const syc_command *command, syc_buffer *buffer)
{
    syc_failure_free(buffer->lost);
    syc_free(buffer->lost_site);
    buffer->lost = syc_failure_copy(command->failure);
    buffer->lost_site = NULL;
    if (command->failed_site != NULL)
        (void)syc_copy_string(command->failed_site, &buffer->lost_site);
}

static void need_ended(const syc_command *command, const syc_need *need)
{
    syc_copies *copies = &need->buffer->copies;
    size_t high = need->low + need->bytes;
    if (command->failure == NULL && !command->abandoned)
        syc_copies_wrote(copies, need->low, high, need->place, command->serial);
    else if (syc_copies_failed(copies, need->low, high, need->place, command->serial, command->ran))
        lose(command, need->buffer);
}

void syc__places_ended_locked(syc_command *command)
{
    const struct syc__work *work = command->work;
    if (work == NULL)
        return;
    for (size_t i = 0; i < work->need_count; i++) {
        const syc_need *n = &work->needs[i];
        if (n->write && n->bytes > 0)
            need_ended(command, n);
        syc_copies_tidy(&n->buffer->copies, n->low, n->low + n->bytes);
    }
    if (work->ops->kind != SYC__MOVE)
        return;
    if (command->failure == NULL)
        syc_copies_arrived(&work->move.buffer->copies, work->move.low, work->move.high, work->move.to);
    else
        syc_copies_missed(&work->move.buffer->copies, work->move.low, work->move.high, work->move.to, command->ran);
    syc_copies_tidy(&work->move.buffer->copies, work->move.low, work->move.high);
}
