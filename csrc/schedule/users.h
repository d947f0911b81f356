/* Which commands use an allocation. */
#ifndef SYC_SCHEDULE_USERS_H
#define SYC_SCHEDULE_USERS_H

#include "memory/usm/usm.h"

/* Waits at most `timeout_ns` until no command in flight uses the allocation. SYC_TIMEOUT: some still does. Call without
 * the GIL. */
syc_status syc_usm_await_users(SYC_KEEP const syc_usm *usm, uint64_t timeout_ns);

#endif
