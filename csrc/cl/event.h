/* Native events that are held for a moment. */
#ifndef SYC_CL_EVENT_H
#define SYC_CL_EVENT_H

#include "base/status.h"
#include "cl/types.h"

typedef struct syc_context syc_context; /* cl/context.h */

/* Gives back an event that was retained and is not counted; a failure is reported. */
void syc_event_let_go(SYC_KEEP const syc_context *context, SYC_TAKE cl_event event);

#endif
