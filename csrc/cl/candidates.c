/* The places that a search has found, each library once. */
#define _GNU_SOURCE
#include "cl/search.h"

#include "base/alloc.h"

#include <dirent.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Bare names are compared as text only: which file the dynamic loader takes is known when it is opened (registry.c). */
static bool same_library(const char *a, const char *b)
{
    struct stat x, y;
    if (strcmp(a, b) == 0)
        return true;
    return strchr(a, '/') != NULL && strchr(b, '/') != NULL && stat(a, &x) == 0 && stat(b, &y) == 0 &&
           x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

syc_status syc__search_add(syc_search *search, const char *path, const char *origin)
{
    syc_status status = SYC_OK;
    syc_candidates *c = search->out;
    syc_candidate item = {0};

    for (size_t i = 0; i < c->count; i++) {
        if (same_library(c->items[i].path, path)) {
            if (strcmp(c->items[i].path, path) != 0)
                syc_text_add(&search->notes, "%s: %s is %s, named before by %s\n", origin, path, c->items[i].path,
                             c->items[i].origin);
            return SYC_OK;
        }
    }
    SYC_TRY(syc_grow(&c->items, &c->capacity, c->count + 1, sizeof *c->items));
    SYC_TRY(syc_copy_string(path, &item.path));
    SYC_TRY(syc_copy_string(origin, &item.origin));
    c->items[c->count++] = item;
    item = (syc_candidate){0};
done:
    syc_free(item.path);
    return status;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

syc_status syc__search_list(const char *folder, const char *pattern, char ***out, size_t *count)
{
    syc_status status = SYC_OK;
    DIR *listing = opendir(folder);
    struct dirent *entry;
    char **names = NULL;
    size_t n = 0, capacity = 0;

    while (listing != NULL && (entry = readdir(listing)) != NULL) {
        if (fnmatch(pattern, entry->d_name, 0) != 0)
            continue;
        SYC_TRY(syc_grow(&names, &capacity, n + 1, sizeof *names));
        SYC_TRY(syc_copy_string(entry->d_name, &names[n]));
        n++;
    }
    if (n > 1)
        qsort(names, n, sizeof *names, by_name);
    *out = names;
    *count = n;
    names = NULL;
done:
    syc__search_list_free(names, n);
    if (listing != NULL)
        closedir(listing);
    return status;
}

void syc__search_list_free(char **names, size_t count)
{
    for (size_t i = 0; names != NULL && i < count; i++)
        syc_free(names[i]);
    syc_free(names);
}

void syc__candidates_clear(syc_candidates *c)
{
    for (size_t i = 0; i < c->count; i++) {
        syc_free(c->items[i].path);
        syc_free(c->items[i].origin);
    }
    syc_free(c->items);
    syc_free(c->notes);
    *c = (syc_candidates){0};
}
