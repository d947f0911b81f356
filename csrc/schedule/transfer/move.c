/* Moves: a buffer's bytes from one place to another. Between host and device they are an OpenCL call; between the
 * host's own places, the storage and the user's array, the host does them itself. */
#include "schedule/steps.h"

#include "base/alloc.h"
#include "cl/constants.h"
#include "memory/strided_copy.h"
#include "schedule/transfer/transfer.h"

#include <string.h>

/* The whole buffer at a place of the host, as a box: an image's rows may have gaps. */
static struct syc__end host_end(const struct syc__move *move, unsigned place)
{
    const syc_buffer *buffer = move->buffer;
    const syc_image_shape *image = &buffer->image;
    struct syc__end end = syc__end_on_host(syc_buffer_address(buffer, place, 0), buffer->bytes);
    if (image->rank > 0) {
        syc_box rows = {0,
                        {image->extent[0] * image->pixel, image->extent[1], image->extent[2]},
                        {image->row_pitch, image->slice_pitch}};
        end.box = syc_box_tidy(&rows);
    }
    return end;
}

static struct syc__end image_end(const struct syc__move *move, cl_mem memory, const struct syc__end *host)
{
    return (struct syc__end){
        .where = SYC__IN_IMAGE, .buffer = move->buffer, .memory = memory, .apart = true, .box = host->box};
}

/* Images move whole, whatever part of them is wanted: that is what their accessors are of. */
static syc_status move_image(struct syc__steps *s, const struct syc__move *move, cl_mem memory)
{
    bool to_device = syc_place_is_device(move->to);
    struct syc__end host = host_end(move, to_device ? move->from : move->to);
    struct syc__end image = image_end(move, memory, &host);
    syc_status status = SYC_OK;

    SYC_CHECK(move->low == 0 && move->high == move->buffer->bytes, SYC_E_INVALID,
              "bytes %zu to %zu of an image of %zu bytes cannot be copied by themselves", move->low, move->high,
              move->buffer->bytes);
    SYC_TRY(to_device ? syc__transfer(s, &image, &host) : syc__transfer(s, &host, &image));
done:
    return status;
}

static syc_status enqueue(struct syc__steps *s)
{
    const struct syc__move *move = &s->work->move;
    bool to_device = syc_place_is_device(move->to);
    unsigned device = to_device ? move->to : move->from, host = to_device ? move->from : move->to;
    syc_status status = SYC_OK;
    cl_mem memory = NULL;

    SYC_TRY(syc__steps_place_memory(s, move->buffer, device, 0, move->buffer->bytes, &memory));
    if (move->buffer->image.rank > 0)
        SYC_TRY(move_image(s, move, memory));
    else
        SYC_TRY(syc__transfer_run(s, memory, move->low, syc_buffer_address(move->buffer, host, move->low),
                                  move->high - move->low, to_device, true));
done:
    return status;
}

static bool reads_early(const syc_command *command)
{
    const struct syc__move *move = &command->work->move;
    const syc_facts *facts = command->queue->device->facts;
    return (syc_place_is_device(move->to) && facts->reads_at_enqueue) ||
           (move->buffer->image.rank == 0 && syc__transfer_waits(facts, move->high - move->low));
}

/* -- on the host -- */

/* Where element `n`, in index order, begins. */
static char *element(const syc_host_array *span, size_t n)
{
    char *at = span->data;
    for (int d = span->rank - 1; d >= 0; d--) {
        at += (ptrdiff_t)(n % (size_t)span->shape[d]) * span->strides[d];
        n /= (size_t)span->shape[d];
    }
    return at;
}

/* Copies packed bytes [low, high) of a strided array, to or from `packed`, which stands for byte 0. Ranges begin and
 * end anywhere: parts of a buffer may be seen as another type. */
static void copy_part(const syc_host_array *span, size_t low, size_t high, char *packed, bool to_packed)
{
    size_t item = span->item_size, row = span->rank > 0 ? (size_t)span->shape[span->rank - 1] : 1;
    ptrdiff_t stride = span->rank > 0 ? span->strides[span->rank - 1] : 0;
    char *at = NULL;

    if (low == 0 && high == span->bytes) {
        if (to_packed)
            syc_host_array_pack(span, packed);
        else
            syc_host_array_unpack(span, packed);
        return;
    }
    for (size_t byte = low, bytes; byte < high; byte += bytes) {
        size_t n = byte / item, within = byte % item;
        at = at == NULL || n % row == 0 ? element(span, n) : at + stride;
        bytes = item - within < high - byte ? item - within : high - byte;
        if (to_packed)
            memcpy(packed + byte, at + within, bytes);
        else
            memcpy(at + within, packed + byte, bytes);
    }
}

syc_status syc__move_on_host(const struct syc__move *move)
{
    const syc_host_array *array = &move->buffer->origin;
    char *storage = move->buffer->host;
    bool to_storage = move->to == SYC_PLACE_HOST;
    size_t bytes = move->high - move->low;

    if (!array->packed)
        copy_part(array, move->low, move->high, storage, to_storage);
    else if (to_storage)
        memcpy(storage + move->low, array->data + move->low, bytes);
    else
        memcpy(array->data + move->low, storage + move->low, bytes);
    syc_traffic_add(&(syc_traffic){.staged_arrays = to_storage && move->low == 0, .staged_bytes = bytes});
    return SYC_OK;
}

/* -- as work -- */

static syc_status on_host(const struct syc__work *work)
{
    return syc__move_on_host(&work->move);
}

static void release(struct syc__work *work)
{
    syc_buffer_release(work->move.buffer);
}

static const syc_task_ops ops = {.kind = SYC__MOVE,
                                 .word = "transfer",
                                 .enqueue = enqueue,
                                 .on_host = on_host,
                                 .reads_early = reads_early,
                                 .release = release};

syc_status syc__move_create(const struct syc__move *move, struct syc__work **out)
{
    struct syc__work *work = NULL;
    syc_status status = syc_alloc(sizeof *work, &work);
    if (status != SYC_OK)
        return status;
    work->ops = &ops;
    work->move = *move;
    syc_buffer_retain(move->buffer);
    *out = work;
    return SYC_OK;
}
