/* The fake driver's queues and commands. Each queue has worker threads, one when it is in order and two when it is not,
 * which take commands whose wait lists are complete. */
#include "fake_driver.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool held;

static cl_ulong now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (cl_ulong)t.tv_sec * 1000000000u + (cl_ulong)t.tv_nsec;
}

/* -- execution -- */

static bool ended(const fake_event *e)
{
    return e->status <= CL_COMPLETE;
}

static bool is_ready(const fake_event *e)
{
    if (held || !e->flushed || e->status == CL_RUNNING)
        return false;
    for (size_t i = 0; i < e->after_count; i++)
        if (!ended(e->after[i]))
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

static int execute(const fake_event *e)
{
    if (e->kernel != NULL)
        return e->kernel->run(e->arguments, e->offset, e->global);
    if (e->mem != NULL && e->to != NULL)
        memcpy(e->to, e->mem->data + e->mem_offset, e->size);
    if (e->mem != NULL && e->from != NULL)
        memcpy(e->mem->data + e->mem_offset, e->from, e->size);
    return CL_COMPLETE;
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
        fake_unuse(e->arguments[i].mem);
    fake_unuse(e->mem);
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
    e->status = CL_RUNNING;
    e->times[2] = now();
    if (status == CL_COMPLETE) {
        fake_changed();
        fake_unlock();
        status = execute(e);
        fake_lock();
    }
    e->times[3] = now();
    e->status = status;
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
        else
            fake_wait();
    }
    if (--q->workers == 0)
        fake_discard(q);
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
    const cl_bitfield known = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
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
static void flush_queue(fake_queue *q)
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
        flush_queue(q);
    fake_unlock();
    return q != NULL ? fake_release(handle, FAKE_QUEUE, CL_INVALID_COMMAND_QUEUE) : CL_INVALID_COMMAND_QUEUE;
}

cl_int fake_Flush(cl_command_queue handle)
{
    fake_queue *q;
    fake_lock();
    q = fake_get(handle, FAKE_QUEUE);
    if (q != NULL)
        flush_queue(q);
    fake_unlock();
    return q != NULL ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}

cl_int fake_Finish(cl_command_queue handle)
{
    fake_queue *q;
    fake_lock();
    q = fake_get(handle, FAKE_QUEUE);
    if (q != NULL) {
        fake_use(q); /* another thread may release it meanwhile */
        flush_queue(q);
        while (q->first != NULL)
            fake_wait();
        fake_unuse(q);
    }
    fake_unlock();
    return q != NULL ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
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
            flush_queue(e->queue);
    }
    for (cl_uint i = 0; result == CL_SUCCESS && i < n; i++)
        while (!ended((fake_event *)events[i]))
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

/* -- enqueueing -- */

/* [locked] Checks queue and wait list. */
static cl_int check_enqueue(cl_command_queue handle, cl_uint n, const cl_event *after, fake_queue **queue)
{
    fake_queue *q = *queue = fake_get(handle, FAKE_QUEUE);
    if (q == NULL)
        return CL_INVALID_COMMAND_QUEUE;
    if ((n == 0) != (after == NULL))
        return CL_INVALID_EVENT_WAIT_LIST;
    for (cl_uint i = 0; i < n; i++) {
        const fake_event *e = fake_get(after[i], FAKE_EVENT);
        if (e == NULL)
            return CL_INVALID_EVENT_WAIT_LIST;
        if (e->context != q->context)
            return CL_INVALID_CONTEXT;
        if (e->device != q->device)
            fake_count_crossing();
    }
    return CL_SUCCESS;
}

/* [locked] A command that waits for `after`, not yet in its queue. */
static fake_event *make_command(fake_queue *q, cl_uint type, cl_uint n, const cl_event *after)
{
    fake_event *e = fake_new(FAKE_EVENT, sizeof *e);
    e->object.handles = 0;
    fake_use(e); /* the queue's, until it ends */
    fake_use(e->context = q->context);
    fake_use(e->queue = q);
    e->device = q->device;
    e->type = type;
    e->status = CL_QUEUED;
    e->profiled = (q->properties & CL_QUEUE_PROFILING_ENABLE) != 0;
    e->global[0] = e->global[1] = e->global[2] = 1;
    e->after = calloc(n + 1, sizeof(fake_event *));
    if (e->after == NULL)
        abort();
    for (; e->after_count < n; e->after_count++)
        fake_use(e->after[e->after_count] = (fake_event *)after[e->after_count]);
    return e;
}

/* [locked] */
static void submit(fake_queue *q, fake_event *e, cl_event *event)
{
    if (event != NULL) {
        e->object.handles = 1;
        *event = (cl_event)e;
    }
    e->times[0] = now();
    *(q->last != NULL ? &q->last->next : &q->first) = e;
    q->last = e;
    if (q->workers == 0)
        start_workers(q);
    if (!fake_settings.lazy)
        flush_queue(q);
}

static cl_int transfer(cl_command_queue handle, cl_mem m, cl_bool block, size_t offset, size_t size, void *to,
                       const void *from, cl_uint n, const cl_event *after, cl_event *event)
{
    fake_queue *q;
    fake_mem *mem;
    fake_event *e = NULL;
    cl_int result;
    fake_lock();
    result = check_enqueue(handle, n, after, &q);
    mem = fake_get(m, FAKE_MEM);
    if (result == CL_SUCCESS && mem == NULL)
        result = CL_INVALID_MEM_OBJECT;
    if (result == CL_SUCCESS && mem->context != q->context)
        result = CL_INVALID_CONTEXT;
    if (result == CL_SUCCESS && (size == 0 || offset > mem->size || size > mem->size - offset || (!to && !from)))
        result = CL_INVALID_VALUE;
    if (result == CL_SUCCESS) {
        e = make_command(q, to != NULL ? CL_COMMAND_READ_BUFFER : CL_COMMAND_WRITE_BUFFER, n, after);
        fake_use(e->mem = mem);
        e->mem_offset = offset;
        e->size = size;
        e->to = to;
        e->from = from;
        fake_use(e); /* for the wait below */
        submit(q, e, event);
        if (block)
            flush_queue(q);
        while (block && !ended(e))
            fake_wait();
        if (block && e->status < 0)
            result = e->status;
        fake_unuse(e);
    }
    fake_unlock();
    return result;
}

cl_int fake_EnqueueReadBuffer(cl_command_queue q, cl_mem m, cl_bool block, size_t offset, size_t size, void *to,
                              cl_uint n, const cl_event *after, cl_event *event)
{
    return transfer(q, m, block, offset, size, to, NULL, n, after, event);
}

cl_int fake_EnqueueWriteBuffer(cl_command_queue q, cl_mem m, cl_bool block, size_t offset, size_t size,
                               const void *from, cl_uint n, const cl_event *after, cl_event *event)
{
    return transfer(q, m, block, offset, size, NULL, from, n, after, event);
}

static cl_int check_range(cl_uint dims, const size_t *global, const size_t *local)
{
    static const size_t sizes[3] = {FAKE_DEVICE_LIMIT, FAKE_DEVICE_LIMIT, 64};
    size_t group = 1;
    if (dims < 1 || dims > 3)
        return CL_INVALID_WORK_DIMENSION;
    if (global == NULL)
        return CL_INVALID_GLOBAL_WORK_SIZE;
    for (cl_uint i = 0; i < dims; i++) {
        if (global[i] == 0)
            return CL_INVALID_GLOBAL_WORK_SIZE;
        if (local == NULL)
            continue;
        if (local[i] == 0 || global[i] % local[i] != 0)
            return CL_INVALID_WORK_GROUP_SIZE;
        if (local[i] > sizes[i])
            return CL_INVALID_WORK_ITEM_SIZE;
        group *= local[i];
    }
    return group <= FAKE_KERNEL_LIMIT ? CL_SUCCESS : CL_INVALID_WORK_GROUP_SIZE;
}

/* [locked] All arguments set, no buffer gone since. */
static cl_int check_arguments(const fake_kernel *kernel, const fake_queue *q)
{
    if (kernel == NULL)
        return CL_INVALID_KERNEL;
    if (kernel->program->context != q->context)
        return CL_INVALID_CONTEXT;
    for (size_t i = 0; i < strlen(kernel->type->signature); i++) {
        const fake_argument *argument = &kernel->arguments[i];
        if (!argument->set)
            return CL_INVALID_KERNEL_ARGS;
        if (argument->mem != NULL && fake_get(argument->mem, FAKE_MEM) == NULL)
            return CL_INVALID_MEM_OBJECT;
        if (argument->mem != NULL && argument->mem->context != q->context)
            return CL_INVALID_CONTEXT;
    }
    return CL_SUCCESS;
}

cl_int fake_EnqueueNDRangeKernel(cl_command_queue handle, cl_kernel k, cl_uint dims, const size_t *offset,
                                 const size_t *global, const size_t *local, cl_uint n, const cl_event *after,
                                 cl_event *event)
{
    fake_queue *q;
    fake_kernel *kernel;
    fake_event *e;
    cl_int result;
    fake_lock();
    result = check_enqueue(handle, n, after, &q);
    kernel = fake_get(k, FAKE_KERNEL);
    if (result == CL_SUCCESS)
        result = check_arguments(kernel, q);
    if (result == CL_SUCCESS)
        result = check_range(dims, global, local);
    if (result == CL_SUCCESS) {
        e = make_command(q, CL_COMMAND_NDRANGE_KERNEL, n, after);
        e->kernel = kernel->type;
        memcpy(e->arguments, kernel->arguments, sizeof e->arguments);
        for (size_t i = 0; i < FAKE_ARGUMENTS; i++)
            if (e->arguments[i].mem != NULL)
                fake_use(e->arguments[i].mem);
        memcpy(e->global, global, dims * sizeof *global);
        if (offset != NULL)
            memcpy(e->offset, offset, dims * sizeof *offset);
        submit(q, e, event);
    }
    fake_unlock();
    return result;
}

/* Without a wait list it waits for everything that is in the queue already. */
cl_int fake_EnqueueMarkerWithWaitList(cl_command_queue handle, cl_uint n, const cl_event *after, cl_event *event)
{
    fake_queue *q;
    fake_event *e;
    cl_int result;
    fake_lock();
    result = check_enqueue(handle, n, after, &q);
    if (result == CL_SUCCESS) {
        size_t pending = 0;
        for (const fake_event *p = q->first; n == 0 && p != NULL; p = p->next)
            pending++;
        e = make_command(q, CL_COMMAND_MARKER, n, after);
        e->after_all = n == 0;
        if (n == 0) {
            free(e->after);
            e->after = calloc(pending + 1, sizeof(fake_event *));
            if (e->after == NULL)
                abort();
            for (fake_event *p = q->first; p != NULL; p = p->next)
                fake_use(e->after[e->after_count++] = p);
        }
        submit(q, e, event);
    }
    fake_unlock();
    return result;
}
