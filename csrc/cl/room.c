/* Asked of the system without changing anything that other threads could see. */
#define _GNU_SOURCE
#include "cl/room.h"

#include "base/addresses.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Safe sides of few measurements on PoCL 3.0: a kernel's files have some 100 KiB; a limit of 14 descriptors, 6 of them
 * open, ended the process, and one of 20 did not. */
static const uint64_t file_bytes = (uint64_t)4 << 20, address_bytes = (uint64_t)320 << 20;
enum { DESCRIPTORS = 20, AT_A_TIME = 64 };

static uint64_t limit_of(int resource)
{
    struct rlimit limit;
    return getrlimit((__rlimit_resource_t)resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY
               ? (uint64_t)limit.rlim_cur
               : UINT64_MAX;
}

/* How many descriptors are free below the limit, as far as it matters. From the top, where most of them are. */
static unsigned free_descriptors(uint64_t limit)
{
    struct pollfd some[AT_A_TIME];
    uint64_t end = limit < INT32_MAX ? limit : INT32_MAX;
    unsigned found = 0;

    while (end > 0 && found < DESCRIPTORS) {
        nfds_t count = end < AT_A_TIME ? (nfds_t)end : AT_A_TIME;
        for (nfds_t i = 0; i < count; i++)
            some[i] = (struct pollfd){.fd = (int)(--end)};
        if (poll(some, count, 0) < 0)
            return DESCRIPTORS; /* nobody knows */
        for (nfds_t i = 0; i < count; i++)
            found += (some[i].revents & POLLNVAL) != 0;
    }
    return found;
}

static syc_status check_files(const char *folder)
{
    const uint64_t file_limit = limit_of(RLIMIT_FSIZE), limit = limit_of(RLIMIT_NOFILE);
    unsigned descriptors = free_descriptors(limit);
    syc_status status = SYC_OK;
    struct statvfs space;

    SYC_CHECK(statvfs(folder, &space) == 0, SYC_E_RUNTIME,
              "nothing can be compiled at the moment: the folder of the compiler's files, %s, cannot be used: %s",
              folder, strerror(errno));
    SYC_CHECK(
        (uint64_t)space.f_bavail * space.f_frsize >= file_bytes && (space.f_files == 0 || space.f_favail > 0),
        SYC_E_RUNTIME,
        "nothing can be compiled at the moment: the disk of %s is full, where the compiler writes its files (TMPDIR "
        "says where temporary files go)",
        folder);
    SYC_CHECK(
        file_limit >= file_bytes, SYC_E_RUNTIME,
        "nothing can be compiled at the moment: the limit of the size of files (RLIMIT_FSIZE, `ulimit -f`) is %llu "
        "bytes, and the compiler's need up to %llu",
        (unsigned long long)file_limit, (unsigned long long)file_bytes);
    SYC_CHECK(
        descriptors >= DESCRIPTORS, SYC_E_RUNTIME,
        "nothing can be compiled at the moment: %u file descriptors are left of %llu (RLIMIT_NOFILE, `ulimit -n`), "
        "and the compiler and its linker need %u",
        descriptors, (unsigned long long)limit, (unsigned)DESCRIPTORS);
done:
    return status;
}

syc_status syc_driver_check_room(const syc_driver *driver)
{
    syc_status status = SYC_OK;

    if (driver->folder != NULL)
        SYC_TRY(check_files(driver->folder));
    SYC_CHECK(syc_has_addresses(address_bytes), SYC_E_MEMORY_ALLOCATION,
              "nothing can be compiled at the moment: the process has less than %llu MiB of addresses left (RLIMIT_AS, "
              "`ulimit -v`), and the compiler would end it",
              (unsigned long long)(address_bytes >> 20));
done:
    return status;
}

syc_status syc__driver_check_answer(const syc_driver *driver)
{
    syc_status status = SYC_OK;

    SYC_CHECK(syc_has_addresses(SYC_FEW_ADDRESSES), SYC_E_MEMORY_ALLOCATION,
              "%s cannot be asked at the moment: the process has less than %llu MiB of addresses left (RLIMIT_AS, "
              "`ulimit -v`), and the driver would end it",
              driver->path, (unsigned long long)(SYC_FEW_ADDRESSES >> 20));
done:
    return status;
}
