/* Opening a driver: what makes it usable, every reason to refuse it, what it sees in its environment, and the registry.
 * Each case runs in a child process, because the fake driver reads its settings once. Needs SYC_FAKE_DRIVER, the fake
 * driver's path. */
#define _GNU_SOURCE
#include "base/alloc.h"
#include "base/process.h"
#include "cl/driver.h"

#include "place.h"

#include <dirent.h>
#include <dlfcn.h>

static const char *fake;

static syc_driver opened;

/* Opens the library at `path` as a driver of its own. */
static void open_path(const char *path)
{
    opened = (syc_driver){0};
    CHECK_OK(syc_copy_string(path, &opened.path));
    CHECK_OK(syc__driver_open(&opened));
}

static void forget_opened(void)
{
    syc_free(opened.path);
    syc_free(opened.folder);
    syc_free(opened.refusal);
    syc_free(opened.quirks);
    syc_free(opened.platforms);
}

static const char *refusal(const char *path)
{
    open_path(path);
    return opened.refusal;
}

/* A copy of the fake driver under another name: another library to the dynamic loader. */
static char *copy_of_fake(const char *name)
{
    char *path = place_path("%s", name), command[4 * PATH_MAX];
    snprintf(command, sizeof command, "cp '%s' '%s'", fake, path);
    CHECK(system(command) == 0);
    return path;
}

/* -- usable drivers -- */

static void check_usable(unsigned version)
{
    open_path(fake);
    CHECK(opened.refusal == NULL);
    CHECK(opened.library != NULL);
    CHECK_EQUAL(opened.version, version);
    CHECK_EQUAL(opened.platform_count, 1);
    CHECK(opened.quirks == NULL);
#define X(name, slot, since, result, fails, params, args) CHECK((opened.cl.name != NULL) == (since <= version));
    SYC_CL_ENTRIES(X)
#undef X
    forget_opened();
}

static void plain(void)
{
    check_usable(30);
}

static void oldest_version(void)
{
    setenv("FAKE_VERSION", "OpenCL 1.2 ancient", 1);
    check_usable(12);
}

static void version_without_words(void)
{
    setenv("FAKE_VERSION", "OpenCL 3.1", 1);
    check_usable(31);
}

static void repeated_platform(void)
{
    setenv("FAKE_NONSENSE", "twin-platform", 1);
    check_usable(30);
}

static void plain_symbols(void)
{
    setenv("FAKE_NO_ICD", "1", 1);
    check_usable(30);
}

static void test_usable(void)
{
    in_child(plain);
    in_child(oldest_version);
    in_child(version_without_words);
    in_child(repeated_platform);
    in_child(plain_symbols);
}

/* -- refusals -- */

static const struct {
    const char *variable, *value, *reason;
} nonsense[] = {
    {"FAKE_NONSENSE", "no-platforms", "it has no platforms"},
    {"FAKE_NONSENSE", "null-platform", "its platform 0 is NULL"},
    {"FAKE_NONSENSE", "many-platforms", "it claims 65 platforms"},
    {"FAKE_NONSENSE", "null-dispatch", "its platform has no dispatch table"},
    {"FAKE_NONSENSE", "bad-version", "its version is \"Version three of OpenCL\", not \"OpenCL <major>.<minor> ...\""},
    {"FAKE_NONSENSE", "no-devices", "it has no devices"},
    {"FAKE_NONSENSE", "device-error", "its devices cannot be listed: CL_OUT_OF_HOST_MEMORY (-6)"},
    {"FAKE_NONSENSE", "zero-units", "its device 0 has no compute units"},
    {"FAKE_VERSION", "OpenCL 1.1 ancient", "it is OpenCL 1.1, older than 1.2"},
    {"FAKE_VERSION", "OpenCL 3.0beta", "its version is \"OpenCL 3.0beta\""},
    {"FAKE_VERSION", "OpenCL 12", "its version is \"OpenCL 12\""},
};
static size_t chosen;

static void nonsense_is_refused(void)
{
    setenv(nonsense[chosen].variable, nonsense[chosen].value, 1);
    CHECK(has(refusal(fake), nonsense[chosen].reason));
    CHECK(opened.platforms == NULL && opened.platform_count == 0);
    CHECK(opened.library != NULL); /* unloading it under its own threads would be a crash */
    forget_opened();
}

static void test_nonsense_is_refused(void)
{
    for (chosen = 0; chosen < sizeof nonsense / sizeof nonsense[0]; chosen++)
        in_child(nonsense_is_refused);
}

static void unwanted_names(void)
{
    char *loader = copy_of_fake("libOpenCL.so.1"), *emulator = copy_of_fake("libintelocl_emu.so");
    CHECK(has(refusal(loader), "a loader of drivers, not a driver"));
    CHECK(opened.library == NULL);
    forget_opened();
    CHECK(has(refusal(emulator), "FPGA emulator"));
    CHECK(opened.library == NULL);
    forget_opened();
    free(loader);
    free(emulator);
}

static void no_library(void)
{
    char *text = place_path("text.so");
    place_write("text.so", "not a library");
    CHECK(has(refusal(text), "it does not load: "));
    forget_opened();
    CHECK(has(refusal("/nowhere/libnone.so"), "/nowhere/libnone.so: cannot open shared object file"));
    forget_opened();
    CHECK(has(refusal("libm.so.6"), "not an OpenCL driver"));
    forget_opened();
    free(text);
}

static void test_other_refusals(void)
{
    in_child(unwanted_names);
    in_child(no_library);
}

/* -- the environment -- */

static const char *saw(const char *variable)
{
    const char *(*ask)(const char *) = NULL;
    *(void **)&ask = dlsym(opened.library, "fake_saw");
    return ask != NULL ? ask(variable) : "fake_saw is missing";
}

static bool exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

static size_t private_folders(void)
{
    DIR *listing = opendir(place);
    struct dirent *entry;
    size_t count = 0;
    while (listing != NULL && (entry = readdir(listing)) != NULL)
        count += strncmp(entry->d_name, "pysycl-", 7) == 0;
    if (listing != NULL)
        closedir(listing);
    return count;
}

static void others_see_nothing(void)
{
    open_path(fake);
    CHECK(saw("POCL_DEVICES") == NULL && saw("POCL_KERNEL_CACHE") == NULL && saw("POCL_CACHE_DIR") == NULL);
    CHECK_EQUAL(private_folders(), 0);
    forget_opened();
}

static void pocl_sees_ours(void)
{
    char *a = copy_of_fake("libpocl-a.so"), *b = copy_of_fake("libpocl-b.so"), start[PATH_MAX], folder[PATH_MAX];
    struct stat info;
    open_path(a);
    snprintf(start, sizeof start, "%.*s/pysycl-%d-", PATH_MAX - 64, place, (int)getpid());
    snprintf(folder, sizeof folder, "%s", saw("POCL_CACHE_DIR"));
    CHECK_STRING(saw("POCL_DEVICES"), "pthread basic");
    CHECK_STRING(saw("POCL_KERNEL_CACHE"), "0");
    CHECK(strncmp(folder, start, strlen(start)) == 0);
    CHECK(stat(folder, &info) == 0 && (info.st_mode & 0777) == 0700);
    CHECK(getenv("POCL_DEVICES") == NULL && getenv("POCL_KERNEL_CACHE") == NULL && getenv("POCL_CACHE_DIR") == NULL);
    forget_opened();

    open_path(b); /* a second one gets a folder of its own, beside the first's */
    CHECK(strcmp(saw("POCL_CACHE_DIR"), folder) != 0 && exists(folder));
    CHECK_EQUAL(private_folders(), 1);
    forget_opened();
    free(a);
    free(b);
}

static void users_variables_stay(void)
{
    char *a = copy_of_fake("libpocl-a.so");
    setenv("POCL_DEVICES", "basic", 1);
    setenv("POCL_CACHE_DIR", "/somewhere", 1);
    open_path(a);
    CHECK_STRING(saw("POCL_DEVICES"), "basic");
    CHECK_STRING(saw("POCL_CACHE_DIR"), "/somewhere");
    CHECK_STRING(saw("POCL_KERNEL_CACHE"), "0");
    CHECK_STRING(getenv("POCL_DEVICES"), "basic");
    CHECK_STRING(getenv("POCL_CACHE_DIR"), "/somewhere");
    CHECK(getenv("POCL_KERNEL_CACHE") == NULL);
    CHECK_EQUAL(private_folders(), 0);
    forget_opened();
    free(a);
}

static void nothing(void)
{
}

/* A forked child that exits leaves its parent's folder alone. */
static void forked_child_removes_nothing(void)
{
    char *a = copy_of_fake("libpocl-a.so");
    open_path(a);
    in_child(nothing);
    CHECK(exists(saw("POCL_CACHE_DIR")));
    forget_opened();
    free(a);
}

static void test_environment(void)
{
    setenv("TMPDIR", place, 1);
    in_child(others_see_nothing);
    in_child(pocl_sees_ours);
    in_child(users_variables_stay);
    in_child(forked_child_removes_nothing);
    CHECK_EQUAL(private_folders(), 0); /* each process has removed its own at its end */
}

/* What killed processes have left goes; what lives, or is no folder of ours, stays. */
static void stale_folders_go(void)
{
    char *a = copy_of_fake("libpocl-a.so"), *dead, *alive, *link, *odd;
    char name[128];
    pid_t gone = fork();
    if (gone == 0)
        _exit(0);
    waitpid(gone, NULL, 0);
    snprintf(name, sizeof name, "pysycl-%d-aB3dEf/1/file", (int)gone);
    place_write(name, "left");
    snprintf(name, sizeof name, "pysycl-%d-aB3dEf/file", (int)getppid());
    place_write(name, "kept");
    place_write("target/file", "kept");
    dead = place_path("pysycl-%d-aB3dEf", (int)gone);
    alive = place_path("pysycl-%d-aB3dEf/file", (int)getppid());
    link = place_path("pysycl-%d-LinkLi", (int)gone);
    odd = place_path("target/file");
    CHECK(symlink("target", link) == 0);
    open_path(a);
    CHECK(!exists(dead));
    CHECK(exists(alive) && exists(link) && exists(odd));
    forget_opened();
    free(a), free(dead), free(alive), free(link), free(odd);
}

static void test_stale_folders(void)
{
    setenv("TMPDIR", place, 1);
    in_child(stale_folders_go);
}

/* -- the registry -- */

static void set_drivers(const char *a, const char *b, const char *c)
{
    char text[4 * PATH_MAX];
    snprintf(text, sizeof text, "%s:%s:%s", a, b, c);
    setenv("PYSYCL_DRIVERS", text, 1);
}

static void handles_find_their_driver(void)
{
    char *copy = copy_of_fake("other.so"), *text;
    static const char words[] = "not a handle, but memory that can be read";
    cl_device_id device = NULL;
    syc_driver *driver;
    set_drivers("/nowhere/libnone.so", fake, copy);
    CHECK_EQUAL(syc_driver_count(), 0);
    CHECK_OK(syc_drivers_load());
    CHECK_OK(syc_drivers_load());
    CHECK_EQUAL(syc_driver_count(), 3);
    CHECK(syc_driver_at(0)->refusal != NULL && syc_driver_at(3) == NULL);
    driver = syc_driver_at(1);
    CHECK(driver->refusal == NULL);
    CHECK_EQUAL(driver->cl.GetDeviceIDs(driver->platforms[0], 0xFFFFFFFF, 1, &device, NULL), 0);
    CHECK(syc_driver_of_handle(device) == driver);
    CHECK(syc_driver_of_handle(syc_driver_at(2)->platforms[0]) == syc_driver_at(2));
    CHECK(syc_driver_of_handle(NULL) == NULL);
    CHECK(syc_driver_of_handle((void *)16) == NULL);
    CHECK(syc_driver_of_handle((void *)-16) == NULL);
    CHECK(syc_driver_of_handle(words) == NULL);
    text = syc_drivers_describe();
    CHECK(has(text, "/nowhere/libnone.so (named by PYSYCL_DRIVERS): refused: it does not load"));
    CHECK(has(text, "usable, OpenCL 3.0, 1 platform\n"));
    CHECK(has(text, "not searched, because PYSYCL_DRIVERS is set"));
    syc_free(text);
    free(copy);
}

static void child_is_refused(void)
{
    CHECK_STATUS(syc_drivers_load(), SYC_E_FORKED);
    CHECK(has(syc_detail_of(SYC_E_FORKED).message, "was forked from process"));
    CHECK(!syc_process_alive());
}

static void load_then_fork(void)
{
    set_drivers(fake, fake, fake);
    in_child(nothing); /* a fork before the first driver does no harm */
    CHECK_OK(syc_drivers_load());
    CHECK_EQUAL(syc_driver_count(), 1);
    in_child(child_is_refused);
    CHECK_OK(syc_drivers_load());
}

static void close_then_load(void)
{
    set_drivers(fake, fake, fake);
    syc_process_close();
    CHECK_STATUS(syc_drivers_load(), SYC_E_CLOSED);
    CHECK(!syc_process_alive());
}

/* Whatever allocation fails, loading says so and can be repeated. */
static void no_memory(void)
{
    long n = 1;
    syc_status status = SYC_E_MEMORY_ALLOCATION;
    set_drivers("/nowhere/libnone.so", fake, "/nowhere/libOpenCL.so");
    for (; n < 200 && status != SYC_OK; n++) {
        syc_alloc_fail_at(n);
        status = syc_drivers_load();
        syc_alloc_fail_at(0);
        CHECK(status == SYC_OK || (status == SYC_E_MEMORY_ALLOCATION && syc_driver_count() == 0));
    }
    CHECK(n > 10 && n < 200);
    CHECK_EQUAL(syc_driver_count(), 3);
}

static void test_registry(void)
{
    in_child(handles_find_their_driver);
    in_child(load_then_fork);
    in_child(close_then_load);
    in_child(no_memory);
}

/* A bare name is the same library as a path, once the dynamic loader has made both one. In a new program, because the
 * loader reads its search path when one starts. */
static void restart_with_search_path(void)
{
    char *copy = copy_of_fake("libbare.so");
    set_drivers(copy, "libbare.so", copy);
    setenv("LD_LIBRARY_PATH", place, 1);
    execl("/proc/self/exe", "test_driver", "bare-name", (char *)NULL);
    CHECK(!"restarted");
}

static int check_bare_name(void)
{
    CHECK_OK(syc_drivers_load());
    CHECK_EQUAL(syc_driver_count(), 1);
    return CHECK_EXIT_CODE;
}

static void test_bare_name(void)
{
    in_child(restart_with_search_path);
}

int main(int count, char **values)
{
    if (count > 1 && strcmp(values[1], "bare-name") == 0)
        return check_bare_name();
    fake = getenv("SYC_FAKE_DRIVER");
    if (fake == NULL) {
        fputs("SYC_FAKE_DRIVER must name the fake driver\n", stderr);
        return 2;
    }
    place_make();
    RUN(test_usable);
    RUN(test_nonsense_is_refused);
    RUN(test_other_refusals);
    RUN(test_environment);
    RUN(test_stale_folders);
    RUN(test_registry);
    RUN(test_bare_name);
    place_remove();
    return CHECK_EXIT_CODE;
}
