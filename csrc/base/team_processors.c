/* The mask of a job is written and read under a lock, and only where it is another one than before. */
#define _GNU_SOURCE
#include "base/team_processors.h"

#include "base/cpus.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { AGAIN_NS = 100000000 };

/* A thread's processor, as it was last asked. */
static _Thread_local struct {
    cpu_set_t mask;
    size_t cpus; /* 0: it has not asked */
    uint64_t asked_ns;
} own;

static struct {
    pthread_mutex_t lock;
    cpu_set_t mask;
    atomic_uint number; /* of the mask; 0: none yet */
    atomic_int processor;
} seat = {.lock = PTHREAD_MUTEX_INITIALIZER};

size_t syc__team_cpus(uint64_t now)
{
    size_t allowed, paid = syc_cpus_paid();
    if (own.cpus != 0 && now - own.asked_ns <= AGAIN_NS)
        return own.cpus;
    if (sched_getaffinity(0, sizeof own.mask, &own.mask) != 0)
        CPU_ZERO(&own.mask);
    allowed = (size_t)CPU_COUNT(&own.mask);
    own.cpus = allowed < paid ? allowed : paid;
    own.cpus = own.cpus > 0 ? own.cpus : 1;
    own.asked_ns = now;
    return own.cpus;
}

void syc__team_sit(void)
{
    atomic_store_explicit(&seat.processor, sched_getcpu(), memory_order_relaxed);
    if (CPU_EQUAL(&seat.mask, &own.mask)) /* nobody else writes it now */
        return;
    pthread_mutex_lock(&seat.lock);
    seat.mask = own.mask;
    atomic_fetch_add_explicit(&seat.number, 1, memory_order_release);
    pthread_mutex_unlock(&seat.lock);
}

void syc__team_unseat(void)
{
    seat.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

static unsigned copy_mask(cpu_set_t *out)
{
    unsigned number;
    pthread_mutex_lock(&seat.lock);
    *out = seat.mask;
    number = atomic_load_explicit(&seat.number, memory_order_relaxed);
    pthread_mutex_unlock(&seat.lock);
    return number;
}

static bool put(syc_team_place *place, pid_t thread)
{
    cpu_set_t mask, others;
    int processor = atomic_load_explicit(&seat.processor, memory_order_relaxed);
    unsigned number = copy_mask(&mask);
    bool apart;

    others = mask;
    if (processor >= 0 && processor < CPU_SETSIZE)
        CPU_CLR(processor, &others);
    apart = CPU_COUNT(&others) > 0;
    if (sched_setaffinity(thread, sizeof mask, apart ? &others : &mask) != 0)
        return false;
    atomic_store_explicit(&place->mask, number, memory_order_relaxed);
    atomic_store_explicit(&place->without, processor, memory_order_relaxed);
    return apart;
}

static bool has_mask(const syc_team_place *place)
{
    return atomic_load_explicit(&seat.number, memory_order_acquire) ==
           atomic_load_explicit(&place->mask, memory_order_relaxed);
}

void syc__team_enter(syc_team_place *place)
{
    atomic_store_explicit(&place->mask, 0, memory_order_relaxed);
    /* gettid() would tie wheels to glibc 2.30. */
    atomic_store_explicit(&place->thread, (int)syscall(SYS_gettid), memory_order_relaxed);
}

bool syc__team_is_in_the_way(void)
{
    return sched_getcpu() == atomic_load_explicit(&seat.processor, memory_order_relaxed);
}

bool syc__team_sits_well(syc_team_place *place)
{
    return (has_mask(place) && !syc__team_is_in_the_way()) || put(place, 0);
}

void syc__team_put_sleeper(syc_team_place *place)
{
    if (!has_mask(place) || atomic_load_explicit(&place->without, memory_order_relaxed) !=
                                atomic_load_explicit(&seat.processor, memory_order_relaxed))
        (void)put(place, atomic_load_explicit(&place->thread, memory_order_relaxed)); /* it looks again, awake */
}
