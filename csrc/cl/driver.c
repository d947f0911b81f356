/* Opening one library as a driver. Whatever is wrong with it becomes the driver's refusal: a sentence for the doctor.
 */
#define _GNU_SOURCE
#include "cl/driver.h"

#include "base/alloc.h"
#include "base/process.h"
#include "base/text.h"
#include "cl/constants.h"
#include "cl/cures/pocl_cpu_name.h"
#include "cl/cures/pocl_linker.h"
#include "cl/error.h"
#include "cl/serial.h"

#include <dlfcn.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

enum { MOST_PLATFORMS = 64, MOST_DEVICES = 1024, OLDEST = 12 };

typedef cl_int (*get_platforms)(cl_uint count, cl_platform_id *out, cl_uint *got);
/* A function by its name, from wherever this library keeps them. */
typedef void *(*get_function)(const char *name);

static syc_status refuse(syc_driver *driver, const char *format, ...) __attribute__((format(printf, 2, 3)));

static syc_status refuse(syc_driver *driver, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return syc_copy_string(text, &driver->refusal);
}

static const char *unwanted(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    if (fnmatch("libOpenCL.so*", name, 0) == 0)
        return "a loader of drivers, not a driver: pysycl loads drivers itself, and two loaders in one process fight";
    if (fnmatch("libintelocl_emu.so*", name, 0) == 0)
        return "Intel's FPGA emulator, not a device of its own";
    return NULL;
}

/* "OpenCL 3.0 PoCL ..." is 30; 0 for anything else. */
static unsigned parse_version(const char *text)
{
    unsigned major, minor;
    char after;
    if (sscanf(text, "OpenCL %1u.%1u%c", &major, &minor, &after) < 2)
        return 0;
    return strlen(text) == 10 || text[10] == ' ' ? major * 10 + minor : 0;
}

/* A row's function: by its slot in the platform's dispatch table, or by name where the library has no such table. */
static void *row_function(void *const *dispatch, void *library, unsigned slot, const char *name)
{
    return dispatch != NULL ? dispatch[slot] : dlsym(library, name);
}

/* Fills the rows that OpenCL `version` has. A table is only as long as its driver's version makes it, so that no later
 * row may even be looked at. Returns the name of a row that should be there and is not, or NULL: what came after the
 * oldest version may be absent, as drivers of 3.0 leave out what it made optional. */
static const char *fill_table(syc_driver *driver, void *const *dispatch, unsigned version)
{
    const char *missing = NULL;
#define X(name, slot, since, result, fails, params, args)                                       \
    if (since <= version) {                                                                     \
        *(void **)&driver->cl.name = row_function(dispatch, driver->library, slot, "cl" #name); \
        if (driver->cl.name == NULL && since <= OLDEST)                                         \
            missing = "cl" #name;                                                               \
    }
    SYC_CL_ENTRIES(X)
#undef X
    return missing;
}

/* Fills the rows of extensions that the library has. The function of the ICD protocol is the library's own, so it knows
 * what any of its platforms has. */
static void fill_extensions(syc_driver *driver, get_function extension)
{
    if (extension == NULL)
        return;
#define X(name, slot, since, result, fails, params, args) *(void **)&driver->cl.name = extension("cl" #name);
    SYC_CL_EXTENSIONS(X)
#undef X
}

/* The reason to refuse a platform. */
struct verdict {
    char why[512];
};

static bool unfit(struct verdict *verdict, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Always false. */
static bool unfit(struct verdict *verdict, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(verdict->why, sizeof verdict->why, format, args);
    va_end(args);
    return false;
}

static bool fit_version(syc_driver *driver, cl_platform_id platform, unsigned *version, struct verdict *verdict)
{
    char text[1024] = "";
    int code = driver->cl.GetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof text, text, NULL);

    text[sizeof text - 1] = '\0';
    if (code != CL_SUCCESS)
        return unfit(verdict, "its version cannot be read: %s (%d)", syc_cl_error_name(code), code);
    *version = parse_version(text);
    if (*version == 0)
        return unfit(verdict, "its version is \"%.100s\", not \"OpenCL <major>.<minor> ...\"", text);
    if (*version < OLDEST)
        return unfit(verdict, "it is OpenCL %u.%u, older than 1.2", *version / 10, *version % 10);
    return true;
}

static bool fit_devices(syc_driver *driver, cl_platform_id platform, struct verdict *verdict)
{
    cl_device_id devices[MOST_DEVICES];
    cl_uint count = 0, units;
    int code = driver->cl.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MOST_DEVICES, devices, &count);

    if (code == CL_DEVICE_NOT_FOUND || (code == CL_SUCCESS && count == 0))
        return unfit(verdict, "it has no devices");
    if (code != CL_SUCCESS)
        return unfit(verdict, "its devices cannot be listed: %s (%d)", syc_cl_error_name(code), code);
    if (count > MOST_DEVICES)
        return unfit(verdict, "it claims %u devices", count);
    for (cl_uint i = 0; i < count; i++) {
        if (devices[i] == NULL)
            return unfit(verdict, "its device %u is NULL", i);
        units = 0;
        code = driver->cl.GetDeviceInfo(devices[i], CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
        if (code != CL_SUCCESS)
            return unfit(verdict, "its device %u cannot be queried: %s (%d)", i, syc_cl_error_name(code), code);
        if (units == 0)
            return unfit(verdict, "its device %u has no compute units", i);
    }
    return true;
}

/* Keeps the platforms that can be used. With none left the driver is refused for what is wrong with the last. */
static syc_status keep_usable(syc_driver *driver, cl_platform_id *found, size_t count)
{
    syc_status status = SYC_OK;
    struct verdict verdict = {""};
    unsigned version = 0;
    syc_text left_out = {0};

    SYC_TRY(syc_alloc_array(count, sizeof *driver->platforms, &driver->platforms));
    syc_process_mark_used(); /* listing devices is what starts a driver's threads */
    for (size_t i = 0; i < count; i++) {
        if (!fit_version(driver, found[i], &version, &verdict) || !fit_devices(driver, found[i], &verdict)) {
            syc_text_add(&left_out, "%splatform %zu left out: %s", left_out.length ? "; " : "", i, verdict.why);
            continue;
        }
        driver->platforms[driver->platform_count++] = found[i];
        if (driver->version == 0 || version < driver->version)
            driver->version = version;
    }
    SYC_CHECK(!left_out.cut, SYC_E_MEMORY_ALLOCATION, "no memory for what is wrong with %s", driver->path);
    if (driver->platform_count == 0)
        SYC_TRY(refuse(driver, "%s", verdict.why));
    else
        driver->quirks = syc_text_take(&left_out);
done:
    syc_text_clear(&left_out);
    return status;
}

/* The platforms without repetitions (Oclgrind may name its only one twice), or a refusal. */
static syc_status list_platforms(syc_driver *driver, get_platforms list, cl_platform_id *out, size_t *kept)
{
    cl_uint count = 0;
    int code = list(MOST_PLATFORMS, out, &count);

    *kept = 0;
    if (code == CL_PLATFORM_NOT_FOUND_KHR || (code == CL_SUCCESS && count == 0))
        return refuse(driver, "it has no platforms");
    if (code != CL_SUCCESS)
        return refuse(driver, "its platforms cannot be listed: %s (%d)", syc_cl_error_name(code), code);
    if (count > MOST_PLATFORMS)
        return refuse(driver, "it claims %u platforms", count);
    for (cl_uint i = 0; i < count; i++) {
        bool repeated = false;
        if (out[i] == NULL)
            return refuse(driver, "its platform %u is NULL", i);
        for (size_t k = 0; k < *kept; k++)
            repeated = repeated || out[k] == out[i];
        if (!repeated)
            out[(*kept)++] = out[i];
    }
    return SYC_OK;
}

/* All platforms of a library are called through one table. */
static syc_status find_dispatch(syc_driver *driver, const cl_platform_id *platforms, size_t count, void *const **out)
{
    *out = *(void *const *const *)platforms[0];
    if (*out == NULL)
        return refuse(driver, "its platform has no dispatch table");
    for (size_t i = 1; i < count; i++)
        if (*(void *const *const *)platforms[i] != *out)
            return refuse(driver, "its platforms have different dispatch tables");
    return SYC_OK;
}

static syc_status connect(syc_driver *driver)
{
    syc_status status = SYC_OK;
    cl_platform_id platforms[MOST_PLATFORMS];
    size_t count = 0;
    void *const *dispatch = NULL;
    const char *missing;
    get_function extension;
    get_platforms list = NULL;
    bool icd;

    *(void **)&extension = dlsym(driver->library, "clGetExtensionFunctionAddress");
    if (extension != NULL)
        *(void **)&list = extension("clIcdGetPlatformIDsKHR");
    icd = list != NULL;
    if (!icd)
        *(void **)&list = dlsym(driver->library, "clGetPlatformIDs");
    if (list == NULL)
        return refuse(driver, "not an OpenCL driver: it has neither clIcdGetPlatformIDsKHR nor clGetPlatformIDs");
    SYC_TRY(list_platforms(driver, list, platforms, &count));
    if (driver->refusal == NULL && icd)
        SYC_TRY(find_dispatch(driver, platforms, count, &dispatch));
    if (driver->refusal != NULL)
        goto done;
    missing = fill_table(driver, dispatch, 10);
    if (missing == NULL)
        SYC_TRY(keep_usable(driver, platforms, count));
    if (missing == NULL && driver->refusal == NULL)
        missing = fill_table(driver, dispatch, driver->version);
    fill_extensions(driver, extension);
    if (missing != NULL)
        SYC_TRY(refuse(driver, "it lacks %s", missing));
done:
    return status;
}

static syc_status open_and_connect(syc_driver *driver)
{
    syc_status status = SYC_OK;
    const char *why;

    driver->library = dlopen(driver->path, RTLD_NOW | RTLD_LOCAL);
    if (driver->library == NULL) {
        why = dlerror();
        return refuse(driver, "it does not load: %s", why != NULL ? why : "the dynamic loader does not say why");
    }
    SYC_TRY(connect(driver));
    if (driver->refusal == NULL)
        SYC_TRY(syc__cpu_name_cure(driver));
    if (driver->refusal == NULL)
        SYC_TRY(syc__linker_find(driver));
    if (driver->refusal == NULL)
        SYC_TRY(syc__driver_serialise(driver));
done:
    return status;
}

syc_status syc__driver_open(syc_driver *driver)
{
    syc_status status = SYC_OK;
    syc_environment *environment = NULL;
    const char *reason = unwanted(driver->path);

    if (reason != NULL)
        return refuse(driver, "%s", reason);
    status = syc__environment_enter(driver->path, &environment);
    if (status == SYC_E_RUNTIME) /* no place for its files: its own fault as far as the others are concerned */
        return refuse(driver, "%s", syc_detail_of(status).message);
    if (status == SYC_OK && syc__environment_folder(environment) != NULL)
        status = syc_copy_string(syc__environment_folder(environment), &driver->folder);
    if (status == SYC_OK)
        status = open_and_connect(driver);
    syc__environment_leave(environment);
    if (status != SYC_OK || driver->refusal != NULL) {
        syc_free(driver->platforms);
        driver->platforms = NULL;
        driver->platform_count = 0;
    }
    return status;
}
