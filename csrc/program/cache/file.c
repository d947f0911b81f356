/* Reading and writing files of the cache. */
#define _GNU_SOURCE
#include "program/cache/file.h"

#include "base/alloc.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TOUCH_SECONDS = 60 };
static const off_t most_bytes = 256 << 20; /* of one file */

/* A file that somebody else could have written is not run. */
static bool is_trusted(const struct stat *info)
{
    bool own = info->st_uid == geteuid() || info->st_uid == 0;
    return own && S_ISREG(info->st_mode) && (info->st_mode & (S_IWGRP | S_IWOTH)) == 0 && info->st_size > 0 &&
           info->st_size <= most_bytes;
}

static bool read_all(int file, unsigned char *bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t got = read(file, bytes + done, size - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

/* Not mapped: a file that another process cuts short would end this one with SIGBUS. */
bool syc__file_read(const char *path, unsigned char **out, size_t *size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    unsigned char *bytes = NULL;
    struct stat info;
    bool good;

    if (file < 0)
        return false;
    good = fstat(file, &info) == 0 && is_trusted(&info) && syc_alloc((size_t)info.st_size, &bytes) == SYC_OK &&
           read_all(file, bytes, (size_t)info.st_size);
    close(file);
    if (!good) {
        syc_free(bytes);
        return false;
    }
    *out = bytes;
    *size = (size_t)info.st_size;
    return true;
}

void syc__file_touch(const char *path)
{
    struct stat info;
    if (stat(path, &info) == 0 && info.st_mtime + TOUCH_SECONDS < time(NULL))
        (void)utimensat(AT_FDCWD, path, NULL,
                        AT_SYMLINK_NOFOLLOW); /* a folder that cannot be written is used as it is */
}

static bool write_all(int file, const unsigned char *bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t put = write(file, bytes + done, size - done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        done += (size_t)put;
    }
    return true;
}

/* The folder and those above it; only the last is the cache's own. */
bool syc__folder_make(const char *folder)
{
    syc_text path = {0};
    bool made;

    syc_text_add(&path, "%s", folder);
    for (size_t i = 1; !path.cut && i < path.length; i++) {
        if (path.data[i] != '/')
            continue;
        path.data[i] = '\0';
        (void)mkdir(path.data, 0777); /* what is there already says so, and the last one tells */
        path.data[i] = '/';
    }
    made = !path.cut && (mkdir(path.data, 0700) == 0 || errno == EEXIST);
    syc_text_clear(&path);
    return made;
}

static bool fill(const char *unfinished, int file, const char *final, const unsigned char *bytes, size_t size)
{
    bool written = write_all(file, bytes, size) && fsync(file) == 0;
    written = close(file) == 0 && written; /* network disks say here that there was no room */
    if (written && rename(unfinished, final) == 0)
        return true;
    (void)unlink(unfinished);
    return false;
}

bool syc__file_write(const char *folder, const char *name, const unsigned char *bytes, size_t size)
{
    syc_text unfinished = {0}, final = {0};
    bool written = false;
    int file;

    syc_text_add(&unfinished, "%s/" SYC__UNFINISHED "XXXXXX", folder);
    syc_text_add(&final, "%s/%s", folder, name);
    if (!unfinished.cut && !final.cut && (off_t)size <= most_bytes && syc__folder_make(folder)) {
        file = mkostemp(unfinished.data, O_CLOEXEC); /* mode 600 */
        written = file >= 0 && fill(unfinished.data, file, final.data, bytes, size);
    }
    syc_text_clear(&final);
    syc_text_clear(&unfinished);
    return written;
}
