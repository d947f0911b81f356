/* PoCL makes a folder for each build and device, whose name it tells nobody: "_UNCACHED_XXXXXX", with letters of
 * mkdtemp's choice. All lie in one folder (cl/cures/pocl_environment.c). */
#include "program/code_folders.h"

#include "base/alloc.h"
#include "cl/device.h"
#include "cl/driver.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { LETTERS = 6 };

static pthread_mutex_t one_build = PTHREAD_MUTEX_INITIALIZER;

/* -- names -- */

/* The letters as a number; 0: another name. */
static uint64_t key_of(const char *name, const char *first)
{
    size_t length = strlen(first);
    uint64_t key = 0;
    if (strncmp(name, first, length) != 0 || strlen(name) != length + LETTERS)
        return 0;
    for (size_t i = 0; i < LETTERS; i++)
        key = key << 8 | (unsigned char)name[length + i];
    return key;
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bool is_old(const syc__code_watch *watch, uint64_t key)
{
    return watch->count > 0 && bsearch(&key, watch->keys, watch->count, sizeof key, compare) != NULL;
}

/* -- folders -- */

typedef void visitor(void *payload, const char *name, uint64_t key);

/* False: they cannot be read. */
static bool visit(const syc_context *context, visitor *function, void *payload)
{
    const char *first = context->devices[0]->facts->code->folder;
    DIR *folder = opendir(context->platform->driver->folder);
    const struct dirent *entry;
    if (folder == NULL)
        return false;
    while ((entry = readdir(folder)) != NULL) {
        uint64_t key = key_of(entry->d_name, first);
        if (key != 0)
            function(payload, entry->d_name, key);
    }
    (void)closedir(folder);
    return true;
}

static void note(void *payload, const char *name, uint64_t key)
{
    syc__code_watch *watch = payload;
    (void)name;
    watch->cut = watch->cut || syc_grow(&watch->keys, &watch->room, watch->count + 1, sizeof key) != SYC_OK;
    if (!watch->cut)
        watch->keys[watch->count++] = key;
}

struct fresh {
    const syc__code_watch *watch;
    syc__code_folders *out;
    size_t count;
};

static void take(void *payload, const char *name, uint64_t key)
{
    struct fresh *fresh = payload;
    if (is_old(fresh->watch, key))
        return;
    if (fresh->count < SYC__CODE_FOLDERS && strlen(name) < SYC__CODE_NAME)
        strcpy(fresh->out->names[fresh->count], name);
    fresh->count++;
}

static size_t lanes_of(const syc_device *device)
{
    size_t count = 0;
    for (int lane = 0; lane < SYC_LANE_COUNT; lane++)
        count += device->lanes[lane] != NULL;
    return count;
}

/* -- watching -- */

void syc__code_watch_begin(const syc_context *context, syc__code_watch *watch)
{
    *watch = (syc__code_watch){.context = NULL};
    if (context == NULL || context->platform->driver->folder == NULL)
        return;
    pthread_mutex_lock(&one_build);
    watch->context = context;
    watch->cut = !visit(context, note, watch);
    if (watch->count > 1)
        qsort(watch->keys, watch->count, sizeof *watch->keys, compare);
}

void syc__code_watch_end(syc__code_watch *watch, syc__code_folders *out)
{
    struct fresh fresh = {.watch = watch, .out = out};
    out->count = 0;
    if (watch->context == NULL)
        return;
    if (!watch->cut && visit(watch->context, take, &fresh) && fresh.count <= lanes_of(watch->context->devices[0]) &&
        fresh.count <= SYC__CODE_FOLDERS)
        out->count = fresh.count;
    pthread_mutex_unlock(&one_build);
    syc_free(watch->keys);
}
