/* The cache's settings in the environment: PYSYCL_CACHE, PYSYCL_CACHE_DIR, PYSYCL_CACHE_SIZE. */
#define _GNU_SOURCE
#include "base/alloc.h"
#include "program/cache/folder.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const uint64_t default_limit = 256ull << 20;

/* How the names of variables begin that change what a driver's compiler makes. Where a driver writes and how much it
 * says changes nothing. */
static const char *const prefixes[] = {"POCL_", "CL_CONFIG_", "OCLGRIND_", "IGC_"};
static const char *const harmless[] = {"POCL_CACHE_DIR=", "POCL_DEBUG="};

static syc__cache_settings settings;

static bool is_off(const char *value)
{
    static const char *const words[] = {"0", "off", "no", "false"};
    for (size_t i = 0; value != NULL && i < sizeof words / sizeof *words; i++)
        if (strcasecmp(value, words[i]) == 0)
            return true;
    return false;
}

/* A number of bytes, or of K, M or G of them. */
static bool parse_size(const char *text, uint64_t *out)
{
    static const char units[] = "KMG";
    char *end;
    unsigned long long number;
    const char *unit;
    unsigned shift = 0;

    errno = 0;
    number = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || errno != 0)
        return false;
    unit = *end != '\0' ? strchr(units, *end & ~0x20) : NULL;
    if (unit != NULL) {
        shift = 10 * (unsigned)(unit - units + 1);
        end++;
    }
    if (*end != '\0' || number > UINT64_MAX >> shift)
        return false;
    *out = (uint64_t)number << shift;
    return true;
}

static uint64_t read_limit(void)
{
    const char *text = getenv("PYSYCL_CACHE_SIZE");
    uint64_t limit = default_limit;
    if (text != NULL && text[0] != '\0' && !parse_size(text, &limit))
        syc_report(syc_fail(SYC_E_INVALID_PARAMETER, SYC_HERE,
                            "PYSYCL_CACHE_SIZE is \"%s\", not a number of bytes such as 500M: it is taken as 256M",
                            text));
    return limit;
}

/* An absolute path: the working directory may change. */
static char *read_folder(void)
{
    const char *own = getenv("PYSYCL_CACHE_DIR"), *shared = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char *here;
    syc_text path = {0};

    if (own != NULL && own[0] == '/') {
        syc_text_add(&path, "%s", own);
    } else if (own != NULL && own[0] != '\0') {
        here = getcwd(NULL, 0);
        if (here != NULL)
            syc_text_add(&path, "%s/%s", here, own);
        free(here);
    } else if (shared != NULL && shared[0] == '/') { /* others are to be ignored, its standard says */
        syc_text_add(&path, "%s/pysycl", shared);
    } else if (home != NULL && home[0] == '/') {
        syc_text_add(&path, "%s/.cache/pysycl", home);
    }
    return path.cut ? NULL : syc_text_take(&path);
}

static bool matters(const char *variable)
{
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (strncmp(variable, harmless[i], strlen(harmless[i])) == 0)
            return false;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* In order, so that the same variables are the same key. NULL without memory. */
static char *read_drivers(void)
{
    const char **found = NULL;
    size_t count = 0, capacity = 0;
    syc_text lines = {0};
    bool whole = true;

    for (char **variable = environ; variable != NULL && *variable != NULL && whole; variable++) {
        if (!matters(*variable))
            continue;
        whole = syc_grow(&found, &capacity, count + 1, sizeof *found) == SYC_OK;
        if (whole)
            found[count++] = *variable;
    }
    if (count > 1)
        qsort(found, count, sizeof *found, compare);
    syc_text_add(&lines, "%s", "");
    for (size_t i = 0; i < count; i++)
        syc_text_add(&lines, "%s\n", found[i]);
    whole = whole && !lines.cut;
    syc_free(found);
    if (whole)
        return syc_text_take(&lines);
    syc_text_clear(&lines);
    return NULL;
}

static void read_environment(void)
{
    if (is_off(getenv("PYSYCL_CACHE")))
        return;
    settings.limit = read_limit();
    settings.drivers = read_drivers();
    if (settings.limit > 0 && settings.drivers != NULL)
        settings.folder = read_folder();
}

const syc__cache_settings *syc__cache_settings_get(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_environment);
    return &settings;
}
