/* Platforms: every platform of every usable driver, listed once per process, with PoCL's paired devices joined. */
#include "base/alloc.h"
#include "base/process.h"
#include "base/text.h"
#include "cl/constants.h"
#include "cl/device.h"
#include "cl/device_make.h"
#include "cl/info.h"

#include <pthread.h>
#include <string.h>

enum { DEVICE_LIMIT = 4096 };

/* Written once under the lock, then only read. `listed` is set last. */
static pthread_mutex_t platforms_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool listed;
static syc_platform **platforms;
static size_t platform_count, platform_capacity;

/* An OpenCL device while its platform is being put together. */
typedef struct found {
    cl_device_id id;
    char *name;
    const char *hardware; /* in `name`, after the prefix that tells the lane; NULL when the name tells none */
    syc_lane lane;
    size_t family; /* row of lane_prefixes */
    bool joined;   /* a caller lane that its pool lane has taken in */
} found;

typedef struct findings {
    found *items;
    size_t count, capacity;
} findings;

/* How PoCL names the two devices that it makes of one CPU: until 3.x, and since 4.0. The longer prefix stands first. */
static const struct {
    const char *caller, *pool;
} lane_prefixes[] = {{"basic-", "pthread-"}, {"cpu-minimal-", "cpu-"}};

static void read_lane(found *f)
{
    for (size_t row = 0; row < sizeof lane_prefixes / sizeof *lane_prefixes; row++) {
        const char *prefixes[] = {lane_prefixes[row].caller, lane_prefixes[row].pool};
        for (size_t i = 0; i < 2 && f->hardware == NULL; i++)
            if (strncmp(f->name, prefixes[i], strlen(prefixes[i])) == 0) {
                f->lane = i == 0 ? SYC_LANE_CALLER : SYC_LANE_POOL;
                f->family = row;
                f->hardware = f->name + strlen(prefixes[i]);
            }
    }
}

static void findings_clear(findings *all)
{
    for (size_t i = 0; i < all->count; i++)
        syc_free(all->items[i].name);
    syc_free(all->items);
}

static syc_status add_found(const syc_platform *platform, cl_device_id id, findings *all)
{
    syc_status status = SYC_OK;
    found f = {.id = id};

    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].id == id)
            return SYC_OK;
    SYC_CHECK(id != NULL, SYC_E_PLATFORM, "clGetDeviceIDs lists a null device");
    SYC_TRY(syc__ask_string(syc__device_question(platform->driver, id, CL_DEVICE_NAME), &f.name));
    if (strcmp(platform->name, "Portable Computing Language") == 0)
        read_lane(&f);
    SYC_TRY(syc_grow(&all->items, &all->capacity, all->count + 1, sizeof f));
    all->items[all->count++] = f;
    f.name = NULL;
done:
    syc_free(f.name);
    return status;
}

/* Adds the devices of `type`. Drivers say "none" with an error code. */
static syc_status find_type(const syc_platform *platform, cl_bitfield type, findings *all)
{
    syc_status status = SYC_OK;
    const syc_cl_table *cl = &platform->driver->cl;
    cl_device_id *ids = NULL;
    cl_uint count = 0, got = 0;
    cl_int code = cl->GetDeviceIDs(platform->id, type, 0, NULL, &count);

    if (code == CL_DEVICE_NOT_FOUND || (code == CL_SUCCESS && count == 0))
        return SYC_OK;
    if (code != CL_SUCCESS)
        return syc_fail_cl(SYC_HERE, "clGetDeviceIDs", code);
    SYC_CHECK(count <= DEVICE_LIMIT, SYC_E_PLATFORM, "clGetDeviceIDs announces %u devices", count);
    SYC_TRY(syc_alloc_array(count, sizeof *ids, &ids));
    SYC_CL(cl, GetDeviceIDs, (platform->id, type, count, ids, &got));
    SYC_CHECK(got == count, SYC_E_PLATFORM, "clGetDeviceIDs announced %u devices and then listed %u", count, got);
    for (cl_uint i = 0; i < count; i++)
        SYC_TRY(add_found(platform, ids[i], all));
done:
    syc_free(ids);
    return status;
}

/* "All" leaves custom devices out, so they are asked for by name. A driver too old to know them says that the type is
 * not valid, which means the same as having none. */
static syc_status find_devices(const syc_platform *platform, findings *all)
{
    syc_status status = SYC_OK;

    SYC_TRY(find_type(platform, CL_DEVICE_TYPE_ALL, all));
    status = find_type(platform, CL_DEVICE_TYPE_CUSTOM, all);
    if (status != SYC_OK) {
        int code = syc_detail_of(status).cl_code;
        if (code == CL_INVALID_DEVICE_TYPE || code == CL_INVALID_VALUE)
            status = SYC_OK;
    }
done:
    return status;
}

/* The caller lane that computes on the same hardware as the pool lane `pool`, or NULL. */
static found *partner_of(findings *all, const found *pool)
{
    for (size_t i = 0; i < all->count; i++) {
        found *f = &all->items[i];
        if (f->hardware != NULL && !f->joined && f->lane == SYC_LANE_CALLER && f->family == pool->family &&
            strcmp(f->hardware, pool->hardware) == 0)
            return f;
    }
    return NULL;
}

/* A pair is called by its hardware; a device that stands alone keeps the driver's name for it. */
static syc_status add_root(syc_platform *platform, const found *pool, const found *caller)
{
    syc_status status = SYC_OK;
    char *name = NULL;

    SYC_TRY(syc_copy_string(caller != NULL ? pool->hardware : pool->name, &name));
    SYC_TRY(syc__device_create_root(platform, pool->id, caller != NULL ? caller->id : NULL, name,
                                    &platform->devices[platform->device_count]));
    platform->device_count++;
    name = NULL;
done:
    syc_free(name);
    return status;
}

static syc_status make_roots(syc_platform *platform, findings *all)
{
    syc_status status = SYC_OK;
    found **partners = NULL;

    SYC_TRY(syc_alloc_array(all->count, sizeof *platform->devices, &platform->devices));
    SYC_TRY(syc_alloc_array(all->count, sizeof *partners, &partners));
    for (size_t i = 0; i < all->count; i++) {
        const found *f = &all->items[i];
        if (f->hardware != NULL && f->lane == SYC_LANE_POOL && (partners[i] = partner_of(all, f)) != NULL)
            partners[i]->joined = true;
    }
    for (size_t i = 0; i < all->count; i++)
        if (!all->items[i].joined)
            SYC_TRY(add_root(platform, &all->items[i], partners[i]));
done:
    syc_free(partners);
    return status;
}

static void platform_discard(syc_platform *platform)
{
    if (platform == NULL)
        return;
    for (size_t i = 0; i < platform->device_count; i++)
        syc__device_discard_root(platform->devices[i]);
    syc_free(platform->devices);
    syc_free(platform->name);
    syc_free(platform->version);
    syc_free(platform);
}

static syc_status platform_create(syc_driver *driver, cl_platform_id id, syc_platform **out)
{
    syc_status status = SYC_OK;
    syc_platform *platform = NULL;
    findings all = {0};

    SYC_TRY(syc_alloc(sizeof *platform, &platform));
    platform->driver = driver;
    platform->id = id;
    SYC_TRY(syc__ask_string(syc__platform_question(driver, id, CL_PLATFORM_NAME), &platform->name));
    SYC_TRY(syc__ask_string(syc__platform_question(driver, id, CL_PLATFORM_VERSION), &platform->version));
    SYC_TRY(find_devices(platform, &all));
    SYC_TRY(make_roots(platform, &all));
    *out = platform;
    platform = NULL;
done:
    findings_clear(&all);
    platform_discard(platform);
    return status;
}

static bool is_listed_locked(cl_platform_id id)
{
    for (size_t i = 0; i < platform_count; i++)
        if (platforms[i]->id == id)
            return true;
    return false;
}

/* Lists one platform. What is wrong with it goes into `reasons`; only our own lack of memory is a failure. */
static syc_status list_platform_locked(syc_driver *driver, cl_platform_id id, syc_text *reasons)
{
    syc_status status = SYC_OK;
    syc_platform *platform = NULL;

    if (is_listed_locked(id))
        return SYC_OK;
    status = platform_create(driver, id, &platform);
    if (status != SYC_OK && syc_detail_of(status).api == NULL && status == SYC_E_MEMORY_ALLOCATION)
        return status;
    if (status != SYC_OK || platform->device_count == 0) {
        syc_text_add(reasons, "%s%s", reasons->length ? "; " : "",
                     status != SYC_OK ? syc_detail_of(status).message : "its platform has no device");
        platform_discard(platform);
        return SYC_OK;
    }
    status = syc_grow(&platforms, &platform_capacity, platform_count + 1, sizeof *platforms);
    if (status != SYC_OK)
        platform_discard(platform);
    else
        platforms[platform_count++] = platform;
    return status;
}

/* A driver none of whose platforms can be used is refused after all, for the doctor and the error "no device". */
static syc_status list_driver_locked(syc_driver *driver)
{
    syc_status status = SYC_OK;
    syc_text reasons = {0};
    size_t before = platform_count;

    for (size_t i = 0; i < driver->platform_count; i++)
        SYC_TRY(list_platform_locked(driver, driver->platforms[i], &reasons));
    SYC_CHECK(!reasons.cut, SYC_E_MEMORY_ALLOCATION, "no memory for what is wrong with %s", driver->path);
    if (platform_count == before && reasons.length > 0)
        driver->refusal = syc_text_take(&reasons);
done:
    syc_text_clear(&reasons);
    return status;
}

static syc_status list_all_locked(void)
{
    syc_status status = SYC_OK;

    if (atomic_load(&listed))
        return SYC_OK;
    SYC_TRY(syc_drivers_load());
    for (size_t i = 0; i < syc_driver_count(); i++)
        if (syc_driver_at(i)->refusal == NULL)
            SYC_TRY(list_driver_locked(syc_driver_at(i)));
    atomic_store(&listed, true);
done:
    return status;
}

syc_status syc_platforms(syc_platform *const **out, size_t *count)
{
    syc_status status = SYC_OK;

    SYC_TRY(syc_process_check());
    if (!atomic_load(&listed)) {
        syc_process_mark_used(); /* before the lock: a child forked meanwhile would find it taken for ever */
        pthread_mutex_lock(&platforms_lock);
        status = list_all_locked();
        pthread_mutex_unlock(&platforms_lock);
        SYC_TRY(status);
    }
    *out = platforms;
    *count = platform_count;
done:
    return status;
}

syc_status syc_platform_of(cl_platform_id id, syc_platform **out)
{
    syc_status status = SYC_OK;
    syc_platform *const *all;
    size_t count = 0;

    SYC_TRY(syc_platforms(&all, &count));
    for (size_t i = 0; i < count; i++)
        if (all[i]->id == id) {
            *out = all[i];
            return SYC_OK;
        }
    SYC_CHECK(false, SYC_E_INVALID_OBJECT, "%p is not a platform of a driver that pysycl has loaded", (void *)id);
done:
    return status;
}
