/* The fake driver's queues and events. Each queue has worker threads, one when it is in order and two when it is not,
 * which take commands whose wait lists are complete. */
#include "fake_driver.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool held;
static struct {
    unsigned type;
    int nth, code; /* nth 0: none is doomed */
} doom;

static cl_ulong now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (cl_ulong)t.tv_sec * 1000000000u + (cl_ulong)t.tv_nsec;
}

/* -- execution -- */

bool fake_ended(const fake_event *e)
{
    return e->status <= CL_COMPLETE;
}

static bool is_ready(const fake_event *e)
{
    if (held || !e->flushed || e->status == CL_RUNNING)
        return false;
    for (size_t i = 0; i < e->after_count; i++)
        if (!fake_ended(e->after[i]))
            return false;
    return true;
}

static fake_event *next_ready(const fake_queue *q)
{
    bool in_order = (q->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
    for (fake_event *e = q->first; e != NULL; e = in_order ? NULL : e->next)
        if (is_ready(e))
            return e;
    return NULL;
}

static void move(const fake_move *m)
{
    for (size_t z = 0; z < m->slices; z++) {
        for (size_t y = 0; y < m->rows; y++) {
            char *to = m->to + z * m->to_slice + y * m->to_row;
            if (m->from != NULL)
                memcpy(to, m->from + z * m->from_slice + y * m->from_row, m->bytes);
            for (size_t i = 0; m->from == NULL && i < m->bytes; i += m->pattern_size)
                memcpy(to + i, m->pattern, m->pattern_size);
        }
    }
    if (m->spoil != NULL)
        memset(m->spoil, 0xD5, m->spoil_size);
}

static int execute(const fake_event *e)
{
    if (e->kernel != NULL)
        return e->kernel->run(e->arguments, e->offset, e->global);
    move(&e->move);
    return CL_COMPLETE;
}

/* [locked] The code that the command must end with without doing anything, or CL_COMPLETE. */
static int doomed(const fake_event *e)
{
    if (doom.nth == 0 || doom.type != e->type || --doom.nth != 0)
        return CL_COMPLETE;
    return doom.code;
}

void fake_doom(unsigned type, int nth, int code)
{
    fake_lock();
    doom.type = type;
    doom.nth = nth;
    doom.code = code;
    fake_unlock();
}

/* [locked] Takes the command out of its queue and lets go of all that it held. */
static void retire(fake_queue *q, fake_event *e)
{
    fake_event **link = &q->first;
    q->last = NULL;
    while (*link != NULL) {
        if (*link == e)
            *link = e->next;
        if (*link != NULL) {
            q->last = *link;
            link = &(*link)->next;
        }
    }
    for (size_t i = 0; i < e->after_count; i++)
        fake_unuse(e->after[i]);
    free(e->after);
    e->after = NULL;
    e->after_count = 0;
    for (size_t i = 0; i < FAKE_ARGUMENTS; i++)
        fake_unuse(e->arguments[i].object);
    for (size_t i = 0; i < FAKE_HOLDS; i++)
        fake_unuse(e->holds[i]);
    free(e->move.scratch);
    e->move.scratch = NULL;
    e->queue = NULL;
    e->next = NULL;
    fake_unuse(e);
    fake_unuse(q);
}

/* [locked, but not while the command runs] */
static void run(fake_queue *q, fake_event *e)
{
    int status = CL_COMPLETE;
    for (size_t i = 0; i < e->after_count && !e->after_all; i++)
        if (e->after[i]->status < 0)
            status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    if (e->context->lost != 0)
        status = e->context->lost;
    e->status = CL_RUNNING;
    e->times[2] = now();
    if (status == CL_COMPLETE)
        status = doomed(e);
    if (status == CL_COMPLETE) {
        fake_changed();
        fake_unlock();
        status = execute(e);
        fake_lock();
    }
    e->times[3] = now();
    e->status = status;
    if (fake_settings.fatal && status < 0)
        e->context->lost = status;
    retire(q, e);
    fake_changed();
}

/* The last worker to leave frees the queue. */
static void *work(void *argument)
{
    fake_queue *q = argument;
    fake_lock();
    for (;;) {
        fake_event *e = next_ready(q);
        if (e != NULL)
            run(q, e);
        else if (q->closing)
            break;
        else if (q->first == NULL)
            fake_wait_for(&q->arrived);
        else
            fake_wait();
    }
    if (--q->workers == 0) {
        pthread_cond_destroy(&q->arrived);
        fake_discard(q);
    }
    fake_unlock();
    return NULL;
}

/* [locked] */
static void start_workers(fake_queue *q)
{
    unsigned wanted = (q->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0 ? 2 : 1;
    pthread_attr_t detached;
    pthread_t thread;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    while (q->workers < wanted && pthread_create(&thread, &detached, work, q) == 0)
        q->workers++;
    pthread_attr_destroy(&detached);
    if (q->workers == 0)
        abort();
}

bool fake_end_queue(fake_queue *q)
{
    fake_unuse(q->context);
    q->closing = true;
    pthread_cond_broadcast(&q->arrived);
    if (q->workers == 0)
        pthread_cond_destroy(&q->arrived);
    return q->workers == 0;
}

void fake_hold(int hold)
{
    fake_lock();
    held = hold != 0;
    fake_changed();
    fake_unlock();
}

/* -- queues -- */

cl_command_queue fake_CreateCommandQueue(cl_context c, cl_device_id d, cl_bitfield props, cl_int *code)
{
    const cl_bitfield known = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE |
                              (fake_settings.local_thread ? CL_QUEUE_THREAD_LOCAL_EXEC_ENABLE_INTEL : 0);
    fake_context *context;
    fake_queue *q = NULL;
    cl_int result = (props & ~known) != 0 ? CL_INVALID_VALUE : CL_INVALID_DEVICE;
    fake_lock();
    context = fake_get(c, FAKE_CONTEXT);
    if (context == NULL)
        result = CL_INVALID_CONTEXT;
    for (cl_uint i = 0; context != NULL && i < context->device_count; i++)
        if ((void *)context->devices[i] == (void *)d && result == CL_INVALID_DEVICE)
            result = CL_SUCCESS;
    if (result == CL_SUCCESS) {
        q = fake_new(FAKE_QUEUE, sizeof *q);
        fake_use(q->context = context);
        q->device = (fake_device *)d;
        q->properties = props;
        pthread_cond_init(&q->arrived, NULL);
    }
    fake_unlock();
    if (code != NULL)
        *code = result;
    return (cl_command_queue)q;
}

cl_int fake_RetainCommandQueue(cl_command_queue q)
{
    return fake_retain(q, FAKE_QUEUE, CL_INVALID_COMMAND_QUEUE);
}

/* [locked] */
void fake_flush(fake_queue *q)
{
    for (fake_event *e = q->first; e != NULL; e = e->next) {
        if (!e->flushed) {
            e->flushed = true;
            e->status = CL_SUBMITTED;
            e->times[1] = now();
        }
    }
    fake_changed();
}

cl_int fake_ReleaseCommandQueue(cl_command_queue handle)
{
    fake_queue *q;
    fake_lock();
    q = fake_get(handle, FAKE_QUEUE);
    if (q != NULL)
        fake_flush(q);
    fake_unlock();
    return q != NULL ? fake_release(handle, FAKE_QUEUE, CL_INVALID_COMMAND_QUEUE) : CL_INVALID_COMMAND_QUEUE;
}

cl_int fake_Flush(cl_command_queue handle)
{
    cl_int result = CL_INVALID_COMMAND_QUEUE;
    fake_queue *q;
    fake_lock();
    q = fake_get(handle, FAKE_QUEUE);
    if (q != NULL) {
        fake_flush(q);
        result = q->context->lost;
    }
    fake_unlock();
    return result;
}

cl_int fake_Finish(cl_command_queue handle)
{
    cl_int result = CL_INVALID_COMMAND_QUEUE;
    fake_queue *q;
    fake_lock();
    q = fake_get(handle, FAKE_QUEUE);
    if (q != NULL) {
        fake_use(q); /* another thread may release it meanwhile */
        fake_flush(q);
        while (q->first != NULL)
            fake_wait();
        result = q->context->lost == 0 ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
        fake_unuse(q);
    }
    fake_unlock();
    return result;
}

cl_int fake_submit(fake_queue *q, fake_event *e, bool block, cl_event *event)
{
    cl_int result = CL_SUCCESS;
    if (event != NULL) {
        e->object.handles = 1;
        *event = (cl_event)e;
    }
    e->times[0] = now();
    *(q->last != NULL ? &q->last->next : &q->first) = e;
    q->last = e;
    pthread_cond_broadcast(&q->arrived);
    if (q->workers == 0)
        start_workers(q);
    if (!fake_settings.lazy || block)
        fake_flush(q);
    if (block) {
        fake_use(e);
        while (!fake_ended(e))
            fake_wait();
        result = e->status < 0 ? e->status : CL_SUCCESS;
        fake_unuse(e);
    }
    return result;
}

/* -- events -- */

cl_int fake_RetainEvent(cl_event e)
{
    return fake_retain(e, FAKE_EVENT, CL_INVALID_EVENT);
}

cl_int fake_ReleaseEvent(cl_event e)
{
    return fake_release(e, FAKE_EVENT, CL_INVALID_EVENT);
}

cl_int fake_WaitForEvents(cl_uint n, const cl_event *events)
{
    cl_int result = n == 0 || events == NULL ? CL_INVALID_VALUE : CL_SUCCESS;
    fake_lock();
    for (cl_uint i = 0; result == CL_SUCCESS && i < n; i++)
        if (fake_get(events[i], FAKE_EVENT) == NULL)
            result = CL_INVALID_EVENT;
    for (cl_uint i = 0; result == CL_SUCCESS && i < n; i++) {
        fake_event *e = (fake_event *)events[i];
        fake_use(e);
        if (e->queue != NULL)
            fake_flush(e->queue);
    }
    for (cl_uint i = 0; result == CL_SUCCESS && i < n; i++)
        while (!fake_ended((fake_event *)events[i]))
            fake_wait();
    if (result == CL_SUCCESS) {
        for (cl_uint i = 0; i < n; i++) {
            if (((fake_event *)events[i])->status < 0)
                result = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
            fake_unuse((fake_event *)events[i]);
        }
    }
    fake_unlock();
    return result;
}
