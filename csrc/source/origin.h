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

/* A text of the user's that was put into one of these, or into the text that is made of them: "map" is the second line
 * of the preamble. */
typedef struct syc_part {
    const char *file; /* that text, as #line names it */
    size_t line;      /* where it begins there, from 1 */
    const char *name, *text;
    const char *knows; /* the names that it may say, "a, b and T"; "": what the text that it is in may say */
    const char *types; /* pairs of words: a type of the text that it is in, and its name in messages, "total_t T" */
} syc_part;

typedef struct syc_origins {
    const syc_origin *items;
    size_t count;
    const syc_part *parts;
    size_t part_count;
    const char *const *given; /* the names of a body's arguments */
    size_t given_count;
    const char *front; /* what stands before a body: specialization constants, types of structs, operators; or NULL */
    unsigned dims;     /* of its range; 0: a single task */
    bool whole;        /* a program of the user's, to which nothing is given by name */
} syc_origins;

syc_status syc__origins_copy(SYC_KEEP const syc_origins *origins, SYC_GIVE syc_origins **out);
void syc__origins_free(SYC_TAKE syc_origins *origins); /* NULL is fine */
/* The text that a compiler's log calls `file`, or NULL. `origins` may be NULL. */
const syc_origin *syc__origin_find(SYC_KEEP const syc_origins *origins, syc_slice file);
/* The part that a line of the file belongs to: it is of the part, or behind it and before the next one, or before the
 * first. NULL: the file has none. */
const syc_part *syc__part_find(SYC_KEEP const syc_origins *origins, syc_slice file, size_t line);
/* How messages call the text "body": as the one part in it, if there is one. */
const char *syc__text_name(SYC_KEEP const syc_part *parts, size_t count);
size_t syc__part_lines(SYC_KEEP const syc_part *part);
/* How many letters must be put in, left out or changed to come from one word to the other, whatever their case. */
size_t syc__word_distance(syc_slice word, SYC_KEEP const char *name);
/* The name that the compiler does not know, as its message quotes it, and whether that is a function's; empty if the
 * message is about something else. */
syc_slice syc__unknown_word(syc_slice message, SYC_GIVE bool *function);
/* Adds a line that says more about an error, where more is known: a word that the compiler does not know is no
 * argument, and which arguments there are. Of a part: which names it may say. `origins` and `part` may be NULL. */
void syc__origins_explain(SYC_KEEP const syc_origins *origins, SYC_KEEP const syc_part *part, syc_slice message,
                          syc_text *out);

#endif
