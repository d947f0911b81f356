/* PoCL 3.0-rc2: of a CPU that is newer than its LLVM it takes the wrong name, and builds nothing or kernels that hang.
 * Gone when: tests/python/programs/test_program.py::test_options_reach_the_compiler.
 *
 * The build that PyPI's wheel brings asks its LLVM 14 for the name of the CPU. On a CPU newer than that LLVM it gets
 * "generic", hands it to its own clang, which knows no CPU of that name, and no program builds. Or it gets the name of
 * an older relative (AMD's Zen 4 is taken for Zen 3) and compiles kernels for that, while its library of built-in
 * functions is chosen by what the CPU has, AVX-512: the two pass vectors of 64 bytes in different ways, and the
 * compiler ends the process, does not come back, or makes kernels that do not. The name is one pointer in each device's
 * structure. Pointing it to a name that stands for what the CPU certainly has makes the driver work at full speed; no
 * build option and no variable can do it. */
#include "cl/cures/pocl_cpu_name.h"

#include "base/alloc.h"
#include "base/peek.h"
#include "base/text.h"
#include "cl/constants.h"
#include "cl/driver.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char cured_build[] =
    "OpenCL 3.0 PoCL 3.0-rc2  Linux, Release, RELOC, LLVM 14.0.6, SLEEF, DISTRO, POCL_DEBUG";
enum { MOST_DEVICES = 16, OBJECT = 4096 };

size_t syc__pointer_find(const void *object, size_t size, const char *name, size_t *offset)
{
    const char *words[OBJECT / sizeof(char *)];
    size_t length = strlen(name) + 1, found = 0;
    size_t count = syc_peek(object, words, size < sizeof words ? size : sizeof words) / sizeof words[0];
    char text[64];

    for (size_t i = 0; i < count && length <= sizeof text; i++) {
        if (syc_peek(words[i], text, length) == length && memcmp(text, name, length) == 0) {
            *offset = i * sizeof words[0];
            found++;
        }
    }
    return found;
}

static const char best_level[] = "x86-64-v4"; /* as the library for AVX-512 */

/* The name of what this CPU has, as clang knows it, or NULL where none is safe. */
static const char *cpu_level(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return best_level;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("fma"))
        return "x86-64-v3";
    if (__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("popcnt"))
        return "x86-64-v2";
#endif
    return NULL;
}

/* LLVM 14's CPUs with all that the level has: kernels that are compiled for these can call the library for AVX-512. */
static bool is_of_best_level(const char *cpu)
{
    static const char *const names[] = {"skylake-avx512", "cascadelake",    "cooperlake", "cannonlake",
                                        "icelake-client", "icelake-server", "tigerlake",  "rocketlake",
                                        "sapphirerapids", best_level};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(cpu, names[i]) == 0)
            return true;
    return false;
}

/* The driver's name of the device's CPU is the end of the device's version: "...-linux-gnu-znver3". */
static void read_cpu(const syc_driver *driver, cl_device_id device, char cpu[static 64])
{
    static const char before[] = "-linux-gnu-";
    char version[1024] = "";
    const char *at;
    cpu[0] = '\0';
    if (driver->cl.GetDeviceInfo(device, CL_DEVICE_VERSION, sizeof version - 1, version, NULL) == CL_SUCCESS &&
        (at = strstr(version, before)) != NULL)
        snprintf(cpu, 64, "%s", at + sizeof before - 1);
}

/* The fault of the name of the CPU, as words behind "its CPU name"; or NULL. */
static const char *fault_of(const char *cpu, const char *level)
{
    if (strcmp(cpu, "generic") == 0)
        return "which it cannot build for";
    if (level == best_level && cpu[0] != '\0' && !is_of_best_level(cpu))
        return "which cannot call its own functions for AVX-512";
    return NULL;
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
static void cure(cl_device_id device, size_t size, const char *cpu, const char *fault, const char *level, size_t index,
                 syc_text *words)
{
    size_t offset = 0, found = syc__pointer_find(device, size, cpu, &offset);
    char *name = found == 1 && level != NULL ? strdup(level) : NULL;
    syc_text_add(words, "%sdevice %zu: CPU name \"%s\", %s, ", words->length ? "; " : "", index, cpu, fault);
    if (level == NULL)
        syc_text_add(words, "and this CPU is below x86-64-v2: no program builds");
    else if (name == NULL)
        syc_text_add(words, "was found %zu times instead of once: programs fail, and may end the process", found);
    else {
        *(char **)((char *)device + offset) = name;
        syc_text_add(words, "replaced by \"%s\"", level);
    }
}

bool syc__is_pocl_3_0(const syc_driver *driver, cl_platform_id platform)
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

    if (!syc__is_pocl_3_0(driver, platform))
        return;
    if (driver->cl.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MOST_DEVICES, devices, &count) != CL_SUCCESS ||
        count > MOST_DEVICES)
        return;
    for (cl_uint i = 0; i < count; i++) {
        const char *fault;
        char cpu[64];
        read_cpu(driver, devices[i], cpu);
        if ((fault = fault_of(cpu, level)) != NULL)
            cure(devices[i], object_size(devices, count), cpu, fault, level, i, words);
    }
}

syc_status syc__cpu_name_cure(syc_driver *driver)
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
done:
    syc_text_clear(&words);
    return status;
}
