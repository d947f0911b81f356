/* The mask of a job is written and read under a lock, and only where it is another one than before. */
#define _GNU_SOURCE
#include "base/team_processors.h"

#include "base/cpus.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

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

static bool takes_mask_over(unsigned *seen)
{
    cpu_set_t mask;
    unsigned number;
    pthread_mutex_lock(&seat.lock);
    mask = seat.mask;
    number = atomic_load_explicit(&seat.number, memory_order_relaxed);
    pthread_mutex_unlock(&seat.lock);
    if (sched_setaffinity(0, sizeof mask, &mask) != 0)
        return false;
    *seen = number;
    return true;
}

/* Where all other processors are taken the system puts a thread that wakes on the calling one's: there it is no help,
 * and while it watches its bell it keeps that thread from its work. */
bool syc__team_is_in_the_way(void)
{
    return sched_getcpu() == atomic_load_explicit(&seat.processor, memory_order_relaxed);
}

/* Goes to another processor, and keeps the mask that it has. */
static bool moves_away(void)
{
    cpu_set_t mask, others;
    int here = sched_getcpu();
    if (here < 0 || here >= CPU_SETSIZE || sched_getaffinity(0, sizeof mask, &mask) != 0)
        return false;
    others = mask;
    CPU_CLR(here, &others);
    return sched_setaffinity(0, sizeof others, &others) == 0 && sched_setaffinity(0, sizeof mask, &mask) == 0;
}

bool syc__team_sits_well(unsigned *seen)
{
    if (atomic_load_explicit(&seat.number, memory_order_acquire) != *seen && !takes_mask_over(seen))
        return false;
    return !syc__team_is_in_the_way() || moves_away();
}
