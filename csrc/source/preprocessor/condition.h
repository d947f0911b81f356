/* Integer constant expressions, as #if and attributes have them, where some names may be unknown. */
#ifndef SYC_SOURCE_PREPROCESSOR_CONDITION_H
#define SYC_SOURCE_PREPROCESSOR_CONDITION_H

#include "source/tokens.h"

typedef struct syc_integer {
    bool known; /* false: it depends on something that only the compiler knows, or is no expression */
    bool is_unsigned;
    int64_t value;
} syc_integer;

/* Knowledge of a name from outside of the text: none, since only the text defines it; whether it is defined; or its
 * value.
 */
typedef enum syc_implied { SYC__IMPLIED_NO, SYC__IMPLIED_MAYBE, SYC__IMPLIED_DEFINED } syc_implied;
syc_implied syc__name_implied(SYC_KEEP const syc_token *name);

/* Evaluates tokens that are expanded already. `names_are_zero`: what is no number counts as 0, as in #if, unless the
 * compiler may define it. */
syc_integer syc__evaluate(SYC_KEEP const syc_token *tokens, size_t count, bool names_are_zero);

#endif
