/* Making keys. Each field is written with its length, so that no two lists of fields read the same. */
#define _GNU_SOURCE
#include "program/cache/key.h"

#include "base/alloc.h"
#include "base/digest.h"
#include "cl/constants.h"
#include "cl/context.h"
#include "cl/device.h"
#include "cl/driver.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>

static void add(syc_text *key, const char *name, const char *bytes, size_t length)
{
    syc_text_add(key, "%s %zu:", name, length);
    syc_text_add_n(key, bytes, length);
    syc_text_add_n(key, "\n", 1);
}

static void add_text(syc_text *key, const char *name, const char *text)
{
    add(key, name, text != NULL ? text : "", text != NULL ? strlen(text) : 0);
}

/* Two builds of one driver may bear one version. */
static void add_library(syc_text *key, const syc_driver *driver)
{
    struct link_map *map = NULL;
    struct stat info;
    if (driver->library != NULL && dlinfo(driver->library, RTLD_DI_LINKMAP, &map) == 0 && map != NULL &&
        stat(map->l_name, &info) == 0)
        syc_text_add(key, "library %lld %lld\n", (long long)info.st_size, (long long)info.st_mtime);
}

static bool add_info(syc_text *key, const char *name, const syc_device *device, cl_uint what)
{
    syc_info info = {0};
    bool known = syc_device_info(device, what, SYC_INFO_STRING, &info) == SYC_OK;
    if (known)
        add_text(key, name, info.string);
    syc_info_clear(&info);
    return known;
}

static bool add_device(syc_text *key, const syc_device *device)
{
    syc_text_add(key, "device type %llu lanes %d\n", (unsigned long long)device->type,
                 1 + (device->lanes[SYC_LANE_CALLER] != NULL));
    if (device->facts->loses_ones)
        syc_text_add(key, "ones\n"); /* kept mended: cures/machine_code.h */
    if (device->facts->drops_minus)
        syc_text_add(key, "minus\n");
    if (device->type == CL_DEVICE_TYPE_CPU)
        syc__host_describe(key); /* drivers name processors that differ alike */
    return add_info(key, "name", device, CL_DEVICE_NAME) && add_info(key, "vendor", device, CL_DEVICE_VENDOR) &&
           add_info(key, "version", device, CL_DEVICE_VERSION) && add_info(key, "driver", device, CL_DRIVER_VERSION) &&
           add_info(key, "language", device, CL_DEVICE_OPENCL_C_VERSION);
}

static bool add_context(syc_text *key, const syc_context *context)
{
    const syc_platform *platform = context->platform;
    bool known = true;

    add_text(key, "platform", platform->name);
    add_text(key, "version", platform->version);
    add_library(key, platform->driver);
    add_text(key, "quirks", platform->driver->quirks);
    add_text(key, "environment", syc__cache_settings_get()->drivers);
    for (size_t i = 0; i < context->device_count && known; i++)
        known = add_device(key, context->devices[i]);
    return known;
}

static void name(syc__cache_key *key)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char result[SYC_DIGEST_SIZE];
    syc_digest digest;

    syc_digest_begin(&digest);
    syc_digest_add(&digest, key->bytes, key->length);
    syc_digest_end(&digest, result);
    for (size_t i = 0; i < SYC__ENTRY_NAME; i++)
        key->name[i] = digits[result[i / 2] >> (i % 2 == 0 ? 4 : 0) & 15];
    memcpy(key->name + SYC__ENTRY_NAME, SYC__ENTRY_SUFFIX, sizeof SYC__ENTRY_SUFFIX);
}

bool syc__cache_key_make(const char *kind, const syc_context *context, const syc__cache_text *text, syc__cache_key *out)
{
    syc_text key = {0};
    bool known;

    *out = (syc__cache_key){.bytes = NULL};
    if (!syc__text_is_closed(text->source, text->source_length, text->options))
        return false;
    syc_text_add(&key, "pysycl %s words %zu\n", syc__version, sizeof(void *));
    add_text(&key, "kind", kind);
    known = add_context(&key, context);
    add_text(&key, "options", text->options);
    add(&key, "prelude", text->prelude, text->prelude_length);
    add(&key, "source", text->source, text->source_length);
    if (!known || key.cut) {
        syc_text_clear(&key);
        return false;
    }
    out->length = key.length;
    out->bytes = syc_text_take(&key);
    name(out);
    return true;
}

void syc__cache_key_clear(syc__cache_key *key)
{
    syc_free(key->bytes);
    *key = (syc__cache_key){.bytes = NULL};
}
