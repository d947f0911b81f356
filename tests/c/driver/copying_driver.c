/* A real driver under another name, so that pysycl knows nothing good of it: it keeps all data in memory objects of the
 * driver's own and copies, as for a GPU. Its kernels compute, which the fake driver's cannot, so it shows that data get
 * everywhere they must.
 *
 * Environment: COPYING_DRIVER  path of the real driver, which must have a dispatch table
 *              COPYING_NAME    the platform's name, default "Copying"
 *              COPYING_TYPE    gpu: its devices say that they are GPUs
 *              COPYING_CLOCK   ns that the clock of its events' times is ahead of the driver's own
 *              COPYING_SVM     coarse, or none: what its devices say of shared virtual memory */
#include "cl/constants.h"
#include "cl/entries.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TABLE = 168,
    SLOT_GET_PLATFORM_INFO = 1,
    SLOT_GET_DEVICE_INFO = 3,
    SLOT_CREATE_BUFFER = 14,
    SLOT_GET_PROGRAM_INFO = 32,
    SLOT_GET_EVENT_PROFILING_INFO = 45,
    MOST_DEVICES = 16,
    PLATFORM_NAME = 0x0902,
    DEVICE_TYPE = 0x1000,
    SVM_CAPABILITIES = 0x1053,
    PROGRAM_NUM_DEVICES = 0x1162,
    PROGRAM_BINARY_SIZES = 0x1165,
    INVALID_VALUE = -30,
    USE_HOST_PTR = 1 << 3,
    COPY_HOST_PTR = 1 << 5
};

typedef cl_int (*get_platforms)(cl_uint count, cl_platform_id *out, cl_uint *got);
typedef cl_int (*get_info)(void *object, cl_uint what, size_t size, void *value, size_t *got);
typedef cl_mem (*create_buffer)(cl_context context, cl_bitfield flags, size_t size, void *host, cl_int *code);

static void *table[TABLE];
static get_platforms real_platforms;
static get_info real_platform_info, real_device_info, real_program_info, real_event_times;
static create_buffer real_create_buffer;

__attribute__((visibility("default"))) void *clGetExtensionFunctionAddress(const char *name);

static const char *setting(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value != NULL ? value : otherwise;
}

static cl_int answer(const void *data, size_t bytes, size_t size, void *value, size_t *got)
{
    if (value != NULL && size < bytes)
        return INVALID_VALUE;
    if (value != NULL)
        memcpy(value, data, bytes);
    if (got != NULL)
        *got = bytes;
    return 0;
}

static cl_int platform_info(void *platform, cl_uint what, size_t size, void *value, size_t *got)
{
    const char *name = setting("COPYING_NAME", "Copying");
    if (what == PLATFORM_NAME)
        return answer(name, strlen(name) + 1, size, value, got);
    return real_platform_info(platform, what, size, value, got);
}

static cl_int device_info(void *device, cl_uint what, size_t size, void *value, size_t *got)
{
    const cl_bitfield gpu = 1 << 2, coarse = 1, none = 0;
    if (what == DEVICE_TYPE && strcmp(setting("COPYING_TYPE", ""), "gpu") == 0)
        return answer(&gpu, sizeof gpu, size, value, got);
    if (what == SVM_CAPABILITIES && strcmp(setting("COPYING_SVM", ""), "coarse") == 0)
        return answer(&coarse, sizeof coarse, size, value, got);
    if (what == SVM_CAPABILITIES && strcmp(setting("COPYING_SVM", ""), "none") == 0)
        return answer(&none, sizeof none, size, value, got);
    return real_device_info(device, what, size, value, got);
}

static cl_int event_times(void *event, cl_uint what, size_t size, void *value, size_t *got)
{
    cl_int code = real_event_times(event, what, size, value, got);
    if (code == 0 && value != NULL)
        *(cl_ulong *)value += (cl_ulong)strtoll(setting("COPYING_CLOCK", "0"), NULL, 10);
    return code;
}

/* What is known of another driver's binaries holds for no real one's: there are none. */
static cl_int program_info(void *program, cl_uint what, size_t size, void *value, size_t *got)
{
    const size_t none[MOST_DEVICES] = {0};
    cl_uint count = 0;
    if (what == PROGRAM_BINARY_SIZES &&
        real_program_info(program, PROGRAM_NUM_DEVICES, sizeof count, &count, NULL) == 0 && count <= MOST_DEVICES)
        return answer(none, count * sizeof *none, size, value, got);
    return real_program_info(program, what, size, value, got);
}

/* Nobody may use the host's memory in place: what asks for it gets a copy that is never written back. */
static cl_mem buffer(cl_context context, cl_bitfield flags, size_t size, void *host, cl_int *code)
{
    if ((flags & USE_HOST_PTR) != 0)
        flags = (flags & ~(cl_bitfield)USE_HOST_PTR) | COPY_HOST_PTR;
    return real_create_buffer(context, flags, size, host, code);
}

static void *replace(int slot, void *with)
{
    void *real = table[slot];
    table[slot] = with;
    return real;
}

static cl_int platforms(cl_uint count, cl_platform_id *out, cl_uint *got)
{
    cl_uint found = 0;
    cl_int code = real_platforms(count, out, &found);

    for (cl_uint i = 0; code == 0 && out != NULL && i < found && i < count; i++) {
        if (table[0] == NULL) {
            memcpy(table, **(void ***)(void *)&out[i], sizeof table);
            *(void **)&real_platform_info = replace(SLOT_GET_PLATFORM_INFO, *(void **)&(get_info){platform_info});
            *(void **)&real_device_info = replace(SLOT_GET_DEVICE_INFO, *(void **)&(get_info){device_info});
            *(void **)&real_program_info = replace(SLOT_GET_PROGRAM_INFO, *(void **)&(get_info){program_info});
            *(void **)&real_event_times = replace(SLOT_GET_EVENT_PROFILING_INFO, *(void **)&(get_info){event_times});
            *(void **)&real_create_buffer = replace(SLOT_CREATE_BUFFER, *(void **)&(create_buffer){buffer});
        }
        **(void ***)(void *)&out[i] = table;
    }
    if (got != NULL)
        *got = found;
    return code;
}

void *clGetExtensionFunctionAddress(const char *name)
{
    void *library, *(*find)(const char *);

    if (strcmp(name, "clIcdGetPlatformIDsKHR") != 0)
        return NULL;
    library = dlopen(setting("COPYING_DRIVER", ""), RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "copying driver: %s\n", dlerror());
        return NULL;
    }
    *(void **)&find = dlsym(library, "clGetExtensionFunctionAddress");
    if (find != NULL)
        *(void **)&real_platforms = find(name);
    return real_platforms != NULL ? *(void **)&(get_platforms){platforms} : NULL;
}
