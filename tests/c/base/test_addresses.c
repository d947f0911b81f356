/* Addresses that are left, and threads that would have none to live by. */
#include "base/addresses.h"
#include "base/thread.h"
#include "check.h"

#include <errno.h>
#include <sys/resource.h>

static void *nothing(void *argument)
{
    return argument;
}

static rlim_t used(void)
{
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file != NULL && fscanf(file, "%llu", &pages) == 1);
    fclose(file);
    return (rlim_t)pages * 4096;
}

static void with_limit(rlim_t bytes, void (*then)(void))
{
    struct rlimit before, now;
    CHECK(getrlimit(RLIMIT_AS, &before) == 0);
    now = (struct rlimit){used() + bytes, before.rlim_max};
    CHECK(setrlimit(RLIMIT_AS, &now) == 0);
    then();
    CHECK(setrlimit(RLIMIT_AS, &before) == 0);
}

static void few(void)
{
    CHECK(syc_has_addresses(1 << 20));
    CHECK(!syc_has_addresses(SYC_FEW_ADDRESSES));
    CHECK(!syc_thread_fits(0));
    CHECK_EQUAL(syc_thread_start(nothing, NULL), EAGAIN);
}

/* A stack of 64 MiB would find place, and nothing else would. */
static void a_stack(void)
{
    CHECK(syc_has_addresses((uint64_t)64 << 20));
    CHECK(!syc_thread_fits((size_t)64 << 20));
    CHECK(syc_thread_fits((size_t)32 << 20));
}

static void test_limits(void)
{
    with_limit(3 << 20, few);
    with_limit(66 << 20, a_stack);
}

static void test_no_limit(void)
{
    CHECK(syc_has_addresses((uint64_t)1 << 60));
    CHECK(syc_thread_fits(0));
}

int main(void)
{
    RUN(test_limits);
    RUN(test_no_limit);
    return CHECK_EXIT_CODE;
}
