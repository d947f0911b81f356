/* Macros: their definitions, and the expansion of a stream of tokens. */
#ifndef SYC_SOURCE_PREPROCESSOR_MACROS_H
#define SYC_SOURCE_PREPROCESSOR_MACROS_H

#include "source/tokens.h"

typedef struct syc_macro {
    syc_token name;
    bool function, variadic; /* variadic: the last parameter takes what is left, commas and all */
    bool active;             /* its expansion is being read: the name stands for itself there */
    syc_tokens params, body;
} syc_macro;

/* The unread rest of one expansion, one argument, or one line. */
typedef struct syc_frame {
    const syc_token *items;
    size_t count, next;
    syc_macro *macro; /* whose expansion it is, or NULL */
    bool floor;       /* nothing below may be read from here: its end is the end */
} syc_frame;

typedef struct syc_expander {
    syc_arena *arena;
    syc_word_map macros;
    syc_frame *frames;
    size_t count, capacity;
    /* Where tokens come from when no frame is left. */
    syc_status (*pull)(void *from, syc_token *out);
    void *from;
    size_t budget;  /* tokens that expansion may still make: texts that grow without end stop here */
    unsigned depth; /* of calls inside arguments */
    bool exhausted; /* the budget ran out: what follows is not expanded, so nothing is known for sure */
} syc_expander;

/* A call of kernels/atomic/atomic.clh makes 2000 tokens; this many take 200 MB and half a second. */
enum { SYC__EXPANSION_BUDGET = 1 << 21, SYC__EXPANSION_DEPTH = 100 };

/* Reads "NAME body" or "NAME(a, b) body", the tokens behind #define. What is no definition is passed over. */
syc_status syc__macro_define(syc_expander *e, SYC_KEEP const syc_token *tokens, size_t count);
syc_status syc__macro_undefine(syc_expander *e, SYC_KEEP const syc_token *name);
syc_macro *syc__macro_find(SYC_KEEP const syc_expander *e, SYC_KEEP const syc_token *name);

/* The next token after expansion. */
syc_status syc__expand_next(syc_expander *e, syc_token *out);
/* Expands these tokens by themselves; no SYC_TOKEN_END in or out. */
syc_status syc__expand_all(syc_expander *e, SYC_KEEP const syc_token *tokens, size_t count, syc_tokens *out);

/* Internal to the two files: the macro's body with arguments put in, `name` being the token that called it. */
typedef struct syc_macro_argument {
    syc_tokens raw, expanded;
    bool done; /* expanded is filled */
} syc_macro_argument;
syc_status syc__macro_substitute(syc_expander *e, SYC_KEEP const syc_macro *macro, syc_macro_argument *arguments,
                                 SYC_KEEP const syc_token *name, syc_tokens *out);

#endif
