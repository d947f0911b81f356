/* Fault injection and the call census: interposers over one driver's table, grown from the rows of entries.h. Off, they
 * are not in the table at all. Tests only; not thread-safe against calls in flight when switched. */
#ifndef SYC_CL_FAULT_H
#define SYC_CL_FAULT_H

#include "cl/driver.h"

/* Puts the interposers into `driver`'s table (NULL: takes them out again). One driver at a time. */
syc_status syc_fault_install(syc_driver *driver);
/* The n-th call of `entry` (without "cl") from now on, n counted from 1, returns `code` without reaching the driver.
 * Every later call succeeds again. SYC_E_INVALID_PARAMETER for an unknown entry, and for one that has no way
 * to fail: its calls are only counted. */
syc_status syc_fault_arm(const char *entry, long nth, int code);
/* Times `entry` was called since install; -1 for an unknown entry. */
long syc_fault_calls(const char *entry);
size_t syc_fault_entry_count(void);
const char *syc_fault_entry_name(size_t index);

#endif
