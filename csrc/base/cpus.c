/* Masks and quotas. A quota is the least of those of the group and of all groups around it. */
#define _GNU_SOURCE
#include "base/cpus.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

size_t syc_cpus_allowed(void)
{
    cpu_set_t cpus;
    int count = sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? CPU_COUNT(&cpus) : 1;
    return count > 0 ? (size_t)count : 1;
}

/* Of version 2: "max 100000" or "150000 100000". */
static size_t quota_of(const char *folder)
{
    char path[PATH_MAX + 64];
    unsigned long long quota = 0, period = 0;
    size_t cpus = SIZE_MAX;
    FILE *file;

    snprintf(path, sizeof path, "/sys/fs/cgroup%s/cpu.max", folder);
    file = fopen(path, "re");
    if (file == NULL)
        return SIZE_MAX;
    if (fscanf(file, "%llu %llu", &quota, &period) == 2 && period > 0)
        cpus = (size_t)(quota / period);
    fclose(file);
    return cpus;
}

/* Of version 1. */
static size_t old_quota(void)
{
    FILE *quota_file = fopen("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "re");
    FILE *period_file = fopen("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "re");
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

/* The group's folder, "" where it is not known. */
static void read_folder(char *folder, size_t size)
{
    char line[PATH_MAX];
    FILE *file = fopen("/proc/self/cgroup", "re");

    folder[0] = '\0';
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, "0::/", 4) == 0) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(folder, size, "%s", line + 3);
        }
    if (file != NULL)
        fclose(file);
}

static size_t paid;

static void read_paid(void)
{
    char folder[PATH_MAX];
    char *slash;

    paid = old_quota();
    read_folder(folder, sizeof folder);
    do {
        size_t here = quota_of(folder);
        paid = here < paid ? here : paid;
        slash = strrchr(folder, '/');
        if (slash != NULL)
            *slash = '\0';
    } while (slash != NULL);
    paid = paid > 0 ? paid : 1; /* of less than one CPU */
}

size_t syc_cpus_paid(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_paid);
    return paid;
}
