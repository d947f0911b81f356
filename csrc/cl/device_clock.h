/* The clock that a device's times of events are of. Drivers have their own: PoCL's is not slewed as CLOCK_MONOTONIC is.
 */
#ifndef SYC_CL_DEVICE_CLOCK_H
#define SYC_CL_DEVICE_CLOCK_H

#include "cl/context.h"

/* How many ns the clock is ahead of CLOCK_MONOTONIC, at a moment of that one, or at one that the device's clock has
 * told; moments that are close to each other share an answer. The first call of a device measures, which takes some
 * milliseconds: not under a lock. 0 where the driver does not tell. Any thread. */
int64_t syc_device_clock_ahead(SYC_KEEP const syc_context *context, SYC_KEEP syc_device *device, uint64_t moment,
                               bool of_host);

#endif
