/* Quotas of control groups, read from folders as both versions have them. */
#define _GNU_SOURCE
#include "base/cpus.h"

#include "check.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char root[] = "/tmp/syc_cpus_XXXXXX";

/* Writes a file below the root, and all folders on the way to it. */
static void put(const char *name, const char *text)
{
    char path[512];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *at = strchr(path + strlen(root) + 1, '/'); at != NULL; at = strchr(at + 1, '/')) {
        *at = '\0';
        CHECK(mkdir(path, 0700) == 0 || errno == EEXIST);
        *at = '/';
    }
    file = fopen(path, "w");
    CHECK(file != NULL);
    if (file != NULL) {
        fputs(text, file);
        fclose(file);
    }
}

static void put_old(const char *folder, const char *quota)
{
    char name[256];
    snprintf(name, sizeof name, "sys/fs/cgroup/cpu/%s/cpu.cfs_quota_us", folder);
    put(name, quota);
    snprintf(name, sizeof name, "sys/fs/cgroup/cpu/%s/cpu.cfs_period_us", folder);
    put(name, "100000\n");
}

static void nothing_is_known(void)
{
    CHECK_EQUAL(syc__cpus_paid_below(root), SIZE_MAX);
    CHECK(syc_cpus_allowed() >= 1);
    CHECK(syc_cpus_paid() >= 1);
}

static void groups_of_version_2(void)
{
    put("proc/self/cgroup", "1:name=systemd:/elsewhere\n0::/outer/inner\n");
    put("sys/fs/cgroup/outer/inner/cpu.max", "max 100000\n");
    CHECK_EQUAL(syc__cpus_paid_below(root), SIZE_MAX);
    put("sys/fs/cgroup/outer/cpu.max", "350000 100000\n");
    CHECK_EQUAL(syc__cpus_paid_below(root), 3);
    put("sys/fs/cgroup/outer/inner/cpu.max", "50000 100000\n");
    CHECK_EQUAL(syc__cpus_paid_below(root), 1);
    put("sys/fs/cgroup/outer/inner/cpu.max", "800000 100000\n");
}

static void groups_of_version_1(void)
{
    put("proc/self/cgroup", "5:cpuset,cpus:/elsewhere\n4:cpuacct,cpu:/docker/one/two\n0::/\n");
    put_old("elsewhere", "100000\n");
    put_old("docker/one/two", "-1\n");
    CHECK_EQUAL(syc__cpus_paid_below(root), SIZE_MAX);
    put_old("docker", "600000\n");
    CHECK_EQUAL(syc__cpus_paid_below(root), 6);
    put_old("docker/one", "250000\n");
    CHECK_EQUAL(syc__cpus_paid_below(root), 2);
    put_old(".", "100000\n"); /* all that a container sees */
    CHECK_EQUAL(syc__cpus_paid_below(root), 1);
}

int main(void)
{
    char clean[sizeof root + 16];
    CHECK(mkdtemp(root) != NULL);
    RUN(nothing_is_known);
    RUN(groups_of_version_2);
    RUN(groups_of_version_1);
    snprintf(clean, sizeof clean, "rm -rf %s", root);
    CHECK_EQUAL(system(clean), 0);
    return CHECK_EXIT_CODE;
}
