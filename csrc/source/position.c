/* Errors that point at a place in a text. */
#include "source/position.h"

#include "source/log_text.h"

#include <string.h>

void syc__position_say(syc_text *text, syc__position at)
{
    syc_text_add(text, "line %u", at.line);
    if (at.column > 0)
        syc_text_add(text, ", column %u", at.column);
}

syc_status syc__refuse_at(const char *name, const char *text, syc__position at, const char *what)
{
    syc_text message = {0};
    syc_status status;
    syc_text_add(&message, "%s:%u:%u: %s\n", name, at.line, at.column, what);
    syc__text_add_quote(&message, (syc_slice){text, strlen(text)}, at.line, at.column);
    status = syc_fail(SYC_E_BUILD, SYC_HERE, "%s", syc_text_get(&message));
    syc_text_clear(&message);
    return status;
}
