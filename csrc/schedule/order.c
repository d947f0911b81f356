/* The order lock and the lists that it guards. */
#include "schedule/order.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static syc_hazards *hazards;

syc_queue *syc__queues_locked;
size_t syc__dispatchers_locked;
atomic_size_t syc__pending;
atomic_bool syc__closing;
atomic_int syc__profiles;
int syc__profiles_of_all_locked;

static void take(void)
{
    pthread_mutex_lock(&lock);
}

static void give(void)
{
    pthread_mutex_unlock(&lock);
}

static void initialise(void)
{
    syc_cond_init(&changed);
    /* A fork while another thread holds the lock would leave the child, where objects are still dropped, with a lock
     * that nobody opens. */
    (void)pthread_atfork(take, give, give);
}

void syc__order_lock(void)
{
    pthread_once(&once, initialise);
    pthread_mutex_lock(&lock);
}

void syc__order_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

void syc__order_changed_locked(void)
{
    pthread_cond_broadcast(&changed);
}

void syc__order_wait_locked(const struct timespec *deadline)
{
    pthread_cond_timedwait(&changed, &lock, deadline);
}

syc_hazards *syc__hazards_locked(void)
{
    if (hazards == NULL && syc_hazards_create(&hazards) != SYC_OK)
        hazards = NULL;
    return hazards;
}
