/* The log of profiles. */
#include "schedule/profile.h"

#include "base/alloc.h"
#include "cl/device_clock.h"
#include "program/program.h"
#include "schedule/order.h"
#include "source/declarations/signature.h"

#include <string.h>

/* Under the order lock. */
static syc_profile_record *records;
static size_t count, room;
static unsigned long long lost;
static uint64_t lost_ns;

static void hold(syc_profile_record *to, const syc_profile_record *from)
{
    *to = *from;
    if (to->program != NULL)
        syc_program_retain(to->program);
    if (to->device != NULL)
        syc_device_retain(to->device);
}

static void add_locked(const syc_profile_record *record)
{
    if (count < SYC_PROFILE_RECORDS && syc_grow(&records, &room, count + 1, sizeof *records) == SYC_OK) {
        hold(&records[count++], record);
        return;
    }
    lost++;
    lost_ns += record->timed ? record->end - record->start : 0;
}

/* -- commands -- */

/* What is read and written, each once; of a copy or a fill what is moved. */
static uint64_t bytes_of(const struct syc__work *work)
{
    const syc_hazards *host = syc__hazards_locked();
    uint64_t bytes = 0;
    if (work->ops->kind == SYC__MOVE)
        return work->move.high - work->move.low;
    if (work->ops->kind == SYC_TASK_COPY)
        return work->copy.to.bytes;
    if (work->ops->kind == SYC_TASK_FILL)
        return work->fill.to.bytes;
    if (work->ops->kind != SYC_TASK_LAUNCH && work->ops->kind != SYC_TASK_REPLAY)
        return 0;
    for (size_t i = 0; i < work->need_count; i++)
        bytes +=
            work->needs[i].bytes * (uint64_t)(work->needs[i].write + (!work->needs[i].write || work->needs[i].keep));
    for (size_t i = 0; i < work->use_count; i++)
        if (work->uses[i].map == host)
            bytes += (work->uses[i].high - work->uses[i].low) * (work->uses[i].write ? 2u : 1u);
    if (work->ops->kind != SYC_TASK_LAUNCH)
        return bytes;
    for (size_t i = 0; i < work->launch.argument_count; i++)
        if (work->launch.arguments[i].kind == SYC_ARGUMENT_POINTER)
            bytes += work->launch.arguments[i].size;
    return bytes;
}

int64_t syc__profile_ahead(const syc_command *command)
{
    if (!syc_profile_is_open() || command->queue == NULL || !command->timed || !syc_process_alive())
        return 0;
    return syc_device_clock_ahead(command->context, command->queue->device, command->times.end, false);
}

void syc__profile_add_locked(const syc_command *command, int64_t ahead)
{
    const struct syc__work *work = command->work;
    syc_profile_record record = {.serial = command->serial, .failed = command->failure != NULL};

    if (!syc_profile_is_open() || work == NULL || command->queue == NULL || command->queue->profiles == 0)
        return;
    syc__graph_describe(work, &record.kind, record.name);
    record.queue = syc__graph_number_locked(command->queue);
    record.device = command->queue->device;
    record.program = work->ops->kind == SYC_TASK_LAUNCH ? work->launch.program : NULL;
    record.site = work->site;
    record.bytes = bytes_of(work);
    record.timed = command->timed && !record.failed;
    record.submit = command->times.submit - (uint64_t)ahead;
    record.start = command->times.start - (uint64_t)ahead;
    record.end = command->times.end - (uint64_t)ahead;
    add_locked(&record);
}

void syc_profile_add(const char *kind, syc_program *program, syc_site site, uint64_t start, uint64_t end)
{
    syc_profile_record record = {
        .kind = kind, .program = program, .site = site, .timed = true, .submit = start, .start = start, .end = end};
    const syc_signatures *signatures = program != NULL ? syc_program_signatures(program) : NULL;

    if (!syc_profile_is_open())
        return;
    if (signatures != NULL && signatures->count > 0) {
        size_t length = strnlen(signatures->items[0].name, SYC_GRAPH_NAME - 1);
        memcpy(record.name, signatures->items[0].name, length);
    }
    syc__order_lock();
    if (syc_profile_is_open())
        add_locked(&record);
    syc__order_unlock();
}

static void add_build(syc_program *program, uint64_t began, uint64_t ended)
{
    syc_profile_add("build", program, (syc_site){0}, began, ended);
}

/* -- profiles -- */

void syc_profile_open(syc_queue *queue, syc_profile_mark *out)
{
    syc__order_lock();
    if (queue == NULL) {
        syc__profiles_of_all_locked++;
        for (syc_queue *q = syc__queues_locked; q != NULL; q = q->next)
            q->profiles++;
    } else {
        queue->profiles++;
    }
    *out = (syc_profile_mark){.record = count, .serial = syc__command_newest(), .lost = lost, .lost_ns = lost_ns};
    out->queue_id = queue != NULL ? syc__graph_number_locked(queue) : 0;
    atomic_fetch_add(&syc__profiles, 1);
    syc_program_set_watcher(add_build);
    syc__order_unlock();
}

/* All queues that there are, retained. */
static syc_status hold_queues(syc_queue ***out, size_t *number)
{
    syc_queue **all = NULL;
    size_t capacity = 0;
    syc_status status = SYC_OK;

    *number = 0;
    syc__order_lock();
    for (syc_queue *q = syc__queues_locked; q != NULL; q = q->next) {
        status = syc_grow(&all, &capacity, *number + 1, sizeof(syc_queue *));
        if (status != SYC_OK)
            break;
        if (syc_refcount_retain_alive(&q->refs))
            all[(*number)++] = q;
    }
    syc__order_unlock();
    *out = all;
    return status;
}

syc_status syc_profile_settle(syc_queue *queue)
{
    syc_queue **all = NULL;
    size_t number = 0;
    bool busy = false;
    syc_status status;

    if (queue != NULL)
        return syc__queue_settle(queue);
    status = hold_queues(&all, &number);
    for (size_t i = 0; i < number; i++) {
        syc_status one = status == SYC_OK ? syc__queue_settle(all[i]) : SYC_OK;
        busy |= one == SYC_TIMEOUT;
        if (one != SYC_TIMEOUT && one != SYC_OK)
            status = one;
        syc_queue_release(all[i]);
    }
    syc_free(all);
    return status == SYC_OK && busy ? SYC_TIMEOUT : status;
}

static bool is_of(const syc_profile_mark *mark, const syc_profile_record *record)
{
    if (record->serial == 0)
        return true;
    return record->serial > mark->serial && (mark->queue_id == 0 || mark->queue_id == record->queue);
}

/* The log, which begins anew. */
static syc_profile_record *take_log_locked(size_t *number)
{
    syc_profile_record *log = records;
    *number = count;
    records = NULL;
    count = room = 0;
    lost = 0;
    lost_ns = 0;
    return log;
}

static void close_locked(syc_queue *queue, syc_profile_mark *mark)
{
    if (queue == NULL)
        syc__profiles_of_all_locked--;
    for (syc_queue *q = queue != NULL ? queue : syc__queues_locked; q != NULL; q = queue != NULL ? NULL : q->next)
        q->profiles--;
    mark->lost = lost - mark->lost;
    mark->lost_ns = lost_ns - mark->lost_ns;
    if (atomic_fetch_sub(&syc__profiles, 1) == 1)
        syc_program_set_watcher(NULL);
}

void syc_profile_free(syc_profile_record *of, size_t number)
{
    for (size_t i = 0; i < number; i++) {
        syc_program_release(of[i].program);
        syc_device_release(of[i].device);
    }
    syc_free(of);
}

/* Of a whole log: those of the profile, in their order. */
static size_t keep_own(const syc_profile_mark *mark, syc_profile_record *log, size_t logged)
{
    size_t kept = 0;
    for (size_t i = 0; i < logged; i++) {
        if (i >= mark->record && is_of(mark, &log[i])) {
            log[kept++] = log[i];
        } else {
            syc_program_release(log[i].program);
            syc_device_release(log[i].device);
        }
    }
    return kept;
}

/* Of a log that others need: those of the profile, and it goes on. */
static syc_status copy_own_locked(const syc_profile_mark *mark, syc_profile_record **out, size_t *number)
{
    syc_status status = syc_alloc_array(count - mark->record, sizeof **out, out);
    for (size_t i = mark->record; status == SYC_OK && i < count; i++) {
        if (is_of(mark, &records[i]))
            hold(&(*out)[(*number)++], &records[i]);
    }
    return status;
}

syc_status syc_profile_close(syc_queue *queue, syc_profile_mark *mark, syc_profile_record **out, size_t *number)
{
    bool last;
    syc_status status = SYC_OK;

    *out = NULL;
    *number = 0;
    syc__order_lock();
    close_locked(queue, mark);
    last = !syc_profile_is_open();
    if (last)
        *out = take_log_locked(number);
    else
        status = copy_own_locked(mark, out, number);
    syc__order_unlock();
    if (last)
        *number = keep_own(mark, *out, *number);
    return status;
}
