/* PoCL 3.0 to 6.0: it mistakes launches of one kernel that run at a time for each other, and ends the process.
 * Gone when: tests/regression/test_launches_mistaken.py::test_launches_under_way_are_not_mistaken.
 *
 * It loads a kernel's machine code once for each size of group, offset (none or any) and widest grid, and counts its
 * users; but what a launch lets go of at its end is the first entry of its kernel and size of group. Another one is
 * there while the launch runs if a wider launch, or one with another offset, began meanwhile, or if the driver was
 * asked for binaries. Then a count falls below 0, and the process ends (in 3.0 it lives on), or code that runs is
 * unloaded.
 *
 * So launches that run at a time must share an entry. The launch that made it is the *leader*: others that are no wider
 * and offset alike wait for it only (it may not have begun), and find the same entry then. Any other launch waits for
 * all, and is the next leader. What is waited for is an event natively: no submission waits here, and no failure
 * spreads. */
#include "program/cures/pocl_launch_clash.h"

#include "base/alloc.h"
#include "base/process.h"
#include "base/refcount.h"
#include "base/thread.h"
#include "cl/constants.h"
#include "cl/room.h"

#include <pthread.h>

/* Launches of one kernel with one size of group. */
struct kind {
    size_t kernel, local[3];
    bool offset;
    size_t width;
    size_t compiled[2];          /* the widest that was launched, without an offset and with one */
    cl_event leader;             /* NULL: it has ended */
    cl_event *events;            /* of all under way, the leader too; retained, and in no count of live objects */
    size_t count, room, look_at; /* how many there are when it is time to look which have ended */
};

struct syc__launch_clash {
    syc_refcount refs;
    const syc_driver *driver;
    const syc_cl_table *cl;
    pthread_mutex_t lock; /* held across the enqueue, so that what is under way is in the lists */
    struct kind *kinds;
    size_t count, room;
    struct kind alone; /* the latest launch within a call */
};

enum { FEW = 8 };

syc_status syc__launch_clash_create(const syc_context *context, syc__launch_clash **out)
{
    syc__launch_clash *flights = NULL;
    bool needed = false;
    syc_status status = SYC_OK;

    for (size_t i = 0; i < context->device_count; i++)
        needed |= context->devices[i]->facts->mistakes_launches;
    *out = NULL;
    if (!needed)
        return SYC_OK;
    SYC_TRY(syc_alloc(sizeof *flights, &flights));
    syc_refcount_init(&flights->refs);
    pthread_mutex_init(&flights->lock, NULL);
    flights->driver = context->platform->driver;
    flights->cl = syc_context_cl(context);
    *out = flights;
done:
    return status;
}

void syc__launch_clash_retain(syc__launch_clash *flights)
{
    if (flights != NULL)
        syc_refcount_retain(&flights->refs);
}

static void let_go(const syc__launch_clash *flights, cl_event event)
{
    if (event != NULL && syc_process_alive())
        (void)flights->cl->ReleaseEvent(event); /* it was ours alone, and nothing is lost with it */
}

static void clear(const syc__launch_clash *flights, struct kind *kind)
{
    for (size_t i = 0; i < kind->count; i++)
        let_go(flights, kind->events[i]);
    kind->count = 0;
    kind->leader = NULL;
}

void syc__launch_clash_release(syc__launch_clash *flights)
{
    if (flights == NULL || !syc_refcount_release(&flights->refs))
        return;
    for (size_t i = 0; i < flights->count; i++) {
        clear(flights, &flights->kinds[i]);
        syc_free(flights->kinds[i].events);
    }
    syc_free(flights->kinds);
    pthread_mutex_destroy(&flights->lock);
    syc_free(flights);
}

/* -- what is under way -- */

/* A driver that does not say is believed to be busy. */
static bool has_ended(const syc__launch_clash *flights, cl_event event)
{
    cl_int state = CL_QUEUED;
    return flights->cl->GetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL) == 0 &&
           state <= CL_COMPLETE;
}

/* Forgets what has ended. */
static void look(const syc__launch_clash *flights, struct kind *kind)
{
    size_t left = 0;
    for (size_t i = 0; i < kind->count; i++) {
        cl_event event = kind->events[i];
        if (!has_ended(flights, event)) {
            kind->events[left++] = event;
            continue;
        }
        if (event == kind->leader)
            kind->leader = NULL;
        let_go(flights, event);
    }
    kind->count = left;
    kind->look_at = 2 * left > FEW ? 2 * left : FEW;
}

static bool is_of(const struct kind *kind, size_t kernel, const size_t local[3])
{
    return kind->kernel == kernel && kind->local[0] == local[0] && kind->local[1] == local[1] &&
           kind->local[2] == local[2];
}

/* The launch's kind, or one that nothing is under way of. */
static struct kind *find(syc__launch_clash *flights, size_t kernel, const size_t local[3])
{
    struct kind *idle = NULL;
    for (size_t i = 0; i < flights->count; i++)
        if (is_of(&flights->kinds[i], kernel, local))
            return &flights->kinds[i];
    for (size_t i = 0; i < flights->count && flights->count >= FEW && idle == NULL; i++) {
        look(flights, &flights->kinds[i]);
        if (flights->kinds[i].count == 0)
            idle = &flights->kinds[i];
    }
    if (idle == NULL) {
        if (syc_grow(&flights->kinds, &flights->room, flights->count + 1, sizeof *flights->kinds) != SYC_OK)
            return NULL;
        idle = &flights->kinds[flights->count++];
        *idle = (struct kind){.look_at = FEW};
    }
    idle->kernel = kernel;
    idle->compiled[0] = idle->compiled[1] = 0;
    for (int d = 0; d < 3; d++)
        idle->local[d] = local[d];
    return idle;
}

/* -- a launch -- */

static size_t width_of(const syc__nd_launch *launch)
{
    size_t width = 0;
    for (cl_uint d = 0; d < launch->dims; d++)
        width = launch->global[d] > width ? launch->global[d] : width;
    return width;
}

static bool is_offset(const syc__nd_launch *launch)
{
    for (cl_uint d = 0; launch->offset != NULL && d < launch->dims; d++)
        if (launch->offset[d] != 0)
            return true;
    return false;
}

static cl_int enqueue(const syc_cl_table *cl, const syc__nd_launch *launch, const cl_event *more, size_t more_count,
                      cl_event *out)
{
    cl_uint count = launch->after_count + (cl_uint)more_count;
    const cl_event *after = launch->after;
    cl_event *all = NULL;
    cl_int code;

    if (more_count > 0) {
        if (syc_alloc_array(count, sizeof *all, &all) != SYC_OK)
            return CL_OUT_OF_HOST_MEMORY;
        for (cl_uint i = 0; i < count; i++)
            all[i] = i < launch->after_count ? launch->after[i] : more[i - launch->after_count];
        after = all;
    }
    code = cl->EnqueueNDRangeKernel(launch->queue, launch->kernel, launch->dims, launch->offset, launch->global,
                                    launch->local, count, count > 0 ? after : NULL, out);
    syc_free(all);
    return code;
}

/* Room for one more event was made. */
static void note(const syc__launch_clash *flights, struct kind *kind, cl_event event, bool leads)
{
    if (flights->cl->RetainEvent(event) != 0)
        return; /* it does not exist, then */
    kind->events[kind->count++] = event;
    if (leads)
        kind->leader = event;
}

/* Does the driver compile and link for the launch? Then it must have what that takes. */
static syc_status check_room(const syc__launch_clash *flights, struct kind *kind, const syc__nd_launch *launch,
                             size_t width)
{
    size_t *compiled = &kind->compiled[is_offset(launch)];
    syc_status status = SYC_OK;

    if (width <= *compiled)
        return SYC_OK;
    SYC_TRY(syc_driver_check_room(flights->driver));
    *compiled = width;
done:
    return status;
}

static syc_status launch_locked(syc__launch_clash *flights, size_t kernel, const syc__nd_launch *launch, cl_event *out,
                                cl_int *code)
{
    size_t width = width_of(launch), local[3] = {1, 1, 1};
    struct kind *kind;
    bool alike;
    syc_status status = SYC_OK;

    for (cl_uint d = 0; d < launch->dims; d++)
        local[d] = launch->local[d];
    kind = find(flights, kernel, local);
    SYC_CHECK(kind != NULL, SYC_E_MEMORY_ALLOCATION, "no memory for a launch");
    SYC_TRY(syc_grow(&kind->events, &kind->room, kind->count + 1, sizeof *kind->events));
    SYC_TRY(check_room(flights, kind, launch, width));
    if (kind->leader != NULL || kind->count >= kind->look_at ||
        (kind->count > 0 && has_ended(flights, kind->events[kind->count - 1])))
        look(flights, kind);
    alike = kind->count > 0 && kind->offset == is_offset(launch) && width <= kind->width;
    if (!alike)
        look(flights, kind);
    if (alike)
        *code = enqueue(flights->cl, launch, &kind->leader, kind->leader != NULL, out);
    else
        *code = enqueue(flights->cl, launch, kind->events, kind->count, out);
    if (*code != CL_SUCCESS)
        return SYC_OK;
    if (!alike) {
        kind->offset = is_offset(launch);
        kind->width = width;
    }
    note(flights, kind, *out, !alike);
done:
    return status;
}

/* The driver compiles and links on the calling thread, once for each kind of launch. */
static syc_status launch_alone_locked(syc__launch_clash *flights, size_t kernel, const syc__nd_launch *launch,
                                      cl_event *out, cl_int *code)
{
    struct kind *latest = &flights->alone;
    size_t width = width_of(launch), local[3] = {1, 1, 1};
    bool offset = is_offset(launch);
    syc_status status = SYC_OK;
    sigset_t before;

    for (cl_uint d = 0; d < launch->dims; d++)
        local[d] = launch->local[d];
    if (is_of(latest, kernel, local) && latest->offset == offset && width <= latest->width) {
        *code = enqueue(flights->cl, launch, NULL, 0, out);
        return SYC_OK;
    }
    SYC_TRY(syc_driver_check_room(flights->driver));
    syc_signals_hold(&before);
    *code = enqueue(flights->cl, launch, NULL, 0, out);
    syc_signals_let(&before);
    if (*code == CL_SUCCESS)
        *latest =
            (struct kind){.kernel = kernel, .local = {local[0], local[1], local[2]}, .offset = offset, .width = width};
done:
    return status;
}

syc_status syc__launch_clash_launch(syc__launch_clash *flights, const syc_cl_table *cl, size_t kernel, bool alone,
                                    const syc__nd_launch *launch, cl_event *out, cl_int *code)
{
    syc_status status;
    if (flights == NULL) {
        *code = enqueue(cl, launch, NULL, 0, out);
        return SYC_OK;
    }
    pthread_mutex_lock(&flights->lock);
    status = alone ? launch_alone_locked(flights, kernel, launch, out, code)
                   : launch_locked(flights, kernel, launch, out, code);
    pthread_mutex_unlock(&flights->lock);
    return status;
}

/* -- rest -- */

bool syc__launch_clash_try_rest(syc__launch_clash *flights)
{
    size_t under_way = 0;
    if (flights == NULL)
        return true;
    if (pthread_mutex_trylock(&flights->lock) != 0)
        return false;
    for (size_t i = 0; i < flights->count; i++) {
        look(flights, &flights->kinds[i]);
        under_way += flights->kinds[i].count;
    }
    if (under_way > 0)
        pthread_mutex_unlock(&flights->lock);
    return under_way == 0;
}

void syc__launch_clash_rest(syc__launch_clash *flights)
{
    if (flights == NULL)
        return;
    pthread_mutex_lock(&flights->lock);
    for (size_t i = 0; i < flights->count; i++) {
        struct kind *kind = &flights->kinds[i];
        if (kind->count > 0)
            (void)flights->cl->WaitForEvents((cl_uint)kind->count, kind->events); /* whatever became of them */
        clear(flights, kind);
    }
}

void syc__launch_clash_resume(syc__launch_clash *flights)
{
    if (flights != NULL)
        pthread_mutex_unlock(&flights->lock);
}
