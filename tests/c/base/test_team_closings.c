/* The team is closed for a while where others keep it from running: by a long wait for a piece that one of its threads
 * has begun, for longer where that comes again soon, and for a short time by jobs in a row without help. */
#define _GNU_SOURCE
#include "base/clock.h"
#include "base/team.h"
#include "check.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { PIECES = 64, WORK_NS = 100000, TRIES = 200, MISSED_NS = 200000, MISSED_CLOSED_NS = 1000000 };
static const uint64_t closed_ns = 10000000;

/* In place of the system's: threads do nothing yet while it is told so. */
static atomic_bool holds_back;

struct held {
    void *(*run)(void *);
    void *argument;
};

static void *run_later(void *payload)
{
    const struct held held = *(struct held *)payload;
    free(payload);
    while (atomic_load(&holds_back))
        syc_sleep_ns(1000000);
    return held.run(held.argument);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    struct held *held = malloc(sizeof *held);
    *(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
    *held = (struct held){run, argument};
    return create(thread, attributes, run_later, held);
}

struct tally {
    pid_t caller;
    atomic_int lingering; /* one that helps has a piece */
};

static void do_nothing(const void *payload, size_t first, size_t past)
{
    (void)payload, (void)first, (void)past;
}

/* One that helps has a piece for longer than anybody is patient; the calling thread leaves it the time to come. */
static void linger(const void *payload, size_t first, size_t past)
{
    struct tally *tally = (struct tally *)payload;
    const uint64_t began = syc_now_ns();
    (void)first, (void)past;
    if (gettid() != tally->caller) {
        atomic_store(&tally->lingering, 1);
        syc_sleep_ns(5000000);
    }
    while (!atomic_load(&tally->lingering) && syc_now_ns() - began < 2 * closed_ns)
        syc_sleep_ns(20000);
}

static bool run(void)
{
    return syc_team_run(&(syc_team_job){.work = do_nothing, .pieces = PIECES, .ns = WORK_NS});
}

static uint64_t closings(void)
{
    syc_team_counts counts;
    syc_team_count(&counts);
    return counts.closings;
}

/* When it was closed by a long wait. */
static uint64_t close_once(void)
{
    const uint64_t before = closings(), until = syc_now_ns() + 3000000000;
    syc_team_insist(true);
    while (closings() == before && syc_now_ns() < until) {
        struct tally tally = {.caller = gettid()};
        CHECK(syc_team_run(&(syc_team_job){.work = linger, .payload = &tally, .pieces = 2, .ns = WORK_NS}));
    }
    syc_team_insist(false);
    CHECK_EQUAL(closings(), before + 1);
    return syc_now_ns();
}

/* Is it closed at nine tenths of the time, and open behind its end? Where this thread was not let run in time, that is
 * nothing. */
static bool is_closed_for(uint64_t began, uint64_t ns, bool *late)
{
    bool shut;
    while (syc_now_ns() - began < ns / 10 * 9)
        syc_sleep_ns(ns / 50);
    shut = !run();
    *late = syc_now_ns() - began >= ns;
    while (syc_now_ns() - began < ns / 10 * 11)
        syc_sleep_ns(ns / 50);
    return shut && run();
}

/* Once, and again soon behind that, and long behind both. False: this thread was not let run in time, or the team was
 * closed by what should not have closed it. */
static bool closes_three_times(bool *right)
{
    const uint64_t before = closings();
    uint64_t first, second;
    bool late[3];
    syc_sleep_ns(12 * closed_ns); /* more than four times the longer one */
    first = close_once();
    *right = is_closed_for(first, closed_ns, late);
    second = close_once();
    *right = is_closed_for(second, 2 * closed_ns, late + 1) && *right;
    syc_sleep_ns(12 * closed_ns);
    *right = is_closed_for(close_once(), closed_ns, late + 2) && *right;
    return !late[0] && !late[1] && !late[2] && closings() == before + 3 && second - first < 4 * closed_ns;
}

static void a_long_wait_closes_it(void)
{
    bool right = false, valid = false;
    uint64_t before = UINT64_MAX;
    for (size_t tries = 0; tries < TRIES && !valid && closings() != before; tries++) {
        before = closings();
        valid = closes_three_times(&right);
    }
    CHECK(right && valid);
}

/* So many jobs that nobody helps with, in so much time; how long they took. */
static uint64_t miss(size_t jobs, uint64_t ns)
{
    const uint64_t began = syc_now_ns();
    syc_team_insist(true);
    for (size_t k = 0; k < jobs; k++) {
        while (syc_now_ns() - began < ns * k / (jobs - 1))
            ;
        CHECK(run());
    }
    syc_team_insist(false);
    return syc_now_ns() - began;
}

/* They are as many as they should be, in less than `most`: is it open then? */
static bool is_open_after(size_t jobs, uint64_t ns, uint64_t most)
{
    for (size_t tries = 0; tries < TRIES; tries++) {
        syc_sleep_ns(2 * MISSED_CLOSED_NS); /* others are forgotten */
        if (miss(jobs, ns) < most)
            return run();
    }
    CHECK(!"this thread was never let run for so long");
    return false;
}

static void jobs_without_help_close_it(void)
{
    atomic_store(&holds_back, true);
    if (miss(3, MISSED_NS * 3) < MISSED_CLOSED_NS) /* too few; tried again they would be more */
        CHECK(run());
    CHECK(is_open_after(9, 0, MISSED_NS));                             /* for too short a time */
    CHECK(!is_open_after(9, MISSED_NS * 3 / 2, MISSED_CLOSED_NS / 2)); /* enough of both */
    syc_sleep_ns(2 * MISSED_CLOSED_NS);
    CHECK(run());
    CHECK_EQUAL(closings(), 0);
    atomic_store(&holds_back, false);
}

int main(void)
{
    cpu_set_t all;
    CHECK_EQUAL(sched_getaffinity(0, sizeof all, &all), 0);
    if (CPU_COUNT(&all) < 2)
        return CHECK_EXIT_CODE;
    syc_team_limit(2);
    RUN(jobs_without_help_close_it);
    RUN(a_long_wait_closes_it);
    return CHECK_EXIT_CODE;
}
