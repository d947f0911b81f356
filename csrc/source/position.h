/* A place in a text of the user's, and errors that point at it. */
#ifndef SYC_SOURCE_POSITION_H
#define SYC_SOURCE_POSITION_H

#include "base/status.h"
#include "base/text.h"

#include <stdint.h>

/* From 1; column 0: somewhere in the line, inside a macro. */
typedef struct syc__position {
    uint32_t line, column;
} syc__position;

/* "line 1, column 8" */
void syc__position_say(syc_text *text, syc__position at);
/* Where the user wrote it: `made` has the lines of the user's text, some of them rewritten. */
syc__position syc__position_in_user(SYC_KEEP const char *user, SYC_KEEP const char *made, syc__position at);
/* Fails with the status and the words, and behind them the text's line and a caret. The words are cleared. */
syc_status syc__fail_at(syc_status failure, SYC_KEEP const char *site, SYC_KEEP const char *text, syc__position at,
                        syc_text *words);
/* SYC_E_BUILD: "body:2:7: what", under the text's name, with the line and a caret. */
syc_status syc__refuse_at(SYC_KEEP const char *name, SYC_KEEP const char *text, syc__position at, const char *what);

/* A place in a text, as its user knows it: in the part that the line is of, or in the text itself. */
typedef struct syc__place {
    const char *name, *text;
    syc__position at;
    const struct syc_part *part; /* or NULL */
} syc__place;
syc__place syc__place_in_parts(SYC_KEEP const struct syc_part *parts, size_t count, SYC_KEEP const char *file,
                               SYC_KEEP const char *text, syc__position at);

#endif
