/* Views: OpenCL's sub-buffers, cl_mems for runs of a buffer's bytes. Making one costs a microsecond, so they are kept;
 * a buffer of which ever other parts are used keeps the latest. */
#include "memory/buffer.h"

#include "base/alloc.h"
#include "cl/constants.h"
#include "cl/context.h"
#include "cl/driver.h"
#include "cl/entries.h"

enum { VIEWS_KEPT = 64, PLACEHOLDER_BYTES = 64 };

static void release(const syc_driver *driver, cl_mem memory)
{
    int code = syc_process_alive() ? driver->cl.ReleaseMemObject(memory) : 0;
    if (code != 0)
        syc_report(syc_fail_cl(SYC_HERE, "clReleaseMemObject", code));
    syc_live_add(SYC_LIVE_CL_MEM, -1);
}

void syc__buffer_drop_views(syc_buffer *buffer)
{
    for (size_t i = 0; i < buffer->view_count; i++)
        release(buffer->views[i].driver, buffer->views[i].memory);
    syc_free(buffer->views);
    buffer->views = NULL;
    buffer->view_count = buffer->view_room = 0;
}

static syc_view *find_locked(syc_buffer *buffer, const syc_view *like)
{
    for (size_t i = 0; i < buffer->view_count; i++) {
        syc_view *v = &buffer->views[i];
        if (v->low == like->low && v->bytes == like->bytes && v->place == like->place && v->context == like->context)
            return v;
    }
    return NULL;
}

char *syc_buffer_address(const syc_buffer *buffer, unsigned place, size_t low)
{
    return (place == SYC_PLACE_ORIGIN ? buffer->origin.data : buffer->host) + low;
}

/* The place's own memory where the view is all of it. */
static cl_mem whole(const syc_buffer *buffer, unsigned place, size_t low, size_t bytes)
{
    bool all = syc_place_is_device(place) && low == 0 && bytes == buffer->bytes;
    return all ? buffer->places[place].memory : NULL;
}

/* OpenCL has no empty buffer, and PoCL crashes on a NULL argument. */
static syc_status make_placeholder(syc_context *context, cl_mem *out)
{
    const syc_cl_table *cl = syc_context_cl(context);
    syc_status status = SYC_OK;
    cl_int code = 0;
    SYC_CL_OBJECT(cl, *out, CreateBuffer, (context->native, CL_MEM_READ_WRITE, PLACEHOLDER_BYTES, NULL, &code));
done:
    return status;
}

static syc_status make_on_host(const syc_buffer *buffer, syc_context *context, const syc_view *view, cl_mem *out)
{
    const syc_cl_table *cl = syc_context_cl(context);
    syc_status status = SYC_OK;
    cl_int code = 0;
    /* Also of an array that is only read (see syc_binding_create). */
    *out = cl->CreateBuffer(context->native, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, view->bytes,
                            syc_buffer_address(buffer, view->place, view->low), &code);
    if (code == CL_INVALID_BUFFER_SIZE || code == CL_OUT_OF_RESOURCES) {
        status = syc_fail_cl_as(SYC_E_MEMORY_ALLOCATION, SYC_HERE, "clCreateBuffer", code,
                                "device '%s' cannot use a buffer of %zu bytes", syc_device_name(context->devices[0]),
                                view->bytes);
        goto done;
    }
    if (code != 0 || *out == NULL)
        status = syc_fail_cl(SYC_HERE, "clCreateBuffer", code != 0 ? code : CL_OUT_OF_HOST_MEMORY);
done:
    if (status != SYC_OK)
        *out = NULL;
    return status;
}

static bool is_aligned(const syc_context *context, size_t low)
{
    for (size_t i = 0; i < context->device_count; i++) {
        if (low % context->devices[i]->sub_buffer_alignment != 0)
            return false;
    }
    return true;
}

/* NVIDIA 580: it crashes when a buffer is released of which it has refused misaligned parts.
 * Seen by: releases that crashed, and did so no more when it was not asked for such parts.
 *
 * So the driver is not even asked for a part that the device's alignment does not allow: `out` is NULL. (It looks as if
 * each refusal dropped a reference to the whole; that was not shown.) */
static syc_status make_on_device(const syc_buffer *buffer, syc_context *context, const syc_view *view, cl_mem *out)
{
    cl_buffer_region region = {view->low, view->bytes};
    cl_int code = 0;
    *out = NULL;
    if (!is_aligned(context, view->low))
        return SYC_OK;
    *out = syc_context_cl(context)->CreateSubBuffer(buffer->places[view->place].memory, CL_MEM_READ_WRITE,
                                                    CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    if (code == 0 && *out != NULL)
        return SYC_OK;
    *out = NULL;
    return code == CL_MISALIGNED_SUB_BUFFER_OFFSET ? SYC_OK : syc_fail_cl(SYC_HERE, "clCreateSubBuffer", code);
}

static syc_status make(const syc_buffer *buffer, syc_context *context, const syc_view *view, cl_mem *out)
{
    if (view->bytes == 0)
        return make_placeholder(context, out);
    return syc_place_is_device(view->place) ? make_on_device(buffer, context, view, out)
                                            : make_on_host(buffer, context, view, out);
}

/* The view that has not been used for longest, out of the list; NULL memory while there is room. */
static syc_view evict_locked(syc_buffer *buffer)
{
    syc_view oldest = {0};
    size_t at = buffer->view_count;
    if (buffer->view_count < VIEWS_KEPT)
        return oldest;
    for (size_t i = 0; i < buffer->view_count; i++) {
        if (buffer->views[i].users == 0 &&
            (at == buffer->view_count || buffer->views[i].last_use < buffer->views[at].last_use))
            at = i;
    }
    if (at == buffer->view_count)
        return oldest;
    oldest = buffer->views[at];
    buffer->views[at] = buffer->views[--buffer->view_count];
    return oldest;
}

/* Lock held: a view is small and made without waiting, and two threads must not both make it. */
static syc_status add_locked(syc_buffer *buffer, syc_context *context, syc_view *view, cl_mem *out)
{
    syc_view old = {0};
    syc_status status = syc_grow(&buffer->views, &buffer->view_room, buffer->view_count + 1, sizeof *buffer->views);
    if (status == SYC_OK)
        status = make(buffer, context, view, &view->memory);
    if (status != SYC_OK || view->memory == NULL)
        return status;
    syc_live_add(SYC_LIVE_CL_MEM, 1);
    old = evict_locked(buffer);
    if (old.memory != NULL)
        release(old.driver, old.memory);
    buffer->views[buffer->view_count++] = *view;
    *out = view->memory;
    return SYC_OK;
}

syc_status syc_buffer_hold_view(syc_buffer *buffer, unsigned place, syc_context *context, size_t low, size_t bytes,
                                cl_mem *out)
{
    static atomic_ullong clock;
    syc_view view = {.context = context->native,
                     .driver = context->platform->driver,
                     .place = place,
                     .low = low,
                     .bytes = bytes,
                     .users = 1,
                     .last_use = atomic_fetch_add_explicit(&clock, 1, memory_order_relaxed)};
    syc_status status = SYC_OK;
    syc_view *found;

    *out = bytes > 0 ? whole(buffer, place, low, bytes) : NULL;
    if (*out != NULL)
        return SYC_OK;
    pthread_mutex_lock(&buffer->lock);
    found = find_locked(buffer, &view);
    if (found != NULL) {
        found->users++;
        found->last_use = view.last_use;
        *out = found->memory;
    } else {
        status = add_locked(buffer, context, &view, out);
    }
    pthread_mutex_unlock(&buffer->lock);
    return status;
}

static void add_native(cl_mem *natives, size_t *count, cl_mem memory)
{
    for (size_t i = 0; i < *count; i++) {
        if (natives[i] == memory)
            return;
    }
    natives[(*count)++] = memory;
}

/* A view that was handed out has one user more, for ever: it is never evicted. */
syc_status syc_buffer_natives(syc_buffer *buffer, size_t low, size_t bytes, cl_mem **out, size_t *count)
{
    cl_mem *natives = NULL, memory;
    syc_status status;

    *count = 0;
    pthread_mutex_lock(&buffer->lock);
    status = syc_alloc_array(SYC_PLACES + buffer->view_count, sizeof(cl_mem), &natives);
    for (unsigned p = SYC_PLACE_DEVICE; status == SYC_OK && p < buffer->place_count; p++) {
        memory = whole(buffer, p, low, bytes);
        if (memory != NULL)
            add_native(natives, count, memory);
    }
    for (size_t i = 0; status == SYC_OK && i < buffer->view_count; i++) {
        syc_view *v = &buffer->views[i];
        if (v->low == low && v->bytes == bytes && v->place != SYC_PLACE_ORIGIN) {
            v->users++;
            add_native(natives, count, v->memory);
        }
    }
    pthread_mutex_unlock(&buffer->lock);
    *out = natives;
    return status;
}

void syc_buffer_drop_view(syc_buffer *buffer, cl_mem view)
{
    pthread_mutex_lock(&buffer->lock);
    for (size_t i = 0; i < buffer->view_count; i++) {
        if (buffer->views[i].memory == view)
            buffer->views[i].users--;
    }
    pthread_mutex_unlock(&buffer->lock);
}
