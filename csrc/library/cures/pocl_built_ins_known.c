/* Part of library/cures/pocl_built_ins.c: the headers that are known, by what they say, with a row for each release of
 * PoCL whose programs were seen to come out the same. Anything else, an edited file too, is left to the driver. */
#define _GNU_SOURCE
#include "base/alloc.h"
#include "base/digest.h"
#include "cl/context.h"
#include "cl/driver.h"
#include "library/cures/pocl_built_ins.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const struct row {
    const char *version; /* a part of the platform's */
    const char *digest;  /* of its files, one after the other */
} rows[] = {
    {"PoCL 3.0-rc2", "db78bcfc48e9faac945827f0162c75d4da73d590dae0cb7b2fda91e659ba4d36"},
};
/* All functions of OpenCL C; those that PoCL has besides, and what stands after them; the header that includes both. */
static const char *const files[] = {"opencl-c.h", "_clang_opencl.h", "_kernel.h"};
enum { FILES = sizeof files / sizeof *files, LARGEST = 4 << 20 };

/* The findings for a driver; without a header there are none. */
struct found {
    struct found *next;
    const syc_driver *driver;
    char *header;
    syc__built_ins *built_ins;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf */
static struct found *first;                              /* for as long as the process lives, as drivers are */

static syc_status read_file(const char *folder, const char *name, syc_text *out)
{
    char path[4096], bytes[16384];
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = length > 0 && (size_t)length < sizeof path ? fopen(path, "re") : NULL;
    size_t got;

    if (file == NULL)
        return SYC_OK;
    while (out->length < LARGEST && (got = fread(bytes, 1, sizeof bytes, file)) > 0)
        syc_text_add_n(out, bytes, got);
    (void)fclose(file);
    return out->cut ? syc_fail(SYC_E_MEMORY_ALLOCATION, SYC_HERE, "no memory for %s", path) : SYC_OK;
}

static bool is_known(const syc_text *texts, const char *version)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char result[SYC_DIGEST_SIZE];
    char name[2 * SYC_DIGEST_SIZE + 1] = "";
    syc_digest digest;

    syc_digest_begin(&digest);
    for (size_t i = 0; i < FILES; i++)
        syc_digest_add(&digest, syc_text_get(&texts[i]), texts[i].length);
    syc_digest_end(&digest, result);
    for (size_t i = 0; i < sizeof name - 1; i++)
        name[i] = digits[result[i / 2] >> (i % 2 == 0 ? 4 : 0) & 15];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strstr(version, rows[i].version) != NULL && strcmp(rows[i].digest, name) == 0)
            return true;
    return false;
}

/* The header begins by saying that it is there, which it must not find said; what _clang_opencl.h has besides stands
 * between its own inclusion of the header and its last #endif. */
static void put_together(const syc_text *texts, syc_text *out)
{
    const char *more = strstr(syc_text_get(&texts[1]), "#include <opencl-c.h>"), *last = NULL;

    syc_text_add(out, "#undef _OPENCL_H_\n");
    syc_text_add_n(out, texts[0].data, texts[0].length);
    for (const char *at = more; at != NULL; at = strstr(at + 1, "#endif"))
        last = at;
    if (more != NULL && last > more)
        syc_text_add_n(out, more, (size_t)(last - more));
    syc_text_add(out, "\n#pragma OPENCL EXTENSION all : disable\n");
}

static syc_status look_in(const char *folder, const char *version, struct found *out)
{
    syc_text texts[FILES] = {{0}}, header = {0};
    syc_status status = SYC_OK;

    for (size_t i = 0; i < FILES; i++)
        SYC_TRY(read_file(folder, files[i], &texts[i]));
    if (!is_known(texts, version))
        goto done;
    put_together(texts, &header);
    SYC_CHECK(!header.cut, SYC_E_MEMORY_ALLOCATION, "no memory for PoCL's header");
    SYC_TRY(syc__built_ins_read(header.data, header.length, &out->built_ins));
    out->header = syc_text_take(&header);
done:
    for (size_t i = 0; i < FILES; i++)
        syc_text_clear(&texts[i]);
    syc_text_clear(&header);
    return status;
}

/* Where a library finds its headers: beside it, beside the wheel that it shares with PyOpenCL's, or where a system has
 * them. */
static syc_status look(const syc_driver *driver, const char *version, struct found *out)
{
    static const char *const places[] = {"/../../pocl_binary_distribution/.libs/share/pocl/include",
                                         "/share/pocl/include"};
    struct link_map *map = NULL;
    const char *slash;
    syc_status status = SYC_OK;

    if (strstr(version, "PoCL") == NULL || driver->library == NULL ||
        dlinfo(driver->library, RTLD_DI_LINKMAP, &map) != 0 || map == NULL)
        return SYC_OK;
    slash = strrchr(map->l_name, '/');
    for (size_t i = 0; slash != NULL && i < sizeof places / sizeof *places && out->built_ins == NULL; i++) {
        char folder[4096];
        int length = snprintf(folder, sizeof folder, "%.*s%s", (int)(slash - map->l_name), map->l_name, places[i]);
        if (length > 0 && (size_t)length < sizeof folder)
            SYC_TRY(look_in(folder, version, out));
    }
    if (out->built_ins == NULL)
        SYC_TRY(look_in("/usr/share/pocl/include", version, out));
done:
    return status;
}

static syc_status find_locked(const syc_context *context, const syc__built_ins **out)
{
    const syc_driver *driver = context->platform->driver;
    struct found *found = first;
    syc_status status = SYC_OK;

    while (found != NULL && found->driver != driver)
        found = found->next;
    if (found == NULL) {
        SYC_TRY(syc_alloc(sizeof *found, &found));
        found->driver = driver;
        status = look(driver, context->platform->version, found);
        if (status != SYC_OK) { /* memory may be there the next time */
            syc__built_ins_free(found->built_ins);
            syc_free(found->header);
            syc_free(found);
            return status;
        }
        found->next = first;
        first = found;
    }
    *out = found->built_ins;
done:
    return status;
}

syc_status syc__built_ins_front(const syc_context *context, const syc_slice *texts, size_t count, syc_text *out)
{
    const syc__built_ins *built_ins = NULL;
    syc_status status;

    pthread_mutex_lock(&lock);
    status = find_locked(context, &built_ins);
    pthread_mutex_unlock(&lock);
    if (status != SYC_OK || built_ins == NULL)
        return status;
    status = syc__built_ins_add(built_ins, texts, count, out);
    syc_text_add(out, "#line 1\n");
    return status;
}
