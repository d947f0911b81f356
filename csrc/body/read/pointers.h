/* Checked forms: elements that a text comes to by pointers. Inside the core only. */
#ifndef SYC_BODY_READ_POINTERS_H
#define SYC_BODY_READ_POINTERS_H

#include "source/token_stream.h"

typedef struct syc__access {
    enum { SYC__ACCESS_SUM, SYC__ACCESS_FIRST, SYC__ACCESS_VECTOR } kind;
    size_t index_from, index_to; /* VECTOR: the tokens of the index */
    unsigned width;              /* VECTOR: elements */
} syc__access;

/* Is the name at `at` that of a pointer which is followed as *x, *(x + e), vloadN(e, x) or vstoreN(v, e, x)? Of the
 * latter `e` is then such that it can be evaluated once more. */
bool syc__access_read(SYC_KEEP const syc_token_stream *s, size_t at, syc__access *out);

#endif
