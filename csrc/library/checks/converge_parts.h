/* Shared by the files that read the control flow of one function. Inside the core only; the public words are in
 * converge.h. */
#ifndef SYC_LIBRARY_CHECKS_CONVERGE_PARTS_H
#define SYC_LIBRARY_CHECKS_CONVERGE_PARTS_H

#include "library/checks/converge.h"
#include "source/statements.h"

enum syc__jump { SYC__JUMP_NONE, SYC__JUMP_RETURN, SYC__JUMP_BREAK, SYC__JUMP_CONTINUE };

typedef struct syc__flow_token {
    size_t token; /* of the reading */
    unsigned char reach, jump;
    bool passes; /* a jump that leaves a group function out */
} syc__flow_token;

/* The tokens of a function's body without directives. Places in it are indices of `s`. */
typedef struct syc__flow {
    syc__scratch_reading *r;
    syc__sites *sites;
    const char *leave; /* what leaves the function */
    bool gives;        /* it returns a value, so nothing of ours can leave it */
    syc_token_stream s;
    syc__flow_token *items; /* beside its tokens */
    bool bad;               /* its statements cannot be told apart */
} syc__flow;

const syc_token *syc__flow_at(SYC_KEEP const syc__flow *f, size_t at);
bool syc__flow_is(SYC_KEEP const syc__flow *f, size_t at, const char *text);
/* The largest group that the group functions in the places from..to wait for. */
enum syc__reach syc__flow_reach(SYC_KEEP const syc__flow *f, size_t from, size_t to);
/* The first place with a group function; `to` if there is none. */
size_t syc__flow_find(SYC_KEEP const syc__flow *f, size_t from, size_t to);

/* Puts text into the source: before a place, or behind it. Like printf. */
syc_status syc__flow_before(syc__flow *f, size_t at, size_t removed, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
syc_status syc__flow_behind(syc__flow *f, size_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* `decides` decides whether the group function at `call` is reached. */
syc_status syc__flow_site(syc__flow *f, enum syc__site_kind kind, size_t decides, size_t call, unsigned argument,
                          size_t *index);
/* The places from..to are a condition for what `reach` waits for. */
syc_status syc__flow_agree(syc__flow *f, enum syc__site_kind kind, size_t decides, size_t call, size_t from, size_t to,
                           enum syc__reach reach);

/* converge_call.c: &&, || and ?: around group functions, and arguments of those. */
syc_status syc__flow_expression(syc__flow *f, size_t from, size_t to);
/* converge_flow.c: the statements of a function whose tokens, group functions and jumps have been found. */
syc_status syc__flow_edit(syc__flow *f);

#endif
