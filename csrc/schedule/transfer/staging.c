/* Staged transfers. A team of workers, the calling thread among them, takes parts of the transfer in turn. Each worker
 * has two slots of pinned memory: while one part is under way between its slot and the device, it copies the other. */
#include "schedule/transfer/staging.h"

#include "base/alloc.h"
#include "base/cpus.h"
#include "cl/constants.h"
#include "cl/entries.h"
#include "memory/usm/usm.h"
#include "schedule/transfer/team.h"

#include <string.h>

/* As many workers, and as large slots, as come close to the speed of pinned memory (tests/bench/README.md). */
enum {
    WORKERS = 8,
    SLOTS = 2,
    SLOT_BYTES = 4 << 20,
    SMALLEST_PART = 512 << 10,
    GROWING_ROUNDS = 3, /* each worker's first parts are smaller */
};

struct syc__pinned {
    cl_mem memory;
    char *host; /* WORKERS * SLOTS slots; NULL: not made yet */
    struct syc__team team;
    bool taken;
};

struct syc__staging {
    struct syc__staging *next;
    cl_context context;
    const syc_cl_table *cl;
    size_t queues; /* that hold it */
    struct syc__pinned pinned[2];
};

/* One lock and one condition for all: what is done under it is short, and transfers that wait for each other are rare.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t given_back = PTHREAD_COND_INITIALIZER;
static struct syc__staging *all;

/* -- pinned memory -- */

static syc_status make(const syc_queue *queue, struct syc__staging **out)
{
    struct syc__staging *staging = NULL;
    syc_status status = syc_alloc(sizeof *staging, &staging);
    if (status != SYC_OK)
        return status;
    staging->context = queue->context->native;
    staging->cl = syc_context_cl(queue->context);
    syc__team_init(&staging->pinned[0].team);
    syc__team_init(&staging->pinned[1].team);
    *out = staging;
    return SYC_OK;
}

/* The context's, held by the queue from now on; NULL without memory. */
static struct syc__staging *find_locked(syc_queue *queue)
{
    struct syc__staging *found = queue->staging;
    if (found != NULL)
        return found;
    for (found = all; found != NULL && found->context != queue->context->native; found = found->next)
        ;
    if (found == NULL) {
        if (make(queue, &found) != SYC_OK)
            return NULL;
        found->next = all;
        all = found;
    }
    found->queues++;
    queue->staging = found;
    return found;
}

static void report(const char *api, int code)
{
    if (code != 0)
        syc_report(syc_fail_cl(SYC_HERE, api, code));
}

static void unpin(const syc_cl_table *cl, cl_command_queue queue, struct syc__pinned *pinned)
{
    bool alive = syc_process_alive();
    if (alive && pinned->host != NULL)
        report("clEnqueueUnmapMemObject",
               cl->EnqueueUnmapMemObject(queue, pinned->memory, pinned->host, 0, NULL, NULL));
    pinned->host = NULL;
    if (pinned->memory == NULL)
        return;
    report("clReleaseMemObject", alive ? cl->ReleaseMemObject(pinned->memory) : 0);
    syc_live_add(SYC_LIVE_CL_MEM, -1);
    pinned->memory = NULL;
}

static syc_status pin(const syc_queue *queue, struct syc__pinned *pinned)
{
    const syc_cl_table *cl = syc_context_cl(queue->context);
    cl_command_queue native = queue->natives[SYC_LANE_POOL];
    size_t bytes = (size_t)WORKERS * SLOTS * SLOT_BYTES;
    syc_status status = SYC_OK;
    cl_int code = 0;

    SYC_CL_OBJECT(cl, pinned->memory, CreateBuffer,
                  (queue->context->native, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, NULL, &code));
    syc_live_add(SYC_LIVE_CL_MEM, 1);
    SYC_CL_OBJECT(cl, pinned->host, EnqueueMapBuffer,
                  (native, pinned->memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, NULL, NULL, &code));
done:
    if (status != SYC_OK)
        unpin(cl, native, pinned);
    return status;
}

struct syc__pinned *syc__staging_take(syc_queue *queue, bool to_device)
{
    struct syc__staging *staging;
    struct syc__pinned *pinned = NULL;

    pthread_mutex_lock(&lock);
    staging = find_locked(queue);
    if (staging != NULL) {
        pinned = &staging->pinned[to_device];
        while (pinned->taken)
            pthread_cond_wait(&given_back, &lock);
        pinned->taken = true;
    }
    pthread_mutex_unlock(&lock);
    if (pinned == NULL || pinned->host != NULL || pin(queue, pinned) == SYC_OK)
        return pinned;
    syc__staging_give(pinned);
    return NULL;
}

void syc__staging_give(struct syc__pinned *pinned)
{
    pthread_mutex_lock(&lock);
    pinned->taken = false;
    pthread_cond_broadcast(&given_back);
    pthread_mutex_unlock(&lock);
}

/* Out of the list, if no other queue holds it. */
static bool leave(struct syc__staging *staging)
{
    struct syc__staging **link = &all;
    bool last;
    pthread_mutex_lock(&lock);
    last = --staging->queues == 0;
    for (; last && *link != staging; link = &(*link)->next)
        ;
    if (last)
        *link = staging->next;
    pthread_mutex_unlock(&lock);
    return last;
}

void syc__staging_release(syc_queue *queue)
{
    struct syc__staging *staging = queue->staging;

    queue->staging = NULL;
    if (staging == NULL || !syc_process_alive() || !leave(staging))
        return;
    for (int i = 0; i < 2; i++) {
        syc__team_dismiss(&staging->pinned[i].team);
        unpin(staging->cl, queue->natives[SYC_LANE_POOL], &staging->pinned[i]);
    }
    syc_free(staging);
}

/* -- transfers -- */

struct transfer {
    struct syc__steps *steps;
    struct syc__pinned *pinned;
    struct syc__far far;
    size_t bytes;
    char *host;
    bool to_device;
    size_t workers;
    pthread_mutex_t lock; /* of what is below */
    size_t next, parts;   /* bytes and parts that have been taken */
    syc_failure *failure; /* the first */
    bool failed;
};

struct worker {
    struct transfer *transfer;
    struct {
        char *pinned;
        cl_event event; /* NULL: nothing under way */
        size_t at, bytes;
    } slots[SLOTS];
};

static void fail(struct transfer *t, syc_status status)
{
    pthread_mutex_lock(&t->lock);
    if (!t->failed)
        (void)syc_failure_capture(status, &t->failure);
    t->failed = true;
    pthread_mutex_unlock(&t->lock);
}

/* To the device: small parts first, so that it begins soon. From it: small ones last, so that little is left to be
 * copied when it ends. */
static size_t part_size(const struct transfer *t)
{
    size_t left = t->bytes - t->next, round = t->parts / t->workers, part = SLOT_BYTES;
    if (t->to_device && round < GROWING_ROUNDS)
        part = (size_t)SMALLEST_PART << round;
    if (!t->to_device && part > left / (2 * t->workers))
        part = left / (2 * t->workers);
    part = part < SMALLEST_PART ? SMALLEST_PART : part;
    return part < left ? part : left;
}

static bool take_part(struct transfer *t, size_t *at, size_t *bytes)
{
    bool more;
    pthread_mutex_lock(&t->lock);
    more = !t->failed && t->next < t->bytes;
    if (more) {
        *at = t->next;
        *bytes = part_size(t);
        t->next += *bytes;
        t->parts++;
    }
    pthread_mutex_unlock(&t->lock);
    return more;
}

/* Ends what is under way in a slot: afterwards it may be used again, whatever happened. */
static void end_part(struct worker *w, int slot)
{
    struct transfer *t = w->transfer;
    const syc_cl_table *cl = t->steps->cl;
    cl_event event = w->slots[slot].event;
    int code;

    if (event == NULL)
        return;
    w->slots[slot].event = NULL;
    code = cl->WaitForEvents(1, &event);
    if (code != 0) {
        fail(t, syc_fail_cl(SYC_HERE, "clWaitForEvents", code));
        (void)cl->Finish(t->steps->queue); /* the wait failed, or what was waited for: either has been told */
    } else if (!t->to_device) {
        memcpy(t->host + w->slots[slot].at, w->slots[slot].pinned, w->slots[slot].bytes);
    }
    syc_event_let_go(t->steps->command->context, event);
    syc_live_add(SYC_LIVE_CL_EVENT, -1);
}

static syc_status begin_shared(struct worker *w, char *pinned, size_t at, size_t bytes, cl_event *event)
{
    struct transfer *t = w->transfer;
    struct syc__steps *s = t->steps;
    char *shared = t->far.pointer + at;
    syc_status status = syc_usm_enqueue_copy(s->command->context, s->queue, t->to_device ? shared : pinned,
                                             t->to_device ? pinned : shared, bytes, s->after_count, s->after, event);
    if (status == SYC_OK)
        syc_live_add(SYC_LIVE_CL_EVENT, -1); /* counted, like the others, by the caller */
    return status;
}

static syc_status begin_part(struct worker *w, int slot)
{
    struct transfer *t = w->transfer;
    struct syc__steps *s = t->steps;
    char *pinned = w->slots[slot].pinned;
    size_t at = w->slots[slot].at, bytes = w->slots[slot].bytes;
    cl_event *event = &w->slots[slot].event;
    syc_status status = SYC_OK;

    if (t->to_device)
        memcpy(pinned, t->host + at, bytes);
    if (t->far.memory == NULL)
        SYC_TRY(begin_shared(w, pinned, at, bytes, event));
    else if (t->to_device)
        SYC_CL(s->cl, EnqueueWriteBuffer,
               (s->queue, t->far.memory, CL_FALSE, t->far.offset + at, bytes, pinned, s->after_count, s->after, event));
    else
        SYC_CL(s->cl, EnqueueReadBuffer,
               (s->queue, t->far.memory, CL_FALSE, t->far.offset + at, bytes, pinned, s->after_count, s->after, event));
    syc_live_add(SYC_LIVE_CL_EVENT, 1);
    SYC_CL(s->cl, Flush, (s->queue));
done:
    return status;
}

static void work(void *job, size_t number)
{
    struct transfer *t = job;
    struct worker w = {.transfer = t};
    int slot = 0;
    for (size_t i = 0; i < SLOTS; i++)
        w.slots[i].pinned = t->pinned->host + (number * SLOTS + i) * SLOT_BYTES;
    for (;; slot = !slot) {
        syc_status status;
        end_part(&w, slot);
        if (!take_part(t, &w.slots[slot].at, &w.slots[slot].bytes))
            break;
        status = begin_part(&w, slot);
        if (status != SYC_OK)
            fail(t, status);
    }
    end_part(&w, !slot);
}

static size_t count_workers(const syc_queue *queue, size_t bytes)
{
    size_t count = bytes / SMALLEST_PART;
    size_t cpus = syc_cpus_allowed();
    if (!queue->device->facts->thread_safe)
        return 1;
    if (count > cpus)
        count = cpus;
    return count < 1 ? 1 : count < WORKERS ? count : WORKERS;
}

syc_status syc__stage(struct syc__steps *steps, struct syc__pinned *pinned, struct syc__far far, char *host,
                      size_t bytes, bool to_device)
{
    struct transfer t = {.steps = steps,
                         .pinned = pinned,
                         .far = far,
                         .bytes = bytes,
                         .host = host,
                         .to_device = to_device,
                         .workers = count_workers(steps->command->queue, bytes)};
    syc_status status = SYC_OK;

    pthread_mutex_init(&t.lock, NULL);
    steps->command->ran = true; /* from now on it may have written */
    syc__team_run(&pinned->team, t.workers, work, &t);
    if (t.failed)
        status = syc_failure_restore(t.failure);
    syc_failure_free(t.failure);
    pthread_mutex_destroy(&t.lock);
    return status;
}
