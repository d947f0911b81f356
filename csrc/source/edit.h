/* A text that is rewritten in places: its tokens with their places, and pieces copied so that every line stays
 * where it was. Inside the core only. */
#ifndef SYC_SOURCE_EDIT_H
#define SYC_SOURCE_EDIT_H

#include "base/text.h"
#include "source/position.h"
#include "source/token_stream.h"
#include "source/tokens.h"

typedef struct syc__edit {
    const char *user;             /* the text as it was given, for messages */
    const char *name;             /* of it: "body" */
    const struct syc_part *parts; /* texts of the user's that it was made of, for messages as well */
    size_t part_count;
    const char *text;        /* the same without line continuations; in the arena */
    syc_tokens tokens;       /* of that */
    syc_token_stream stream; /* the same */
    size_t length;           /* of that */
    syc_text out;            /* what has been written */
    size_t done;             /* bytes of the text that are in `out` or have been replaced */
    uint32_t line;           /* of what comes next in `out`, from 1 */
} syc__edit;

/* Reads the text; what is written begins empty. Clear `out` in the end. */
syc_status syc__edit_begin(syc_arena *arena, SYC_KEEP const char *text, syc__edit *edit);
/* Where the token begins in `text`. */
size_t syc__edit_offset(SYC_KEEP const syc__edit *edit, size_t at);
/* Copies what stands before the token and has not been copied. */
void syc__edit_copy(syc__edit *edit, size_t token);
/* The same up to the token's own end. */
void syc__edit_copy_behind(syc__edit *edit, size_t token);
/* Copies from one token to before another, without the blanks in between. */
void syc__edit_copy_range(syc__edit *edit, size_t from, size_t to);
void syc__edit_add_n(syc__edit *edit, const char *bytes, size_t count);
/* At most some hundred bytes. */
void syc__edit_add(syc__edit *edit, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The text before the token has been replaced: adds new lines until the token stands in its own. */
void syc__edit_skip(syc__edit *edit, size_t token);
/* Copies the rest. */
void syc__edit_end(syc__edit *edit);

/* The partner of the bracket at `at`, or the END token's index. */
size_t syc__edit_match(SYC_KEEP const syc__edit *edit, size_t at);
/* Is the token part of a line that begins with '#'? */
bool syc__edit_in_directive(SYC_KEEP const syc__edit *edit, size_t at);
/* May a statement begin at the token? */
bool syc__edit_begins_statement(SYC_KEEP const syc__edit *edit, size_t at);
bool syc__edit_is(SYC_KEEP const syc__edit *edit, size_t at, const char *text);
syc__position syc__edit_position(SYC_KEEP const syc__edit *edit, size_t at);
/* SYC_E_BUILD: "body:2:7: what", under the text's name, with the line and a caret. */
syc_status syc__edit_refuse(SYC_KEEP const syc__edit *edit, size_t at, const char *what);

#endif
