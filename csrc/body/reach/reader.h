/* A text being read for its claims. Inside body/ only.
 *
 * The reader walks through statements and expressions of the expanded text. What it does not know has an unknown value
 * and counts as nothing; what it cannot parse, and what may go anywhere (goto, switch, statement expressions), makes
 * it give up the whole text. */
#ifndef SYC_BODY_REACH_READER_H
#define SYC_BODY_REACH_READER_H

#include "body/reach/claims.h"
#include "source/token_stream.h"
#include "source/tokens.h"

/* -- what expressions are -- */

typedef struct syc__reach_need {
    struct syc__reach_need *next;
    syc__reach_sum sum;
    syc_dtype type;
} syc__reach_need;

typedef struct syc__reach_test {
    syc__reach_relation relation;
    syc__reach_sum sum;
    syc__reach_need *needs;
} syc__reach_test;

enum { SYC__REACH_TESTS = 6 };
/* The tests that a condition means: all of them hold where it does; or they are not known. */
typedef struct syc__reach_tests {
    bool known;
    unsigned count;
    const syc__reach_test *items[SYC__REACH_TESTS];
} syc__reach_tests;

typedef enum syc__reach_kind_of_value {
    SYC__REACH_UNKNOWN,
    SYC__REACH_INTEGER, /* the sum, as a value of the type */
    SYC__REACH_POINTER  /* to element `sum` of array `name` */
} syc__reach_kind_of_value;

typedef struct syc__reach_value {
    syc__reach_kind_of_value kind;
    syc_dtype type;
    unsigned name;
    syc__reach_sum sum;
    syc__reach_need *needs;   /* or else the value is another */
    syc__reach_tests yes, no; /* as a condition */
} syc__reach_value;

/* -- names -- */

typedef struct syc__reach_local {
    const syc_token *name;
    syc__reach_value value;
} syc__reach_local;

enum { SYC__REACH_LOCALS = 64, SYC__REACH_GUARDS = 16 };

typedef struct syc__reach_reader {
    const syc__scan *scan;
    const syc_token_stream *s;
    syc_arena *arena;
    struct syc__reach *out;
    size_t at, end; /* the next token; behind the last */
    unsigned depth;
    bool gave_up;
    syc_status status; /* of memory */

    unsigned silent; /* > 0: not all work-items come here, or nothing is touched here */
    uint32_t guards[SYC__REACH_GUARDS];
    unsigned guard_count, guard_kinds;
    int loop;

    syc__reach_local locals[SYC__REACH_LOCALS];
    unsigned local_count;
    syc_word_map changed; /* words */
    syc_word_map fields;  /* of structs, that are arrays */
} syc__reach_reader;

/* expression.c: one expression, up to what ends it: with commas, or without. */
syc__reach_value syc__reach_expression(syc__reach_reader *r);
syc__reach_value syc__reach_assignment(syc__reach_reader *r);
/* operand.c: an expression without operators that have two operands. */
syc__reach_value syc__reach_operand(syc__reach_reader *r);

/* known_value.c: C's arithmetic. */
syc__reach_value syc__reach_unknown(void);
syc__reach_value syc__reach_integer(syc__reach_sum sum, syc_dtype type);
syc__reach_value syc__reach_convert(syc__reach_reader *r, SYC_KEEP const syc__reach_value *value, syc_dtype type);
/* + - * */
syc__reach_value syc__reach_combine(syc__reach_reader *r, char operation, SYC_KEEP const syc__reach_value *a,
                                    SYC_KEEP const syc__reach_value *b);
/* < > <= >= == != */
syc__reach_value syc__reach_compare(syc__reach_reader *r, SYC_KEEP const syc_token *operation,
                                    SYC_KEEP const syc__reach_value *a, SYC_KEEP const syc__reach_value *b);
/* The value as a condition: unequal to 0. */
void syc__reach_test_of(syc__reach_reader *r, syc__reach_value *value);
void syc__reach_both(SYC_KEEP const syc__reach_tests *a, SYC_KEEP const syc__reach_tests *b, syc__reach_tests *out);

/* name.c */
bool syc__reach_is_name(SYC_KEEP const syc__reach_reader *r, SYC_KEEP const syc_token *word); /* known as a value */
syc__reach_value syc__reach_name(syc__reach_reader *r, SYC_KEEP const syc_token *word);
/* "global_id(0)" and the like at r->at; false: it is another call. */
bool syc__reach_id_call(syc__reach_reader *r, syc__reach_value *out);
void syc__reach_declare(syc__reach_reader *r, SYC_KEEP const syc_token *name, SYC_KEEP const syc__reach_value *value);
/* Is the word changed anywhere in the text, or its address taken? Once, before that is asked, all such are found. */
syc_status syc__reach_find_changed(syc__reach_reader *r);
bool syc__reach_is_changed(SYC_KEEP const syc__reach_reader *r, SYC_KEEP const syc_token *word);
bool syc__reach_is_changed_in(SYC_KEEP const syc__reach_reader *r, SYC_KEEP const syc_token *word, size_t from,
                              size_t to);
/* The array's number among the body's names; count of the names: it is none. */
size_t syc__reach_array_of(SYC_KEEP const syc__reach_reader *r, SYC_KEEP const syc_token *word);

/* claim.c */
void syc__reach_claim_at(syc__reach_reader *r, SYC_KEEP const syc__reach_value *pointer, unsigned width, size_t from,
                         size_t to);
void syc__reach_claim_part(syc__reach_reader *r, unsigned name, unsigned part, SYC_KEEP const syc__reach_value *index,
                           size_t from, size_t to);
/* Reading goes on under these conditions, silently where they are not known. Undone by leave. */
typedef struct syc__reach_mark {
    unsigned guard_count, guard_kinds, silent;
    int loop;
} syc__reach_mark;
syc__reach_mark syc__reach_enter(syc__reach_reader *r, SYC_KEEP const syc__reach_tests *tests);
void syc__reach_leave(syc__reach_reader *r, SYC_KEEP const syc__reach_mark *mark);
/* Reading goes on in this loop. False: given up. Undone by leave. */
bool syc__reach_keep_loop(syc__reach_reader *r, SYC_KEEP const syc__reach_sum *span,
                          SYC_KEEP const syc__reach_need *fits, int64_t step);

/* statement.c: a statement, at r->at. SOME_GO_ON: the reader has entered the conditions under which others do. */
typedef enum syc__reach_flow {
    SYC__REACH_GOES_ON,
    SYC__REACH_SOME_GO_ON,
    SYC__REACH_MAY_LEAVE,
    SYC__REACH_LEAVES
} syc__reach_flow;
syc__reach_flow syc__reach_statement(syc__reach_reader *r);
/* The same in a scope of its own, for those for whom the tests hold. */
syc__reach_flow syc__reach_guarded(syc__reach_reader *r, SYC_KEEP const syc__reach_tests *tests);
/* counted_loop.c: a loop at r->at. */
bool syc__reach_is_loop(SYC_KEEP const syc__reach_reader *r);
syc__reach_flow syc__reach_loop_at(syc__reach_reader *r);
/* declaration.c: does one begin here? Reads it, with its ';'. */
bool syc__reach_is_declaration(SYC_KEEP const syc__reach_reader *r);
void syc__reach_declaration(syc__reach_reader *r);

static inline bool syc__reach_is(const syc__reach_reader *r, const char *text)
{
    return r->at < r->end && syc__stream_is(r->s, r->at, text);
}

static inline bool syc__reach_skip(syc__reach_reader *r, const char *text)
{
    bool is = syc__reach_is(r, text);
    r->at += is;
    return is;
}

static inline void syc__reach_give_up(syc__reach_reader *r)
{
    r->gave_up = true;
    r->at = r->end;
}

/* It must be there. */
static inline void syc__reach_expect(syc__reach_reader *r, const char *text)
{
    if (!syc__reach_skip(r, text))
        syc__reach_give_up(r);
}

/* Of functions that call themselves. False: too deep, and given up. */
bool syc__reach_descend(syc__reach_reader *r);

#endif
