/* How a body's text is read: a pass over its tokens, and the files that each find one thing in them. */
#ifndef SYC_BODY_READING_H
#define SYC_BODY_READING_H

#include "body/parts.h"
#include "source/token_stream.h"
#include "source/tokens.h"

/* brackets.c: the text does not end where its function does; gives that error. */
syc_status syc__body_refuse_brackets(syc_arena *arena, SYC_KEEP const char *text);
/* uses.c: what the tokens from `first` to before `last` do with the names; `positions` tells where. */
typedef struct syc__scan {
    const syc_body_source *source;
    const char *user; /* the text as the user wrote it */
    const syc_unit *unit;
    size_t first, last; /* tokens of the body */
    syc_word_map names; /* word to syc__use */
    bool *own;        /* for each of the tokens: a name or an id that is not ours there, but something of the text's */
    bool shadowed;    /* the text has an `i` of its own, or changes it */
    bool jumped;      /* a return, goto, break or continue was met */
    syc__use *stored; /* the first name that is assigned to, the end of that expression, whether that or a later one
                         always happens, and whether another name is assigned, or used behind it, or that one
                         assigned again */
    size_t store_end;
    bool stores_always, stores_mixed, stores_again;
    bool arrays; /* a struct has arrays, which are pointers when they are named */
    syc__reading *reading;
} syc__scan;
void syc__body_read_uses(syc__scan *scan);
syc__position syc__scan_position(SYC_KEEP const syc__scan *scan, size_t at);
/* A place in a body's text as its user knows it; `user` is the text as it was before it was rewritten. */
syc__place syc__body_place(SYC_KEEP const syc_body_source *source, SYC_KEEP const char *user, syc__position at);
/* Fills scan->own. */
syc_status syc__body_read_scopes(syc__scan *scan);
/* The use of the name that the token is, or NULL. */
syc__use *syc__scan_use(SYC_KEEP const syc__scan *scan, size_t at);
/* A word that is no member of something. */
bool syc__is_free_word(SYC_KEEP const syc_token_stream *s, size_t at);
/* ranks.c: has every name(...) as many indices as the name has dimensions? SYC_E_KERNEL_ARGUMENT. */
syc_status syc__body_check_ranks(SYC_KEEP const syc__scan *scan);
/* group_words.c: fills the reading's first word that needs work-groups. */
void syc__body_find_groups(SYC_KEEP const syc__scan *scan);
/* placed.c: fills the reading's first word that says where in the range a work-item is. */
void syc__body_find_placed(SYC_KEEP const syc__scan *scan);
/* Is it name[i], as tokens? */
bool syc__is_own_element(SYC_KEEP const syc_token_stream *s, size_t name);
/* outermost.c: fills that of the reading. */
void syc__body_find_outermost(SYC_KEEP const syc__scan *scan);
/* own_memory.c: sets the trait. */
void syc__body_find_own_memory(SYC_KEEP const syc__scan *scan, SYC_KEEP const syc_function *body);
/* elsewhere.c: is it among the members of any struct or union? */
bool syc__structs_have(SYC_KEEP const syc_token_stream *s, SYC_KEEP const char *punctuator);
/* May the texts have pointers besides those that are given: in structs, or made of numbers? */
bool syc__points_elsewhere(SYC_KEEP const syc_token_stream *s);
/* Does the '&' at `at` take an address? */
bool syc__takes_address(SYC_KEEP const syc__scan *scan, size_t at);
/* May the word be a name's declaration when this token stands before it? */
bool syc__declares(SYC_KEEP const syc_token *before);
/* own_elements.c: does the text as it is written, before any macro, name its pointers as name[i] only? */
syc_status syc__body_is_apart(syc_arena *arena, SYC_KEEP const syc_body_source *source, SYC_KEEP const syc_tokens *text,
                              SYC_KEEP const syc_tokens *preamble, bool *out);
/* can_pack.c: can vectors stand for the scalars of an elementwise text, if its stores allow that? */
bool syc__body_packs(SYC_KEEP const syc_body_source *source, SYC_KEEP const syc_tokens *text);

#endif
