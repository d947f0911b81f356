/* The declarations of a text: which functions it defines, where their parts are, which types it names. */
#ifndef SYC_SOURCE_DECLARATIONS_PARSER_H
#define SYC_SOURCE_DECLARATIONS_PARSER_H

#include "source/declarations/types.h"
#include "source/tokens.h"

typedef struct syc_callee syc_callee;

/* Arrays and structs that a work-item has of its own: at least so many bytes, and the largest of them. */
typedef struct syc_private {
    size_t bytes, largest;
    const syc_token *name; /* of the largest; NULL: there is none */
} syc_private;

typedef struct syc_function {
    const syc_token *name;
    size_t head;        /* index of the declaration's first token */
    size_t params;      /* of the '(' of its parameters */
    size_t body, close; /* of its '{', and of the '}' or the end of the text */
    bool kernel;
    struct syc_function *overload; /* the one before it of the same name */
    syc_callee *callee;

    /* Filled by syc__functions_measure, with all that it calls: */
    bool bounded, fp64, fp16, shaped, waits;
    size_t weight, built_ins; /* tokens and what built-ins cost beyond theirs; the latter alone */
    syc_private own;
    syc_callee **calls;
    size_t call_count, call_capacity;
    syc_callee **unsure; /* those of calls that perhaps some items alone come to */
    size_t unsure_count, unsure_capacity;

    bool passed;        /* for whoever walks the calls */
    unsigned char walk; /* limits.c */
} syc_function;

/* All functions that a call by one name may reach. Overloads are not told apart: the dearest of them counts. */
struct syc_callee {
    syc_function *last;
    bool visited, done, bounded, fp64, fp16, shaped, waits;
    size_t weight, built_ins;
    syc_private own;
};

typedef struct syc_unit {
    syc_token_stream stream;
    syc_types types;
    syc_word_map callees; /* by name */
    syc_function **functions;
    size_t count, capacity;
} syc_unit;

/* Reads all declarations; the stream must be there. What it cannot make out is left out. */
syc_status syc__unit_read(syc_unit *unit);
/* Weighs every function: its own body, and what it reaches through calls. */
syc_status syc__functions_measure(syc_unit *unit);
/* "name(" or "(name)(" at `at`, which is not the first token. */
bool syc__is_call(SYC_KEEP const syc_token_stream *s, size_t at);
/* Is it a word through which a work-item sees more than its own global id: groups, sizes, local memory, barriers? */
bool syc__sees_shape(SYC_KEEP const syc_token_stream *s, size_t at);

#endif
