/* A thread for one call, with as much stack as the address space has easily. Pages that are not touched cost nothing.
 */
#include "base/deep.h"

#include "base/process.h"
#include "base/thread.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* Clang takes about 2 KiB for each step down: 8 MiB, what threads have by default, end with 5000 unary operators. */
static const size_t stack_sizes[] = {(size_t)512 << 20, (size_t)64 << 20};

static _Thread_local bool deep; /* this thread's stack is */

struct work {
    void (*call)(void *payload);
    void *payload;
};

static void *run(void *argument)
{
    const struct work *work = argument;
    deep = true;
    work->call(work->payload);
    return NULL;
}

static void *run_alone(void *argument)
{
    run(argument);
    free(argument);
    syc_process_end_work();
    return NULL;
}

static bool start_with(size_t stack_size, void *(*function)(void *), struct work *work, pthread_t *thread)
{
    pthread_attr_t attributes;
    sigset_t before;
    int failed;
    if (!syc_thread_fits(stack_size) || pthread_attr_init(&attributes) != 0)
        return false;
    failed = pthread_attr_setstacksize(&attributes, stack_size);
    if (failed == 0) {
        syc_signals_hold(&before); /* for the new thread, and what it starts */
        failed = pthread_create(thread, &attributes, function, work);
        syc_signals_let(&before);
    }
    pthread_attr_destroy(&attributes);
    return failed == 0;
}

static bool start(void *(*function)(void *), struct work *work, pthread_t *thread)
{
    bool started = false;
    for (size_t i = 0; i < sizeof stack_sizes / sizeof stack_sizes[0] && !started; i++)
        started = start_with(stack_sizes[i], function, work, thread);
    return started;
}

/* A call that begins within another is a part of its work. */
void syc_call_deep(void (*call)(void *payload), void *payload)
{
    struct work work = {call, payload};
    pthread_t thread;

    if (deep) {
        call(payload);
        return;
    }
    syc_process_begin_work();
    if (start(run, &work, &thread))
        pthread_join(thread, NULL);
    else
        call(payload);
    syc_process_end_work();
}

void syc_start_deep(void (*call)(void *payload), void *payload)
{
    struct work *work = deep ? NULL : malloc(sizeof *work);
    pthread_t thread;

    if (work == NULL) {
        syc_call_deep(call, payload);
        return;
    }
    *work = (struct work){call, payload};
    syc_process_begin_work();
    if (start(run_alone, work, &thread)) {
        pthread_detach(thread);
        return;
    }
    free(work);
    call(payload);
    syc_process_end_work();
}
