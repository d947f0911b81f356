/* Masks and quotas. A quota is the least of those of the group and of all groups around it, of either version of
 * control groups. */
#define _GNU_SOURCE
#include "base/cpus.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

size_t syc_cpus_allowed(void)
{
    cpu_set_t cpus;
    int count = sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? CPU_COUNT(&cpus) : 1;
    return count > 0 ? (size_t)count : 1;
}

static FILE *open_below(const char *root, const char *folder, const char *name)
{
    char path[2 * PATH_MAX];
    int length = snprintf(path, sizeof path, "%s%s/%s", root, folder, name);
    return length > 0 && (size_t)length < sizeof path ? fopen(path, "re") : NULL;
}

/* "max 100000" or "150000 100000". */
static size_t quota_of(const char *root, const char *folder)
{
    unsigned long long quota = 0, period = 0;
    size_t cpus = SIZE_MAX;
    FILE *file = open_below(root, folder, "cpu.max");

    if (file == NULL)
        return SIZE_MAX;
    if (fscanf(file, "%llu %llu", &quota, &period) == 2 && period > 0)
        cpus = (size_t)(quota / period);
    fclose(file);
    return cpus;
}

/* Of version 1: -1 for no quota. */
static size_t old_quota_of(const char *root, const char *folder)
{
    FILE *quota_file = open_below(root, folder, "cpu.cfs_quota_us");
    FILE *period_file = open_below(root, folder, "cpu.cfs_period_us");
    long long quota = -1, period = 0;
    size_t cpus = SIZE_MAX;

    if (quota_file != NULL && period_file != NULL && fscanf(quota_file, "%lld", &quota) == 1 &&
        fscanf(period_file, "%lld", &period) == 1 && quota >= 0 && period > 0)
        cpus = (size_t)(quota / period);
    if (quota_file != NULL)
        fclose(quota_file);
    if (period_file != NULL)
        fclose(period_file);
    return cpus;
}

/* The least quota of a group and of those around it, up to where the groups are mounted. A container may see that one
 * only, though its group has a longer name. */
static size_t least_quota(const char *root, const char *mount, char *group,
                          size_t (*quota)(const char *root, const char *folder))
{
    char folder[2 * PATH_MAX];
    size_t least = SIZE_MAX, here;
    char *slash;

    do {
        slash = strrchr(group, '/');
        snprintf(folder, sizeof folder, "%s%s", mount, group);
        here = quota(root, folder);
        least = here < least ? here : least;
        if (slash != NULL)
            *slash = '\0';
    } while (slash != NULL);
    return least;
}

/* Is `word` in a list between commas? */
static bool has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (; list != NULL; list = strchr(list, ',') != NULL ? strchr(list, ',') + 1 : NULL)
        if (strncmp(list, word, length) == 0 && (list[length] == ',' || list[length] == '\0'))
            return true;
    return false;
}

/* Lines are "0::/group" of version 2, and "4:cpu,cpuacct:/group" of version 1. */
size_t syc__cpus_paid_below(const char *root)
{
    char line[PATH_MAX], groups[2][PATH_MAX] = {"", ""}; /* "" where it is not known */
    FILE *file = open_below(root, "/proc/self", "cgroup");
    size_t quota, old;

    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *kinds = strchr(line, ':'), *group = kinds != NULL ? strchr(kinds + 1, ':') : NULL;
        if (group == NULL)
            continue;
        *group++ = '\0';
        group[strcspn(group, "\n")] = '\0';
        if (kinds[1] == '\0')
            memcpy(groups[0], group, strlen(group) + 1);
        else if (has_word(kinds + 1, "cpu"))
            memcpy(groups[1], group, strlen(group) + 1);
    }
    if (file != NULL)
        fclose(file);
    quota = least_quota(root, "/sys/fs/cgroup", groups[0], quota_of);
    old = least_quota(root, "/sys/fs/cgroup/cpu", groups[1], old_quota_of);
    quota = old < quota ? old : quota;
    return quota > 0 ? quota : 1; /* of less than one CPU */
}

static size_t paid;

static void read_paid(void)
{
    paid = syc__cpus_paid_below("");
}

size_t syc_cpus_paid(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_paid);
    return paid;
}
