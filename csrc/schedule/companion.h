/* The companion: a thread that waits in the driver while others wait. A wait of ours asks the driver again and again,
 * so that it can be cut short; but some drivers put a thread that waits in them to work, and leave a core idle when
 * nobody does, and whoever sleeps between two questions hears of the end late. So a thread of ours goes into the
 * driver, and what it comes back with is no more than a reason to ask at once: nothing relies on it. */
#ifndef SYC_SCHEDULE_COMPANION_H
#define SYC_SCHEDULE_COMPANION_H

#include "cl/context.h"

/* It is to wait for the event next, if it does not already. Gives the turn that syc__companion_pause is told. Without a
 * thread it stays at home. */
unsigned long syc__companion_send(SYC_KEEP syc_context *context, SYC_KEEP cl_event event);
/* Sleeps for `ns`, or until the companion has come back since that turn. */
void syc__companion_pause(unsigned long turn, uint64_t ns);
/* The event has ended: what the companion held of it is let go of, unless the driver keeps it. */
void syc__companion_recall(SYC_KEEP cl_event event);
/* It goes nowhere any more. Waits until it has come back, but no longer than `patience_ns`. */
void syc__companion_close(uint64_t patience_ns);

#endif
