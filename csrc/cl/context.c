/* Contexts: one native context each, shared by everything that asks for the same one. */
#include "cl/context.h"

#include "base/alloc.h"
#include "base/process.h"
#include "cl/constants.h"
#include "cl/device_make.h"
#include "cl/info.h"
#include "cl/tenant.h"

#include <pthread.h>

typedef struct record {
    syc_context context;
    struct record *next; /* in `living` */
} record;

/* All contexts, so that a native handle always leads to the same object. The last reference is dropped with the lock
 * held: what is found in the list is alive. */
static pthread_mutex_t living_lock = PTHREAD_MUTEX_INITIALIZER;
static record *living;

/* The contexts of queues that were given none, one for each root device. This lock is taken before `living_lock` and is
 * held while the driver makes a context: two threads that ask for the same one shall not make two. */
static pthread_mutex_t defaults_lock = PTHREAD_MUTEX_INITIALIZER;
static syc_context **defaults;
static size_t default_count, default_capacity;

static syc_context *find(cl_context native)
{
    syc_context *context = NULL;

    pthread_mutex_lock(&living_lock);
    for (record *r = living; r != NULL && context == NULL; r = r->next)
        if (r->context.native == native)
            syc_context_retain(context = &r->context);
    pthread_mutex_unlock(&living_lock);
    return context;
}

static void list(record *r)
{
    pthread_mutex_lock(&living_lock);
    r->next = living;
    living = r;
    pthread_mutex_unlock(&living_lock);
}

static void unlink_locked(const record *gone)
{
    for (record **at = &living; *at != NULL; at = &(*at)->next)
        if (*at == gone) {
            *at = gone->next;
            return;
        }
}

/* Takes a context apart, whole or half made. */
static void destroy(record *r)
{
    syc_context *context = &r->context;

    syc__tenants_end(context);
    syc_keep_let_go(context->attached);
    if (context->native != NULL) {
        cl_int code = syc_context_cl(context)->ReleaseContext(context->native);
        syc_live_add(SYC_LIVE_CL_CONTEXT, -1);
        syc_live_add(SYC_LIVE_CONTEXT, -1);
        if (code != CL_SUCCESS)
            syc_report(syc_fail_cl(SYC_HERE, "clReleaseContext", code));
    }
    for (size_t i = 0; i < context->device_count; i++)
        syc_device_release(context->devices[i]);
    syc_free(context->devices);
    syc_free(r);
}

/* A record with room for `count` devices and no native context yet. */
static syc_status allocate(size_t count, record **out)
{
    syc_status status = SYC_OK;
    record *r = NULL;

    SYC_TRY(syc_alloc(sizeof *r, &r));
    SYC_TRY(syc_alloc_array(count, sizeof *r->context.devices, &r->context.devices));
    syc_refcount_init(&r->context.refs);
    *out = r;
    r = NULL;
done:
    syc_free(r);
    return status;
}

static void own_native(syc_context *context, SYC_TAKE cl_context native)
{
    context->native = native;
    syc_live_add(SYC_LIVE_CL_CONTEXT, 1);
    syc_live_add(SYC_LIVE_CONTEXT, 1);
}

/* A device named twice is in the context once. */
static void add_device(syc_context *context, syc_device *device)
{
    if (syc_context_has(context, device))
        return;
    syc_device_retain(device);
    context->devices[context->device_count++] = device;
}

static syc_status add_devices(syc_context *context, syc_device *const *devices, size_t count)
{
    syc_status status = SYC_OK;

    SYC_CHECK(count >= 1, SYC_E_INVALID_PARAMETER, "a context needs at least one device");
    context->platform = devices[0]->platform;
    context->cl = &context->platform->driver->cl;
    for (size_t i = 0; i < count; i++) {
        SYC_CHECK(devices[i]->platform == context->platform, SYC_E_INVALID_PARAMETER,
                  "the devices of a context must be of one platform: '%s' is of %s (%s), '%s' of %s (%s)",
                  syc_device_name(devices[0]), context->platform->name, context->platform->version,
                  syc_device_name(devices[i]), devices[i]->platform->name, devices[i]->platform->version);
        add_device(context, devices[i]);
    }
done:
    return status;
}

static syc_status create_native(const syc_context *context, cl_context *out)
{
    syc_status status = SYC_OK;
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)context->platform->id, 0};
    cl_device_id *lanes = NULL;
    cl_uint count = 0;
    cl_int code = CL_SUCCESS;
    cl_context native = NULL;

    SYC_TRY(syc_alloc_array(context->device_count * SYC_LANE_COUNT, sizeof(cl_device_id), &lanes));
    for (size_t i = 0; i < context->device_count; i++)
        for (int lane = 0; lane < SYC_LANE_COUNT; lane++)
            if (context->devices[i]->lanes[lane] != NULL)
                lanes[count++] = context->devices[i]->lanes[lane];
    SYC_CL_OBJECT(syc_context_cl(context), native, CreateContext, (properties, count, lanes, NULL, NULL, &code));
    *out = native;
done:
    syc_free(lanes);
    return status;
}

syc_status syc_context_create(syc_device *const *devices, size_t count, syc_context **out)
{
    syc_status status = SYC_OK;
    record *r = NULL;
    cl_context native = NULL;

    SYC_TRY(syc_process_check());
    SYC_TRY(allocate(count, &r));
    SYC_TRY(add_devices(&r->context, devices, count));
    SYC_TRY(create_native(&r->context, &native));
    own_native(&r->context, native);
    list(r);
    *out = &r->context;
    r = NULL;
done:
    if (r != NULL)
        destroy(r);
    return status;
}

static bool has_id(const cl_device_id *ids, size_t count, cl_device_id id)
{
    for (size_t i = 0; i < count; i++)
        if (ids[i] == id)
            return true;
    return false;
}

/* The device that stands for `id` in a context whose devices are `ids`: a pair only if both of its lanes are there. */
static syc_status device_for(cl_device_id id, const cl_device_id *ids, size_t count, syc_device **out)
{
    syc_status status = SYC_OK;
    syc_device *device = NULL;

    SYC_TRY(syc_device_from_native(id, &device));
    for (syc_lane lane = SYC_LANE_POOL; lane < SYC_LANE_COUNT; lane++)
        if (device->lanes[lane] != NULL && !has_id(ids, count, device->lanes[lane])) {
            syc_lane there = lane == SYC_LANE_POOL ? SYC_LANE_CALLER : SYC_LANE_POOL;
            SYC_TRY(syc__device_half(device, there, out));
            goto done;
        }
    *out = device;
    device = NULL;
done:
    syc_device_release(device);
    return status;
}

static syc_status add_foreign(syc_context *context, const cl_device_id *ids, size_t count)
{
    syc_status status = SYC_OK;

    for (size_t i = 0; i < count; i++) {
        syc_device *device = NULL;
        SYC_TRY(device_for(ids[i], ids, count, &device));
        context->platform = device->platform;
        context->cl = &device->platform->driver->cl;
        add_device(context, device);
        syc_device_release(device);
    }
done:
    return status;
}

/* A context that was made elsewhere. Of two threads that wrap it at the same time each gets its own object, which both
 * work. */
static syc_status wrap(cl_context native, syc_context **out)
{
    syc_status status = SYC_OK;
    syc_driver *driver = syc_driver_of_handle(native);
    record *r = NULL;
    cl_device_id *ids = NULL;
    size_t count = 0;

    SYC_CHECK(driver != NULL, SYC_E_INVALID_OBJECT, "%p is not a context of a driver that pysycl has loaded",
              (void *)native);
    SYC_TRY(syc__ask_array(syc__context_question(driver, native, CL_CONTEXT_DEVICES), sizeof *ids, &ids, &count));
    SYC_CHECK(count >= 1, SYC_E_INVALID_OBJECT, "the context %p has no devices", (void *)native);
    SYC_TRY(allocate(count, &r));
    SYC_TRY(add_foreign(&r->context, ids, count));
    SYC_CL(&driver->cl, RetainContext, (native));
    own_native(&r->context, native);
    list(r);
    *out = &r->context;
    r = NULL;
done:
    if (r != NULL)
        destroy(r);
    syc_free(ids);
    return status;
}

syc_status syc_context_from_native(cl_context native, syc_context **out)
{
    syc_status status = SYC_OK;
    syc_platform *const *all;
    size_t count = 0;
    syc_context *context;

    SYC_CHECK(native != NULL, SYC_E_INVALID_OBJECT, "the native handle of a context is null");
    SYC_TRY(syc_platforms(&all, &count));
    context = find(native);
    if (context == NULL)
        SYC_TRY(wrap(native, &context));
    *out = context;
done:
    return status;
}

void syc_context_retain(syc_context *context)
{
    syc_refcount_retain(&context->refs);
}

void syc_context_release(syc_context *context)
{
    bool last;

    if (context == NULL || !syc_process_alive())
        return;
    pthread_mutex_lock(&living_lock);
    last = syc_refcount_release(&context->refs);
    if (last)
        unlink_locked((record *)context);
    pthread_mutex_unlock(&living_lock);
    if (last)
        destroy((record *)context);
}

bool syc_context_has(const syc_context *context, const syc_device *device)
{
    for (size_t i = 0; i < context->device_count; i++)
        if (context->devices[i] == device)
            return true;
    return false;
}

static bool is_root(const syc_device *device)
{
    for (size_t i = 0; i < device->platform->device_count; i++)
        if (device->platform->devices[i] == device)
            return true;
    return false;
}

static syc_status default_locked(syc_device *device, syc_context **out)
{
    syc_status status = SYC_OK;

    for (size_t i = 0; i < default_count; i++)
        if (defaults[i]->devices[0] == device) {
            *out = defaults[i];
            return SYC_OK;
        }
    SYC_TRY(syc_grow(&defaults, &default_capacity, default_count + 1, sizeof *defaults));
    SYC_TRY(syc_context_create(&device, 1, out));
    (*out)->lasts = true;
    defaults[default_count++] = *out;
done:
    return status;
}

syc_status syc_context_default(syc_device *device, syc_context **out)
{
    syc_status status = SYC_OK;

    SYC_TRY(syc_process_check());
    /* A sub-device or a half may end, and a context that is kept for ever would keep it. */
    if (!is_root(device))
        return syc_context_create(&device, 1, out);
    pthread_mutex_lock(&defaults_lock);
    status = default_locked(device, out);
    if (status == SYC_OK)
        syc_context_retain(*out);
    pthread_mutex_unlock(&defaults_lock);
done:
    return status;
}

void syc_contexts_close(void)
{
    if (!syc_process_alive())
        return;
    pthread_mutex_lock(&defaults_lock);
    for (size_t i = 0; i < default_count; i++)
        syc_context_release(defaults[i]);
    syc_free(defaults);
    defaults = NULL;
    default_count = default_capacity = 0;
    pthread_mutex_unlock(&defaults_lock);
}
