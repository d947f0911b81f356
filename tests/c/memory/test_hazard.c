/* The interval map against a model that knows the users of every single byte. */
#include "base/alloc.h"
#include "check.h"
#include "memory/hazard.h"

#include <stdint.h>

enum { BYTES = 96, COMMANDS = 24, USES = 3, BASE = 4096 };

/* The map never looks into a command, so any address will do for one. */
static char pool[COMMANDS];
static syc_command *name(size_t i)
{
    return (syc_command *)&pool[i];
}

static size_t number(const syc_command *command)
{
    return (size_t)((const char *)command - pool);
}

struct byte {
    int writer; /* -1: none */
    unsigned readers;
};
static struct byte model[BYTES];

struct use {
    uintptr_t low, high;
};
static struct use uses[COMMANDS][USES];
static size_t use_count[COMMANDS];

static uint64_t random_state;
static size_t below(size_t n)
{
    random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
    return (size_t)(random_state >> 33) % n;
}

static void gather(syc_command *command, void *user)
{
    *(unsigned *)user |= 1u << number(command);
}

static unsigned visited(syc_hazards *map, uintptr_t low, uintptr_t high, bool write)
{
    unsigned set = 0;
    syc_hazards_visit(map, BASE + low, BASE + high, write, gather, &set);
    return set;
}

static unsigned expected(uintptr_t low, uintptr_t high, bool write)
{
    unsigned set = 0;
    for (uintptr_t b = low; b < high; b++) {
        if (model[b].writer >= 0)
            set |= 1u << model[b].writer;
        if (write)
            set |= model[b].readers;
    }
    return set;
}

static void model_add(uintptr_t low, uintptr_t high, bool write, size_t command)
{
    for (uintptr_t b = low; b < high; b++) {
        if (write)
            model[b] = (struct byte){(int)command, 0};
        else
            model[b].readers |= 1u << command;
    }
}

static void model_forget(size_t command)
{
    for (size_t b = 0; b < BYTES; b++) {
        if (model[b].writer == (int)command)
            model[b].writer = -1;
        model[b].readers &= ~(1u << command);
    }
}

static void forget_everything(void)
{
    for (size_t b = 0; b < BYTES; b++)
        model[b] = (struct byte){-1, 0};
    memset(use_count, 0, sizeof use_count);
}

/* True if the map says of every byte what the model says. */
static bool agrees(syc_hazards *map)
{
    for (uintptr_t b = 0; b < BYTES; b++) {
        if (visited(map, b, b + 1, false) != expected(b, b + 1, false) ||
            visited(map, b, b + 1, true) != expected(b, b + 1, true))
            return false;
    }
    return true;
}

static syc_status add(syc_hazards *map, uintptr_t low, uintptr_t high, bool write, syc_command *command)
{
    syc_status status = syc_hazards_reserve(map, low, high, write);
    if (status == SYC_OK)
        syc_hazards_use(map, low, high, write, command);
    return status;
}

/* Adds a use of a random range, sometimes with the k-th allocation failing: then nothing may have changed. */
static void random_use(syc_hazards *map, size_t command)
{
    uintptr_t low = below(BYTES + 1), high = low + below(BYTES + 1 - low);
    bool write = below(2) == 0;
    syc_status status;

    if (below(4) == 0)
        syc_alloc_fail_at((long)below(4) + 1);
    status = add(map, BASE + low, BASE + high, write, name(command));
    syc_alloc_fail_at(0);
    if (status != SYC_OK) {
        CHECK_EQUAL(status, SYC_E_MEMORY_ALLOCATION);
        CHECK(agrees(map));
        return;
    }
    model_add(low, high, write, command);
    uses[command][use_count[command]++] = (struct use){low, high};
}

static void remove_command(syc_hazards *map, size_t command)
{
    while (use_count[command] > 0) {
        struct use u = uses[command][--use_count[command]];
        syc_hazards_remove(map, BASE + u.low, BASE + u.high, name(command));
    }
    model_forget(command);
}

static void one_history(syc_hazards *map)
{
    forget_everything();
    for (int step = 0; step < 120; step++) {
        size_t command = below(COMMANDS);
        uintptr_t low = below(BYTES + 1), high = low + below(BYTES + 1 - low);
        bool write = below(2) == 0;
        if (use_count[command] == USES || below(3) == 0)
            remove_command(map, command);
        else
            random_use(map, command);
        CHECK_EQUAL(visited(map, low, high, write), expected(low, high, write));
    }
    CHECK(agrees(map));
    for (size_t command = 0; command < COMMANDS; command++)
        remove_command(map, command);
    CHECK_EQUAL(syc_hazards_count(map), 0);
}

static void test_map_agrees_with_the_model(void)
{
    const char *seed = getenv("SYC_TEST_SEED");
    uint64_t first = seed != NULL ? strtoull(seed, NULL, 10) : 1;
    syc_hazards *map = NULL;
    int before = check__failures;

    CHECK_OK(syc_hazards_create(&map));
    for (uint64_t s = first; s < first + 400 && check__failures == before; s++) {
        random_state = s;
        one_history(map);
        if (check__failures != before)
            fprintf(stderr, "the seed is %llu\n", (unsigned long long)s);
    }
    syc_hazards_free(map);
}

/* A writer waits for all users, a reader for the last writer only; both take over from those before. */
static void test_readers_and_writers(void)
{
    syc_hazards *map = NULL;
    CHECK_OK(syc_hazards_create(&map));
    CHECK_OK(add(map, BASE, BASE + 10, true, name(0)));
    CHECK_OK(add(map, BASE, BASE + 10, false, name(1)));
    CHECK_OK(add(map, BASE + 5, BASE + 15, false, name(2)));
    CHECK_EQUAL(visited(map, 0, 5, false), 1 << 0);
    CHECK_EQUAL(visited(map, 0, 5, true), 1 << 0 | 1 << 1);
    CHECK_EQUAL(visited(map, 9, 11, true), 1 << 0 | 1 << 1 | 1 << 2);
    CHECK_EQUAL(visited(map, 10, 20, false), 0);
    CHECK_OK(add(map, BASE + 4, BASE + 6, true, name(3)));
    CHECK_EQUAL(visited(map, 4, 6, true), 1 << 3);
    CHECK_EQUAL(visited(map, 0, 20, true), 1 << 0 | 1 << 1 | 1 << 2 | 1 << 3);
    syc_hazards_free(map);
}

static void test_empty_ranges_are_nothing(void)
{
    syc_hazards *map = NULL;
    CHECK_OK(syc_hazards_create(&map));
    CHECK_OK(add(map, BASE + 3, BASE + 3, true, name(0)));
    CHECK_EQUAL(syc_hazards_count(map), 0);
    CHECK_OK(add(map, BASE, BASE + 10, true, name(1)));
    CHECK_EQUAL(visited(map, 3, 3, true), 0);
    syc_hazards_remove(map, BASE + 3, BASE + 3, name(1));
    CHECK_EQUAL(visited(map, 0, 10, true), 1 << 1);
    syc_hazards_free(map);
    syc_hazards_free(NULL);
}

/* The ends of the address space are addresses like any other. */
static void test_extreme_addresses(void)
{
    syc_hazards *map = NULL;
    unsigned set = 0;
    CHECK_OK(syc_hazards_create(&map));
    CHECK_OK(add(map, 0, UINTPTR_MAX, true, name(0)));
    CHECK_OK(add(map, UINTPTR_MAX - 8, UINTPTR_MAX, false, name(1)));
    syc_hazards_visit(map, UINTPTR_MAX - 1, UINTPTR_MAX, true, gather, &set);
    CHECK_EQUAL(set, 1 << 0 | 1 << 1);
    syc_hazards_remove(map, 0, UINTPTR_MAX, name(0));
    syc_hazards_remove(map, UINTPTR_MAX - 8, UINTPTR_MAX, name(1));
    CHECK_EQUAL(syc_hazards_count(map), 0);
    syc_hazards_free(map);
}

int main(void)
{
    RUN(test_readers_and_writers);
    RUN(test_empty_ranges_are_nothing);
    RUN(test_extreme_addresses);
    RUN(test_map_agrees_with_the_model);
    return CHECK_EXIT_CODE;
}
