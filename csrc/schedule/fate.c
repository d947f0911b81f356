/* The failure of commands that must not run. */
#include "base/text.h"
#include "schedule/order.h"

#include <string.h>

static const char not_run[] = "not run, because ", may_not[] = "may not have run, because ";

/* Behind what is said of another that `origin` has poisoned. */
static const char *reason_of(const char *message)
{
    const char *const fronts[] = {not_run, may_not};
    for (size_t i = 0; i < sizeof fronts / sizeof *fronts; i++)
        if (strncmp(message, fronts[i], strlen(fronts[i])) == 0)
            return message + strlen(fronts[i]);
    return message;
}

syc_status syc__poisoned(const syc_command *origin, bool maybe)
{
    const char *front = maybe ? may_not : not_run;
    syc_detail detail = syc_failure_detail(origin->failure);
    syc_text message = {0};
    syc_status status;

    if (origin->poisoned) /* it names the origin already */
        syc_text_add(&message, "%s%s", front, reason_of(detail.message));
    else
        syc_text_add(&message, "%sa command that it depends on, submitted at %s, failed: %s", front,
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
            return syc__poisoned(command->after[i], false);
        }
    }
    return SYC_OK;
}
