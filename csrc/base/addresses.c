/* Mapped and let go of at once: nothing is ever touched. */
#define _GNU_SOURCE
#include "base/addresses.h"

#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>

bool syc_has_addresses(uint64_t bytes)
{
    struct rlimit limit;
    void *room;

    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return true;
    room = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return room != MAP_FAILED && munmap(room, bytes) == 0;
}
