/* Unified shared memory against the fake driver: kinds and providers, addresses, slabs, limits, threads.
 * spec: H466 H471 H478 */
#include "usm_scene.h"

#include <pthread.h>
#include <stdint.h>

static void kinds(void)
{
    static const size_t sizes[] = {0, 1, 127, 128, 129, 4096, 32768, 32769, 1 << 20};
    open_scene();
    for (syc_usm_kind kind = SYC_USM_DEVICE; kind < SYC_USM_UNKNOWN; kind++) {
        bool supported = false;
        CHECK_OK(syc_usm_supported(device, kind, &supported));
        CHECK(supported);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            syc_usm *usm = make(kind, sizes[i], 0);
            CHECK(usm->kind == kind && usm->bytes == sizes[i] && usm->data != NULL && usm->context == context);
            CHECK(usm->device == (kind == SYC_USM_HOST ? NULL : device));
            CHECK_EQUAL((uintptr_t)usm->data % 128, 0);
            CHECK(finds(usm->data, usm));
            if (sizes[i] > 0) {
                CHECK(finds(usm->data + sizes[i] - 1, usm));
                CHECK(!finds(usm->data + sizes[i], usm));
            }
            CHECK(!finds(usm->data - 1, usm));
            CHECK_OK(syc_usm_free(usm));
        }
    }
    close_scene();
}

static void none_without_any(void)
{
    bool supported = true;
    syc_usm *usm;
    open_scene();
    for (syc_usm_kind kind = SYC_USM_DEVICE; kind < SYC_USM_UNKNOWN; kind++) {
        CHECK_OK(syc_usm_supported(device, kind, &supported));
        CHECK(!supported);
        CHECK_STATUS(syc_usm_create(context, device, kind, 8, 0, &usm), SYC_E_FEATURE_NOT_SUPPORTED);
        CHECK(strstr(syc_detail_of(SYC_E_FEATURE_NOT_SUPPORTED).message, syc_usm_kind_name(kind)) != NULL);
    }
    close_scene();
}

static void alignments(void)
{
    open_scene();
    for (size_t alignment = 1; alignment <= 1 << 20; alignment *= 2) {
        static const size_t sizes[] = {0, 1, 4096};
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            syc_usm *a = make(SYC_USM_SHARED, sizes[i], alignment), *b = make(SYC_USM_DEVICE, sizes[i], alignment);
            CHECK_EQUAL((uintptr_t)a->data % alignment, 0);
            CHECK_EQUAL((uintptr_t)b->data % alignment, 0);
            CHECK(finds(a->data, a) && finds(b->data, b));
            CHECK_OK(syc_usm_free(a));
            CHECK_OK(syc_usm_free(b));
        }
    }
    close_scene();
}

static void bad_requests(void)
{
    syc_usm *usm = NULL;
    syc_device *other;
    syc_context *elsewhere;
    open_scene();
    other = platforms[0]->devices[1];
    CHECK_STATUS(syc_usm_create(context, device, SYC_USM_SHARED, 8, 3, &usm), SYC_E_INVALID_PARAMETER);
    CHECK_STATUS(syc_usm_create(context, device, SYC_USM_UNKNOWN, 8, 0, &usm), SYC_E_INVALID_PARAMETER);
    CHECK_STATUS(syc_usm_create(context, NULL, SYC_USM_DEVICE, 8, 0, &usm), SYC_E_INVALID_PARAMETER);
    CHECK_STATUS(syc_usm_create(context, other, SYC_USM_DEVICE, 8, 0, &usm), SYC_E_INVALID_OBJECT);
    CHECK_OK(syc_usm_create(context, other, SYC_USM_HOST, 8, 0, &usm)); /* the device does not matter */
    CHECK_OK(syc_context_create(&other, 1, &elsewhere));
    CHECK(syc_usm_find(elsewhere, usm->data) == NULL);
    syc_context_release(elsewhere);
    CHECK_OK(syc_usm_free(usm));
    CHECK_STATUS(syc_usm_create(context, device, SYC_USM_DEVICE, SIZE_MAX, 4096, &usm), SYC_E_MEMORY_ALLOCATION);
    CHECK_STATUS(syc_usm_create(context, device, SYC_USM_DEVICE, (size_t)1 << 40, 0, &usm), SYC_E_MEMORY_ALLOCATION);
    CHECK(strstr(syc_detail_of(SYC_E_MEMORY_ALLOCATION).message, "1099511627776 bytes of device memory") != NULL);
    CHECK_EQUAL(syc_usm_statistics_of(context, SYC_USM_DEVICE).live_bytes, 0);
    close_scene();
}

/* What a command holds stays although it was freed, is found no more, and is freed once. */
static void freed_in_flight(void)
{
    static const size_t sizes[] = {8, 1 << 20};
    open_scene();
    for (size_t i = 0; i < 2; i++) {
        syc_usm *usm = make(SYC_USM_DEVICE, sizes[i], 0);
        char *data = usm->data;
        syc_usm_retain(usm); /* the command */
        syc_usm_retain(usm);
        CHECK_OK(syc_usm_free(usm));
        CHECK(atomic_load(&usm->freed));
        CHECK(syc_usm_find(context, data) == NULL);
        CHECK_EQUAL(syc_live_count(SYC_LIVE_USM), 1);
        CHECK_STATUS(syc_usm_free(usm), SYC_E_INVALID_OBJECT);
        CHECK_EQUAL(syc_live_count(SYC_LIVE_USM), 1);
        syc_usm_release(usm);
        CHECK_EQUAL(syc_live_count(SYC_LIVE_USM), 0);
    }
    close_scene();
}

/* The context outlives the user's reference as long as anything lives in it. */
static void memory_keeps_its_context(void)
{
    syc_usm *usm;
    syc_context *gone;
    open_scene();
    usm = make(SYC_USM_DEVICE, 8, 0);
    gone = context;
    syc_context_retain(gone);
    syc_context_release(gone);
    syc_context_release(context);
    CHECK_EQUAL(fake_live("context"), 1);
    CHECK_OK(syc_usm_free(usm));
    CHECK_EQUAL(fake_live("context"), 0);
    context = NULL;
    close_scene();
}

enum { MANY = 3000 };

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(*state >> 33);
}

/* Any order of taking and freeing: no two overlap, all are found by any address, and figures add up. */
static void random_order(void)
{
    static syc_usm *held[MANY];
    uint64_t seed = 7;
    size_t live = 0, count = 0;
    syc_usm_statistics s;
    open_scene();
    for (int step = 0; step < 40000; step++) {
        unsigned at = next_random(&seed) % MANY;
        if (held[at] != NULL) {
            size_t offset = held[at]->bytes > 0 ? next_random(&seed) % held[at]->bytes : 0;
            CHECK(finds(held[at]->data + offset, held[at]));
            live -= held[at]->bytes;
            count--;
            CHECK_OK(syc_usm_free(held[at]));
            held[at] = NULL;
        } else {
            held[at] = make(SYC_USM_DEVICE, next_random(&seed) % 3000, (size_t)1 << next_random(&seed) % 9);
            live += held[at]->bytes;
            count++;
        }
    }
    s = syc_usm_statistics_of(context, SYC_USM_DEVICE);
    CHECK_EQUAL(s.live_bytes, live);
    CHECK_EQUAL(s.live_count, count);
    CHECK(s.peak_bytes >= live);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_USM), (long)count);
    for (int i = 0; i < MANY; i++)
        for (int j = 0; held[i] != NULL && j < MANY; j += 97)
            CHECK(i == j || held[j] == NULL || held[i]->data + held[i]->bytes <= held[j]->data ||
                  held[j]->data + held[j]->bytes <= held[i]->data);
    for (int i = 0; i < MANY; i++)
        if (held[i] != NULL)
            CHECK_OK(syc_usm_free(held[i]));
    CHECK(syc_usm_trim(context) > 0);
    CHECK_EQUAL(fake_live("svm"), 0);
    CHECK_EQUAL(syc_usm_statistics_of(context, SYC_USM_DEVICE).cached_bytes, 0);
    close_scene();
}

/* As much as may be cached: of a device's own memory an eighth. */
static size_t most_cached(void)
{
    const syc_device *device = context->devices[0];
    const size_t least = 16 << 20, share = (size_t)(device->global_bytes / 8);
    return device->facts->shares_host_memory || share < least ? least : share;
}

/* Rounds of the same do not ask the driver again, and those beside which little else could be kept are not kept. */
static void rounds_do_not_grow(void)
{
    syc_usm *held[100];
    long before = 0;
    open_scene();
    for (int round = 0; round < 2000; round++) {
        for (int i = 0; i < 100; i++)
            held[i] = make(SYC_USM_DEVICE, 64, 0);
        for (int i = 0; i < 100; i++)
            CHECK_OK(syc_usm_free(held[i]));
        if (round == 0)
            before = syc_live_count(SYC_LIVE_SVM);
    }
    CHECK_EQUAL(syc_live_count(SYC_LIVE_SVM), before);
    CHECK(before <= 1);
    CHECK_OK(syc_usm_free(make(SYC_USM_DEVICE, most_cached() / 2 + 1, 0)));
    CHECK_EQUAL(syc_live_count(SYC_LIVE_SVM), before);
    CHECK_EQUAL(syc_usm_trim_all(), 65536);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_SVM), 0);
    close_scene();
}

/* What is cached is bounded. */
static void cache_is_bounded(void)
{
    static syc_usm *held[1000];
    open_scene();
    for (int i = 0; i < 1000; i++)
        held[i] = make(SYC_USM_DEVICE, 32768, 0);
    for (int i = 0; i < 1000; i++)
        CHECK_OK(syc_usm_free(held[i]));
    CHECK(syc_usm_statistics_of(context, SYC_USM_DEVICE).cached_bytes <= most_cached() + (1 << 20));
    CHECK_EQUAL(syc_usm_statistics_of(context, SYC_USM_DEVICE).live_bytes, 0);
    close_scene();
}

/* An allocation of its own is found again by one of its size, or of little less, and by no other. */
static void large_ones_are_kept(void)
{
    enum { BYTES = 1 << 20 };
    syc_usm *a, *b;
    const char *first;
    open_scene();
    a = make(SYC_USM_DEVICE, BYTES, 0);
    first = a->data;
    CHECK_OK(syc_usm_free(a));
    CHECK_EQUAL(syc_usm_statistics_of(context, SYC_USM_DEVICE).cached_bytes, BYTES);
    CHECK(syc_usm_find(context, first) == NULL);
    a = make(SYC_USM_DEVICE, BYTES + 1, 0);
    b = make(SYC_USM_DEVICE, BYTES / 2, 0);
    CHECK(a->data != first && b->data != first);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_SVM), 3);
    CHECK_OK(syc_usm_free(a));
    a = make(SYC_USM_DEVICE, BYTES - BYTES / 16, 0);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_SVM), 3);
    CHECK_EQUAL(a->bytes, BYTES - BYTES / 16);
    CHECK_OK(syc_usm_free(b));
    CHECK_OK(syc_usm_free(a));
    for (size_t i = 0; i < 6; i++) /* more than may be kept */
        CHECK_OK(syc_usm_free(make(SYC_USM_DEVICE, most_cached() / 4 + i * (most_cached() / 64), 0)));
    CHECK(syc_usm_statistics_of(context, SYC_USM_DEVICE).cached_bytes <= most_cached());
    CHECK(syc_usm_statistics_of(context, SYC_USM_DEVICE).cached_bytes > most_cached() / 2);
    CHECK(syc_usm_trim(context) > 0);
    CHECK_EQUAL(fake_live("svm"), 0);
    close_scene();
}

static void limits(void)
{
    syc_usm *a, *b = NULL;
    open_scene();
    CHECK_OK(syc_usm_set_limit(context, SYC_USM_DEVICE, 1000));
    a = make(SYC_USM_DEVICE, 600, 0);
    CHECK_STATUS(syc_usm_create(context, device, SYC_USM_DEVICE, 401, 0, &b), SYC_E_MEMORY_ALLOCATION);
    CHECK(strstr(syc_detail_of(SYC_E_MEMORY_ALLOCATION).message, "limit of 1000") != NULL);
    CHECK_OK(syc_usm_create(context, device, SYC_USM_SHARED, 5000, 0, &b)); /* each kind has its own */
    CHECK_OK(syc_usm_free(b));
    b = make(SYC_USM_DEVICE, 400, 0);
    CHECK_EQUAL(syc_usm_statistics_of(context, SYC_USM_DEVICE).peak_bytes, 1000);
    CHECK_OK(syc_usm_free(a));
    CHECK_OK(syc_usm_free(b));
    CHECK_EQUAL(syc_usm_statistics_of(context, SYC_USM_DEVICE).live_bytes, 0);
    close_scene();
}

/* -- threads -- */

static void *churn(void *payload)
{
    uint64_t seed = (uintptr_t)payload;
    syc_usm *held[16] = {NULL};
    for (int step = 0; step < 4000; step++) {
        unsigned at = next_random(&seed) % 16;
        if (held[at] == NULL) {
            held[at] = make(SYC_USM_SHARED, next_random(&seed) % 600, 0);
        } else {
            syc_usm *found = syc_usm_find(context, held[at]->data);
            CHECK(found == held[at]);
            CHECK_OK(syc_usm_free(held[at])); /* the reference found keeps it */
            syc_usm_release(found);
            held[at] = NULL;
        }
        if (step % 512 == 0)
            (void)syc_usm_trim(context);
    }
    for (int i = 0; i < 16; i++)
        if (held[i] != NULL)
            CHECK_OK(syc_usm_free(held[i]));
    return NULL;
}

static void threads(void)
{
    pthread_t all[4];
    open_scene();
    for (uintptr_t i = 0; i < 4; i++)
        CHECK_EQUAL(pthread_create(&all[i], NULL, churn, (void *)(i + 1)), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(all[i], NULL);
    CHECK_EQUAL(syc_usm_statistics_of(context, SYC_USM_SHARED).live_count, 0);
    close_scene();
}

static void several_devices(void)
{
    syc_device *both[2];
    syc_usm *a, *b;
    alarm(60);
    both[0] = first_platform()->devices[0];
    both[1] = platforms[0]->devices[1];
    CHECK_OK(syc_context_create(both, 2, &context));
    device = both[0];
    a = make(SYC_USM_DEVICE, 8, 0);
    device = both[1];
    b = make(SYC_USM_DEVICE, 8, 0);
    CHECK(a->device == both[0] && b->device == both[1]);
    CHECK(finds(a->data, a) && finds(b->data, b));
    CHECK_OK(syc_usm_free(a));
    CHECK_OK(syc_usm_free(b));
    close_scene();
}

/* After the end, and in a forked child, nothing is called any more. */
static void after_the_end(void)
{
    syc_usm *usm, *other;
    open_scene();
    usm = make(SYC_USM_DEVICE, 8, 0);
    other = make(SYC_USM_DEVICE, 1 << 20, 0);
    syc_process_close();
    CHECK_STATUS(syc_usm_create(context, device, SYC_USM_DEVICE, 8, 0, &usm), SYC_E_CLOSED);
    CHECK_STATUS(syc_usm_free(usm), SYC_E_CLOSED);
    syc_usm_release(other);
    CHECK(syc_usm_find(context, other->data) == NULL);
    CHECK_EQUAL(fake_live("svm"), 2);
    CHECK_EQUAL(syc_usm_trim_all(), 0);
}

int main(void)
{
    FIND_FAKE_DRIVER;
    ON_EVERY_PROVIDER(kinds);
    CHILD("", none_without_any);
    ON_EVERY_PROVIDER(alignments);
    CHILD(FINE "FAKE_DEVICES=2", bad_requests);
    CHILD(INTEL "FAKE_DEVICES=2", bad_requests);
    ON_EVERY_PROVIDER(freed_in_flight);
    ON_EVERY_PROVIDER(memory_keeps_its_context);
    ON_EVERY_PROVIDER(random_order);
    ON_EVERY_PROVIDER(rounds_do_not_grow);
    CHILD(FINE, cache_is_bounded);
    CHILD(FINE, large_ones_are_kept);
    ON_EVERY_PROVIDER(limits);
    ON_EVERY_PROVIDER(threads);
    CHILD(FINE "FAKE_DEVICES=2", several_devices);
    CHILD(INTEL "FAKE_DEVICES=2", several_devices);
    CHILD(FINE, after_the_end);
    return CHECK_EXIT_CODE;
}
