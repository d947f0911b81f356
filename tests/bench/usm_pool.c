/* Small allocations of unified shared memory: the pool against the driver's own clSVMAlloc and clSVMFree (or Intel's
 * entries), each from C, in one process. A program of its own, made of the core:
 *
 *     cc -O2 -std=gnu11 -Icsrc tests/bench/usm_pool.c csrc/base/[a-z]*.c csrc/cl/[a-z]*.c csrc/memory/[a-z]*.c \
 *        -ldl -lpthread -o usm_pool
 *     PYSYCL_DRIVERS=libpocl.so ./usm_pool [pairs]
 *
 * One line per pattern: its name, ns a pair through the pool, ns a pair through the driver. Then what the handles take,
 * and what the process grew by over 10^5 rounds. */
#include "memory/usm/provider.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BYTES = 64, LIVE = 1000, ROUNDS = 100000 };

struct way {
    void *(*get)(void);
    void (*give)(void *);
};

static syc_context *context;
static syc_device *device;
static const struct syc__usm_provider *provider;

static void must(syc_status status)
{
    if (status == SYC_OK)
        return;
    fprintf(stderr, "%s\n", syc_detail_of(status).message);
    exit(1);
}

static void *pool_get(void)
{
    syc_usm *usm = NULL;
    must(syc_usm_create(context, device, SYC_USM_DEVICE, BYTES, 0, &usm));
    return usm;
}

static void pool_give(void *usm)
{
    must(syc_usm_free(usm));
}

static void *driver_get(void)
{
    cl_int code = 0;
    void *memory = provider->allocate(context, device, SYC_USM_DEVICE, BYTES, SYC__USM_WIDEST, &code);
    if (memory == NULL)
        exit(1);
    return memory;
}

static void driver_give(void *memory)
{
    provider->give_back(context, memory);
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static unsigned next_random(void)
{
    static unsigned state = 1;
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

/* Each is freed at once; a second one is alive all the time. */
static void one_after_the_other(const struct way *way, long pairs)
{
    for (long i = 0; i < pairs; i++)
        way->give(way->get());
}

/* A thousand, then all of them back in the same order. */
static void by_thousands(const struct way *way, long pairs)
{
    static void *held[LIVE];
    for (long round = 0; round < pairs / LIVE; round++) {
        for (int i = 0; i < LIVE; i++)
            held[i] = way->get();
        for (int i = 0; i < LIVE; i++)
            way->give(held[i]);
    }
}

/* A thousand are alive all the time, and any one of them is replaced. */
static void among_a_thousand(const struct way *way, long pairs)
{
    static void *held[LIVE];
    for (int i = 0; i < LIVE; i++)
        held[i] = way->get();
    for (long i = 0; i < pairs; i++) {
        unsigned at = next_random() % LIVE;
        way->give(held[at]);
        held[at] = way->get();
    }
    for (int i = 0; i < LIVE; i++)
        way->give(held[i]);
}

static const struct {
    const char *name;
    void (*run)(const struct way *way, long pairs);
} patterns[] = {
    {"one-after-the-other", one_after_the_other},
    {"by-thousands", by_thousands},
    {"among-a-thousand", among_a_thousand},
};

/* The least of three. */
static double ns_a_pair(void (*run)(const struct way *, long), const struct way *way, long pairs)
{
    double least = 1e300;
    for (int i = 0; i < 3; i++) {
        double began = now_ns(), took;
        run(way, pairs);
        took = (now_ns() - began) / (double)pairs;
        least = took < least ? took : least;
    }
    return least;
}

static long resident_bytes(void)
{
    long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file != NULL && fscanf(file, "%ld %ld", &pages, &resident) != 2)
        resident = 0;
    if (file != NULL)
        fclose(file);
    return resident * sysconf(_SC_PAGESIZE);
}

int main(int count, char **words)
{
    static const struct way pool = {pool_get, pool_give}, driver = {driver_get, driver_give};
    long pairs = count > 1 ? atol(words[1]) : 1000000, before;
    syc_platform *const *platforms;
    size_t platform_count = 0;
    void *one, *other;

    must(syc_platforms(&platforms, &platform_count));
    if (platform_count == 0) {
        fprintf(stderr, "no driver: %s\n", syc_drivers_describe());
        return 1;
    }
    device = platforms[0]->devices[0];
    must(syc_context_create(&device, 1, &context));
    provider = syc__usm_provider_of(context);
    one = pool_get();
    other = driver_get();
    printf("device %s\n", syc_device_name(device));
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        printf("%s %.1f %.1f\n", patterns[i].name, ns_a_pair(patterns[i].run, &pool, pairs),
               ns_a_pair(patterns[i].run, &driver, pairs));
    printf("handle %zu\n", sizeof(syc_usm));
    before = resident_bytes();
    by_thousands(&pool, (long)ROUNDS * 10);
    one_after_the_other(&pool, ROUNDS);
    printf("growth %ld\n", resident_bytes() - before);
    driver_give(other);
    pool_give(one);
    syc_context_release(context);
    printf("left %ld\n", syc_live_count(SYC_LIVE_SVM));
    return 0;
}
