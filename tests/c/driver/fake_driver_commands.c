/* The fake driver's commands: how each gets into its queue, kernels, and markers. */
#include "fake_driver.h"

#include <stdlib.h>
#include <string.h>

cl_int fake_check_enqueue(cl_command_queue handle, cl_uint n, const cl_event *after, fake_queue **queue)
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

fake_event *fake_make_command(fake_queue *q, cl_uint type, cl_uint n, const cl_event *after)
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

static fake_context *context_of(const fake_object *object)
{
    switch (object->kind) {
    case FAKE_MEM:
        return ((const fake_mem *)object)->context;
    case FAKE_SVM:
        return ((const fake_svm *)object)->context;
    case FAKE_SAMPLER:
        return ((const fake_sampler *)object)->context;
    default:
        return NULL;
    }
}

/* [locked] A GPU's write reads pageable memory when it is enqueued, whatever it waits for. */
static void read_now(fake_move *m)
{
    char *copy = m->scratch = malloc(m->bytes * m->rows * m->slices + 1);
    if (copy == NULL)
        abort();
    for (size_t z = 0; z < m->slices; z++)
        for (size_t y = 0; y < m->rows; y++)
            memcpy(copy + (z * m->rows + y) * m->bytes, m->from + z * m->from_slice + y * m->from_row, m->bytes);
    m->from = copy;
    m->from_row = m->bytes;
    m->from_slice = m->bytes * m->rows;
}

static bool is_write(cl_uint type)
{
    return type == CL_COMMAND_WRITE_BUFFER || type == CL_COMMAND_WRITE_BUFFER_RECT || type == CL_COMMAND_WRITE_IMAGE;
}

cl_int fake_enqueue_move(cl_command_queue handle, cl_uint type, bool block, const fake_move *move, void *a, void *b,
                         cl_uint n, const cl_event *after, cl_event *event)
{
    void *holds[FAKE_HOLDS] = {a, b};
    fake_queue *q;
    fake_event *e;
    cl_int result = fake_check_enqueue(handle, n, after, &q);
    for (size_t i = 0; i < FAKE_HOLDS && result == CL_SUCCESS; i++)
        if (holds[i] != NULL && context_of(holds[i]) != q->context)
            result = CL_INVALID_CONTEXT;
    if (result != CL_SUCCESS)
        return result;
    e = fake_make_command(q, type, n, after);
    e->move = *move;
    for (size_t i = 0; i < FAKE_HOLDS; i++)
        if ((e->holds[i] = holds[i]) != NULL)
            fake_use(holds[i]);
    if (is_write(type) && fake_settings.type == CL_DEVICE_TYPE_GPU)
        read_now(&e->move);
    return fake_submit(q, e, block, event);
}

/* -- kernels -- */

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
        if (!argument->set || kernel->refused[i])
            return CL_INVALID_KERNEL_ARGS;
        if (argument->object == NULL)
            continue;
        if (fake_get(argument->object, argument->kind) == NULL)
            return CL_INVALID_MEM_OBJECT;
        if (context_of(argument->object) != q->context)
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
    result = fake_check_enqueue(handle, n, after, &q);
    kernel = fake_get(k, FAKE_KERNEL);
    if (result == CL_SUCCESS)
        result = check_arguments(kernel, q);
    if (result == CL_SUCCESS)
        result = check_range(dims, global, local);
    if (result == CL_SUCCESS) {
        e = fake_make_command(q, CL_COMMAND_NDRANGE_KERNEL, n, after);
        e->kernel = kernel->type;
        memcpy(e->arguments, kernel->arguments, sizeof e->arguments);
        for (size_t i = 0; i < FAKE_ARGUMENTS; i++)
            if (e->arguments[i].object != NULL)
                fake_use(e->arguments[i].object);
        memcpy(e->global, global, dims * sizeof *global);
        if (offset != NULL)
            memcpy(e->offset, offset, dims * sizeof *offset);
        result = fake_submit(q, e, false, event);
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
    result = fake_check_enqueue(handle, n, after, &q);
    if (result == CL_SUCCESS) {
        size_t pending = 0;
        for (const fake_event *p = q->first; n == 0 && p != NULL; p = p->next)
            pending++;
        e = fake_make_command(q, CL_COMMAND_MARKER, n, after);
        e->after_all = n == 0;
        if (n == 0) {
            free(e->after);
            e->after = calloc(pending + 1, sizeof(fake_event *));
            if (e->after == NULL)
                abort();
            for (fake_event *p = q->first; p != NULL; p = p->next)
                fake_use(e->after[e->after_count++] = p);
        }
        result = fake_submit(q, e, false, event);
    }
    fake_unlock();
    return result;
}
