/* Replays as objects and as commands: what was put in, whether all of it is still there, and what has failed. */
#include "base/alloc.h"
#include "cl/constants.h"
#include "cl/entries.h"
#include "schedule/replay/recording.h"

#include <stdlib.h>
#include <string.h>

static bool reads_early(const syc_command *command)
{
    return command->work->replay.replay->layout->reads_early;
}

static syc_status ask(struct syc__work *work)
{
    const syc_recording *r = work->replay.replay->recording;
    syc_failure *first = NULL;
    syc_status status = SYC_OK;
    for (size_t i = 0; i < r->count; i++) {
        const syc_verdict *verdict = &r->items[i].work->verdict;
        syc_status own = verdict->call != NULL ? verdict->call(verdict->payload) : SYC_OK;
        if (own == SYC_OK || first != NULL)
            continue;
        (void)syc_failure_capture(own, &first);
        work->replay.failed = i + 1;
    }
    if (first != NULL)
        status = syc_failure_restore(first);
    syc_failure_free(first);
    return status;
}

static void call_endings(const struct syc__work *work, bool succeeded)
{
    const syc_recording *r = work->replay.replay->recording;
    for (size_t i = 0; i < r->count; i++) {
        const syc_ending *ending = &r->items[i].work->ending;
        if (ending->call != NULL)
            ending->call(ending->payload, succeeded);
    }
}

/* The pool takes its time once to wake, and then some for each command; what the calling thread has done in that time
 * is done sooner (tests/bench/README.md). However many there are, a submission is not to take longer than a bound. */
static uint64_t budget_ns(const struct syc__work *work, uint64_t one)
{
    enum { EACH_NS = 2000, MOST_NS = 300000 };
    uint64_t budget = one + work->replay.replay->layout->calls * (uint64_t)EACH_NS;
    return one == 0 ? 0 : budget < MOST_NS ? budget : MOST_NS;
}

/* -- failures -- */

static int code_of(const syc_command *command, int code)
{
    struct syc__work *work = command->work;
    const syc_cl_table *cl = syc_context_cl(command->context);
    const syc_recording *recording = work->replay.replay->recording;

    for (size_t i = 0; work->replay.stretches != NULL && i < recording->count; i++) {
        const struct syc__stretch *stretch = &work->replay.stretches[i];
        for (size_t e = stretch->first; e < stretch->last; e++) {
            cl_int own = 0;
            if (cl->GetEventInfo(work->replay.events[e], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof own, &own, NULL) !=
                    0 ||
                own >= 0 || own == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
                continue;
            work->replay.failed = i + 1;
            return own;
        }
    }
    return code;
}

static const struct syc__work *failed_of(const struct syc__work *work)
{
    return work->replay.failed > 0 ? work->replay.replay->recording->items[work->replay.failed - 1].work : NULL;
}

/* -- replays as objects -- */

static int by_command(const void *a, const void *b)
{
    const syc_replacement *x = a, *y = b;
    if (x->command != y->command)
        return x->command < y->command ? -1 : 1;
    return x->argument < y->argument ? -1 : x->argument > y->argument;
}

static size_t rounded(size_t size)
{
    return (size + 15) / 16 * 16;
}

/* The replacements, sorted, with their values behind them. */
static syc_status take_changes(syc_replay *replay, const syc_replacement *changes, size_t count)
{
    size_t bytes = rounded(count * sizeof *changes);
    char *values;
    syc_status status;

    for (size_t i = 0; i < count; i++)
        bytes += changes[i].value.kind == SYC_ARGUMENT_VALUE ? rounded(changes[i].value.size) : 0;
    status = syc_alloc(bytes, &replay->changes);
    if (status != SYC_OK)
        return status;
    memcpy(replay->changes, changes, count * sizeof *changes);
    qsort(replay->changes, count, sizeof *changes, by_command);
    values = (char *)replay->changes + rounded(count * sizeof *changes);
    for (size_t i = 0; i < count; i++) {
        syc_argument *a = &replay->changes[i].value;
        if (a->kind != SYC_ARGUMENT_VALUE)
            continue;
        a->value = memcpy(values, a->value, a->size);
        values += rounded(a->size);
    }
    replay->change_count = count;
    return SYC_OK;
}

static bool uses_need(const struct syc__laid *laid, size_t needs, size_t need)
{
    for (size_t k = 0; k < needs + laid->change_count; k++) {
        if (laid->needs[k] == need)
            return true;
    }
    return false;
}

/* The first command that wants the need. */
static const struct syc__work *user_of(const syc_replay *replay, size_t need)
{
    const syc_recording *r = replay->recording;
    size_t i = 0;
    while (i + 1 < r->count && !uses_need(&replay->layout->items[i], r->items[i].work->need_count, need))
        i++;
    return r->items[i].work;
}

static syc_status check_alive(const syc_replay *replay)
{
    const struct syc__layout *layout = replay->layout;
    syc_status status = SYC_OK;
    for (size_t i = 0; i < layout->need_count; i++) {
        const struct syc__work *user;
        if (atomic_load(&layout->needs[i].buffer->handles) > 0)
            continue;
        user = user_of(replay, i);
        return syc_fail(SYC_E_INVALID_OBJECT, SYC_HERE,
                        "replay: buffer %llu has been closed, and the %s recorded at %s:%d uses it",
                        layout->needs[i].buffer->id, user->ops->word, user->site.file != NULL ? user->site.file : "?",
                        user->site.line);
    }
    for (size_t i = 0; i < layout->allocation_count; i++)
        SYC_CHECK(!atomic_load(&layout->allocations[i]->freed), SYC_E_INVALID_OBJECT,
                  "replay: unified shared memory that a recorded command uses has been freed");
done:
    return status;
}

syc_status syc_replay_create(syc_recording *recording, const syc_replacement *changes, size_t count, syc_replay **out)
{
    syc_replay *replay = NULL;
    syc_status status = SYC_OK;

    SYC_TRY(syc_process_check());
    SYC_CHECK(atomic_load(&recording->state) != SYC__RECORDING_OPEN, SYC_E_INVALID,
              "replay: the recording has not ended: replay it after its with block");
    SYC_CHECK(atomic_load(&recording->state) == SYC__RECORDING_READY, SYC_E_INVALID,
              "replay: the recording was given up: nothing of it was kept");
    SYC_TRY(syc_alloc(sizeof *replay, &replay));
    syc_refcount_init(&replay->refs);
    syc_recording_retain(recording);
    replay->recording = recording;
    replay->layout = &recording->layout;
    if (count > 0) {
        SYC_TRY(take_changes(replay, changes, count));
        SYC_TRY(syc__layout_create(recording, replay->changes, count, &replay->own));
        replay->layout = &replay->own;
    }
    SYC_TRY(check_alive(replay));
    *out = replay;
    replay = NULL;
done:
    syc_replay_release(replay);
    return status;
}

void syc_replay_release(syc_replay *replay)
{
    if (replay == NULL || !syc_refcount_release(&replay->refs))
        return;
    syc__layout_clear(&replay->own);
    syc_free(replay->changes);
    syc_recording_release(replay->recording);
    syc_free(replay);
}

const syc_need *syc_replay_needs(const syc_replay *replay, size_t *count)
{
    *count = replay->layout->need_count;
    return replay->layout->needs;
}

static void retain(struct syc__work *work)
{
    syc_refcount_retain(&work->replay.replay->refs);
}

static void release(struct syc__work *work)
{
    syc_replay_release(work->replay.replay);
}

static const syc_task_ops replay_ops = {.kind = SYC_TASK_REPLAY,
                                        .word = "replay",
                                        .enqueue = syc__enqueue_replay,
                                        .reads_early = reads_early,
                                        .budget_ns = budget_ns,
                                        .ask = ask,
                                        .ended = call_endings,
                                        .failed = failed_of,
                                        .code = code_of,
                                        .retain = retain,
                                        .release = release};

syc_status syc_replay_submit(syc_replay *replay, bool awaited, syc_command *const *after, size_t after_count,
                             syc_keep keep, syc_site site, syc_command **out)
{
    const syc_recording *r = replay->recording;
    const struct syc__layout *layout = replay->layout;
    syc_task task = {.ops = &replay_ops,
                     .needs = layout->needs,
                     .need_count = layout->need_count,
                     .allocations = layout->allocations,
                     .allocation_count = layout->allocation_count,
                     .awaited = awaited,
                     .replay = replay};
    syc_command **all = NULL;
    syc_status status = SYC_OK;

    if (r->outer_count == 0)
        return syc_queue_submit(r->queue, &task, after, after_count, keep, site, out);
    status = syc_alloc_array(r->outer_count + after_count, sizeof(syc_command *), &all);
    if (status != SYC_OK) {
        syc_keep_let_go(keep);
        return status;
    }
    memcpy(all, r->outer, r->outer_count * sizeof *all);
    if (after_count > 0)
        memcpy(all + r->outer_count, after, after_count * sizeof *all);
    status = syc_queue_submit(r->queue, &task, all, r->outer_count + after_count, keep, site, out);
    syc_free(all);
    return status;
}
