/* Calls of group functions that no compiler needs to see to be wrong: of which it would have more to say than anybody
 * wants to read, since they are macros. */
#ifndef SYC_LIBRARY_CHECKS_GROUP_CALLS_H
#define SYC_LIBRARY_CHECKS_GROUP_CALLS_H

#include "library/prelude.h"
#include "source/declarations/signature.h"
#include "source/tokens.h"

typedef struct syc__calls_source {
    const syc_tokens *tokens;    /* of the text as it was written */
    const syc__library_use *use; /* only names that are the library's there are looked at */
    const char *options;         /* of the build */
    const char *prelude;         /* where the operators that are given are defined */
} syc__calls_source;

/* The library's own operators, and what tells an order; each ends with NULL. */
extern const char *const syc__operator_words[], *const syc__order_words[];

/* Finds the first wrong number of arguments, group or operator; leaves `out` as it is where there is none, or where
 * there is a refusal already. What stands in a macro's text, or in a conditional group, is left to the compiler. */
syc_status syc__group_calls_check(syc_arena *arena, SYC_KEEP const syc__calls_source *source,
                                  SYC_GIVE syc_refusal *out);

#endif
