/* Cures of known defects, and what one build cannot be used without.
 *
 * PoCL 3.0-rc2, the build that PyPI's wheel brings, asks its LLVM 14 for the name of the CPU and gets "generic" on
 * every CPU newer than that LLVM. It then hands "generic" to its own clang, which knows no CPU of that name, and no
 * program builds. The name is one pointer in each device's structure. Pointing it to a name that stands for what the
 * CPU certainly has makes the driver work at full speed; no build option and no variable can do it. */
#include "cl/quirk.h"

#include "base/alloc.h"
#include "base/text.h"
#include "cl/constants.h"
#include "cl/driver.h"
#include "cl/peek.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char cured_build[] =
    "OpenCL 3.0 PoCL 3.0-rc2  Linux, Release, RELOC, LLVM 14.0.6, SLEEF, DISTRO, POCL_DEBUG";
enum { MOST_DEVICES = 16, OBJECT = 4096 };

size_t syc__quirk_find(const void *object, size_t size, const char *name, size_t *offset)
{
    const char *words[OBJECT / sizeof(char *)];
    size_t length = strlen(name) + 1, found = 0;
    size_t count = syc__peek(object, words, size < sizeof words ? size : sizeof words) / sizeof words[0];
    char text[64];

    for (size_t i = 0; i < count && length <= sizeof text; i++) {
        if (syc__peek(words[i], text, length) == length && memcmp(text, name, length) == 0) {
            *offset = i * sizeof words[0];
            found++;
        }
    }
    return found;
}

/* The name of what this CPU has, as clang knows it, or NULL where none is safe. */
static const char *cpu_level(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return "x86-64-v4";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("fma"))
        return "x86-64-v3";
    if (__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("popcnt"))
        return "x86-64-v2";
#endif
    return NULL;
}

static bool needs_cure(const syc_driver *driver, cl_device_id device)
{
    static const char end[] = "-generic";
    char version[1024] = "";
    size_t length;
    if (driver->cl.GetDeviceInfo(device, CL_DEVICE_VERSION, sizeof version - 1, version, NULL) != CL_SUCCESS)
        return false;
    length = strlen(version);
    return length >= sizeof end - 1 && strcmp(version + length - (sizeof end - 1), end) == 0;
}

/* The devices lie in one array, so that the next one ends the search in this one. */
static size_t object_size(const cl_device_id *devices, size_t count)
{
    uintptr_t size = OBJECT;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++)
            if ((uintptr_t)devices[k] > (uintptr_t)devices[i] && (uintptr_t)devices[k] - (uintptr_t)devices[i] < size)
                size = (uintptr_t)devices[k] - (uintptr_t)devices[i];
    return size;
}

/* The new name is the driver's from here on, in memory from the allocator that it took the old one from. */
static void cure(cl_device_id device, size_t size, const char *level, size_t index, syc_text *words)
{
    size_t offset = 0, found = syc__quirk_find(device, size, "generic", &offset);
    char *name = found == 1 && level != NULL ? strdup(level) : NULL;
    syc_text_add(words, "%s", words->length ? "; " : "");
    if (level == NULL) {
        syc_text_add(words, "device %zu cannot build: its CPU name is \"generic\", and this CPU is below x86-64-v2",
                     index);
        return;
    }
    if (name == NULL) {
        syc_text_add(words, "device %zu cannot build: its CPU name \"generic\" was found %zu times instead of once",
                     index, found);
        return;
    }
    *(char **)((char *)device + offset) = name;
    syc_text_add(words, "device %zu: CPU name \"generic\", which it cannot build for, replaced by \"%s\"", index,
                 level);
}

static bool is_cured_build(const syc_driver *driver, cl_platform_id platform)
{
    char version[sizeof cured_build + 1] = "";
    int code = driver->cl.GetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof version, version, NULL);
    return code == CL_SUCCESS && strcmp(version, cured_build) == 0;
}

static void cure_platform(syc_driver *driver, cl_platform_id platform, syc_text *words)
{
    cl_device_id devices[MOST_DEVICES];
    cl_uint count = 0;
    const char *level = cpu_level();

    if (!is_cured_build(driver, platform))
        return;
    if (driver->cl.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MOST_DEVICES, devices, &count) != CL_SUCCESS ||
        count > MOST_DEVICES)
        return;
    for (cl_uint i = 0; i < count; i++)
        if (needs_cure(driver, devices[i]))
            cure(devices[i], object_size(devices, count), level, i, words);
}

bool syc__quirk_on_path(const char *program, const char *path)
{
    while (path != NULL && *path != '\0') {
        size_t length = strcspn(path, ":");
        char file[4096];
        int written = snprintf(file, sizeof file, "%.*s/%s", (int)length, path, program);
        if (written > 0 && (size_t)written < sizeof file && access(file, X_OK) == 0)
            return true;
        path += length + (path[length] == ':');
    }
    return false;
}

/* This build links each kernel with `ld`, and ends the process when there is none: there is no cure, so it is not used.
 */
static syc_status refuse_without_linker(syc_driver *driver)
{
    for (size_t i = 0; i < driver->platform_count; i++) {
        if (!is_cured_build(driver, driver->platforms[i]) || syc__quirk_on_path("ld", getenv("PATH")))
            continue;
        return syc_copy_string(
            "it links kernels with `ld`, which is not on the PATH, and would end the process at the first "
            "launch: install binutils or mend PATH",
            &driver->refusal);
    }
    return SYC_OK;
}

syc_status syc__driver_cure(syc_driver *driver)
{
    syc_status status = SYC_OK;
    syc_text words = {0};

    if (driver->quirks != NULL)
        syc_text_add(&words, "%s", driver->quirks);
    for (size_t i = 0; i < driver->platform_count; i++)
        cure_platform(driver, driver->platforms[i], &words);
    SYC_CHECK(!words.cut, SYC_E_MEMORY_ALLOCATION, "no memory for the quirks of %s", driver->path);
    syc_free(driver->quirks);
    driver->quirks = syc_text_take(&words);
    SYC_TRY(refuse_without_linker(driver));
done:
    syc_text_clear(&words);
    return status;
}
