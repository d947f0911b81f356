/* The host's own use of buffers. */
#include "schedule/access.h"

#include "base/alloc.h"
#include "base/text.h"
#include "memory/strided_copy.h"
#include "schedule/steps.h"

static syc_status create(const syc_need *need, syc_keep keep, syc_site site, bool rescues, syc_command **out)
{
    static const syc_task_ops ops = {.kind = SYC__ACCESS, .word = "host access"};
    syc_task task = {.ops = &ops, .needs = need, .need_count = 1};
    syc_command *access = NULL;
    syc_status status = SYC_OK;

    SYC_TRY(syc_process_check());
    SYC_TRY(syc__command_create(NULL, NULL, &access));
    SYC_TRY(syc__work_create(&task, &access->work));
    access->work->keep = keep;
    access->work->site = site;
    access->owner = pthread_self();
    access->rescues = rescues;
    *out = access;
    return SYC_OK;
done:
    syc_command_release(access);
    syc_keep_let_go(keep);
    return status;
}

bool syc_command_is_stuck(syc_command *command)
{
    bool stuck;
    syc__order_lock();
    stuck = syc__is_stuck_locked(command);
    syc__order_unlock();
    return stuck;
}

/* A queue whose dispatcher can see to the end of what the access waits for. */
static syc_queue *queue_behind_locked(const syc_command *access)
{
    for (size_t i = 0; i < access->after_count; i++) {
        if (!syc_command_ended(access->after[i]) && access->after[i]->queue != NULL)
            return access->after[i]->queue;
    }
    return NULL;
}

/* Accesses that were given up while all they waited for was accesses, so that there is no queue to see to their end:
 * whoever ends an access does. Linked by deferred_next; one reference each. */
static syc_command *orphans;

static bool is_waiting_locked(const syc_command *access)
{
    bool waiting = false;
    for (size_t i = 0; i < access->after_count && !waiting; i++)
        waiting = !syc_command_ended(access->after[i]);
    return waiting;
}

static syc_status hand_over_locked(syc_command *access, syc_queue *queue)
{
    syc_queue_retain(queue);
    access->queue = queue;
    syc_context_retain(queue->context);
    access->context = queue->context;
    access->work->ops = &syc_nothing_ops;
    syc__enter_queue_locked(access);
    return syc__defer_locked(access);
}

/* Without a thread to do it for this one. */
static void see_off(syc_command *access)
{
    for (size_t i = 0; i < access->after_count; i++)
        (void)syc_command_wait(access->after[i], UINT64_MAX / 4);
    syc__complete(access, SYC_OK);
}

/* The next one that can go, NULL if there is none. `taken`: by a queue. */
static syc_command *next_orphan_locked(bool *taken)
{
    for (syc_command **link = &orphans; *link != NULL; link = &(*link)->deferred_next) {
        syc_command *found = *link;
        syc_queue *queue = queue_behind_locked(found);
        if (queue == NULL && is_waiting_locked(found))
            continue;
        *link = found->deferred_next;
        found->deferred_next = NULL;
        *taken = queue != NULL && hand_over_locked(found, queue) == SYC_OK;
        return found;
    }
    return NULL;
}

static void look_after_orphans(void)
{
    syc_command *orphan;
    do {
        bool taken = false;
        syc__order_lock();
        orphan = next_orphan_locked(&taken);
        syc__order_unlock();
        if (orphan != NULL && !taken)
            see_off(orphan);
        syc_command_release(orphan);
    } while (orphan != NULL);
}

/* It was registered and will not be granted. Later commands rely on its place in the order, so it stays until all
 * before it has ended, as an empty command of a queue that does not keep this thread, or as an orphan. */
static void abandon(syc_command *access)
{
    syc_queue *queue;
    bool seen_to = false;

    access->abandoned = true;
    syc__order_lock();
    queue = queue_behind_locked(access);
    if (queue != NULL) {
        seen_to = hand_over_locked(access, queue) == SYC_OK;
    } else if (is_waiting_locked(access)) {
        syc_command_retain(access);
        access->deferred_next = orphans;
        orphans = access;
        seen_to = true;
    }
    syc__order_unlock();
    if (!seen_to)
        see_off(access);
    look_after_orphans();
}

/* As everybody ends one who was granted it, or could have been. */
static void complete(syc_command *access, syc_status status)
{
    syc__complete(access, status);
    look_after_orphans();
}

/* The failure that made it so stays this thread's last. */
static syc_status abandon_with(syc_command *access, syc_status failed)
{
    syc_failure *failure = NULL;
    (void)syc_failure_capture(failed, &failure);
    abandon(access);
    failed = syc_failure_restore(failure);
    syc_failure_free(failure);
    return failed;
}

static syc_status begin(const syc_need *need, syc_keep keep, syc_site site, bool rescues, syc_command **out)
{
    syc_command *access = NULL;
    bool registered = false;
    syc_status status = create(need, keep, site, rescues, &access);
    if (status != SYC_OK)
        return status;
    status = syc__enter(access, NULL, 0, &registered);
    if (status == SYC_OK || (registered && rescues)) {
        *out = access;
        return SYC_OK;
    }
    if (registered)
        status = abandon_with(access, status);
    syc_command_release(access);
    return status;
}

syc_status syc_access_begin(const syc_need *need, syc_keep keep, syc_site site, syc_command **out)
{
    return begin(need, keep, site, false, out);
}

/* -- write-back -- */

/* The place that the user looks at: the array, or the storage where that is the array. */
static unsigned goal_of(const syc_buffer *buffer)
{
    return buffer->origin.bytes > 0 ? SYC_PLACE_ORIGIN : SYC_PLACE_HOST;
}

static syc_place_set bit(unsigned place)
{
    return (syc_place_set)1 << place;
}

/* Current somewhere, but not there. */
static bool is_due(const syc_copy_segment *s, unsigned goal)
{
    return !s->lost && s->valid != 0 && (s->valid & bit(goal)) == 0;
}

/* Bytes that the storage has and the array has not. */
static bool next_due(syc_buffer *buffer, size_t from, size_t *low, size_t *high)
{
    bool found = false;
    syc__order_lock();
    for (size_t i = syc_copies_find(&buffer->copies, from); i < buffer->copies.count && !found; i++) {
        const syc_copy_segment *s = &buffer->copies.items[i];
        found = is_due(s, SYC_PLACE_ORIGIN) && (s->settled & bit(SYC_PLACE_HOST)) != 0;
        *low = s->low;
        *high = s->high;
    }
    syc__order_unlock();
    return found;
}

/* The array is current, too. Without memory to note it, it is written once more. */
static void note_arrival(syc_buffer *buffer, size_t low, size_t high)
{
    syc__order_lock();
    if (syc_copies_reserve(&buffer->copies, low, high) == SYC_OK) {
        syc_copies_arrive(&buffer->copies, low, high, SYC_PLACE_ORIGIN);
        syc_copies_arrived(&buffer->copies, low, high, SYC_PLACE_ORIGIN);
    }
    syc__order_unlock();
}

static syc_status unpack(syc_buffer *buffer)
{
    syc_status status = SYC_OK;
    size_t low = 0, high = 0;
    while (goal_of(buffer) == SYC_PLACE_ORIGIN && next_due(buffer, high, &low, &high)) {
        SYC_TRY(syc__move_on_host(&(struct syc__move){buffer, SYC_PLACE_HOST, SYC_PLACE_ORIGIN, low, high}));
        note_arrival(buffer, low, high);
    }
done:
    return status;
}

/* Of what failed before a rescue only its own copies matter: what a failed kernel leaves is no concern of the array's.
 */
static syc_status copy_failure(const syc_command *access)
{
    for (size_t i = 0; i < access->after_count; i++) {
        const syc_command *on = access->after[i];
        if (on->carries && !on->poisoned && syc_command_failure(on) != NULL)
            return syc_failure_restore(on->failure);
    }
    return SYC_OK;
}

static syc_status rescue(const syc_command *access)
{
    syc_status status = copy_failure(access);
    return status == SYC_OK ? unpack(access->work->needs[0].buffer) : status;
}

bool syc_buffer_in_use(syc_buffer *buffer)
{
    bool used;
    syc__order_lock();
    used = syc_hazards_count(buffer->hazards) > 0;
    syc__order_unlock();
    return used;
}

static bool any_due(syc_buffer *buffer)
{
    bool due = false;
    syc__order_lock();
    for (size_t i = 0; i < buffer->copies.count; i++)
        due = due || is_due(&buffer->copies.items[i], goal_of(buffer));
    syc__order_unlock();
    return due;
}

void syc_buffer_hand_over(syc_buffer *buffer)
{
    syc_place_set goal = bit(goal_of(buffer));
    syc__order_lock();
    for (size_t i = 0; i < buffer->copies.count; i++) {
        syc_copy_segment *s = &buffer->copies.items[i];
        if (s->writer == 0 && !s->lost && (s->valid & goal) != 0)
            s->valid = s->settled = goal;
    }
    syc__order_unlock();
}

syc_status syc_buffer_write_back(syc_buffer *buffer, syc_keep keep, syc_site site, syc_command **out)
{
    syc_need need = {.buffer = buffer, .bytes = buffer->bytes, .keep = true, .at_host = true};
    *out = NULL;
    if (syc_buffer_in_use(buffer) || any_due(buffer))
        return begin(&need, keep, site, true, out);
    syc_keep_let_go(keep);
    return SYC_OK;
}

/* -- the access itself -- */

static syc_status wait_for_others(syc_command *access, uint64_t timeout_ns)
{
    uint64_t began = syc_now_ns();
    syc_status status = SYC_OK;
    for (size_t i = 0; i < access->after_count; i++) {
        uint64_t waited = syc_now_ns() - began;
        if (syc_command_ended(access->after[i]))
            continue;
        SYC_TRY(syc_command_wait(access->after[i], waited < timeout_ns ? timeout_ns - waited : 0));
    }
done:
    return status;
}

syc_status syc_access_wait(syc_command *access, uint64_t timeout_ns)
{
    syc_status status = SYC_OK;

    if (syc_command_ended(access))
        return access->failure != NULL ? syc_failure_restore(access->failure) : SYC_OK;
    if (access->granted)
        return SYC_OK;
    SYC_TRY(wait_for_others(access, timeout_ns));
    status = access->rescues ? rescue(access) : syc__fate(access);
    if (status != SYC_OK) {
        complete(access, status);
        return syc_failure_restore(access->failure);
    }
    syc__order_lock();
    access->granted = true;
    syc__set_state(access, SYC__RUNNING);
    syc__order_unlock();
done:
    return status;
}

char *syc_access_data(const syc_command *access)
{
    const syc_need *need = &access->work->needs[0];
    return need->bytes > 0 ? syc_buffer_address(need->buffer, need->place, need->low) : NULL;
}

/* Not granted, it may be ended at any time; but what comes after it relies on what comes before it. */
void syc_access_end(syc_command *access)
{
    if (access == NULL)
        return;
    if (!syc_command_ended(access)) {
        if (access->granted)
            complete(access, SYC_OK);
        else
            abandon(access);
    }
    syc_command_release(access);
}

/* -- where things are -- */

static void add_place(syc_text *text, const syc_buffer *buffer, unsigned place)
{
    const char *separator = syc_text_get(text)[0] != '\0' ? ", " : "";
    if (place == SYC_PLACE_HOST)
        syc_text_add(text, "%shost", separator);
    else if (place == SYC_PLACE_ORIGIN)
        syc_text_add(text, "%sthe array it was made from", separator);
    else
        syc_text_add(text, "%s%s", separator, syc_device_name(buffer->places[place].context->devices[0]));
}

char *syc_buffer_where(syc_buffer *buffer, size_t low, size_t bytes)
{
    syc_text text = {0};
    syc_place_set common;
    syc__order_lock();
    common = bytes > 0 ? syc_copies_common(&buffer->copies, low, low + bytes) : 0;
    for (unsigned p = 0; p < SYC_PLACES; p++) {
        if ((common & bit(p)) != 0)
            add_place(&text, buffer, p);
    }
    syc__order_unlock();
    return syc_text_take(&text);
}
