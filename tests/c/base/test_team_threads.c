/* The team's threads: on which processors they run, how much stack they have, and that nothing waits for those that
 * cannot be started. */
#define _GNU_SOURCE
#include "base/clock.h"
#include "base/team.h"
#include "base/thread.h"
#include "check.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIECES = 64, WORK_NS = 100000, MASKS_NS = 110000000, STARTS_NS = 100000000, LARGE = 200 << 10 };
static const uint64_t patience_ns = 30000000000;

/* In place of the system's: it starts no thread while it is told so. */
static atomic_bool refuses;
static atomic_uint refused;

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (atomic_load(&refuses)) {
        atomic_fetch_add(&refused, 1);
        return EAGAIN;
    }
    *(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
    return create(thread, attributes, run, argument);
}

/* As the system's; notes what the calling thread says of another. */
static pid_t put_thread;
static cpu_set_t put_mask;

int sched_setaffinity(pid_t thread, size_t bytes, const cpu_set_t *mask)
{
    int (*set)(pid_t, size_t, const cpu_set_t *);
    *(void **)&set = dlsym(RTLD_NEXT, "sched_setaffinity");
    if (thread != 0) {
        put_thread = thread;
        put_mask = *mask;
    }
    return set(thread, bytes, mask);
}

struct helper {
    atomic_int id; /* of a thread that is not the calling one; 0: none has come yet */
    pid_t caller;
    unsigned done[PIECES];
};

static void note_helper(const void *payload, size_t first, size_t past)
{
    struct helper *helper = (struct helper *)payload;
    if (gettid() != helper->caller)
        atomic_store(&helper->id, gettid());
    for (size_t i = first; i < past; i++)
        helper->done[i]++;
    if (gettid() == helper->caller)
        syc_sleep_ns(10000); /* the others have time to come */
}

static bool run(struct helper *helper)
{
    return syc_team_run(&(syc_team_job){.work = note_helper, .payload = helper, .pieces = PIECES, .ns = WORK_NS});
}

static struct helper fresh(void)
{
    return (struct helper){.caller = gettid()};
}

/* The helper may run where `mask` says, off one processor of several; or there is no helper any more. */
static bool has_mask(pid_t id, const cpu_set_t *mask)
{
    cpu_set_t its, both;
    int all = CPU_COUNT(mask);
    if (sched_getaffinity(id, sizeof its, &its) != 0)
        return true;
    CPU_AND(&both, &its, mask);
    return CPU_EQUAL(&both, &its) && CPU_COUNT(&its) == (all > 1 ? all - 1 : 1);
}

/* Jobs until a thread helps, which has the mask then. */
static pid_t await_help(const cpu_set_t *mask)
{
    uint64_t until = syc_now_ns() + patience_ns;
    struct helper helper = fresh();
    while (atomic_load(&helper.id) == 0 && syc_now_ns() < until)
        CHECK(run(&helper));
    CHECK(atomic_load(&helper.id) != 0);
    CHECK(has_mask(atomic_load(&helper.id), mask));
    return atomic_load(&helper.id);
}

static void masks_are_those_of_the_calling_thread(void)
{
    cpu_set_t all, one;
    int first = 0;
    pid_t id;
    uint64_t until;
    struct helper helper = fresh();

    CHECK_EQUAL(sched_getaffinity(0, sizeof all, &all), 0);
    if (CPU_COUNT(&all) < 2)
        return;
    while (!CPU_ISSET(first, &all))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    syc_team_limit(2);
    syc_team_insist(true);

    CHECK_EQUAL(sched_setaffinity(0, sizeof one, &one), 0);
    syc_sleep_ns(MASKS_NS);
    CHECK(run(&helper)); /* a thread with that mask */
    CHECK_EQUAL(sched_setaffinity(0, sizeof all, &all), 0);
    syc_sleep_ns(MASKS_NS);
    id = await_help(&all);

    CHECK_EQUAL(sched_setaffinity(0, sizeof one, &one), 0);
    syc_sleep_ns(MASKS_NS);
    for (until = syc_now_ns() + patience_ns; !has_mask(id, &one) && syc_now_ns() < until; syc_sleep_ns(1000000))
        CHECK(run(&helper));
    CHECK(has_mask(id, &one));
    CHECK_EQUAL(sched_setaffinity(0, sizeof all, &all), 0);
    syc_sleep_ns(MASKS_NS);
    syc_team_insist(false);
}

static void move_to(int processor, const cpu_set_t *all)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    CHECK_EQUAL(sched_setaffinity(0, sizeof one, &one), 0);
    CHECK_EQUAL(sched_setaffinity(0, sizeof *all, all), 0);
}

/* Before it is woken: the system may have it begin on the processor of the one who wakes it, and in that one's place.
 */
static void sleepers_are_kept_off_the_calling_threads_processor(void)
{
    const uint64_t until = syc_now_ns() + patience_ns;
    struct helper helper = fresh();
    cpu_set_t all;
    int first = 0, second, here;
    bool off = false;

    CHECK_EQUAL(sched_getaffinity(0, sizeof all, &all), 0);
    if (CPU_COUNT(&all) < 2)
        return;
    while (!CPU_ISSET(first, &all))
        first++;
    for (second = first + 1; !CPU_ISSET(second, &all);)
        second++;
    syc_team_limit(2);
    syc_team_insist(true);
    for (size_t turn = 0; !off && syc_now_ns() < until; turn++) {
        await_help(&all);
        syc_sleep_ns(10000000); /* it sleeps, and this thread goes to where it was kept off, or not */
        move_to(turn % 2 ? first : second, &all);
        put_thread = 0;
        here = sched_getcpu();
        CHECK(run(&helper));
        off = put_thread != 0 && put_thread != helper.caller && !CPU_ISSET(here, &put_mask) && sched_getcpu() == here;
    }
    CHECK(off);
    syc_team_insist(false);
}

static void nothing_waits_for_threads_that_are_not_started(void)
{
    cpu_set_t all;
    uint64_t began;
    size_t jobs = 0, wrong = 0;
    struct helper helper = fresh();

    syc_team_limit(SYC_TEAM_MOST); /* further threads than there are by now */
    syc_team_insist(true);
    atomic_store(&refuses, true);
    began = syc_now_ns();
    for (size_t round = 0; round < 200; round++)
        jobs += run(&helper);
    CHECK(atomic_load(&refused) >= 1);
    CHECK(atomic_load(&refused) <= 1 + (syc_now_ns() - began) / STARTS_NS);
    for (size_t i = 0; i < PIECES; i++)
        wrong += helper.done[i] != jobs;
    CHECK_EQUAL(wrong, 0);

    atomic_store(&refuses, false);
    syc_sleep_ns(STARTS_NS);
    CHECK_EQUAL(sched_getaffinity(0, sizeof all, &all), 0);
    if (CPU_COUNT(&all) > 1)
        await_help(&all);
    syc_team_insist(false);
}

/* A child of it has a team of its own. */
__attribute__((unused)) static void a_forked_child_has_help(void)
{
    cpu_set_t all;
    int status = -1;
    pid_t child;

    CHECK_EQUAL(sched_getaffinity(0, sizeof all, &all), 0);
    if (CPU_COUNT(&all) < 2)
        return;
    syc_team_limit(3);
    syc_team_insist(true);
    await_help(&all);
    child = fork();
    if (child == 0) {
        await_help(&all);
        _exit(CHECK_EXIT_CODE);
    }
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(status, 0);
    syc_team_insist(false);
}

static void *use_stack(void *ended)
{
    volatile char memory[LARGE];
    for (size_t i = 0; i < sizeof memory; i += 1024)
        memory[i] = 1;
    atomic_store((atomic_int *)ended, 1 + memory[0]);
    return NULL;
}

static void small_stacks_are_not_for_them(void)
{
    static atomic_int ended;
    pthread_attr_t attributes, before;
    uint64_t until = syc_now_ns() + patience_ns;

    CHECK_EQUAL(pthread_getattr_default_np(&before), 0);
    CHECK_EQUAL(pthread_attr_init(&attributes), 0);
    CHECK_EQUAL(pthread_attr_setstacksize(&attributes, 128 << 10), 0);
    CHECK_EQUAL(pthread_setattr_default_np(&attributes), 0);
    CHECK_EQUAL(syc_thread_start(use_stack, &ended), 0);
    while (atomic_load(&ended) == 0 && syc_now_ns() < until)
        syc_sleep_ns(1000000);
    CHECK_EQUAL(atomic_load(&ended), 2);
    CHECK_EQUAL(pthread_setattr_default_np(&before), 0);
    pthread_attr_destroy(&attributes);
    pthread_attr_destroy(&before);
}

int main(void)
{
    RUN(nothing_waits_for_threads_that_are_not_started);
    RUN(masks_are_those_of_the_calling_thread);
    RUN(sleepers_are_kept_off_the_calling_threads_processor);
#ifndef __SANITIZE_THREAD__ /* which starts no thread in such a child */
    RUN(a_forked_child_has_help);
#endif
    RUN(small_stacks_are_not_for_them);
    return CHECK_EXIT_CODE;
}
