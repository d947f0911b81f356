/* All drivers of the process: found and opened once, never closed. */
#include "base/alloc.h"
#include "base/peek.h"
#include "base/process.h"
#include "base/text.h"
#include "base/thread.h"
#include "cl/driver.h"
#include "cl/error.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char **roots; /* guarded by lock */
static size_t root_count;

/* Written under the lock; read without it once `loaded` is set, for then they never change again. */
static syc_driver *drivers;
static size_t driver_count;
static char *notes;
static atomic_bool loaded;

static void free_roots(void)
{
    for (size_t i = 0; i < root_count; i++)
        syc_free(roots[i]);
    syc_free(roots);
    roots = NULL;
    root_count = 0;
}

static syc_status copy_roots_locked(const char *const *from, size_t count)
{
    syc_status status = SYC_OK;

    free_roots();
    SYC_TRY(syc_alloc_array(count, sizeof *roots, &roots));
    for (; root_count < count; root_count++)
        SYC_TRY(syc_copy_string(from[root_count], &roots[root_count]));
done:
    if (status != SYC_OK)
        free_roots();
    return status;
}

syc_status syc_drivers_set_roots(const char *const *from, size_t count)
{
    syc_status status = SYC_OK;
    pthread_mutex_lock(&lock);
    if (!atomic_load(&loaded))
        status = copy_roots_locked(from, count);
    pthread_mutex_unlock(&lock);
    return status;
}

/* The driver before this one that has the same library open, whatever name that was opened by. */
static const syc_driver *opened_before(const syc_driver *driver)
{
    void *library = dlopen(driver->path, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    const syc_driver *found = NULL;
    for (const syc_driver *other = drivers; library != NULL && other < driver && found == NULL; other++)
        if (other->library == library)
            found = other;
    if (library != NULL)
        dlclose(library); /* gives back the reference that asking has taken */
    return found;
}

static void clear_locked(void)
{
    for (size_t i = 0; i < driver_count; i++) {
        syc_free(drivers[i].path);
        syc_free(drivers[i].origin);
        syc_free(drivers[i].refusal);
        syc_free(drivers[i].quirks);
        syc_free(drivers[i].folder);
        syc_free(drivers[i].platforms);
    }
    syc_free(drivers);
    drivers = NULL;
    driver_count = 0;
}

/* Opens candidate `c` as the next driver. Its strings move over. */
static syc_status open_locked(syc_candidate *c, syc_text *remarks)
{
    syc_driver *driver = &drivers[driver_count];
    const syc_driver *same;

    *driver = (syc_driver){.path = c->path, .origin = c->origin};
    *c = (syc_candidate){0};
    same = opened_before(driver);
    if (same != NULL) {
        syc_text_add(remarks, "%s: %s is %s, named before by %s\n", driver->origin, driver->path, same->path,
                     same->origin);
        syc_free(driver->path);
        syc_free(driver->origin);
        return SYC_OK;
    }
    driver_count++;
    return syc__driver_open(driver);
}

static syc_status load_locked(void)
{
    syc_status status = SYC_OK;
    syc_candidates found = {0};
    syc_text remarks = {0};

    SYC_TRY(syc__search((const char *const *)roots, root_count, &found));
    SYC_TRY(syc_alloc_array(found.count, sizeof *drivers, &drivers));
    if (found.notes != NULL)
        syc_text_add(&remarks, "%s", found.notes);
    for (size_t i = 0; i < found.count; i++)
        SYC_TRY(open_locked(&found.items[i], &remarks));
    SYC_CHECK(!remarks.cut, SYC_E_MEMORY_ALLOCATION, "no memory for where drivers were searched");
    notes = syc_text_take(&remarks);
done:
    if (status != SYC_OK)
        clear_locked(); /* the libraries stay open; a later call starts afresh */
    syc_text_clear(&remarks);
    syc__candidates_clear(&found);
    return status;
}

syc_status syc_drivers_visit_candidates(void (*each)(const char *path, const char *origin, void *user), void *user,
                                        char **out_notes)
{
    syc_status status;
    syc_candidates found = {0};

    pthread_mutex_lock(&lock);
    status = syc__search((const char *const *)roots, root_count, &found);
    pthread_mutex_unlock(&lock);
    for (size_t i = 0; status == SYC_OK && i < found.count; i++)
        each(found.items[i].path, found.items[i].origin, user);
    if (status == SYC_OK) {
        *out_notes = found.notes;
        found.notes = NULL;
    }
    syc__candidates_clear(&found);
    return status;
}

syc_status syc_drivers_load(void)
{
    syc_status status = syc_process_check();
    sigset_t before;
    if (status != SYC_OK || atomic_load_explicit(&loaded, memory_order_acquire))
        return status;
    syc_cl_errors_install();
    syc_process_mark_used(); /* before the lock is taken: a child forked meanwhile would find it taken for ever */
    pthread_mutex_lock(&lock);
    if (!atomic_load_explicit(&loaded, memory_order_relaxed)) {
        syc_signals_hold(&before); /* the threads of the drivers' own compile and link, too */
        status = load_locked();
        syc_signals_let(&before);
        atomic_store_explicit(&loaded, status == SYC_OK, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return status;
}

size_t syc_driver_count(void)
{
    return atomic_load_explicit(&loaded, memory_order_acquire) ? driver_count : 0;
}

syc_driver *syc_driver_at(size_t index)
{
    return index < syc_driver_count() ? &drivers[index] : NULL;
}

/* Every object of a driver begins with the address of the one table that its platforms begin with too. */
syc_driver *syc_driver_of_handle(const void *handle)
{
    void *table = NULL;
    if (handle == NULL || syc_peek(handle, &table, sizeof table) != sizeof table || table == NULL)
        return NULL;
    for (size_t i = 0; i < syc_driver_count(); i++)
        if (drivers[i].platform_count > 0 && *(void **)drivers[i].platforms[0] == table)
            return &drivers[i];
    return NULL;
}

char *syc_drivers_describe(void)
{
    syc_text text = {0};
    if (!atomic_load_explicit(&loaded, memory_order_acquire))
        syc_text_add(&text, "no search for drivers was made yet\n");
    for (size_t i = 0; i < syc_driver_count(); i++) {
        const syc_driver *d = &drivers[i];
        syc_text_add(&text, "%s (named by %s): ", d->path, d->origin);
        if (d->refusal != NULL)
            syc_text_add(&text, "refused: %s\n", d->refusal);
        else
            syc_text_add(&text, "usable, OpenCL %u.%u, %zu platform%s%s%s\n", d->version / 10, d->version % 10,
                         d->platform_count, d->platform_count == 1 ? "" : "s", d->quirks ? "; " : "",
                         d->quirks ? d->quirks : "");
    }
    if (atomic_load_explicit(&loaded, memory_order_acquire) && notes != NULL)
        syc_text_add(&text, "%s", notes);
    return syc_text_take(&text);
}
