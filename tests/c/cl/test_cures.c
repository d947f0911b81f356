/* The cure of PoCL 3.0-rc2, tried on made-up device structures: this machine's CPU need not be one that the driver
 * fails on. */
#define _GNU_SOURCE
#include "base/alloc.h"
#include "base/peek.h"
#include "cl/constants.h"
#include "cl/cures/pocl_cpu_name.h"
#include "cl/cures/pocl_linker.h"
#include "cl/driver.h"

#include "check.h"

#include <sys/mman.h>

enum { OBJECT = 1024, WORDS = OBJECT / sizeof(char *), NAME_AT = 80 }; /* word 80 is byte 640 */

/* Two device structures side by side, as PoCL has them. */
static char *devices[2][WORDS];
static const char *platform_version, *device_version;
static cl_uint device_count;

static cl_int give(const char *text, size_t size, void *value)
{
    if (strlen(text) + 1 > size)
        return CL_INVALID_VALUE;
    memcpy(value, text, strlen(text) + 1);
    return CL_SUCCESS;
}

static cl_int platform_info(cl_platform_id p, cl_uint what, size_t size, void *value, size_t *got)
{
    (void)p, (void)got;
    return what == CL_PLATFORM_VERSION ? give(platform_version, size, value) : CL_INVALID_VALUE;
}

static cl_int device_info(cl_device_id d, cl_uint what, size_t size, void *value, size_t *got)
{
    (void)d, (void)got;
    return what == CL_DEVICE_VERSION ? give(device_version, size, value) : CL_INVALID_VALUE;
}

static cl_int device_ids(cl_platform_id p, cl_bitfield type, cl_uint n, cl_device_id *out, cl_uint *got)
{
    (void)p, (void)type;
    for (cl_uint i = 0; i < device_count && i < n; i++)
        out[i] = (cl_device_id)devices[i];
    *got = device_count;
    return CL_SUCCESS;
}

static char generic[2][8] = {"generic", "generic"}, other[] = "generic name", number[] = "17";

/* A driver with the defect. */
static syc_driver make_driver(void)
{
    static cl_platform_id platforms[1] = {(cl_platform_id)devices};
    syc_driver driver = {.path = "made-up", .platforms = platforms, .platform_count = 1};
    driver.cl.GetPlatformInfo = platform_info;
    driver.cl.GetDeviceInfo = device_info;
    driver.cl.GetDeviceIDs = device_ids;
    platform_version = "OpenCL 3.0 PoCL 3.0-rc2  Linux, Release, RELOC, LLVM 14.0.6, SLEEF, DISTRO, POCL_DEBUG";
    device_version = "OpenCL 3.0 PoCL HSTR: pthread-x86_64-unknown-linux-gnu-generic";
    device_count = 2;
    memset(devices, 0, sizeof devices);
    for (size_t i = 0; i < 2; i++) {
        devices[i][3] = other;              /* begins like the name, and is another */
        devices[i][5] = number;             /* shorter than the name */
        devices[i][7] = (char *)(size_t)42; /* no address at all */
        devices[i][NAME_AT] = generic[i];
    }
    return driver;
}

static bool is_level(const char *name)
{
    return strncmp(name, "x86-64-v", 8) == 0 && name[8] >= '2' && name[8] <= '4' && name[9] == '\0';
}

static bool has_best_level(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
#else
    return false;
#endif
}

static void test_both_devices_are_cured(void)
{
    syc_driver driver = make_driver();
    CHECK_OK(syc__cpu_name_cure(&driver));
    for (size_t i = 0; i < 2; i++) {
        CHECK(devices[i][NAME_AT] != generic[i] && is_level(devices[i][NAME_AT]));
        CHECK(devices[i][3] == other && devices[i][5] == number);
        if (devices[i][NAME_AT] != generic[i])
            free(devices[i][NAME_AT]);
    }
    CHECK(driver.quirks != NULL && strstr(driver.quirks, "device 0: CPU name \"generic\"") != NULL);
    CHECK(driver.quirks != NULL && strstr(driver.quirks, "; device 1: CPU name \"generic\"") != NULL);
    syc_free(driver.quirks);
}

static void check_untouched(syc_driver *driver, const char *words)
{
    static char *before[2][WORDS];
    memcpy(before, devices, sizeof devices);
    CHECK_OK(syc__cpu_name_cure(driver));
    CHECK(memcmp(before, devices, sizeof devices) == 0);
    CHECK((driver->quirks == NULL) == (words == NULL));
    if (words != NULL && driver->quirks != NULL)
        CHECK(strstr(driver->quirks, words) != NULL);
    syc_free(driver->quirks);
}

static void test_other_builds_are_left_alone(void)
{
    syc_driver driver = make_driver();
    platform_version = "OpenCL 3.0 PoCL 3.0-rc2  Linux, Release, RELOC, LLVM 13.0.0, SLEEF, DISTRO, POCL_DEBUG";
    check_untouched(&driver, NULL);
    driver = make_driver();
    platform_version =
        "OpenCL 3.0 PoCL 3.1+debian  Linux, None+Asserts, RELOC, SPIR, LLVM 15.0.6, SLEEF, DISTRO, POCL_DEBUG";
    check_untouched(&driver, NULL);
}

static void test_known_cpus_are_left_alone(void)
{
    syc_driver driver = make_driver();
    device_version = "OpenCL 3.0 PoCL HSTR: pthread-x86_64-unknown-linux-gnu-skylake-avx512";
    check_untouched(&driver, NULL);
    device_version = "OpenCL 3.0 PoCL HSTR: pthread"; /* who knows what that is */
    check_untouched(&driver, NULL);
}

/* A name that leaves out the CPU's AVX-512, for which the driver's library is chosen all the same. */
static void test_cpus_taken_for_older_ones_are_cured(void)
{
    static char older[] = "znver3";
    syc_driver driver = make_driver();
    device_version = "OpenCL 3.0 PoCL HSTR: pthread-x86_64-unknown-linux-gnu-znver3";
    devices[0][NAME_AT] = devices[1][NAME_AT] = older;
    if (!has_best_level()) {
        check_untouched(&driver, NULL);
        return;
    }
    CHECK_OK(syc__cpu_name_cure(&driver));
    for (size_t i = 0; i < 2; i++) {
        CHECK_STRING(devices[i][NAME_AT], "x86-64-v4");
        if (devices[i][NAME_AT] != older)
            free(devices[i][NAME_AT]);
    }
    CHECK(driver.quirks != NULL && strstr(driver.quirks, "device 1: CPU name \"znver3\", which cannot call") != NULL);
    syc_free(driver.quirks);
}

static void test_no_match_is_refused(void)
{
    syc_driver driver = make_driver();
    device_count = 1;
    devices[0][NAME_AT] = number;
    memset(devices[1], 0, sizeof devices[1]); /* alone, the search goes on beyond the structure */
    check_untouched(&driver,
                    "device 0: CPU name \"generic\", which it cannot build for, was found 0 times instead of once");
}

static void test_two_matches_are_refused(void)
{
    syc_driver driver = make_driver();
    devices[0][NAME_AT + 9] = generic[1];
    devices[1][1] = generic[0];
    check_untouched(&driver,
                    "device 1: CPU name \"generic\", which it cannot build for, was found 2 times instead of once");
}

/* Two readable pages with a hole behind each. */
static void test_unreadable_pages_are_survived(void)
{
    size_t page = 4096, offset = 0;
    char *memory = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char **object, *text;
    CHECK(memory != MAP_FAILED);
    CHECK(munmap(memory + page, page) == 0 && munmap(memory + 3 * page, page) == 0);

    object = (char **)(memory + page - 16 * sizeof(char *)); /* ends at the hole, after 16 words */
    object[3] = generic[0];
    CHECK_EQUAL(syc__pointer_find(object, 4096, "generic", &offset), 1);
    CHECK_EQUAL(offset, 3 * sizeof(char *));

    text = memory + 3 * page - 4; /* a string that is cut by the hole */
    memcpy(text, "gene", 4);
    object[5] = text;
    object[7] = memory + page; /* a pointer into the hole */
    CHECK_EQUAL(syc__pointer_find(object, 4096, "generic", &offset), 1);
    CHECK_EQUAL(syc__pointer_find(memory + page, 4096, "generic", &offset), 0);
    CHECK_EQUAL(syc__pointer_find(NULL, 4096, "generic", &offset), 0);
    munmap(memory, page);
    munmap(memory + 2 * page, page);
}

static void test_peek(void)
{
    size_t page = 4096;
    char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), got[64] = "";
    CHECK(memory != MAP_FAILED && munmap(memory + page, page) == 0);
    memcpy(memory + page - 6, "string", 6);
    CHECK_EQUAL(syc_peek(memory + page - 6, got, sizeof got), 6);
    CHECK(memcmp(got, "string", 6) == 0);
    CHECK_EQUAL(syc_peek(memory + page, got, sizeof got), 0);
    CHECK_EQUAL(syc_peek((void *)-8, got, sizeof got), 0);
    munmap(memory, page);
}

static void test_programs_are_looked_for_on_the_path(void)
{
    CHECK(syc__linker_on_path("sh", "/nowhere:/bin"));
    CHECK(syc__linker_on_path("sh", "/bin:/nowhere"));
    CHECK(!syc__linker_on_path("sh", "/nowhere"));
    CHECK(!syc__linker_on_path("sh", ""));
    CHECK(!syc__linker_on_path("sh", NULL));
    CHECK(!syc__linker_on_path("no such program", "/bin:/usr/bin:"));
}

int main(void)
{
    RUN(test_both_devices_are_cured);
    RUN(test_other_builds_are_left_alone);
    RUN(test_known_cpus_are_left_alone);
    RUN(test_cpus_taken_for_older_ones_are_cured);
    RUN(test_no_match_is_refused);
    RUN(test_two_matches_are_refused);
    RUN(test_unreadable_pages_are_survived);
    RUN(test_peek);
    RUN(test_programs_are_looked_for_on_the_path);
    return CHECK_EXIT_CODE;
}
