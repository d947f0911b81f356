/* The cache's folder: a list of its files is taken anew each time, because other processes write and remove there too.
 */
#define _GNU_SOURCE
#include "program/cache/folder.h"

#include "base/alloc.h"
#include "program/cache/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { STALE_SECONDS = 3600 }; /* no writer takes as long */

typedef struct item {
    char name[SYC__ENTRY_NAME + sizeof SYC__ENTRY_SUFFIX];
    struct timespec used;
    uint64_t bytes;
} item;

static bool is_entry(const char *name)
{
    return strlen(name) == SYC__ENTRY_NAME + strlen(SYC__ENTRY_SUFFIX) &&
           strspn(name, "0123456789abcdef") == SYC__ENTRY_NAME && strstr(name, SYC__ENTRY_SUFFIX) != NULL;
}

static bool is_unfinished(const char *name)
{
    return strncmp(name, SYC__UNFINISHED, strlen(SYC__UNFINISHED)) == 0;
}

/* Calls `each` for every file; one that goes meanwhile is passed over. */
static void visit(const char *folder, void (*each)(int folder, const char *name, const struct stat *info, void *user),
                  void *user)
{
    DIR *listing = opendir(folder);
    struct dirent *entry;
    struct stat info;

    if (listing == NULL)
        return;
    while ((entry = readdir(listing)) != NULL)
        if ((is_entry(entry->d_name) || is_unfinished(entry->d_name)) &&
            fstatat(dirfd(listing), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode))
            each(dirfd(listing), entry->d_name, &info, user);
    closedir(listing);
}

struct sum {
    uint64_t bytes, entries;
};

static void count(int folder, const char *name, const struct stat *info, void *user)
{
    struct sum *sum = user;
    (void)folder;
    if (!is_entry(name))
        return;
    sum->bytes += (uint64_t)info->st_size;
    sum->entries++;
}

void syc__folder_measure(const char *folder, uint64_t *bytes, uint64_t *entries)
{
    struct sum sum = {0};
    visit(folder, count, &sum);
    *bytes = sum.bytes;
    *entries = sum.entries;
}

/* One that a living writer may still be at is left to it. */
static bool is_abandoned(const char *name, const struct stat *info)
{
    return is_unfinished(name) && info->st_mtime + STALE_SECONDS < time(NULL);
}

static void drop(int folder, const char *name, const struct stat *info, void *user)
{
    if ((is_entry(name) || is_abandoned(name, info)) && unlinkat(folder, name, 0) == 0)
        *(uint64_t *)user += is_entry(name);
}

uint64_t syc__folder_clear(const char *folder)
{
    uint64_t gone = 0;
    visit(folder, drop, &gone);
    return gone;
}

struct list {
    item *items;
    size_t count, capacity;
    uint64_t bytes;
};

static void gather(int folder, const char *name, const struct stat *info, void *user)
{
    struct list *list = user;

    if (is_abandoned(name, info))
        (void)unlinkat(folder, name, 0);
    if (!is_entry(name) || syc_grow(&list->items, &list->capacity, list->count + 1, sizeof *list->items) != SYC_OK)
        return;
    list->items[list->count] = (item){.used = info->st_mtim, .bytes = (uint64_t)info->st_size};
    memcpy(list->items[list->count++].name, name, strlen(name) + 1);
    list->bytes += (uint64_t)info->st_size;
}

static int compare(const void *a, const void *b)
{
    const struct timespec *x = &((const item *)a)->used, *y = &((const item *)b)->used;
    int seconds = (x->tv_sec > y->tv_sec) - (x->tv_sec < y->tv_sec);
    return seconds != 0 ? seconds : (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

void syc__folder_trim(const char *folder, uint64_t limit)
{
    struct list list = {0};
    int at = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    visit(folder, gather, &list);
    if (at >= 0 && list.bytes > limit) {
        qsort(list.items, list.count, sizeof *list.items, compare);
        for (size_t i = 0; i < list.count && list.bytes > limit - limit / 8; i++) {
            (void)unlinkat(at, list.items[i].name, 0); /* somebody else may have been quicker */
            list.bytes -= list.items[i].bytes;
        }
    }
    if (at >= 0)
        close(at);
    syc_free(list.items);
}
