/* A thread for one call, with as much stack as the address space has easily. Pages that are not touched cost nothing.
 */
#include "base/deep.h"

#include "base/process.h"
#include "base/thread.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Clang takes about 2 KiB for each step down: 8 MiB, what threads have by default, end with 5000 unary operators. */
static const size_t stack_sizes[] = {(size_t)512 << 20, (size_t)64 << 20};

struct work {
    void (*call)(void *payload);
    void *payload;
};

static void *run(void *argument)
{
    const struct work *work = argument;
    work->call(work->payload);
    return NULL;
}

static bool start(struct work *work, size_t stack_size, pthread_t *thread)
{
    pthread_attr_t attributes;
    sigset_t before;
    int failed = pthread_attr_init(&attributes);
    if (failed != 0)
        return false;
    failed = pthread_attr_setstacksize(&attributes, stack_size);
    if (failed == 0) {
        syc_signals_hold(&before); /* for the new thread, and what it starts */
        failed = pthread_create(thread, &attributes, run, work);
        syc_signals_let(&before);
    }
    pthread_attr_destroy(&attributes);
    return failed == 0;
}

static void run_on_thread(struct work *work)
{
    pthread_t thread;
    for (size_t i = 0; i < sizeof stack_sizes / sizeof stack_sizes[0]; i++) {
        if (start(work, stack_sizes[i], &thread)) {
            pthread_join(thread, NULL);
            return;
        }
    }
    work->call(work->payload);
}

void syc_call_deep(void (*call)(void *payload), void *payload)
{
    struct work work = {call, payload};
    syc_process_begin_work();
    run_on_thread(&work);
    syc_process_end_work();
}
