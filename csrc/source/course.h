/* Which work-items come to a place in a function's text: all of them, as far as can be told, or perhaps some. Inside
 * the core only. */
#ifndef SYC_SOURCE_COURSE_H
#define SYC_SOURCE_COURSE_H

#include "source/token_stream.h"

typedef struct syc__course {
    const syc_token_stream *s;
    size_t end;         /* of the function's text */
    size_t from, until; /* tokens under a condition, the outermost */
    bool left;          /* some may have returned */
    bool mixed;         /* behind a "&&", "||" or "?" of the same statement */
} syc__course;

/* May it be that only some come to the token? For each token of the text, from the first to the last. What cannot be
 * told is answered by true; loops are the caller's affair. */
bool syc__course_parts(syc__course *c, size_t at);

#endif
