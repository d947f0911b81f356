/* Queries of platforms and devices, each asked twice: how long is the answer, then the answer. */
#include "cl/info.h"

#include "base/alloc.h"
#include "base/process.h"
#include "cl/constants.h"
#include "cl/device.h"
#include "cl/room.h"

#include <string.h>

/* No answer of a sane driver is longer: the longest are extension lists of some kilobytes. */
enum { ANSWER_LIMIT = 1 << 20 };

static cl_int ask_device(const syc_driver *driver, const void *object, cl_uint what, size_t size, void *value,
                         size_t *got)
{
    return driver->cl.GetDeviceInfo((cl_device_id)object, what, size, value, got);
}

static cl_int ask_platform(const syc_driver *driver, const void *object, cl_uint what, size_t size, void *value,
                           size_t *got)
{
    return driver->cl.GetPlatformInfo((cl_platform_id)object, what, size, value, got);
}

static cl_int ask_context(const syc_driver *driver, const void *object, cl_uint what, size_t size, void *value,
                          size_t *got)
{
    return driver->cl.GetContextInfo((cl_context)object, what, size, value, got);
}

syc__question syc__device_question(const syc_driver *driver, cl_device_id device, cl_uint what)
{
    return (syc__question){driver, device, ask_device, "clGetDeviceInfo", what};
}

syc__question syc__platform_question(const syc_driver *driver, cl_platform_id platform, cl_uint what)
{
    return (syc__question){driver, platform, ask_platform, "clGetPlatformInfo", what};
}

syc__question syc__context_question(const syc_driver *driver, cl_context context, cl_uint what)
{
    return (syc__question){driver, context, ask_context, "clGetContextInfo", what};
}

static syc_status ask_size(const syc__question *q, size_t *out)
{
    syc_status status = SYC_OK;
    size_t size = 0;
    cl_int code = q->ask(q->driver, q->object, q->what, 0, NULL, &size);

    if (code != CL_SUCCESS)
        return syc_fail_cl(SYC_HERE, q->entry, code);
    SYC_CHECK(size <= ANSWER_LIMIT, SYC_E_PLATFORM, "%s(0x%x) of %s announces an answer of %zu bytes", q->entry,
              q->what, q->driver->path, size);
    *out = size;
done:
    return status;
}

/* Fetches the `size` bytes that were announced. */
static syc_status ask_again(const syc__question *q, size_t size, void *out)
{
    syc_status status = SYC_OK;
    size_t got = size;
    cl_int code;

    if (size == 0)
        return SYC_OK;
    code = q->ask(q->driver, q->object, q->what, size, out, &got);
    if (code != CL_SUCCESS)
        return syc_fail_cl(SYC_HERE, q->entry, code);
    SYC_CHECK(got == size, SYC_E_PLATFORM, "%s(0x%x) of %s announced %zu bytes and then answered %zu", q->entry,
              q->what, q->driver->path, size, got);
done:
    return status;
}

syc_status syc__ask_value(syc__question q, size_t size, void *out)
{
    syc_status status = SYC_OK;
    size_t announced = 0;

    SYC_TRY(ask_size(&q, &announced));
    SYC_CHECK(announced == size, SYC_E_PLATFORM, "%s(0x%x) of %s answers %zu bytes where %zu were expected", q.entry,
              q.what, q.driver->path, announced, size);
    SYC_TRY(ask_again(&q, size, out));
done:
    return status;
}

syc_status syc__ask_array(syc__question q, size_t unit, void *out_pointer, size_t *out_count)
{
    syc_status status = SYC_OK;
    char *bytes = NULL;
    size_t size = 0;

    SYC_TRY(syc__driver_check_answer(q.driver));
    SYC_TRY(ask_size(&q, &size));
    SYC_CHECK(size % unit == 0, SYC_E_PLATFORM, "%s(0x%x) of %s answers %zu bytes, not a multiple of %zu", q.entry,
              q.what, q.driver->path, size, unit);
    SYC_TRY(syc_alloc(size + 1, &bytes));
    SYC_TRY(ask_again(&q, size, bytes));
    *(void **)out_pointer = bytes;
    *out_count = size / unit;
    bytes = NULL;
done:
    syc_free(bytes);
    return status;
}

syc_status syc__ask_string(syc__question q, char **out)
{
    size_t size = 0;
    return syc__ask_array(q, 1, out, &size);
}

bool syc__has_word(const char *words, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = words; length > 0 && (at = strstr(at, name)) != NULL; at += length) {
        bool starts = at == words || at[-1] == ' ';
        if (starts && (at[length] == ' ' || at[length] == '\0'))
            return true;
    }
    return false;
}

static syc_status ask_numbers(syc__question q, syc_info *info)
{
    _Static_assert(sizeof(size_t) == sizeof(int64_t) && sizeof(intptr_t) == sizeof(int64_t), "64-bit hosts only");
    return syc__ask_array(q, sizeof(int64_t), &info->numbers, &info->count);
}

static syc_status ask_kind(syc__question q, syc_info_kind kind, syc_info *info)
{
    syc_status status;
    cl_uint narrow = 0;

    switch (kind) {
    case SYC_INFO_UINT:
    case SYC_INFO_BOOL:
        status = syc__ask_value(q, sizeof narrow, &narrow);
        info->number = narrow;
        return status;
    case SYC_INFO_ULONG:
    case SYC_INFO_SIZE:
        return syc__ask_value(q, sizeof info->number, &info->number);
    case SYC_INFO_STRING:
        return syc__ask_string(q, &info->string);
    case SYC_INFO_SIZES:
    case SYC_INFO_WORDS:
        return ask_numbers(q, info);
    }
    return syc_fail(SYC_E_INVALID_PARAMETER, SYC_HERE, "there is no kind of answer %d", (int)kind);
}

static syc_status ask(syc__question q, syc_info_kind kind, syc_info *out)
{
    syc_status status = SYC_OK;
    syc_info info = {.kind = kind};

    SYC_TRY(syc_process_check());
    SYC_TRY(ask_kind(q, kind, &info));
    *out = info;
done:
    return status;
}

syc_status syc_device_info(const syc_device *device, cl_uint what, syc_info_kind kind, syc_info *out)
{
    return ask(syc__device_question(device->platform->driver, device->lanes[SYC_LANE_POOL], what), kind, out);
}

syc_status syc_platform_info(const syc_platform *platform, cl_uint what, syc_info *out)
{
    return ask(syc__platform_question(platform->driver, platform->id, what), SYC_INFO_STRING, out);
}

void syc_info_clear(syc_info *info)
{
    syc_free(info->string);
    syc_free(info->numbers);
    *info = (syc_info){.kind = info->kind};
}

syc_status syc_device_has_extension(const syc_device *device, const char *name, bool *out)
{
    syc_status status = SYC_OK;
    syc_info info = {0};

    SYC_TRY(syc_device_info(device, CL_DEVICE_EXTENSIONS, SYC_INFO_STRING, &info));
    *out = syc__has_word(info.string, name);
done:
    syc_info_clear(&info);
    return status;
}
