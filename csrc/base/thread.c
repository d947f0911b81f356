/* Detached threads without signals but those of their own faults, and signals that wait. */
#define _GNU_SOURCE
#include "base/thread.h"

#include "base/addresses.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>

/* Drivers work on such threads, and code of their kernels: what these need does not shrink with the process's limit. */
enum { LEAST_STACK = 1 << 20 };

int syc_thread_start(void *(*run)(void *argument), void *argument)
{
    /* where they are blocked, no handler runs, and nobody learns where it was */
    static const int of_faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    pthread_attr_t attributes;
    sigset_t all, before;
    pthread_t thread;
    size_t stack;
    int error;

    if (!syc_thread_fits(0))
        return EAGAIN; /* as the system says it */
    pthread_attr_init(&attributes);
    if (pthread_attr_getstacksize(&attributes, &stack) == 0 && stack < LEAST_STACK)
        pthread_attr_setstacksize(&attributes, LEAST_STACK);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    for (size_t i = 0; i < sizeof of_faults / sizeof *of_faults; i++)
        sigdelset(&all, of_faults[i]);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* the new thread inherits it */
    error = pthread_create(&thread, &attributes, run, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return error;
}

bool syc_thread_fits(size_t stack)
{
    size_t bytes = stack != 0 ? stack : syc_thread_stack();
    return syc_has_addresses((bytes != SIZE_MAX ? bytes : 0) + (uint64_t)SYC_FEW_ADDRESSES);
}

size_t syc_thread_stack(void)
{
    pthread_attr_t attributes;
    size_t size = 0;
    if (pthread_getattr_default_np(&attributes) != 0)
        return SIZE_MAX; /* nobody knows */
    if (pthread_attr_getstacksize(&attributes, &size) != 0)
        size = SIZE_MAX;
    pthread_attr_destroy(&attributes);
    return size;
}

void syc_signals_hold(sigset_t *before)
{
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGQUIT);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &held, before);
}

void syc_signals_let(const sigset_t *before)
{
    pthread_sigmask(SIG_SETMASK, before, NULL);
}
