/* The monotonic clock, and a sleep that signals do not cut short. */
#ifndef SYC_BASE_CLOCK_H
#define SYC_BASE_CLOCK_H

#include <pthread.h>
#include <stdint.h>
#include <time.h>

uint64_t syc_now_ns(void);
void syc_sleep_ns(uint64_t ns);
/* A condition that takes deadlines of this clock; one that is made statically would take them for the wall clock's. */
void syc_cond_init(pthread_cond_t *condition);
/* The absolute time `ns` from now, for pthread_cond_timedwait on a condition made with syc_cond_init. */
struct timespec syc_deadline(uint64_t ns);

#endif
