/* The end of a process: who waits for work that is under way, and where those stay who come too late. */
#include "base/process.h"

#include "base/clock.h"
#include "check.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MS = 1000000 };

static atomic_int begun, ended;

static void *work(void *unused)
{
    (void)unused;
    syc_process_begin_work();
    atomic_fetch_add(&begun, 1);
    syc_sleep_ns((uint64_t)200 * MS);
    syc_process_begin_work(); /* a part of it, which may come while somebody waits */
    syc_process_end_work();
    atomic_fetch_add(&ended, 1);
    syc_process_end_work();
    return NULL;
}

static void *come_late(void *unused)
{
    (void)unused;
    syc_process_begin_work();
    atomic_fetch_add(&begun, 1);
    return NULL;
}

static void start(void *(*call)(void *unused))
{
    pthread_t thread;
    CHECK_EQUAL(pthread_create(&thread, NULL, call, NULL), 0);
    CHECK_EQUAL(pthread_detach(thread), 0);
}

static void work_is_waited_for(void)
{
    start(work);
    while (atomic_load(&begun) == 0)
        syc_sleep_ns(MS);
    syc_process_await_work((uint64_t)20000 * MS);
    CHECK_EQUAL(atomic_load(&ended), 1);
}

static void who_comes_too_late_stays(void)
{
    start(come_late);
    syc_sleep_ns((uint64_t)100 * MS);
    CHECK_EQUAL(atomic_load(&begun), 1);
}

/* In a process of its own: there nobody waits any more afterwards. */
static void patience_ends(void)
{
    int state = -1;
    pid_t child = fork();
    if (child == 0) {
        syc_process_begin_work();
        syc_process_await_work((uint64_t)10 * MS);
        _exit(3);
    }
    CHECK(child > 0 && waitpid(child, &state, 0) == child);
    CHECK(WIFEXITED(state) && WEXITSTATUS(state) == 3);
}

int main(void)
{
    RUN(patience_ends);
    RUN(work_is_waited_for);
    RUN(who_comes_too_late_stays);
    return CHECK_EXIT_CODE;
}
