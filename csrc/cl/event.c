/* Native events that are held for a moment. */
#include "cl/event.h"

#include "base/process.h"
#include "cl/context.h"
#include "cl/entries.h"
#include "cl/error.h"

void syc_event_let_go(const syc_context *context, cl_event event)
{
    int code = syc_process_alive() ? syc_context_cl(context)->ReleaseEvent(event) : 0;
    if (code != 0)
        syc_report(syc_fail_cl(SYC_HERE, "clReleaseEvent", code));
}
