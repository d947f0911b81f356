/* A few buffers that go round. */
#include "body/shape.h"

#include "base/alloc.h"
#include "cl/context.h"
#include "memory/buffer.h"

#include <string.h>

/* Of large pieces few are kept. */
enum { MOST = 8, MOST_LARGE = 2, LARGE = 4 << 20, ALIGNMENT = 4096 };

struct syc_partials {
    pthread_mutex_t lock;
    size_t next; /* the one to be shared where all are in use */
    struct piece {
        syc_buffer *buffer;         /* NULL: none */
        const syc_context *context; /* where it was used; only compared */
    } pieces[MOST];
};

syc_status syc_partials_create(syc_partials **out)
{
    syc_status status = syc_alloc(sizeof **out, out);
    if (status == SYC_OK)
        pthread_mutex_init(&(*out)->lock, NULL);
    return status;
}

void syc_partials_free(syc_partials *partials)
{
    if (partials == NULL)
        return;
    for (size_t i = 0; i < MOST; i++)
        syc_buffer_release(partials->pieces[i].buffer);
    pthread_mutex_destroy(&partials->lock);
    syc_free(partials);
}

/* Only the pool holds it: all other holders have finished with it. */
static bool is_idle(const struct piece *piece)
{
    return atomic_load_explicit(&piece->buffer->refs.count, memory_order_acquire) == 1;
}

static syc_status make(size_t bytes, syc_buffer **out)
{
    syc_status status = SYC_OK;
    syc_host_array zeros = {.bytes = bytes, .writable = true, .alignment = 1, .packed = true, .item_size = 1};
    syc_buffer_source source = {.bytes = bytes, .array = &zeros, .in_place = true};

    SYC_TRY(syc_alloc_aligned(ALIGNMENT, bytes, &zeros.data));
    memset(zeros.data, 0, bytes);
    if (bytes > SYC_PARTIALS_HEAD)
        ((uint32_t *)zeros.data)[SYC_PARTIALS_SIZE] = (uint32_t)((bytes - SYC_PARTIALS_HEAD) / sizeof(uint64_t));
    source.keep = (syc_keep){syc_free, zeros.data};
    status = syc_buffer_create(&source, out); /* takes the keep, also where it fails */
done:
    return status;
}

static unsigned count_large(const syc_partials *partials)
{
    unsigned count = 0;
    for (size_t i = 0; i < MOST; i++)
        count += partials->pieces[i].buffer != NULL && partials->pieces[i].buffer->bytes > LARGE;
    return count;
}

/* The best piece for a launch: an idle one that is large enough, a free place, or one to share. */
static struct piece *find(syc_partials *partials, const syc_context *context, size_t bytes)
{
    struct piece *place = NULL;
    for (size_t i = 0; i < MOST; i++) {
        struct piece *piece = &partials->pieces[i];
        bool idle = piece->buffer != NULL && is_idle(piece);
        if (idle && (piece->buffer->lost != NULL || piece->buffer->bytes < bytes)) {
            syc_buffer_release(piece->buffer);
            piece->buffer = NULL;
        } else if (idle && piece->context == context) {
            return piece;
        }
        if (piece->buffer == NULL && place == NULL)
            place = piece;
    }
    return bytes > LARGE && count_large(partials) >= MOST_LARGE ? NULL : place;
}

static struct piece *find_shared(syc_partials *partials, const syc_context *context, size_t bytes)
{
    for (size_t i = 0; i < MOST; i++) {
        struct piece *piece = &partials->pieces[partials->next++ % MOST];
        if (piece->buffer != NULL && piece->buffer->bytes >= bytes && piece->context == context)
            return piece;
    }
    return NULL;
}

syc_status syc_partials_take(syc_partials *partials, const syc_context *context, size_t bytes, syc_buffer **out)
{
    syc_status status = SYC_OK;
    struct piece *piece;

    if (!context->lasts) /* a piece that was kept would keep it */
        return make(bytes, out);
    pthread_mutex_lock(&partials->lock);
    piece = find(partials, context, bytes);
    if (piece == NULL && (piece = find_shared(partials, context, bytes)) == NULL) {
        status = make(bytes, out); /* for this launch alone */
        goto done;
    }
    if (piece->buffer == NULL) {
        SYC_TRY(make(bytes, &piece->buffer));
        piece->context = context;
    }
    syc_buffer_retain(piece->buffer);
    *out = piece->buffer;
done:
    pthread_mutex_unlock(&partials->lock);
    return status;
}
