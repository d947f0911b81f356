/* What the tests of discovery share: discovery happens once per process, so each test runs in a child of its own,
 * against the fake driver with the settings that the test wants. */
#ifndef SYC_TESTS_CHILD_H
#define SYC_TESTS_CHILD_H

#include "base/alloc.h"
#include "base/process.h"
#include "base/refcount.h"
#include "check.h"
#include "cl/constants.h"
#include "cl/context.h"
#include "cl/fault.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *fake; /* the library's path */
static syc_platform *const *platforms;
static size_t platform_count;

static inline void list_platforms(void)
{
    CHECK_OK(syc_platforms(&platforms, &platform_count));
}

/* The first platform, which every test but those of refusals has. */
static inline syc_platform *first_platform(void)
{
    list_platforms();
    if (platform_count == 0) {
        fprintf(stderr, "no platform: %s\n", syc_drivers_describe());
        exit(1);
    }
    return platforms[0];
}

static inline int fake_live(const char *kind)
{
    void *library = dlopen(fake, RTLD_NOW | RTLD_NOLOAD);
    int (*live)(const char *);
    *(void **)&live = dlsym(library, "fake_live");
    return live(kind);
}

static inline int fake_errors(void)
{
    void *library = dlopen(fake, RTLD_NOW | RTLD_NOLOAD);
    int (*count)(void);
    *(void **)&count = dlsym(library, "fake_error_count");
    return count();
}

static inline void release_all(syc_device **devices, size_t count)
{
    for (size_t i = 0; i < count; i++)
        syc_device_release(devices[i]);
    syc_free(devices);
}

static inline void set_environment(const char *settings)
{
    char text[256], *rest = text;
    snprintf(text, sizeof text, "%s", settings);
    for (char *word; (word = strsep(&rest, ";")) != NULL;) {
        char *equals = strchr(word, '=');
        if (equals == NULL)
            continue;
        *equals = '\0';
        setenv(word, equals + 1, 1);
    }
}

/* `settings`: VARIABLE=value, ";" between. PYSYCL_DRIVERS is the fake driver unless they say otherwise. */
static inline void in_child(const char *name, const char *settings, void (*test)(void))
{
    int result = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        check__failures = 0;
        setenv("PYSYCL_DRIVERS", fake, 1);
        set_environment(settings);
        test();
        exit(CHECK_EXIT_CODE);
    }
    waitpid(child, &result, 0);
    printf("%s %s\n", result == 0 ? "ok  " : "FAIL", name);
    check__failures += result != 0;
}

#define CHILD(settings, test) in_child(#test, settings, test)
#define POCL                  "FAKE_PLATFORM_NAME=Portable Computing Language;"

/* First words of main: without the fake driver the tests are skipped. */
#define FIND_FAKE_DRIVER                  \
    do {                                  \
        fake = getenv("SYC_FAKE_DRIVER"); \
        if (fake == NULL)                 \
            return CHECK_SKIP;            \
        unsetenv("OCL_ICD_VENDORS");      \
    } while (0)

#endif
