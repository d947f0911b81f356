/* Oclgrind 21.10: with OCLGRIND_UNINITIALIZED it forgets what was written, and calls reads of that mistakes.
 * Gone when: tests/conformance/reductions/test_reduction_races.py::test_no_accuracy_has_a_race.
 *
 * It keeps for each buffer which of its bytes have been written. Seen in its behaviour, and the reasons in its source:
 *
 * - A write, fill or copy by the host makes that record anew, as long as what was written, so that everything behind
 * it, or all of it where there is an offset, counts as never written. So the whole buffer is written again with what it
 * has.
 * - A buffer in the place of one that was released inherits its record, which may be too short. So it is written whole:
 *   there, reads before any write are not found. Memory that is copied from the host when it is made is not noted at
 * all.
 * - What it computes with lies in memory of the thread that made the context; any other thread ends the process. So
 * each thread makes a context, and keeps it. */
#include "cl/cures/oclgrind_unwritten.h"

#include "base/alloc.h"
#include "cl/constants.h"

static syc_cl_table bare;
static cl_device_id one;
static bool released; /* some buffer has been; calls come one at a time */
static _Thread_local bool prepared;

void syc__unwritten_enter(void)
{
    cl_int code = 0;
    if (one == NULL || prepared)
        return;
    prepared = true;
    (void)bare.CreateContext(NULL, 1, &one, NULL, NULL, &code); /* without it the driver does what it did */
}

/* Writes what the buffer has: all of the one that it is a part of. Where that fails, the driver tells too much. */
static void write_again(cl_command_queue queue, cl_mem memory)
{
    cl_mem whole = NULL;
    size_t size = 0;
    void *bytes = NULL;

    if (bare.GetMemObjectInfo(memory, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof whole, &whole, NULL) != 0)
        return;
    whole = whole != NULL ? whole : memory;
    if (bare.GetMemObjectInfo(whole, CL_MEM_SIZE, sizeof size, &size, NULL) != 0 || syc_alloc(size, &bytes) != SYC_OK)
        return;
    if (bare.EnqueueReadBuffer(queue, whole, CL_TRUE, 0, size, bytes, 0, NULL, NULL) == 0)
        (void)bare.EnqueueWriteBuffer(queue, whole, CL_TRUE, 0, size, bytes, 0, NULL, NULL);
    syc_free(bytes);
}

static cl_int after(cl_int code, cl_command_queue queue, cl_mem memory)
{
    if (code == 0)
        write_again(queue, memory);
    return code;
}

static cl_mem create_buffer(cl_context context, cl_bitfield flags, size_t size, void *host, cl_int *code)
{
    cl_mem memory = bare.CreateBuffer(context, flags, size, host, code);
    cl_int failed = 0;
    cl_command_queue queue;

    if (memory == NULL || !(released || (flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR)) != 0))
        return memory;
    queue = bare.CreateCommandQueue(context, one, 0, &failed);
    if (queue != NULL) {
        write_again(queue, memory);
        (void)bare.ReleaseCommandQueue(queue); /* nothing is in it */
    }
    return memory;
}

static cl_int release_memory(cl_mem memory)
{
    released = true;
    return bare.ReleaseMemObject(memory);
}

static cl_int write_buffer(cl_command_queue queue, cl_mem memory, cl_bool block, size_t offset, size_t size,
                           const void *from, cl_uint n, const cl_event *events, cl_event *event)
{
    return after(bare.EnqueueWriteBuffer(queue, memory, block, offset, size, from, n, events, event), queue, memory);
}

static cl_int fill_buffer(cl_command_queue queue, cl_mem memory, const void *pattern, size_t pattern_size,
                          size_t offset, size_t size, cl_uint n, const cl_event *events, cl_event *event)
{
    return after(bare.EnqueueFillBuffer(queue, memory, pattern, pattern_size, offset, size, n, events, event), queue,
                 memory);
}

static cl_int copy_buffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset,
                          size_t size, cl_uint n, const cl_event *events, cl_event *event)
{
    return after(bare.EnqueueCopyBuffer(queue, from, to, from_offset, to_offset, size, n, events, event), queue, to);
}

static cl_int write_rect(cl_command_queue queue, cl_mem memory, cl_bool block, const size_t *origin,
                         const size_t *host_origin, const size_t *region, size_t row, size_t slice, size_t host_row,
                         size_t host_slice, const void *from, cl_uint n, const cl_event *events, cl_event *event)
{
    return after(bare.EnqueueWriteBufferRect(queue, memory, block, origin, host_origin, region, row, slice, host_row,
                                             host_slice, from, n, events, event),
                 queue, memory);
}

static cl_int copy_rect(cl_command_queue queue, cl_mem from, cl_mem to, const size_t *from_origin,
                        const size_t *to_origin, const size_t *region, size_t from_row, size_t from_slice,
                        size_t to_row, size_t to_slice, cl_uint n, const cl_event *events, cl_event *event)
{
    return after(bare.EnqueueCopyBufferRect(queue, from, to, from_origin, to_origin, region, from_row, from_slice,
                                            to_row, to_slice, n, events, event),
                 queue, to);
}

void syc__unwritten_install(syc_cl_table *table, cl_device_id device)
{
    bare = *table;
    one = device;
    table->CreateBuffer = create_buffer;
    table->ReleaseMemObject = release_memory;
    table->EnqueueWriteBuffer = write_buffer;
    table->EnqueueFillBuffer = fill_buffer;
    table->EnqueueCopyBuffer = copy_buffer;
    table->EnqueueWriteBufferRect = write_rect;
    table->EnqueueCopyBufferRect = copy_rect;
}
