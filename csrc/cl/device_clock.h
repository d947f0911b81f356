/* The clock that a device's times of events are of. Drivers have their own: PoCL's is not slewed as CLOCK_MONOTONIC is.
 */
#ifndef SYC_CL_DEVICE_CLOCK_H
#define SYC_CL_DEVICE_CLOCK_H

#include "cl/context.h"

/* How many ns the clock is ahead of CLOCK_MONOTONIC now. The first call of a device measures, which takes some
 * milliseconds: not under a lock. 0 where the driver does not tell. Any thread. */
int64_t syc_device_clock_ahead(SYC_KEEP const syc_context *context, SYC_KEEP syc_device *device);

#endif
