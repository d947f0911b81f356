/* Addresses that the process may still map, where their number is limited (RLIMIT_AS). */
#ifndef SYC_BASE_ADDRESSES_H
#define SYC_BASE_ADDRESSES_H

#include <stdbool.h>
#include <stdint.h>

/* What has to be left for code that allocates a little and does not look whether it got it, as the system's linker does
 * (the first use of a thread's variables) and drivers do: malloc grows by one MiB where the heap cannot. */
enum { SYC_FEW_ADDRESSES = 4 << 20 };

/* Are there so many in one piece? True where there is no limit. Any thread. */
bool syc_has_addresses(uint64_t bytes);

#endif
