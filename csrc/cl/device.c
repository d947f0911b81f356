/* Devices: root devices live for ever, sub-devices are counted, and a native handle always leads to the same object. */
#include "cl/device.h"

#include "base/alloc.h"
#include "base/process.h"
#include "cl/constants.h"
#include "cl/device_make.h"
#include "cl/info.h"

#include <pthread.h>
#include <string.h>

/* The parts of a device that the rest of the core need not see. */
typedef struct record {
    syc_device device;
    const char *name;    /* owned by the root device, which never dies */
    bool native_counted; /* a sub-device: its lane is one native reference of ours */
    struct record *next; /* in `living`, for those that are no root devices */
} record;

/* Sub-devices and halves, so that one native handle is one object. The last reference to a listed device is dropped
 * with the lock held: what is found in the list is alive. */
static pthread_mutex_t living_lock = PTHREAD_MUTEX_INITIALIZER;
static record *living;

static record *find_locked(const cl_device_id native, bool native_counted)
{
    for (record *r = living; r != NULL; r = r->next)
        if (r->device.lanes[SYC_LANE_POOL] == native && r->native_counted == native_counted)
            return r;
    return NULL;
}

static void unlink_locked(const record *gone)
{
    for (record **at = &living; *at != NULL; at = &(*at)->next)
        if (*at == gone) {
            *at = gone->next;
            return;
        }
}

/* One bit: what a driver calls by several types at once (Oclgrind is CPU, GPU and accelerator) is the first of them. */
static uint64_t single_type(uint64_t bits)
{
    static const uint64_t order[] = {CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR,
                                     CL_DEVICE_TYPE_CUSTOM};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (bits & order[i])
            return order[i];
    return 0;
}

/* A device may name the extension although its driver gives no function for an entry. */
static bool has_intel_usm(const syc_device *device, const char *extensions)
{
    const syc_cl_table *cl = &device->platform->driver->cl;
    bool all = syc__has_word(extensions, "cl_intel_unified_shared_memory");
#define X(name, slot, since, result, fails, params, args) all = all && cl->name != NULL;
    SYC_CL_EXTENSIONS(X)
#undef X
    return all;
}

/* All that came with OpenCL 2.0; migration came later, and is only a hint. */
static bool has_svm_entries(const syc_device *device)
{
    const syc_cl_table *cl = &device->platform->driver->cl;
    bool all = true;
#define X(name, slot, since, result, fails, params, args) all = all && (since != 20 || cl->name != NULL);
    SYC_CL_ENTRIES(X)
#undef X
    return all;
}

static syc_status read_memory_limits(syc_device *device)
{
    syc_status status = SYC_OK;
    syc_info alignment = {0}, svm = {0};

    SYC_TRY(syc_device_info(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, SYC_INFO_UINT, &alignment)); /* in bits */
    device->sub_buffer_alignment = alignment.number >= 8 ? alignment.number / 8 : 1;
    if (!device->facts->svm || !has_svm_entries(device))
        return SYC_OK;
    status = syc_device_info(device, CL_DEVICE_SVM_CAPABILITIES, SYC_INFO_ULONG, &svm);
    if (status != SYC_OK && syc_detail_of(status).cl_code == CL_INVALID_VALUE)
        return SYC_OK; /* OpenCL 3.0 made the whole feature optional, and some say so by not knowing the query */
    SYC_TRY(status);
    device->svm = svm.number;
done:
    return status;
}

/* Of drivers that have the query. */
static syc_status read_ptx_arch(syc_device *device, const char *extensions)
{
    syc_info major = {0}, minor = {0};
    syc_status status = SYC_OK;

    if (!syc__has_word(extensions, "cl_nv_device_attribute_query"))
        return SYC_OK;
    SYC_TRY(syc_device_info(device, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, SYC_INFO_UINT, &major));
    SYC_TRY(syc_device_info(device, CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV, SYC_INFO_UINT, &minor));
    device->ptx_arch = (unsigned)(major.number * 10 + minor.number);
done:
    return status;
}

static syc_status read_limits(syc_device *device)
{
    syc_status status = SYC_OK;
    syc_info type = {0}, units = {0}, group = {0}, items = {0}, local = {0}, memory = {0}, extensions = {0};

    SYC_TRY(syc_device_info(device, CL_DEVICE_TYPE, SYC_INFO_ULONG, &type));
    device->type = single_type(type.number);
    SYC_CHECK(device->type != 0, SYC_E_PLATFORM, "a device of %s has the type 0x%llx, which is none that OpenCL knows",
              device->platform->name, (unsigned long long)type.number);
    SYC_TRY(syc_device_info(device, CL_DEVICE_MAX_COMPUTE_UNITS, SYC_INFO_UINT, &units));
    SYC_TRY(syc_device_info(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, SYC_INFO_SIZE, &group));
    SYC_TRY(syc_device_info(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, SYC_INFO_SIZES, &items));
    SYC_TRY(syc_device_info(device, CL_DEVICE_LOCAL_MEM_SIZE, SYC_INFO_ULONG, &local));
    SYC_TRY(syc_device_info(device, CL_DEVICE_GLOBAL_MEM_SIZE, SYC_INFO_ULONG, &memory));
    SYC_TRY(syc_device_info(device, CL_DEVICE_EXTENSIONS, SYC_INFO_STRING, &extensions));
    SYC_CHECK(units.number >= 1 && group.number >= 1, SYC_E_PLATFORM,
              "a device of %s has %llu compute units and work-groups of %llu work-items", device->platform->name,
              (unsigned long long)units.number, (unsigned long long)group.number);
    SYC_CHECK(items.count >= 3 || device->type == CL_DEVICE_TYPE_CUSTOM, SYC_E_PLATFORM,
              "a device of %s has work-items in %zu dimensions", device->platform->name, items.count);
    device->compute_units = units.number;
    device->max_group = group.number;
    for (size_t d = 0; d < 3; d++)
        device->max_items[d] = d < items.count ? (size_t)items.numbers[d] : 1;
    device->local_bytes = local.number;
    device->global_bytes = memory.number;
    device->fp16 = syc__has_word(extensions.string, "cl_khr_fp16");
    device->fp64 = syc__has_word(extensions.string, "cl_khr_fp64");
    device->atomic64 = syc__has_word(extensions.string, "cl_khr_int64_base_atomics");
    device->writes_3d = syc__has_word(extensions.string, "cl_khr_3d_image_writes") ||
                        strncmp(device->platform->version, "OpenCL 2.", strlen("OpenCL 2.")) == 0;
    device->facts = syc_facts_find(device->platform->name, device->platform->version, device->type);
    if (device->facts->waits_at_exit)
        syc_process_mark_waits_at_exit();
    device->intel_usm = has_intel_usm(device, extensions.string);
    device->runs_here = syc__has_word(extensions.string, "cl_intel_exec_by_local_thread");
    SYC_TRY(read_memory_limits(device));
    SYC_TRY(read_ptx_arch(device, extensions.string));
done:
    syc_info_clear(&items);
    syc_info_clear(&extensions);
    return status;
}

static syc_status create(syc_platform *platform, syc_device *parent, cl_device_id pool, cl_device_id caller,
                         record **out)
{
    syc_status status = SYC_OK;
    record *r = NULL;

    SYC_TRY(syc_alloc(sizeof *r, &r));
    syc_refcount_init(&r->device.refs);
    r->device.platform = platform;
    r->device.lanes[SYC_LANE_POOL] = pool;
    r->device.lanes[SYC_LANE_CALLER] = caller;
    SYC_TRY(read_limits(&r->device));
    if (parent != NULL)
        syc_device_retain(r->device.parent = parent);
    syc_live_add(SYC_LIVE_DEVICE, 1);
    *out = r;
    r = NULL;
done:
    syc_free(r);
    return status;
}

static void release_native(syc_platform *platform, cl_device_id native)
{
    cl_int code = platform->driver->cl.ReleaseDevice(native);
    syc_live_add(SYC_LIVE_CL_DEVICE, -1);
    if (code != CL_SUCCESS)
        syc_report(syc_fail_cl(SYC_HERE, "clReleaseDevice", code));
}

static void destroy(record *r)
{
    if (r->native_counted)
        release_native(r->device.platform, r->device.lanes[SYC_LANE_POOL]);
    syc_device_release(r->device.parent);
    syc_free(r);
    syc_live_add(SYC_LIVE_DEVICE, -1);
}

/* Lists `fresh`, or destroys it in favour of one that another thread has listed meanwhile. */
static syc_device *list(record *fresh)
{
    record *kept = fresh;

    pthread_mutex_lock(&living_lock);
    record *earlier = find_locked(fresh->device.lanes[SYC_LANE_POOL], fresh->native_counted);
    if (earlier != NULL) {
        syc_device_retain(&earlier->device);
        kept = earlier;
    } else {
        fresh->next = living;
        living = fresh;
    }
    pthread_mutex_unlock(&living_lock);
    if (kept != fresh)
        destroy(fresh);
    return &kept->device;
}

static syc_device *find(const cl_device_id native, bool native_counted)
{
    pthread_mutex_lock(&living_lock);
    record *r = find_locked(native, native_counted);
    if (r != NULL)
        syc_device_retain(&r->device);
    pthread_mutex_unlock(&living_lock);
    return r != NULL ? &r->device : NULL;
}

syc_status syc__device_create_root(syc_platform *platform, cl_device_id pool, cl_device_id caller, char *name,
                                   syc_device **out)
{
    syc_status status = SYC_OK;
    record *r = NULL;

    SYC_TRY(create(platform, NULL, pool, caller, &r));
    r->name = name;
    *out = &r->device;
done:
    return status;
}

void syc__device_discard_root(syc_device *device)
{
    record *r = (record *)device;
    syc_free((char *)r->name);
    syc_free(r);
    syc_live_add(SYC_LIVE_DEVICE, -1);
}

syc_status syc__device_adopt(syc_device *parent, cl_device_id native, syc_device **out)
{
    record *r = NULL;
    syc_status status;

    syc_live_add(SYC_LIVE_CL_DEVICE, 1);
    status = create(parent->platform, parent, native, NULL, &r);
    if (status != SYC_OK) {
        release_native(parent->platform, native);
        return status;
    }
    r->name = ((record *)parent)->name;
    r->native_counted = true;
    *out = list(r);
    return SYC_OK;
}

syc_status syc__device_half(syc_device *root, syc_lane lane, syc_device **out)
{
    syc_status status = SYC_OK;
    record *r = NULL;
    syc_device *known = find(root->lanes[lane], false);

    if (known == NULL) {
        SYC_TRY(create(root->platform, NULL, root->lanes[lane], NULL, &r));
        r->name = ((record *)root)->name;
        known = list(r);
    }
    *out = known;
done:
    return status;
}

void syc_device_retain(syc_device *device)
{
    syc_refcount_retain(&device->refs);
}

void syc_device_release(syc_device *device)
{
    bool last;

    if (device == NULL || !syc_process_alive())
        return;
    pthread_mutex_lock(&living_lock);
    last = syc_refcount_release(&device->refs);
    if (last)
        unlink_locked((record *)device);
    pthread_mutex_unlock(&living_lock);
    if (last)
        destroy((record *)device);
}

const char *syc_device_name(const syc_device *device)
{
    return ((const record *)device)->name;
}

static syc_device *find_root(syc_platform *const *platforms, size_t count, const cl_device_id native)
{
    for (size_t p = 0; p < count; p++)
        for (size_t d = 0; d < platforms[p]->device_count; d++) {
            syc_device *device = platforms[p]->devices[d];
            if (device->lanes[SYC_LANE_POOL] == native || device->lanes[SYC_LANE_CALLER] == native)
                return device;
        }
    return NULL;
}

/* A sub-device that was made outside: its parent is asked for until a device of ours is reached. */
static syc_status adopt_foreign(cl_device_id native, syc_device **out)
{
    syc_status status = SYC_OK;
    syc_driver *driver = syc_driver_of_handle(native);
    cl_device_id parent_id = NULL;
    syc_device *parent = NULL;

    SYC_CHECK(driver != NULL, SYC_E_INVALID_OBJECT, "%p is not a device of a driver that pysycl has loaded",
              (void *)native);
    SYC_CHECK(driver->cl.RetainDevice != NULL, SYC_E_INVALID_OBJECT,
              "%p is no root device, and %s has no other devices", (void *)native, driver->path);
    SYC_TRY(
        syc__ask_value(syc__device_question(driver, native, CL_DEVICE_PARENT_DEVICE), sizeof parent_id, &parent_id));
    SYC_CHECK(parent_id != NULL, SYC_E_INVALID_OBJECT, "%p is a device of %s that its platforms do not list",
              (void *)native, driver->path);
    SYC_TRY(syc_device_from_native(parent_id, &parent));
    SYC_CL(&driver->cl, RetainDevice, (native));
    SYC_TRY(syc__device_adopt(parent, native, out));
done:
    syc_device_release(parent);
    return status;
}

syc_status syc_device_from_native(cl_device_id id, syc_device **out)
{
    syc_status status = SYC_OK;
    syc_platform *const *platforms;
    size_t count = 0;
    syc_device *device;

    SYC_CHECK(id != NULL, SYC_E_INVALID_OBJECT, "the native handle of a device is null");
    SYC_TRY(syc_platforms(&platforms, &count));
    device = find_root(platforms, count, id);
    if (device != NULL)
        syc_device_retain(device);
    else
        device = find(id, true);
    if (device == NULL)
        SYC_TRY(adopt_foreign(id, &device));
    *out = device;
done:
    return status;
}
