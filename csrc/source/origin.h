/* Where the parts of a generated text come from, so that an error of the compiler can be told in the words of whoever
 * wrote them: each part stands behind `#line 1 "name"`. */
#ifndef SYC_SOURCE_ORIGIN_H
#define SYC_SOURCE_ORIGIN_H

#include "base/status.h"
#include "source/log_text.h"

typedef struct syc_origin {
    const char *name, *text;
    const char *compiled; /* what the compiler sees for it, line by line; NULL: the text itself */
} syc_origin;

typedef struct syc_origins {
    const syc_origin *items;
    size_t count;
    const char *const *given; /* the names of a body's arguments */
    size_t given_count;
    unsigned dims; /* of its range; 0: a single task */
    bool whole;    /* a program of the user's, to which nothing is given by name */
} syc_origins;

syc_status syc__origins_copy(SYC_KEEP const syc_origins *origins, SYC_GIVE syc_origins **out);
void syc__origins_free(SYC_TAKE syc_origins *origins); /* NULL is fine */
/* The text that a compiler's log calls `file`, or NULL. `origins` may be NULL. */
const syc_origin *syc__origin_find(SYC_KEEP const syc_origins *origins, syc_slice file);
/* Adds a line that says more about an error, where more is known: a word that the compiler does not know is no
 * argument, and which arguments there are. `origins` may be NULL. */
void syc__origins_explain(SYC_KEEP const syc_origins *origins, syc_slice message, syc_text *out);

#endif
