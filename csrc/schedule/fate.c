/* The failure of commands that must not run. */
#include "base/text.h"
#include "schedule/order.h"

syc_status syc__poisoned(const syc_command *origin)
{
    syc_detail detail = syc_failure_detail(origin->failure);
    syc_text message = {0};
    syc_status status;

    if (origin->poisoned) /* it names the origin already */
        return syc_failure_restore(origin->failure);
    syc_text_add(&message, "not run, because a command that it depends on, submitted at %s, failed: %s",
                 origin->failed_site != NULL ? origin->failed_site : "an unknown place", detail.message);
    status = syc_fail_cl_as(detail.status, SYC_HERE, detail.api, detail.cl_code, "%s", syc_text_get(&message));
    syc_text_clear(&message);
    return status;
}

syc_status syc__fate(syc_command *command)
{
    if (command->doom != NULL)
        return syc_failure_restore(command->doom);
    for (size_t i = 0; i < command->after_count; i++) {
        if (syc_command_failure(command->after[i]) != NULL) {
            command->poisoned = true;
            return syc__poisoned(command->after[i]);
        }
    }
    return SYC_OK;
}
