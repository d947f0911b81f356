/* When the cache is written, and all that may go wrong with it: damaged files, failing calls and allocations, many
 * threads, and forks. The fake driver ends the process when it is given bytes that are not exactly what it gave out. */
#define _GNU_SOURCE
#include "cache_scene.h"

/* -- damage on the disk -- */

/* What the driver is given is what it gave, or nothing: it would end this process. SYC_CORRUPTIONS: how many. */
static void damaged_entries(void)
{
    const char *wanted = getenv("SYC_CORRUPTIONS");
    long rounds = wanted != NULL ? atol(wanted) : 300;
    unsigned char *good, *bad, *other;
    char path[400], other_path[400];
    size_t size, other_size;
    uint64_t state = (uint64_t)syc_now_ns();

    alarm(600);
    open_cache();
    printf("seed %llu\n", (unsigned long long)state);
    CHECK_OK(build_one("kernel void fill_ids(global uint *out) { }\n", ""));
    (void)figures();
    snprintf(other_path, sizeof other_path, "%s", only_entry());
    other_size = load(other_path, &other);
    (void)unlink(other_path);
    CHECK_OK(build_one(scene_source, ""));
    (void)figures();
    snprintf(path, sizeof path, "%s", only_entry());
    size = load(path, &good);
    CHECK(size > 0 && other_size > 0);
    bad = malloc(size + 4096);
    for (long i = 0; i < rounds && check__failures == 0; i++) {
        size_t length = size, at = next_random(&state) % size, count = 1 + next_random(&state) % (size - at);
        uint64_t rejected = figures().rejected;
        memcpy(bad, good, size);
        switch (next_random(&state) % 6) {
        case 0:
            bad[at] ^= (unsigned char)(1u << next_random(&state) % 8);
            break;
        case 1:
            length = at;
            break;
        case 2:
            memset(bad + size, 0, 4096);
            length += 1 + next_random(&state) % 4096;
            break;
        case 3:
            bad[at] ^= 1;
            memset(bad + at + 1, 0, count - 1);
            break;
        case 4:
            memcpy(bad, other, other_size); /* another program's entry under this name */
            length = other_size;
            break;
        default:
            bad[at] ^= 1;
            for (size_t k = 1; k < count; k++)
                bad[at + k] = (unsigned char)next_random(&state);
        }
        store(path, bad, length);
        CHECK_OK(build_one(scene_source, ""));
        CHECK_EQUAL(figures().rejected, rejected + (length > 0)); /* an empty file is no file */
        CHECK_EQUAL(figures().hits, 0);
    }
    CHECK_EQUAL(from_binaries(), 0);
    CHECK_OK(build_one(scene_source, "")); /* and it was written anew each time */
    CHECK_EQUAL(figures().hits, 1);
    free(good);
    free(bad);
    free(other);
    close_cache();
}

/* -- late ones -- */

static void questions_wait_for_a_quiet_moment(void)
{
    syc_cache_figures f;
    open_cache();
    CHECK_OK(build_one(scene_source, ""));
    syc_sleep_ns(300 * (uint64_t)MS);
    syc_cache_figures_get(&f);
    CHECK_EQUAL(f.waiting, 1);
    CHECK_EQUAL(f.stored, 0);
    CHECK_EQUAL(syc_fault_calls("GetProgramInfo"), 0);
    CHECK_EQUAL(fake_live("program"), 1);                /* held until it can be asked */
    CHECK_EQUAL(syc_live_count(SYC_LIVE_CL_PROGRAM), 0); /* but nobody's any more */
    for (int patience = 0; patience < 100 && f.stored == 0; patience++) {
        syc_sleep_ns(100 * (uint64_t)MS);
        syc_cache_figures_get(&f);
    }
    CHECK_EQUAL(f.stored, 1);
    CHECK_EQUAL(f.waiting, 0);
    CHECK_EQUAL(fake_live("program"), 0);
    close_cache();
}

static void the_end_does_not_wait_for_long(void)
{
    enum { PROGRAMS = 30 };
    syc_cache_figures f;
    char text[100];

    open_cache(); /* one kernel for one device takes a tenth of a second, as far as the facts know */
    CHECK_OK(build_one(scene_source, "")); /* eight of them fit */
    for (int i = 0; i < PROGRAMS; i++) {
        snprintf(text, sizeof text, "kernel void fail(global uint *out) { /* %d */ }\n", i);
        CHECK_OK(build_one(text, ""));
    }
    syc_cache_close();
    syc_cache_figures_get(&f);
    CHECK_EQUAL(f.waiting, 0);
    CHECK_EQUAL(f.stored + f.unsaved, PROGRAMS + 1);
    CHECK(f.stored > 0);
    CHECK_EQUAL(fake_live("program"), 0);
    CHECK_OK(build_one("kernel void fail(global uint *out) { }\n", "")); /* after the end nothing is kept */
    syc_cache_figures_get(&f);
    CHECK_EQUAL(f.waiting, 0);
    CHECK_EQUAL(f.stored + f.unsaved, PROGRAMS + 2);
    close_cache();
}

static void large_programs_wait_to_be_asked_for(void)
{
    syc_text text = {0};
    syc_cache_figures f;

    open_cache();
    for (int i = 0; i < 60; i++) /* six seconds: more than a quiet moment or the end has */
        syc_text_add(&text, "kernel void k%d(global uint *out) { }\n", i);
    CHECK_OK(build_one(syc_text_get(&text), ""));
    syc_sleep_ns(300 * (uint64_t)MS);
    syc_cache_figures_get(&f);
    CHECK_EQUAL(f.waiting, 1);
    syc_cache_save();
    syc_cache_figures_get(&f);
    CHECK_EQUAL(f.stored, 1);
    CHECK_OK(build_one(syc_text_get(&text), "-DX"));
    syc_cache_close();
    syc_cache_figures_get(&f);
    CHECK_EQUAL(f.stored, 1);
    CHECK_EQUAL(f.unsaved, 1);
    syc_text_clear(&text);
    close_cache();
}

static size_t name_in(const unsigned char *bytes, size_t size, char out[7])
{
    const unsigned char *at = memmem(bytes, size, "FAKEEXE _UNCACHED_", 18);
    out[0] = '\0';
    if (at == NULL)
        return 0;
    memcpy(out, at + 18, 6);
    out[6] = '\0';
    return (size_t)(at - bytes);
}

/* Binaries unpack themselves to a folder that they name: no two programs may share one. */
static void folders_are_renamed(void)
{
    unsigned char *bytes;
    char first[7], second[7];
    size_t size;

    open_cache();
    CHECK_OK(build_one(scene_source, ""));
    (void)figures();
    size = load(only_entry(), &bytes);
    (void)name_in(bytes, size, first);
    free(bytes);
    CHECK(strcmp(first, "") != 0 && strcmp(first, "aaaaaa") != 0);
    (void)syc_cache_clear();
    CHECK_OK(build_one(scene_source, ""));
    (void)figures();
    size = load(only_entry(), &bytes);
    (void)name_in(bytes, size, second);
    free(bytes);
    CHECK(strcmp(first, second) != 0);
    close_cache();
}

/* -- failures on the way -- */

/* Without the cache, but not without what is mended in machine code (program/cures/machine_code.h). */
static void failing_calls(void)
{
    static const char *const entries[] = {"GetProgramInfo", "GetProgramBuildInfo", "RetainProgram", "GetDeviceInfo",
                                          "CreateProgramWithBinary"};
    bool asked;
    char text[100];

    open_cache();
    asked = device->facts->loses_ones || device->facts->drops_minus;
    for (size_t e = 0; e < sizeof entries / sizeof *entries; e++) {
        for (int n = 1; n <= 12; n++) {
            snprintf(text, sizeof text, "kernel void fail(global uint *out) { /* %zu %d */ }\n", e, n);
            for (int twice = 0; twice < 3; twice++) {
                syc_program *made = NULL;
                syc_build *build = NULL;
                syc_status status;
                CHECK_OK(syc_program_create(text, strlen(text), "", &made));
                CHECK_OK(syc_fault_arm(entries[e], n, CL_OUT_OF_RESOURCES));
                status = syc_program_build(made, context, &build);
                CHECK(status == SYC_OK || (asked && e == 0 && status == SYC_E_RUNTIME));
                (void)figures();
                CHECK_OK(syc_fault_install(device->platform->driver));
                syc_program_release(made);
            }
        }
    }
    CHECK(figures().hits > 0);
    CHECK_EQUAL(fake_live("program"), 0);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_CL_PROGRAM), 0);
    close_cache();
}

static void failing_allocations(void)
{
    char text[100];
    int worked = 0;

    open_cache();
    for (long n = 1; n <= 60; n++) {
        snprintf(text, sizeof text, "kernel void fail(global uint *out) { /* %ld */ }\n", n);
        for (int twice = 0; twice < 3; twice++) {
            syc_program *made = NULL;
            syc_build *build = NULL;
            syc_status status;
            CHECK_OK(syc_program_create(text, strlen(text), "", &made));
            syc_alloc_fail_at(n);
            status = syc_program_build(made, context, &build);
            (void)figures();
            syc_alloc_fail_at(0);
            CHECK(status == SYC_OK || status == SYC_E_MEMORY_ALLOCATION);
            worked += status == SYC_OK;
            CHECK_OK(syc_program_build(made, context, &build));
            syc_program_release(made);
        }
    }
    CHECK(worked > 100);
    CHECK(figures().hits > 50);
    close_cache();
    CHECK_EQUAL(syc_live_count(SYC_LIVE_CL_PROGRAM), 0);
}

/* -- many at once -- */

enum { THREADS = 6, ROUNDS = 40 };

static void *work(void *argument)
{
    char text[100];
    for (int i = 0; i < ROUNDS; i++) {
        snprintf(text, sizeof text, "kernel void fail(global uint *out) { /* %d */ }\n", i % 7);
        CHECK_OK(build_one(text, ""));
        if (argument == NULL && i % 5 == 0)
            (void)syc_cache_clear();
        if (i % 9 == 0)
            (void)figures();
    }
    return NULL;
}

static void threads_build_clear_and_save(void)
{
    pthread_t threads[THREADS];

    open_cache();
    for (intptr_t t = 0; t < THREADS; t++)
        CHECK_EQUAL(pthread_create(&threads[t], NULL, work, (void *)t), 0);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    CHECK_EQUAL(figures().hits + figures().misses, THREADS * ROUNDS);
    CHECK_EQUAL(figures().rejected + figures().unsaved, 0);
    CHECK_EQUAL(fake_live("program"), 0);
    close_cache();
}

/* A forked child is refused by every entry; the parent's line is none of its business. */
static void forked_children_leave_it_alone(void)
{
    int result = 1;
    pid_t child;

    open_cache();
    CHECK_OK(build_one(scene_source, ""));
    child = fork();
    if (child == 0) {
        alarm(20);
        syc_cache_save();
        syc_cache_close();
        _exit(0);
    }
    waitpid(child, &result, 0);
    CHECK_EQUAL(result, 0);
    CHECK_EQUAL(figures().stored, 1);
    close_cache();
}

int main(void)
{
    FIND_FAKE_DRIVER;
    CHILD(COPYING, damaged_entries);
    CHILD(LANES, damaged_entries);
    CHILD(SHARING, questions_wait_for_a_quiet_moment);
    CHILD(SHARING, the_end_does_not_wait_for_long);
    CHILD(SHARING, large_programs_wait_to_be_asked_for);
    CHILD(SHARING, folders_are_renamed);
    ON_EVERY_DEVICE(failing_calls);
    CHILD(LANES, failing_allocations);
    CHILD(COPYING, failing_allocations);
    CHILD(LANES, threads_build_clear_and_save);
    CHILD(COPYING, threads_build_clear_and_save);
    CHILD(SHARING, forked_children_leave_it_alone);
    return CHECK_EXIT_CODE;
}
