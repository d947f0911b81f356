/* Part of cl/cures/pocl_environment.c: the process's own temporary folder. Who is alive is told by a lock on the
 * folder, besides the process id in its name: containers that share /tmp do not share process ids. */
#define _GNU_SOURCE
#include "cl/cures/pocl_private_dir.h"

#include "base/alloc.h"
#include "base/process.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static char own[PATH_MAX];  /* "" until it is made */
static pid_t owner;         /* a forked child must not remove its parent's folder */
static unsigned made_count; /* sub-folders so far */

static void remove_entry(int parent, const char *name);

static void remove_contents(int folder)
{
    int copy = dup(folder); /* fdopendir takes it */
    DIR *listing = copy >= 0 ? fdopendir(copy) : NULL;
    struct dirent *entry;
    if (listing == NULL) {
        if (copy >= 0)
            close(copy);
        return;
    }
    while ((entry = readdir(listing)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            remove_entry(folder, entry->d_name);
    closedir(listing);
}

/* Never follows a link: what is removed lies within the folder. */
static void remove_entry(int parent, const char *name)
{
    int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) {
        unlinkat(parent, name, 0);
        return;
    }
    remove_contents(folder);
    close(folder);
    unlinkat(parent, name, AT_REMOVEDIR);
}

static void remove_own(void)
{
    if (own[0] != '\0' && owner == getpid())
        remove_entry(AT_FDCWD, own);
}

static bool is_stale(int parent, const char *name)
{
    int pid = 0, length = 0, folder;
    struct stat info;
    bool stale;
    if (sscanf(name, "pysycl-%d-%*6[A-Za-z0-9]%n", &pid, &length) != 1 || name[length] != '\0' || length == 0 ||
        pid <= 0)
        return false;
    if (kill((pid_t)pid, 0) == 0 || errno != ESRCH)
        return false;
    folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return false;
    stale = fstat(folder, &info) == 0 && info.st_uid == geteuid() && flock(folder, LOCK_EX | LOCK_NB) == 0;
    close(folder);
    return stale;
}

static void remove_stale(const char *parent_path)
{
    DIR *listing = opendir(parent_path);
    struct dirent *entry;
    if (listing == NULL)
        return;
    while ((entry = readdir(listing)) != NULL)
        if (is_stale(dirfd(listing), entry->d_name))
            remove_entry(dirfd(listing), entry->d_name);
    closedir(listing);
}

/* False with errno set. The open folder is kept for the life of the process: it carries the lock. */
static bool make_under(const char *parent)
{
    int folder;
    if (snprintf(own, sizeof own, "%s/pysycl-%d-XXXXXX", parent, (int)getpid()) >= (int)sizeof own) {
        errno = ENAMETOOLONG;
    } else if (mkdtemp(own) != NULL) {
        folder = open(own, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (folder >= 0)
            (void)flock(folder, LOCK_EX | LOCK_NB);
        return true;
    }
    own[0] = '\0';
    return false;
}

static syc_status make_own(void)
{
    const char *wanted = getenv("TMPDIR");
    bool usable = wanted != NULL && wanted[0] == '/'; /* a relative one would move with the working directory */
    remove_stale(usable ? wanted : "/tmp");
    if (!(usable && make_under(wanted)) && !make_under("/tmp"))
        return syc_fail(SYC_E_RUNTIME, SYC_HERE, "no private folder can be made under %s%s/tmp: %s",
                        usable ? wanted : "", usable ? " or " : "", strerror(errno));
    owner = getpid();
    (void)atexit(remove_own);
    syc_process_set_last_act(remove_own);
    return SYC_OK;
}

syc_status syc__private_dir(char **out)
{
    syc_status status = SYC_OK;
    syc_text path = {0};

    if (own[0] == '\0')
        SYC_TRY(make_own());
    syc_text_add(&path, "%s/%u", own, ++made_count);
    SYC_CHECK(!path.cut, SYC_E_MEMORY_ALLOCATION, "no memory for a path");
    SYC_CHECK(mkdir(path.data, 0700) == 0, SYC_E_RUNTIME, "the folder %s cannot be made: %s", path.data,
              strerror(errno));
    *out = syc_text_take(&path);
done:
    syc_text_clear(&path);
    return status;
}
