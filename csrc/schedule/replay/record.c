/* Recording: its beginning and its end. */
#include "schedule/replay/recording.h"

#include "base/alloc.h"
#include "program/program.h"

static _Thread_local syc_recording *open_here; /* holds a reference, and may have been discarded elsewhere */

static void forget_items(syc_recording *recording)
{
    while (recording->count > 0) {
        struct syc__recorded *item = &recording->items[--recording->count];
        syc__work_free(item->stub, item->work);
        syc_command_release(item->stub);
        syc_free(item->after);
    }
    syc_free(recording->items);
}

static void forget_maps(syc_recording *recording)
{
    while (recording->map_count > 0)
        syc_hazards_free(recording->maps[--recording->map_count].hazards);
    syc_free(recording->maps);
    recording->maps = NULL;
    recording->map_room = 0;
}

void syc_recording_retain(syc_recording *recording)
{
    syc_refcount_retain(&recording->refs);
}

void syc_recording_release(syc_recording *recording)
{
    if (recording == NULL || !syc_refcount_release(&recording->refs))
        return;
    while (recording->sets != NULL) {
        struct syc__kernel_set *set = recording->sets;
        recording->sets = set->next;
        syc__kernel_set_drop(recording, set);
    }
    syc__layout_clear(&recording->layout);
    forget_maps(recording);
    forget_items(recording);
    while (recording->outer_count > 0)
        syc_command_release(recording->outer[--recording->outer_count]);
    syc_free(recording->outer);
    pthread_mutex_destroy(&recording->lock);
    syc_queue_release(recording->queue);
    syc_free(recording);
    syc_live_add(SYC_LIVE_RECORDING, -1);
}

static bool is_open(const syc_recording *recording)
{
    return atomic_load(&recording->state) == SYC__RECORDING_OPEN;
}

/* The one that this thread has open, or NULL. */
static syc_recording *current(void)
{
    syc_recording *recording = open_here;
    if (recording == NULL || is_open(recording))
        return recording;
    open_here = NULL;
    syc_recording_release(recording);
    return NULL;
}

syc_recording *syc__recording_of(const syc_queue *queue)
{
    syc_recording *recording = open_here == NULL ? NULL : current();
    return recording != NULL && recording->queue == queue ? recording : NULL;
}

bool syc_queue_is_recorded(const syc_queue *queue)
{
    return syc__recording_of(queue) != NULL;
}

syc_status syc_recording_begin(syc_queue *queue, syc_recording **out)
{
    static atomic_ullong id;
    syc_recording *recording = NULL;
    syc_status status = SYC_OK;

    SYC_TRY(syc_process_check());
    SYC_CHECK(current() == NULL, SYC_E_INVALID,
              "record: this thread records %s already, and a recording cannot be recorded",
              current()->queue == queue ? "the queue" : "another queue");
    SYC_TRY(syc_alloc(sizeof *recording, &recording));
    syc_refcount_init(&recording->refs);
    syc_live_add(SYC_LIVE_RECORDING, 1);
    pthread_mutex_init(&recording->lock, NULL);
    syc_queue_retain(queue);
    recording->queue = queue;
    recording->id = atomic_fetch_add(&id, 1) + 1;
    recording->owner = pthread_self();
    syc_recording_retain(recording);
    open_here = recording;
    *out = recording;
done:
    return status;
}

void syc_recording_discard(syc_recording *recording)
{
    atomic_store(&recording->state, SYC__RECORDING_DISCARDED);
    (void)current();
}

static void forget_stubs(syc_recording *recording)
{
    for (size_t i = 0; i < recording->count; i++)
        syc__command_drop_after(recording->items[i].stub);
}

syc_status syc_recording_end(syc_recording *recording)
{
    struct syc__kernel_set *set = NULL;
    syc_status status = SYC_OK;

    if (!is_open(recording))
        return syc_fail(SYC_E_INVALID, SYC_HERE, "record: the recording is closed already");
    SYC_CHECK(pthread_equal(recording->owner, pthread_self()), SYC_E_INVALID,
              "record: a recording ends on the thread that began it");
    forget_maps(recording);
    forget_stubs(recording);
    SYC_TRY(syc__layout_create(recording, NULL, 0, &recording->layout));
    SYC_TRY(syc__kernel_set_take(recording, &set));
    syc__kernel_set_give(recording, set);
    atomic_store(&recording->state, SYC__RECORDING_READY);
    (void)current();
    return SYC_OK;
done:
    syc_recording_discard(recording);
    return status;
}

bool syc_recording_is_open(const syc_queue *queue)
{
    const syc_recording *recording = open_here == NULL ? NULL : current();
    return recording != NULL && recording->queue == queue;
}

bool syc_recording_uses(const syc_buffer *buffer)
{
    const syc_recording *recording = open_here == NULL ? NULL : current();
    for (size_t i = 0; recording != NULL && i < recording->count; i++) {
        const struct syc__work *work = recording->items[i].work;
        for (size_t k = 0; k < work->need_count; k++) {
            if (work->needs[k].buffer == buffer)
                return true;
        }
    }
    return false;
}
