/* The team: each piece is done once, whoever does it and however many there are; who finds it at work is told so. */
#include "base/team.h"

#include "base/clock.h"
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>

enum { PIECES = 1000, ROUNDS = 300, THREADS = 4, WORK_NS = 100000 };

struct tally {
    unsigned done[PIECES]; /* not atomic: the team orders what its members write */
    atomic_int refused;
    syc_team_job inner;
};

static void do_pieces(const void *payload, size_t first, size_t past)
{
    struct tally *tally = (struct tally *)payload;
    for (size_t i = first; i < past; i++)
        tally->done[i]++;
}

static void check_done(const struct tally *tally, size_t pieces, unsigned times)
{
    size_t wrong = 0;
    for (size_t i = 0; i < PIECES; i++)
        wrong += tally->done[i] != (i < pieces ? times : 0);
    CHECK_EQUAL(wrong, 0);
}

static bool run(struct tally *tally, size_t pieces)
{
    return syc_team_run(&(syc_team_job){.work = do_pieces, .payload = tally, .pieces = pieces, .ns = WORK_NS});
}

static void each_piece_is_done_once(void)
{
    syc_team_insist(true);
    for (size_t members = 2; members <= SYC_TEAM_MOST; members += 7) {
        syc_team_limit(members);
        for (size_t round = 0; round < ROUNDS; round++) {
            struct tally tally = {.refused = 0};
            size_t pieces = 2 + round * 7919 % (PIECES - 1);
            CHECK(run(&tally, pieces));
            check_done(&tally, pieces, 1);
        }
    }
    syc_team_insist(false);
}

static void no_team(void)
{
    struct tally tally = {.refused = 0};
    for (size_t limit = 0; limit < 2; limit++) {
        syc_team_limit(limit);
        CHECK_EQUAL(syc_team_size(UINT64_MAX), 1);
        CHECK(!run(&tally, PIECES));
    }
    syc_team_limit(SYC_TEAM_MOST);
    CHECK(!run(&tally, 1));
    check_done(&tally, 0, 0);
}

static void run_within(const void *payload, size_t first, size_t past)
{
    struct tally *tally = (struct tally *)payload;
    do_pieces(payload, first, past);
    if (!syc_team_run(&tally->inner))
        atomic_fetch_add(&tally->refused, 1);
}

static void a_team_at_work_is_refused(void)
{
    struct tally inner = {.refused = 0};
    struct tally tally = {.inner = {.work = do_pieces, .payload = &inner, .pieces = PIECES, .ns = WORK_NS}};
    syc_team_insist(true);
    syc_team_limit(2);
    CHECK(syc_team_run(&(syc_team_job){.work = run_within, .payload = &tally, .pieces = PIECES, .ns = WORK_NS}));
    syc_team_insist(false);
    CHECK(atomic_load(&tally.refused) > 0);
    check_done(&tally, PIECES, 1);
    check_done(&inner, 0, 0);
}

static void *take_turns(void *unused)
{
    (void)unused;
    for (size_t round = 0; round < ROUNDS; round++) {
        struct tally tally = {.refused = 0};
        bool done = run(&tally, PIECES);
        check_done(&tally, PIECES, done);
    }
    return NULL;
}

static void threads_take_turns(void)
{
    pthread_t threads[THREADS];
    syc_team_insist(true);
    syc_team_limit(THREADS);
    for (size_t i = 0; i < THREADS; i++)
        CHECK_EQUAL(pthread_create(&threads[i], NULL, take_turns, NULL), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    syc_team_insist(false);
}

/* Its threads have ended by then, and others are started. */
static void a_team_that_was_idle(void)
{
    struct tally tally = {.refused = 0};
    syc_team_counts before, after;
    syc_team_insist(true);
    syc_team_limit(3);
    syc_team_count(&before);
    CHECK(run(&tally, PIECES));
    syc_sleep_ns(1200000000);
    CHECK(run(&tally, PIECES));
    syc_team_count(&after);
    check_done(&tally, PIECES, 2);
    CHECK_EQUAL(after.jobs - before.jobs, 2);
    syc_team_insist(false);
}

int main(void)
{
    RUN(each_piece_is_done_once);
    RUN(no_team);
    RUN(a_team_at_work_is_refused);
    RUN(threads_take_turns);
    RUN(a_team_that_was_idle);
    return CHECK_EXIT_CODE;
}
