/* The fake driver's answers to queries, and its devices: everything but the building and running of kernels. */
#include "fake_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cl_int fake_answer(const void *data, size_t data_size, size_t size, void *value, size_t *got)
{
    if (value != NULL && size < data_size)
        return CL_INVALID_VALUE;
    if (value != NULL && data_size > 0)
        memcpy(value, data, data_size);
    if (got != NULL)
        *got = data_size;
    return CL_SUCCESS;
}

#define ANSWER(object)    return fake_answer(&(object), sizeof(object), size, value, got)
#define ANSWER_TEXT(text) return fake_answer((text), strlen(text) + 1, size, value, got)

cl_int fake_GetPlatformInfo(cl_platform_id p, cl_uint what, size_t size, void *value, size_t *got)
{
    if ((void *)p != (void *)&fake_the_platform)
        return CL_INVALID_PLATFORM;
    switch (what) {
    case CL_PLATFORM_NAME:
        ANSWER_TEXT(fake_settings.platform_name);
    case CL_PLATFORM_VERSION:
        ANSWER_TEXT(fake_nonsense("bad-version") ? "Version three of OpenCL" : fake_settings.version);
    case CL_PLATFORM_VENDOR:
        ANSWER_TEXT("pysycl");
    case CL_PLATFORM_PROFILE:
        ANSWER_TEXT(fake_settings.profile);
    case CL_PLATFORM_EXTENSIONS:
        ANSWER_TEXT("cl_khr_icd");
    case CL_PLATFORM_HOST_TIMER_RESOLUTION:
        ANSWER((cl_ulong){1});
    case CL_PLATFORM_NUMERIC_VERSION:
        ANSWER((cl_uint){3u << 22});
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int fake_GetDeviceIDs(cl_platform_id p, cl_bitfield type, cl_uint n, cl_device_id *out, cl_uint *got)
{
    bool fits = type == CL_DEVICE_TYPE_ALL || (type & (fake_settings.type | CL_DEVICE_TYPE_DEFAULT)) != 0;
    if ((void *)p != (void *)&fake_the_platform)
        return CL_INVALID_PLATFORM;
    if (fake_nonsense("device-error"))
        return CL_OUT_OF_HOST_MEMORY;
    if (!fits || fake_nonsense("no-devices"))
        return CL_DEVICE_NOT_FOUND;
    for (cl_uint i = 0; out != NULL && i < n && i < fake_settings.devices; i++)
        out[i] = (cl_device_id)&fake_roots[i];
    if (got != NULL)
        *got = fake_settings.devices;
    return CL_SUCCESS;
}

/* What all devices answer alike. `bytes` is the size of the answer. */
static const struct {
    cl_uint what;
    cl_ulong value;
    size_t bytes;
} numbers[] = {
    {CL_DEVICE_VENDOR_ID, 0x5359, 4},
    {CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 3, 4},
    {CL_DEVICE_MAX_WORK_GROUP_SIZE, FAKE_DEVICE_LIMIT, sizeof(size_t)},
    {CL_DEVICE_MAX_NUM_SUB_GROUPS, 0, 4},
    {CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, 0, 4},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, 16, 4},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, 8, 4},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, 4, 4},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, 2, 4},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, 4, 4},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, 2, 4},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, 0, 4},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, 16, 4},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, 8, 4},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, 4, 4},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, 2, 4},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, 4, 4},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, 2, 4},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, 0, 4},
    {CL_DEVICE_MAX_CLOCK_FREQUENCY, 1000, 4},
    {CL_DEVICE_ADDRESS_BITS, sizeof(void *) * 8, 4},
    {CL_DEVICE_MAX_MEM_ALLOC_SIZE, 1ull << 30, 8},
    {CL_DEVICE_MAX_PARAMETER_SIZE, 1024, sizeof(size_t)},
    {CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, 128, 4},
    {CL_DEVICE_SINGLE_FP_CONFIG, CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_DENORM, 8},
    {CL_DEVICE_DOUBLE_FP_CONFIG, 0x3f, 8},
    {CL_DEVICE_HALF_FP_CONFIG, 0, 8},
    {CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, CL_READ_WRITE_CACHE, 4},
    {CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, 64, 4},
    {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, 1 << 20, 8},
    {CL_DEVICE_GLOBAL_MEM_SIZE, 1ull << 32, 8},
    {CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, 65536, 8},
    {CL_DEVICE_MAX_CONSTANT_ARGS, 8, 4},
    {CL_DEVICE_LOCAL_MEM_TYPE, CL_GLOBAL, 4},
    {CL_DEVICE_LOCAL_MEM_SIZE, 32768, 8},
    {CL_DEVICE_ERROR_CORRECTION_SUPPORT, 0, 4},
    {CL_DEVICE_HOST_UNIFIED_MEMORY, 1, 4},
    {CL_DEVICE_PROFILING_TIMER_RESOLUTION, 1, sizeof(size_t)},
    {CL_DEVICE_ENDIAN_LITTLE, 1, 4},
    {CL_DEVICE_AVAILABLE, 1, 4},
    {CL_DEVICE_EXECUTION_CAPABILITIES, CL_EXEC_KERNEL, 8},
    {CL_DEVICE_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE, 8},
    {CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, 1, 4},
    {CL_DEVICE_PRINTF_BUFFER_SIZE, 1 << 20, sizeof(size_t)},
    {CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP, 8},
    {CL_DEVICE_ATOMIC_FENCE_CAPABILITIES,
     CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP, 8},
    {CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, 0, 4},
    {CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, 0, 4},
    {CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, 0, 4},
    {CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, 8, sizeof(size_t)},
    {CL_DEVICE_PARTITION_AFFINITY_DOMAIN, 0, 8},
    {CL_DEVICE_NUMERIC_VERSION, 3u << 22, 4},
};

/* What they answer with images; 0 without. */
static const struct {
    cl_uint what;
    cl_ulong value;
    size_t bytes;
} image_numbers[] = {
    {CL_DEVICE_IMAGE_SUPPORT, 1, 4},
    {CL_DEVICE_MAX_READ_IMAGE_ARGS, 128, 4},
    {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 64, 4},
    {CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, 0, 4},
    {CL_DEVICE_IMAGE2D_MAX_WIDTH, 4096, sizeof(size_t)},
    {CL_DEVICE_IMAGE2D_MAX_HEIGHT, 4096, sizeof(size_t)},
    {CL_DEVICE_IMAGE3D_MAX_WIDTH, 4096, sizeof(size_t)},
    {CL_DEVICE_IMAGE3D_MAX_HEIGHT, 4096, sizeof(size_t)},
    {CL_DEVICE_IMAGE3D_MAX_DEPTH, 4096, sizeof(size_t)},
    {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, 65536, sizeof(size_t)},
    {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, 2048, sizeof(size_t)},
    {CL_DEVICE_MAX_SAMPLERS, 16, 4},
};

/* With cl_intel_unified_shared_memory only. */
static const struct {
    cl_uint what;
    cl_ulong value;
} usm_numbers[] = {
    {CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL},
    {CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL, CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL},
    {CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL, CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL},
    {CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL, 0},
    {CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL, 0},
};

#define EXTENSIONS "cl_khr_global_int32_base_atomics cl_khr_byte_addressable_store"

static const struct {
    cl_uint what;
    const char *text;
} texts[] = {
    {CL_DEVICE_VENDOR, "pysycl"},
    {CL_DRIVER_VERSION, "1.0"},
    {CL_DEVICE_OPENCL_C_VERSION, "OpenCL C 1.2"},
};

static cl_int common_answer(cl_uint what, size_t size, void *value, size_t *got)
{
    const cl_ulong none = 0;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (numbers[i].what == what) /* little-endian: a number's low bytes come first */
            return fake_answer(&numbers[i].value, numbers[i].bytes, size, value, got);
    for (size_t i = 0; i < sizeof image_numbers / sizeof image_numbers[0]; i++)
        if (image_numbers[i].what == what)
            return fake_answer(fake_settings.images ? &image_numbers[i].value : &none, image_numbers[i].bytes, size,
                               value, got);
    for (size_t i = 0; fake_settings.intel_usm && i < sizeof usm_numbers / sizeof usm_numbers[0]; i++)
        if (usm_numbers[i].what == what)
            ANSWER(usm_numbers[i].value);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (texts[i].what == what)
            ANSWER_TEXT(texts[i].text);
    return CL_INVALID_VALUE;
}

static cl_int extensions_answer(size_t size, void *value, size_t *got)
{
    char words[200];
    snprintf(words, sizeof words, "%s%s%s%s", EXTENSIONS, fake_lacks("fp64") ? "" : " cl_khr_fp64",
             fake_settings.intel_usm ? " cl_intel_unified_shared_memory" : "",
             fake_settings.local_thread ? " cl_intel_exec_by_local_thread" : "");
    ANSWER_TEXT(words);
}

/* [locked] */
static cl_int device_answer(const fake_device *d, cl_uint what, size_t size, void *value, size_t *got)
{
    static const cl_device_partition_property schemes[] = {CL_DEVICE_PARTITION_EQUALLY, CL_DEVICE_PARTITION_BY_COUNTS};
    const size_t sizes[3] = {FAKE_DEVICE_LIMIT, FAKE_DEVICE_LIMIT, 64};
    cl_device_partition_property none = 0;

    switch (what) {
    case CL_DEVICE_TYPE:
        ANSWER(fake_settings.type);
    case CL_DEVICE_NAME:
        return fake_answer(d->name, strlen(d->name) + !fake_nonsense("short-info"), size, value, got);
    case CL_DEVICE_VERSION:
        ANSWER_TEXT(fake_settings.version);
    case CL_DEVICE_PROFILE:
        ANSWER_TEXT(fake_settings.profile);
    case CL_DEVICE_MAX_COMPUTE_UNITS:
        ANSWER(d->units);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES:
        return fake_answer(sizes, sizeof sizes - fake_nonsense("short-info"), size, value, got);
    case CL_DEVICE_PLATFORM:
        ANSWER((cl_platform_id){(cl_platform_id)&fake_the_platform});
    case CL_DEVICE_REFERENCE_COUNT:
        ANSWER((cl_uint){(cl_uint)d->object.handles});
    case CL_DEVICE_PARENT_DEVICE:
        ANSWER(d->parent);
    case CL_DEVICE_EXTENSIONS:
        return extensions_answer(size, value, got);
    case CL_DEVICE_COMPILER_AVAILABLE:
        ANSWER((cl_uint){!fake_lacks("compiler")});
    case CL_DEVICE_LINKER_AVAILABLE:
        ANSWER((cl_uint){!fake_lacks("linker")});
    case CL_DEVICE_BUILT_IN_KERNELS:
        ANSWER_TEXT(fake_settings.built_in);
    case CL_DEVICE_IL_VERSION:
        ANSWER_TEXT("SPIR-V_1.0");
    case CL_DEVICE_MAX_NUM_SUB_GROUPS:
        ANSWER((cl_uint){fake_settings.sub_groups ? 32 : 0});
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
        ANSWER((cl_uint){(cl_uint)fake_settings.alignment * 8});
    case CL_DEVICE_SVM_CAPABILITIES:
        ANSWER(fake_settings.svm);
    case CL_DEVICE_PARTITION_MAX_SUB_DEVICES:
        ANSWER(d->units);
    case CL_DEVICE_PARTITION_PROPERTIES:
        if (d->units < 2)
            ANSWER(none);
        ANSWER(schemes);
    case CL_DEVICE_PARTITION_TYPE:
        if (d->parent == NULL)
            ANSWER(none);
        return fake_answer(d->partition, d->partition_words * sizeof d->partition[0], size, value, got);
    default:
        return common_answer(what, size, value, got);
    }
}

cl_int fake_GetDeviceInfo(cl_device_id id, cl_uint what, size_t size, void *value, size_t *got)
{
    const fake_device *d;
    cl_int code = CL_INVALID_DEVICE;
    fake_lock();
    d = fake_get(id, FAKE_DEVICE);
    if (d != NULL)
        code = device_answer(d, what, size, value, got);
    fake_unlock();
    return code;
}

/* -- sub-devices -- */

/* Reads a partition request into the units of each part. */
static cl_int read_partition(const fake_device *d, const cl_device_partition_property *props, cl_uint *units,
                             cl_uint *count)
{
    cl_uint sum = 0;
    *count = 0;
    if (props[0] == CL_DEVICE_PARTITION_EQUALLY) {
        if (props[1] <= 0 || props[2] != 0)
            return CL_INVALID_VALUE;
        if ((cl_uint)props[1] > d->units)
            return CL_DEVICE_PARTITION_FAILED;
        *count = d->units / (cl_uint)props[1];
        for (cl_uint i = 0; i < *count; i++)
            units[i] = (cl_uint)props[1];
        return CL_SUCCESS;
    }
    if (props[0] != CL_DEVICE_PARTITION_BY_COUNTS)
        return CL_INVALID_VALUE;
    for (const cl_device_partition_property *p = props + 1; *p != CL_DEVICE_PARTITION_BY_COUNTS_LIST_END; p++) {
        if (*p < 0 || *count == d->units)
            return CL_INVALID_DEVICE_PARTITION_COUNT;
        units[(*count)++] = (cl_uint)*p;
        sum += (cl_uint)*p;
    }
    return *count == 0 ? CL_INVALID_VALUE : sum > d->units ? CL_INVALID_DEVICE_PARTITION_COUNT : CL_SUCCESS;
}

/* Keeps the request for the query of the partition type, which repeats it with its closing zeros. */
static void remember_partition(fake_device *part, const cl_device_partition_property *props)
{
    size_t closing = props[0] == CL_DEVICE_PARTITION_BY_COUNTS ? 2 : 1, n = 0;
    for (; props[n] != 0 && n + closing < sizeof part->partition / sizeof props[0]; n++)
        part->partition[n] = props[n];
    part->partition_words = n + closing;
}

cl_int fake_CreateSubDevices(cl_device_id id, const cl_device_partition_property *props, cl_uint n, cl_device_id *out,
                             cl_uint *got)
{
    cl_uint units[256], count = 0;
    cl_int code = CL_INVALID_DEVICE;
    fake_device *d;
    fake_lock();
    d = fake_get(id, FAKE_DEVICE);
    if (d != NULL)
        code = props != NULL && d->units <= 256 ? read_partition(d, props, units, &count) : CL_INVALID_VALUE;
    if (code == CL_SUCCESS && out != NULL && n < count)
        code = CL_INVALID_VALUE;
    for (cl_uint i = 0; code == CL_SUCCESS && out != NULL && i < count; i++) {
        fake_device *part = fake_new(FAKE_DEVICE, sizeof *part);
        snprintf(part->name, sizeof part->name, "%s", d->name);
        part->parent = d;
        part->units = units[i];
        remember_partition(part, props);
        fake_use(d);
        out[i] = (cl_device_id)part;
    }
    if (code == CL_SUCCESS && got != NULL)
        *got = count;
    fake_unlock();
    return code;
}

cl_int fake_RetainDevice(cl_device_id d)
{
    return fake_retain(d, FAKE_DEVICE, CL_INVALID_DEVICE);
}

cl_int fake_ReleaseDevice(cl_device_id d)
{
    return fake_release(d, FAKE_DEVICE, CL_INVALID_DEVICE);
}

/* -- queries of the other objects -- */

/* Looks the object up, asks `ask` about it, all under the lock. */
#define QUERY(fake_type, kind, invalid, ask)          \
    const fake_type *object;                          \
    cl_int result = (invalid);                        \
    fake_lock();                                      \
    object = fake_get(handle, (kind));                \
    if (object != NULL)                               \
        result = ask(object, what, size, value, got); \
    fake_unlock();                                    \
    return result

static cl_int context_answer(const fake_context *c, cl_uint what, size_t size, void *value, size_t *got)
{
    switch (what) {
    case CL_CONTEXT_REFERENCE_COUNT:
        ANSWER((cl_uint){(cl_uint)c->object.handles});
    case CL_CONTEXT_NUM_DEVICES:
        ANSWER(c->device_count);
    case CL_CONTEXT_DEVICES:
        return fake_answer(c->devices, c->device_count * sizeof c->devices[0], size, value, got);
    case CL_CONTEXT_PROPERTIES:
        return fake_answer(NULL, 0, size, value, got);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int fake_GetContextInfo(cl_context handle, cl_uint what, size_t size, void *value, size_t *got)
{
    QUERY(fake_context, FAKE_CONTEXT, CL_INVALID_CONTEXT, context_answer);
}

static cl_int queue_answer(const fake_queue *q, cl_uint what, size_t size, void *value, size_t *got)
{
    switch (what) {
    case CL_QUEUE_REFERENCE_COUNT:
        ANSWER((cl_uint){(cl_uint)q->object.handles});
    case CL_QUEUE_CONTEXT:
        ANSWER(q->context);
    case CL_QUEUE_DEVICE:
        ANSWER(q->device);
    case CL_QUEUE_PROPERTIES:
        ANSWER(q->properties);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int fake_GetCommandQueueInfo(cl_command_queue handle, cl_uint what, size_t size, void *value, size_t *got)
{
    QUERY(fake_queue, FAKE_QUEUE, CL_INVALID_COMMAND_QUEUE, queue_answer);
}

static cl_int event_answer(const fake_event *e, cl_uint what, size_t size, void *value, size_t *got)
{
    switch (what) {
    case CL_EVENT_COMMAND_EXECUTION_STATUS:
        if (e->context->lost != 0)
            return e->context->lost;
        ANSWER(e->status);
    case CL_EVENT_REFERENCE_COUNT:
        ANSWER((cl_uint){(cl_uint)e->object.handles});
    case CL_EVENT_COMMAND_TYPE:
        ANSWER(e->type);
    case CL_EVENT_CONTEXT:
        ANSWER(e->context);
    case CL_EVENT_COMMAND_QUEUE:
        ANSWER(e->queue);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int fake_GetEventInfo(cl_event handle, cl_uint what, size_t size, void *value, size_t *got)
{
    QUERY(fake_event, FAKE_EVENT, CL_INVALID_EVENT, event_answer);
}

static cl_int profiling_answer(const fake_event *e, cl_uint what, size_t size, void *value, size_t *got)
{
    if (!e->profiled || e->status != CL_COMPLETE)
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    if (what < CL_PROFILING_COMMAND_QUEUED || what > CL_PROFILING_COMMAND_END)
        return CL_INVALID_VALUE;
    ANSWER(e->times[what - CL_PROFILING_COMMAND_QUEUED]);
}

cl_int fake_GetEventProfilingInfo(cl_event handle, cl_uint what, size_t size, void *value, size_t *got)
{
    QUERY(fake_event, FAKE_EVENT, CL_INVALID_EVENT, profiling_answer);
}
