/* A byte for each process that has held the mark: those before this one did not live to take it away. */
#define _GNU_SOURCE
#include "program/cache/mark.h"

#include "base/alloc.h"
#include "program/cache/cache.h"
#include "program/cache/file.h"
#include "program/cache/key.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static bool find_path(const syc_context *context, const char *question, syc_text *path)
{
    const syc__cache_text text = {"", question, "", 0, strlen(question)};
    const char *folder = syc_cache_folder();
    syc__cache_key key = {.bytes = NULL};
    bool found = folder != NULL && syc__cache_key_make("mark", context, &text, &key);

    if (found)
        syc_text_add(path, "%s/" SYC__UNFINISHED "%.*s", folder, SYC__ENTRY_NAME, key.name);
    syc__cache_key_clear(&key);
    return found && !path->cut && syc__folder_make(folder);
}

bool syc__mark_is_there(const syc_context *context, const char *question)
{
    syc_text path = {0};
    bool there = find_path(context, question, &path) && access(path.data, F_OK) == 0;
    syc_text_clear(&path);
    return there;
}

void syc__mark_make(const syc_context *context, const char *question, syc__mark *out)
{
    syc_text path = {0};
    struct stat info;

    *out = (syc__mark){.file = -1};
    if (find_path(context, question, &path))
        out->file = open(path.data, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (out->file >= 0 && flock(out->file, LOCK_EX | LOCK_NB) == 0 && fstat(out->file, &info) == 0 &&
        write(out->file, "*", 1) == 1) {
        out->path = syc_text_take(&path);
        out->deaths = info.st_size < 255 ? (unsigned)info.st_size : 255;
    } else if (out->file >= 0) {
        close(out->file);
        out->file = -1;
    }
    syc_text_clear(&path);
}

void syc__mark_remove(syc__mark *mark)
{
    if (mark->file >= 0) {
        (void)unlink(mark->path); /* else a later process may take a slower way, and says why */
        close(mark->file);
    }
    syc_free(mark->path);
    *mark = (syc__mark){.file = -1};
}
