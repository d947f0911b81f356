/* Statements over tokens whose brackets are paired. Macros are not expanded: one that stands for a whole statement
 * needs no ';'. */
#ifndef SYC_SOURCE_STATEMENTS_H
#define SYC_SOURCE_STATEMENTS_H

#include "source/token_stream.h"

typedef enum syc__statement_kind {
    SYC__STATEMENT_SIMPLE,
    SYC__STATEMENT_BLOCK,
    SYC__STATEMENT_IF,
    SYC__STATEMENT_LOOP, /* for, while */
    SYC__STATEMENT_DO,
    SYC__STATEMENT_SWITCH,
    SYC__STATEMENT_LABEL, /* also of a switch; without the statement behind it */
    SYC__STATEMENT_ITEMS  /* parallel_for_work_item */
} syc__statement_kind;

/* Indices of tokens; 0: there is none. */
typedef struct syc__statement {
    syc__statement_kind kind;
    size_t open, close;    /* the brackets of "if (...)" and the like; of a `do`, those at its end */
    size_t body, body_end; /* the statement inside; of a block all inside */
    size_t other;          /* the one behind `else` */
    size_t end;            /* behind all of it; 0: it cannot be told */
    const char *why;       /* an error of the text, in the user's words, or NULL: then `blame` is its token */
    size_t blame;
} syc__statement;

/* The statement from `at` on, which ends before `to`. */
syc__statement syc__statement_read(SYC_KEEP const syc_token_stream *s, size_t at, size_t to);
/* Where it ends, with the labels before it; 0: that cannot be told. Then `error`, unless NULL, has `why` and `blame`.
 */
size_t syc__statement_end(SYC_KEEP const syc_token_stream *s, size_t at, size_t to, syc__statement *error);
/* May a statement begin at `at`, in a text that begins at `first`? */
bool syc__statement_begins(SYC_KEEP const syc_token_stream *s, size_t first, size_t at);

#endif
