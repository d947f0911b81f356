/* A thread for one call, with as much stack as the address space has easily. Pages that are not touched cost nothing.
 */
#include "base/deep.h"

#include <pthread.h>
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

void syc_call_deep(void (*call)(void *payload), void *payload)
{
    struct work work = {call, payload};
    pthread_t thread;
    for (size_t i = 0; i < sizeof stack_sizes / sizeof stack_sizes[0]; i++) {
        pthread_attr_t attributes;
        int failed = pthread_attr_init(&attributes);
        if (failed == 0) {
            failed = pthread_attr_setstacksize(&attributes, stack_sizes[i]);
            if (failed == 0)
                failed = pthread_create(&thread, &attributes, run, &work);
            pthread_attr_destroy(&attributes);
        }
        if (failed == 0) {
            pthread_join(thread, NULL);
            return;
        }
    }
    call(payload);
}
