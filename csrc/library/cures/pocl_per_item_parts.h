/* Shared by the files that find variables and values of struct types. Inside the core only; the public words are in
 * pocl_per_item.h. */
#ifndef SYC_LIBRARY_CURES_POCL_PER_ITEM_PARTS_H
#define SYC_LIBRARY_CURES_POCL_PER_ITEM_PARTS_H

#include "library/cures/pocl_per_item.h"
#include "library/scratch_parts.h"

/* A call that is edited, by its place in the source: a macro's is met in each of its expansions. */
typedef struct syc__per_item_made {
    size_t begin;
    uint32_t structs; /* bit k: argument k is a struct in one of them */
    bool edited;
} syc__per_item_made;

typedef struct syc__per_item_finder {
    syc__scratch_reading *r;
    syc_token_stream *s; /* the text as the preprocessor leaves it, behind the library */
    const syc_function *function;
    syc__per_item_made *made;
    size_t made_count, made_capacity;
} syc__per_item_finder;

/* Does the token, with its very characters, stand in the text: in a function's or in a macro's? */
bool syc__per_item_written(SYC_KEEP const syc__per_item_finder *f, size_t at);
/* Where in the source it begins, and where it ends; only of one that is written. */
size_t syc__per_item_offset(SYC_KEEP const syc__per_item_finder *f, size_t at);
size_t syc__per_item_end(SYC_KEEP const syc__per_item_finder *f, size_t at);
/* The token of the text as it was written, continued lines and all; `text` is one's of the preprocessor. */
const syc_token *syc__per_item_raw(SYC_KEEP const syc__per_item_finder *f, const char *text);
/* Does a line end between the two places? Else, where they are a macro's, it is one macro. */
bool syc__per_item_apart(SYC_KEEP const char *from, SYC_KEEP const char *to);
/* Is what was read from `from` to `at` the type of a struct, or of an array of structs by a typedef? */
bool syc__per_item_struct(SYC_KEEP const syc__per_item_finder *f, SYC_KEEP const syc_type *type, size_t from,
                          size_t at);

/* pocl_per_item_calls.c: calls in the function, whose arguments wait while the values of others are kept. Not
 * `edited`: they are found only, which is to be done of all functions first. */
syc_status syc__per_item_calls(syc__per_item_finder *f, bool edited);

#endif
