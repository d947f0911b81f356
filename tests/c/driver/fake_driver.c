/* The fake driver's ground: settings, the platform and its devices, the objects' life, and how the driver is found. */
#include "fake_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 4096, SHELF = 4096, SLOTS = 200 };

fake_config fake_settings;
fake_platform fake_the_platform;
fake_device fake_roots[4];

static pthread_mutex_t the_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t the_change = PTHREAD_COND_INITIALIZER;
static fake_object *buckets[BUCKETS];
static long live[FAKE_KINDS];
static int errors, crossings;
static void *shelf[SHELF];
static size_t shelved;

void fake_lock(void)
{
    pthread_mutex_lock(&the_lock);
}

void fake_unlock(void)
{
    pthread_mutex_unlock(&the_lock);
}

void fake_changed(void)
{
    pthread_cond_broadcast(&the_change);
}

void fake_wait(void)
{
    fake_wait_for(&the_change);
}

void fake_wait_for(pthread_cond_t *change)
{
    pthread_cond_wait(change, &the_lock);
}

bool fake_lacks(const char *what)
{
    return strstr(fake_settings.lacks, what) != NULL;
}

bool fake_nonsense(const char *mode)
{
    return strcmp(fake_settings.nonsense, mode) == 0;
}

/* -- objects -- */

static const void *dispatch[SLOTS] = {
#define X(name, slot, since, result, fails, params, args) [slot] = (const void *)fake_##name,
    SYC_CL_ENTRIES(X)
#undef X
};

static fake_object **bucket(const void *handle)
{
    return &buckets[((size_t)handle >> 4) % BUCKETS];
}

static void enrol(fake_object *object, fake_kind kind)
{
    object->dispatch = dispatch;
    object->kind = kind;
    object->handles = 1;
    object->next = *bucket(object);
    *bucket(object) = object;
}

void *fake_new(fake_kind kind, size_t size)
{
    fake_object *object = calloc(1, size);
    if (object == NULL)
        abort();
    enrol(object, kind);
    live[kind]++;
    return object;
}

void *fake_get(const void *handle, fake_kind kind)
{
    for (fake_object *o = *bucket(handle); o != NULL; o = o->next)
        if (o == handle && o->kind == kind && o->handles > 0)
            return o;
    errors++;
    return NULL;
}

void fake_discard(void *memory)
{
    free(shelf[shelved % SHELF]);
    shelf[shelved++ % SHELF] = memory;
}

static void end(fake_object *object)
{
    fake_object **link = bucket(object);
    while (*link != object)
        link = &(*link)->next;
    *link = object->next;
    live[object->kind]--;
    if (fake_end_object(object))
        fake_discard(object);
    fake_changed();
}

void fake_use(void *object)
{
    ((fake_object *)object)->uses++;
}

void fake_unuse(void *object)
{
    fake_object *o = object;
    if (o != NULL && --o->uses == 0 && o->handles == 0)
        end(o);
}

cl_int fake_retain(const void *handle, fake_kind kind, cl_int invalid)
{
    fake_object *object;
    fake_lock();
    object = fake_get(handle, kind);
    if (object != NULL && !object->is_root)
        object->handles++;
    fake_unlock();
    return object != NULL ? CL_SUCCESS : invalid;
}

cl_int fake_release(const void *handle, fake_kind kind, cl_int invalid)
{
    fake_object *object;
    fake_lock();
    object = fake_get(handle, kind);
    if (object != NULL && !object->is_root && --object->handles == 0 && object->uses == 0)
        end(object);
    fake_unlock();
    return object != NULL ? CL_SUCCESS : invalid;
}

void fake_count_error(void)
{
    errors++;
}

void fake_count_crossing(void)
{
    crossings++;
}

/* -- settings -- */

static char seen[8][2][256]; /* name, value */

static const char *setting(const char *name, const char *standard)
{
    const char *value = getenv(name);
    return value != NULL ? value : standard;
}

static void remember(size_t row, const char *name)
{
    snprintf(seen[row][0], sizeof seen[row][0], "%s", name);
    snprintf(seen[row][1], sizeof seen[row][1], "%s", setting(name, ""));
}

static void make_roots(void)
{
    char names[256], *rest = NULL, *name;
    snprintf(names, sizeof names, "%s", setting("FAKE_DEVICE_NAMES", ""));
    name = strtok_r(names, ":", &rest);
    enrol(&fake_the_platform.object, FAKE_PLATFORM);
    fake_the_platform.object.is_root = true;
    for (cl_uint i = 0; i < fake_settings.devices; i++) {
        fake_device *d = &fake_roots[i];
        enrol(&d->object, FAKE_DEVICE);
        d->object.is_root = true;
        d->units = fake_nonsense("zero-units") ? 0 : fake_settings.units;
        if (name != NULL)
            snprintf(d->name, sizeof d->name, "%s", name);
        else
            snprintf(d->name, sizeof d->name, "Fake device %u", i + 1);
        name = name != NULL ? strtok_r(NULL, ":", &rest) : NULL;
    }
    if (fake_nonsense("null-dispatch"))
        fake_the_platform.object.dispatch = NULL;
}

static void read_settings(void)
{
    fake_config *s = &fake_settings;
    int devices = atoi(setting("FAKE_DEVICES", "1"));
    const char *type = setting("FAKE_TYPE", "cpu");
    remember(0, "POCL_DEVICES");
    remember(1, "POCL_KERNEL_CACHE");
    remember(2, "POCL_CACHE_DIR");
    snprintf(s->platform_name, sizeof s->platform_name, "%s", setting("FAKE_PLATFORM_NAME", "Fake"));
    snprintf(s->version, sizeof s->version, "%s", setting("FAKE_VERSION", "OpenCL 3.0 Fake"));
    snprintf(s->nonsense, sizeof s->nonsense, "%s", setting("FAKE_NONSENSE", ""));
    snprintf(s->abort_on, sizeof s->abort_on, "%s", setting("FAKE_ABORT", ""));
    snprintf(s->binary, sizeof s->binary, "%s", setting("FAKE_BINARY", ""));
    snprintf(s->lacks, sizeof s->lacks, "%s", setting("FAKE_LACKS", ""));
    snprintf(s->profile, sizeof s->profile, "%s", setting("FAKE_PROFILE", "FULL_PROFILE"));
    snprintf(s->built_in, sizeof s->built_in, "%s", setting("FAKE_BUILT_IN", ""));
    s->local_thread = strcmp(setting("FAKE_LOCAL_THREAD", "0"), "1") == 0;
    s->sub_groups = strcmp(setting("FAKE_SUB_GROUPS", "0"), "1") == 0;
    s->type = strcmp(type, "gpu") == 0      ? CL_DEVICE_TYPE_GPU
              : strcmp(type, "custom") == 0 ? CL_DEVICE_TYPE_CUSTOM
                                            : CL_DEVICE_TYPE_CPU;
    s->devices = devices < 1 ? 1 : devices > 4 ? 4 : (cl_uint)devices;
    s->units = (cl_uint)atoi(setting("FAKE_UNITS", "4"));
    s->lazy = strcmp(setting("FAKE_LAZY", "0"), "1") == 0;
    s->fatal = strcmp(setting("FAKE_FATAL", "0"), "1") == 0;
    s->images = strcmp(setting("FAKE_IMAGES", "1"), "1") == 0;
    s->intel_usm = strcmp(setting("FAKE_INTEL_USM", "0"), "1") == 0;
    s->sticky = strcmp(setting("FAKE_STICKY", "0"), "1") == 0;
    s->alignment = (size_t)atoi(setting("FAKE_ALIGN", "128"));
    if (strcmp(setting("FAKE_SVM", "none"), "coarse") == 0)
        s->svm = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
    if (strcmp(setting("FAKE_SVM", "none"), "fine") == 0)
        s->svm = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
    make_roots();
}

/* -- what the loader sees -- */

static cl_int list_platforms(cl_uint n, cl_platform_id *out, cl_uint *got)
{
    static bool ready;
    cl_uint count = 1;

    fake_lock();
    if (!ready)
        read_settings();
    ready = true;
    fake_unlock();
    if (strcmp(fake_settings.abort_on, "load") == 0)
        abort();
    if (fake_nonsense("no-platforms"))
        return CL_PLATFORM_NOT_FOUND_KHR;
    if (fake_nonsense("twin-platform"))
        count = 2;
    if (fake_nonsense("many-platforms"))
        count = 65;
    for (cl_uint i = 0; out != NULL && i < n && i < count; i++)
        out[i] = fake_nonsense("null-platform") ? NULL : (cl_platform_id)&fake_the_platform;
    if (got != NULL)
        *got = count;
    return CL_SUCCESS;
}

void *clGetExtensionFunctionAddress(const char *name);
void *clGetExtensionFunctionAddress(const char *name)
{
    void *function = NULL;
    cl_int (*list)(cl_uint, cl_platform_id *, cl_uint *) = list_platforms;
    if (strcmp(name, "clIcdGetPlatformIDsKHR") == 0 && getenv("FAKE_NO_ICD") == NULL)
        memcpy(&function, &list, sizeof function);
#define X(row, slot, since, result, fails, params, args)           \
    if (strcmp(name, "cl" #row) == 0 && fake_settings.intel_usm) { \
        result(*address) params = fake_##row;                      \
        memcpy(&function, &address, sizeof function);              \
    }
    SYC_CL_EXTENSIONS(X)
#undef X
    return function;
}

cl_int clGetPlatformIDs(cl_uint n, cl_platform_id *out, cl_uint *got);
cl_int clGetPlatformIDs(cl_uint n, cl_platform_id *out, cl_uint *got)
{
    return list_platforms(n, out, got);
}

/* The plain symbols, for a loader that finds no ICD entry. */
#define X(name, slot, since, result, fails, params, args) \
    result cl##name params;                               \
    result cl##name params                                \
    {                                                     \
        return fake_##name args;                          \
    }
SYC_CL_ENTRIES(X)
#undef X

/* -- what tests ask -- */

int fake_live(const char *kind)
{
    static const char *const names[FAKE_KINDS] = {"platform", "device",  "context", "queue",  "mem",
                                                  "svm",      "sampler", "program", "kernel", "event"};
    long count = -1;
    fake_lock();
    for (size_t i = 0; i < FAKE_KINDS; i++)
        if (strcmp(names[i], kind) == 0)
            count = live[i];
    fake_unlock();
    return (int)count;
}

static int locked_copy(const int *number)
{
    int copy;
    fake_lock();
    copy = *number;
    fake_unlock();
    return copy;
}

int fake_error_count(void)
{
    return locked_copy(&errors);
}

int fake_crossing_count(void)
{
    return locked_copy(&crossings);
}

const char *fake_saw(const char *variable)
{
    for (size_t i = 0; i < sizeof seen / sizeof seen[0]; i++)
        if (strcmp(seen[i][0], variable) == 0 && seen[i][1][0] != '\0')
            return seen[i][1];
    return NULL;
}
