/* The preprocessor: from the text and the build options to the tokens that a parser sees. */
#ifndef SYC_SOURCE_PREPROCESSOR_PREPROCESS_H
#define SYC_SOURCE_PREPROCESSOR_PREPROCESS_H

#include "source/preprocessor/macros.h"

typedef struct syc_preprocessed {
    syc_tokens tokens; /* expanded, without directives, with one SYC_TOKEN_END */
    bool complete;     /* false: parts are hidden (an #include, a text too large to expand), so loops may be too */
} syc_preprocessed;

/* `options` may be NULL. What is no valid directive is passed over: the compiler reports it. */
syc_status syc__preprocess(syc_arena *arena, SYC_KEEP const char *source, size_t length, SYC_KEEP const char *options,
                           syc_preprocessed *out);
/* The same for the tokens of a source behind `front`, a text of the device library, whose tokens are marked as such. */
syc_status syc__preprocess_behind(syc_arena *arena, SYC_KEEP const char *front, size_t front_length,
                                  SYC_KEEP const syc_tokens *source, SYC_KEEP const char *options,
                                  syc_preprocessed *out);

/* Applies the -D and -U of a build option string, left to right, as the drivers do. */
syc_status syc__options_apply(syc_expander *e, SYC_KEEP const char *options);

#endif
