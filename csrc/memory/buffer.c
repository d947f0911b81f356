/* Buffers as objects: creation, memory, end. */
#include "memory/buffer.h"

#include "base/alloc.h"
#include "cl/constants.h"
#include "cl/context.h"
#include "cl/entries.h"
#include "memory/image.h"
#include "memory/usm/usm.h"

/* The widest vector, and whole cache lines: no kernel's pointer type wants more. */
enum { HOST_ALIGNMENT = 128 };

static bool begins_in_place(const syc_buffer_source *source)
{
    return source->array != NULL && source->in_place && source->array->packed;
}

static void take_array(syc_buffer *buffer, const syc_buffer_source *source)
{
    if (source->array == NULL || source->bytes == 0)
        return;
    if (begins_in_place(source)) {
        buffer->host = source->array->data;
        buffer->host_is_users = true;
        buffer->host_keep = source->keep;
        return;
    }
    buffer->origin = *source->array;
    buffer->origin_in_place = source->array->packed && (uintptr_t)source->array->data % source->array->alignment == 0;
    buffer->origin_keep = source->keep;
}

static syc_place_set initial_places(const syc_buffer *buffer)
{
    if (buffer->host != NULL)
        return 1U << SYC_PLACE_HOST;
    return buffer->origin.bytes > 0 ? 1U << SYC_PLACE_ORIGIN : 0;
}

syc_status syc_buffer_create(const syc_buffer_source *source, syc_buffer **out)
{
    static atomic_ullong ids;
    syc_buffer *buffer = NULL;
    syc_status status = SYC_OK;

    SYC_TRY(syc_process_check());
    SYC_CHECK(
        !source->keeps_address || begins_in_place(source), SYC_E_INVALID_PARAMETER,
        "use_host_ptr: the array cannot be the buffer's own memory: it must be writable, C-contiguous and aligned");
    SYC_TRY(syc_alloc(sizeof *buffer, &buffer));
    syc_refcount_init(&buffer->refs);
    pthread_mutex_init(&buffer->lock, NULL);
    atomic_init(&buffer->handles, 1);
    syc_live_add(SYC_LIVE_BUFFER, 1);
    buffer->bytes = source->bytes;
    buffer->id = atomic_fetch_add_explicit(&ids, 1, memory_order_relaxed) + 1;
    buffer->place_count = SYC_PLACE_DEVICE;
    SYC_TRY(syc_hazards_create(&buffer->hazards));
    if (source->image != NULL)
        buffer->image = *source->image;
    take_array(buffer, source);
    SYC_TRY(syc_copies_init(&buffer->copies, buffer->bytes, initial_places(buffer)));
    buffer->keeps_address = source->keeps_address;
    buffer->allocate = source->allocate;
    if (source->bound != NULL)
        syc_context_retain(source->bound);
    buffer->bound = source->bound;
    if (buffer->host_keep.release == NULL && buffer->origin_keep.release == NULL)
        buffer->origin_keep = source->keep; /* of an empty array, say: ours all the same */
    buffer->allocator = source->allocator;
    *out = buffer;
    return SYC_OK;
done:
    if (buffer != NULL) {
        buffer->host_keep = buffer->origin_keep = (syc_keep){0};
        syc_buffer_release(buffer);
    }
    syc_keep_let_go(source->keep);
    syc_keep_let_go(source->allocator);
    return status;
}

void syc_buffer_retain(syc_buffer *buffer)
{
    syc_refcount_retain(&buffer->refs);
}

static void release_memory(const syc_context *context, cl_mem memory)
{
    int code;
    if (memory == NULL)
        return;
    code = syc_process_alive() ? syc_context_cl(context)->ReleaseMemObject(memory) : 0;
    if (code != 0)
        syc_report(syc_fail_cl(SYC_HERE, "clReleaseMemObject", code));
    syc_live_add(SYC_LIVE_CL_MEM, -1);
}

static void release_places(syc_buffer *buffer)
{
    for (unsigned i = SYC_PLACE_DEVICE; i < SYC_PLACES; i++) {
        syc_place *place = &buffer->places[i];
        if (place->context != NULL)
            release_memory(place->context, place->memory);
        syc_keep_let_go(place->queue);
        syc_hazards_free(place->arrivals);
        syc_context_release(place->context);
    }
    for (unsigned i = 0; i < SYC_PLACE_DEVICE; i++)
        syc_hazards_free(buffer->places[i].arrivals);
}

void syc_buffer_release(syc_buffer *buffer)
{
    if (buffer == NULL || !syc_refcount_release(&buffer->refs))
        return;
    syc__buffer_drop_views(buffer);
    release_places(buffer);
    if (buffer->host != NULL && !buffer->host_is_users && buffer->host_keep.release == NULL)
        syc_free(buffer->host);
    syc_keep_let_go(buffer->host_keep);
    syc_keep_let_go(buffer->origin_keep);
    syc_keep_let_go(buffer->allocator);
    syc_context_release(buffer->bound);
    syc_hazards_free(buffer->hazards);
    syc_copies_clear(&buffer->copies);
    syc_failure_free(buffer->lost);
    syc_free(buffer->lost_site);
    pthread_mutex_destroy(&buffer->lock);
    syc_free(buffer);
    syc_live_add(SYC_LIVE_BUFFER, -1);
}

bool syc__buffer_spare(syc_buffer *buffer)
{
    enum { WIDEST_SCALAR = 8 };
    bool idle = true;

    pthread_mutex_lock(&buffer->lock);
    for (size_t i = 0; i < buffer->view_count; i++)
        idle = idle && buffer->views[i].users == 0;
    if (idle) {
        syc__buffer_drop_views(buffer);
        buffer->origin = (syc_host_array){
            .data = buffer->host, .bytes = buffer->bytes, .writable = true, .alignment = WIDEST_SCALAR, .packed = true};
        buffer->origin_in_place = (uintptr_t)buffer->host % WIDEST_SCALAR == 0;
        buffer->origin_keep = buffer->host_keep;
        buffer->host = NULL;
        buffer->host_keep = (syc_keep){0};
        buffer->host_is_users = false;
    }
    pthread_mutex_unlock(&buffer->lock);
    return idle;
}

static bool has_host(syc_buffer *buffer)
{
    bool has;
    pthread_mutex_lock(&buffer->lock);
    has = buffer->host != NULL;
    pthread_mutex_unlock(&buffer->lock);
    return has;
}

/* The allocator runs without the buffer's lock, since it is the user's code: of two threads that come here at once, one
 * finds that the other was first. */
syc_status syc_buffer_settle_host(syc_buffer *buffer)
{
    syc_keep keep = {0};
    char *memory = NULL;
    syc_status status = SYC_OK;

    if (buffer->bytes == 0 || has_host(buffer))
        return SYC_OK;
    if (buffer->allocate != NULL)
        status = buffer->allocate(buffer->allocator.payload, buffer->bytes, HOST_ALIGNMENT, &memory, &keep);
    else
        status = syc_alloc_aligned(HOST_ALIGNMENT, buffer->bytes, &memory);
    if (status != SYC_OK)
        return status;
    pthread_mutex_lock(&buffer->lock);
    if (buffer->host == NULL) {
        buffer->host = memory;
        buffer->host_keep = keep;
        memory = NULL;
    }
    pthread_mutex_unlock(&buffer->lock);
    if (memory != NULL && keep.release == NULL)
        syc_free(memory);
    if (memory != NULL)
        syc_keep_let_go(keep);
    return SYC_OK;
}

/* The place of a context, or SYC_PLACES. Lock held. */
static unsigned place_of_locked(const syc_buffer *buffer, const syc_context *context)
{
    for (unsigned i = SYC_PLACE_DEVICE; i < buffer->place_count; i++) {
        if (buffer->places[i].context->native == context->native)
            return i;
    }
    return SYC_PLACES;
}

/* Device memory that could not be had, in words that say how much was asked for; drivers have several codes for it. */
static syc_status no_device_memory(const syc_buffer *buffer, const syc_context *context, int code)
{
    if (code == CL_INVALID_BUFFER_SIZE || code == CL_OUT_OF_RESOURCES || code == CL_MEM_OBJECT_ALLOCATION_FAILURE)
        return syc_fail_cl_as(SYC_E_MEMORY_ALLOCATION, SYC_HERE, "clCreateBuffer", code,
                              "no memory for a buffer of %zu bytes on device '%s'", buffer->bytes,
                              syc_device_name(context->devices[0]));
    return syc_fail_cl(SYC_HERE, "clCreateBuffer", code);
}

static syc_status make_memory(const syc_buffer *buffer, syc_context *context, cl_mem *out)
{
    cl_int code = 0;
    if (buffer->image.rank > 0)
        return syc_image_create(context, &buffer->image, out);
    do {
        *out = syc_context_cl(context)->CreateBuffer(context->native, CL_MEM_READ_WRITE, buffer->bytes, NULL, &code);
    } while (*out == NULL && syc_usm_trim(context) > 0); /* there may be some once what is cached has gone back */
    if (code != 0 || *out == NULL) {
        *out = NULL;
        return no_device_memory(buffer, context, code != 0 ? code : CL_OUT_OF_RESOURCES);
    }
    syc_live_add(SYC_LIVE_CL_MEM, 1);
    return SYC_OK;
}

/* A place of its own for the context. Lock held: two threads must not make two. */
static syc_status add_place_locked(syc_buffer *buffer, syc_context *context, unsigned *out)
{
    syc_status status = SYC_OK;
    cl_mem memory = NULL;

    SYC_CHECK(buffer->place_count < SYC_PLACES, SYC_E_INVALID_OBJECT,
              "the buffer is in use in %d contexts; no more are possible", SYC_PLACES - SYC_PLACE_DEVICE);
    SYC_TRY(make_memory(buffer, context, &memory));
    syc_context_retain(context);
    *out = (unsigned)buffer->place_count++;
    buffer->places[*out].context = context;
    buffer->places[*out].memory = memory;
done:
    return status;
}

syc_status syc_buffer_settle(syc_buffer *buffer, syc_context *context, const syc_device *device, unsigned *place)
{
    syc_status status = SYC_OK;
    SYC_CHECK(buffer->bound == NULL || buffer->bound->native == context->native, SYC_E_INVALID_OBJECT,
              "the buffer is bound to another context (property context_bound)");
    if (buffer->bytes == 0) {
        *place = SYC_PLACE_HOST;
        return SYC_OK;
    }
    pthread_mutex_lock(&buffer->lock);
    *place = place_of_locked(buffer, context);
    if (*place == SYC_PLACES && (buffer->image.rank > 0 || !device->facts->shares_host_memory))
        status = add_place_locked(buffer, context, place);
    pthread_mutex_unlock(&buffer->lock);
    SYC_TRY(status);
    if (*place == SYC_PLACES) {
        *place = SYC_PLACE_HOST;
        SYC_TRY(syc_buffer_settle_host(buffer));
    }
done:
    return status;
}
