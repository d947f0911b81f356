/* What the tests of the cache share: a scene with a cache of its own, its figures, and the only file in it. */
#ifndef SYC_TESTS_CACHE_SCENE_H
#define SYC_TESTS_CACHE_SCENE_H

#include "program/build.h"
#include "program/cache/cache.h"
#include "program/cache/folder.h"
#include "scene.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

static char folder[64];

static inline void open_cache(void)
{
    snprintf(folder, sizeof folder, "/tmp/pysycl-test-XXXXXX");
    CHECK(mkdtemp(folder) != NULL);
    unsetenv("PYSYCL_CACHE");
    setenv("PYSYCL_CACHE_DIR", folder, 1);
    open_scene();
    CHECK_OK(syc_fault_install(device->platform->driver));
}

static inline void close_cache(void)
{
    CHECK_OK(syc_fault_install(NULL));
    syc_cache_close();
    close_scene();
    (void)syc__folder_clear(folder);
    CHECK_EQUAL(rmdir(folder), 0);
}

static inline syc_cache_figures figures(void)
{
    syc_cache_figures f;
    syc_cache_save(); /* what is on its way has arrived */
    syc_cache_figures_get(&f);
    return f;
}

static inline long from_text(void)
{
    return syc_fault_calls("CreateProgramWithSource");
}

static inline long from_binaries(void)
{
    return syc_fault_calls("CreateProgramWithBinary");
}

/* A program of its own each time: only the cache can know that it was built before. */
static inline syc_status build_one(const char *text, const char *options)
{
    syc_program *made = NULL;
    syc_build *build = NULL;
    syc_status status = syc_program_create(text, strlen(text), options, &made);
    if (status == SYC_OK)
        status = syc_program_build(made, context, &build);
    syc_program_release(made);
    return status;
}

static inline const char *only_entry(void)
{
    static char path[400];
    DIR *listing = opendir(folder);
    const struct dirent *entry;
    path[0] = '\0';
    while (listing != NULL && (entry = readdir(listing)) != NULL)
        if (entry->d_name[0] != '.')
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (listing != NULL)
        closedir(listing);
    return path;
}

static inline size_t load(const char *path, unsigned char **out)
{
    FILE *file = fopen(path, "rb");
    size_t size = 0;
    *out = malloc(1 << 20);
    if (file != NULL)
        size = fread(*out, 1, 1 << 20, file);
    if (file != NULL)
        fclose(file);
    return size;
}

static inline void store(const char *path, const unsigned char *bytes, size_t size)
{
    int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    CHECK(file >= 0 && write(file, bytes, size) == (ssize_t)size);
    close(file);
}

#endif
