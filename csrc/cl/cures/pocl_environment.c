/* PoCL 3.0: its kernel cache is damaged where processes share it, and takes them with it.
 * Seen by: processes that shared one; a chance that no test can rely on.
 *
 * The cache is off, and PoCL's files go to a folder of this process alone, which must last as long as the process:
 * every build writes there. With it go the names of both of its devices: the pool of threads, and the one that runs on
 * the calling thread. PoCL 4 renamed them to "cpu" and "cpu-minimal" and still takes the old names. All this is in the
 * environment while the driver starts. */
#define _GNU_SOURCE
#include "base/alloc.h"
#include "cl/cures/pocl_private_dir.h"
#include "cl/driver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 3 };

/* The variables that were set here. The user's own are never among them, so that leaving is forgetting these. */
struct syc_environment {
    const char *names[MOST];
    size_t count;
    char *folder; /* where the driver writes files, or NULL */
};

static syc_status set(syc_environment *environment, const char *name, const char *value)
{
    syc_status status = SYC_OK;
    if (getenv(name) != NULL)
        return SYC_OK;
    SYC_CHECK(setenv(name, value, 0) == 0, SYC_E_MEMORY_ALLOCATION, "the variable %s cannot be set: %s", name,
              strerror(errno));
    environment->names[environment->count++] = name;
done:
    return status;
}

static bool names_pocl(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strcasestr(slash != NULL ? slash + 1 : path, "pocl") != NULL;
}

/* By the name asked for or by the file behind it: distributions link either to the other. */
static bool is_pocl(const char *path)
{
    char *real = strchr(path, '/') != NULL ? realpath(path, NULL) : NULL;
    bool found = names_pocl(path) || (real != NULL && names_pocl(real));
    free(real);
    return found;
}

static syc_status enter_pocl(syc_environment *environment)
{
    syc_status status = SYC_OK;
    char *folder = NULL;

    if (getenv("POCL_CACHE_DIR") == NULL) {
        SYC_TRY(syc__private_dir(&folder));
        SYC_TRY(set(environment, "POCL_CACHE_DIR", folder));
    }
    SYC_TRY(set(environment, "POCL_KERNEL_CACHE", "0"));
    SYC_TRY(set(environment, "POCL_DEVICES", "pthread basic"));
    SYC_TRY(syc_copy_string(getenv("POCL_CACHE_DIR"), &environment->folder));
done:
    syc_free(folder);
    return status;
}

syc_status syc__environment_enter(const char *path, syc_environment **out)
{
    syc_status status = SYC_OK;
    syc_environment *environment = NULL;

    SYC_TRY(syc_alloc(sizeof *environment, &environment));
    if (is_pocl(path))
        SYC_TRY(enter_pocl(environment));
    *out = environment;
    environment = NULL;
done:
    syc__environment_leave(environment);
    return status;
}

const char *syc__environment_folder(const syc_environment *environment)
{
    return environment->folder;
}

void syc__environment_leave(syc_environment *environment)
{
    if (environment == NULL)
        return;
    for (size_t i = 0; i < environment->count; i++)
        unsetenv(environment->names[i]);
    syc_free(environment->folder);
    syc_free(environment);
}
