/* The monotonic clock, and a sleep that signals do not cut short. */
#ifndef SYC_BASE_CLOCK_H
#define SYC_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

uint64_t syc_now_ns(void);
void syc_sleep_ns(uint64_t ns);
/* The absolute time `ns` from now, for pthread_cond_timedwait on a condition made with syc_cond_init. */
struct timespec syc_deadline(uint64_t ns);

#endif
