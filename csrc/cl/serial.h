/* Drivers whose API is not thread-safe: their calls are made one at a time, so that our users need not know. */
#ifndef SYC_CL_SERIAL_H
#define SYC_CL_SERIAL_H

#include "cl/driver.h"

/* Looks up the driver's facts and, where they say so, puts a lock around every row of its table, noting that in its
 * quirks. One such driver can be used in a process; a second is refused. Call once per driver, when its table is
 * filled. */
syc_status syc__driver_serialise(syc_driver *driver);

#endif
