/* Drivers: finding them, opening them by the ICD protocol, and the function table that each one is called through.
 *
 * No libOpenCL is involved. A driver is opened once per process and stays open until the process ends: unloading an
 * OpenCL library under its own threads is a crash. A candidate that cannot be used is kept with the reason, for the
 * doctor. */
#ifndef SYC_CL_DRIVER_H
#define SYC_CL_DRIVER_H

#include "base/status.h"
#include "cl/entries.h"

#include <stdbool.h>

typedef struct syc_driver {
    char *path;       /* what dlopen was given */
    char *origin;     /* which source named it: "PYSYCL_DRIVERS", "/etc/OpenCL/vendors/pocl.icd", "PoCL wheel in ..." */
    char *refusal;    /* NULL for a usable driver, else why it is not used */
    char *quirks;     /* quirks applied, "; " between them; NULL when none */
    bool links;       /* it starts `ld` for each kernel, and ends the process where that fails */
    char *folder;     /* where its compiler writes files; NULL: nowhere */
    void *library;    /* dlopen handle, NULL when refused before */
    unsigned version; /* lowest platform version * 10, e.g. 30: which rows of the table are filled */
    syc_cl_table cl;
    cl_platform_id *platforms;
    size_t platform_count;
} syc_driver;

/* Where wheels are looked for (Python's site-packages folders, in order). Copied. Call before the first load; later
 * calls have no effect. */
syc_status syc_drivers_set_roots(SYC_KEEP const char *const *roots, size_t count);
/* Finds and opens every driver, once per process; later calls return at once. Any thread; serialised by its own lock,
 * which is held across dlopen. Only failures of our own memory are errors: a bad driver is a refusal. */
syc_status syc_drivers_load(void);
/* Calls `each` for every place where a driver may be, in search order, and opens none: the doctor examines each in a
 * process of its own. `notes` receives a line for each source that named nothing (syc_free; may be NULL). */
syc_status syc_drivers_visit_candidates(void (*each)(const char *path, const char *origin, void *user), void *user,
                                        SYC_GIVE char **notes);
/* All candidates, refused ones too, in search order. Valid for the life of the process. */
size_t syc_driver_count(void);
syc_driver *syc_driver_at(size_t index);
/* The driver whose library made `handle` (any OpenCL object), or NULL. Reads the handle's first word without ever
 * faulting, so garbage is NULL, not a crash. */
syc_driver *syc_driver_of_handle(const void *handle);
/* The places searched and their outcome, one line each, for the error "no device". Free with syc_free. */
char *syc_drivers_describe(void);

/* -- within cl/ -- */

/* One place where a driver may be. */
typedef struct syc_candidate {
    char *path, *origin;
} syc_candidate;
typedef struct syc_candidates {
    syc_candidate *items;
    size_t count, capacity;
    char *notes; /* sources that named nothing, one line each */
} syc_candidates;

/* search.c: fills `out` in the documented order; the same library named twice stands once. */
syc_status syc__search(SYC_KEEP const char *const *roots, size_t count, SYC_GIVE syc_candidates *out);
void syc__candidates_clear(syc_candidates *c);

/* driver.c: opens one library. `driver->path` and `origin` are set; fills the rest. Refusals are not errors. */
syc_status syc__driver_open(syc_driver *driver);

/* cures/pocl_environment.c: the variables a driver must see while it starts. Set before dlopen, restored after the
 * first device query, so that neither os.environ nor a child process ever shows them. Variables that the user has set
 * are left alone. */
typedef struct syc_environment syc_environment;
syc_status syc__environment_enter(SYC_KEEP const char *path, SYC_GIVE syc_environment **out);
/* The folder that the driver is told to write its files to, or NULL. */
const char *syc__environment_folder(SYC_KEEP const syc_environment *environment);
void syc__environment_leave(SYC_TAKE syc_environment *environment);

#endif
