/* Shared by the files that read a text's claims, and hold launches against them. Inside body/ only. */
#ifndef SYC_BODY_REACH_CLAIMS_H
#define SYC_BODY_REACH_CLAIMS_H

#include "body/reach/reach.h"
#include "source/position.h"

typedef struct syc__scan syc__scan; /* body/parts.h */

/* -- sums: what a subscript is -- */

/* Variables that differ between work-items, and in loops. A row of three is for SYCL's dimensions 0, 1 and 2; RAW: for
 * OpenCL's. */
enum {
    SYC__REACH_NOTHING,
    SYC__REACH_LINEAR, /* i */
    SYC__REACH_ID,
    SYC__REACH_RAW_ID = SYC__REACH_ID + 3,
    SYC__REACH_LOCAL = SYC__REACH_RAW_ID + 3,
    SYC__REACH_RAW_LOCAL = SYC__REACH_LOCAL + 3,
    SYC__REACH_GROUP = SYC__REACH_RAW_LOCAL + 3,
    SYC__REACH_RAW_GROUP = SYC__REACH_GROUP + 3,
    SYC__REACH_LOOP = SYC__REACH_RAW_GROUP + 3, /* turns of a loop, from 0 */
    SYC__REACH_LOOPS = 10,
    SYC__REACH_VARIABLES = SYC__REACH_LOOP + SYC__REACH_LOOPS
};

/* A launch's knowledge: its numbers, and sizes in three dimensions. */
enum {
    SYC__REACH_NUMBER,
    SYC__REACH_RANGE = SYC__REACH_NUMBER + SYC_REACH_NUMBERS,
    SYC__REACH_RAW_RANGE = SYC__REACH_RANGE + 3,
    SYC__REACH_LOCAL_RANGE = SYC__REACH_RAW_RANGE + 3,
    SYC__REACH_RAW_LOCAL_RANGE = SYC__REACH_LOCAL_RANGE + 3,
    SYC__REACH_GROUP_RANGE = SYC__REACH_RAW_LOCAL_RANGE + 3,
    SYC__REACH_RAW_GROUP_RANGE = SYC__REACH_GROUP_RANGE + 3
};

enum { SYC__REACH_FACTORS = 4, SYC__REACH_TERMS = 8 };

/* factor * known * ... * variable */
typedef struct syc__reach_term {
    int64_t factor;
    uint8_t variable, count;
    uint8_t known[SYC__REACH_FACTORS]; /* in order */
} syc__reach_term;

typedef struct syc__reach_sum {
    unsigned count;
    syc__reach_term terms[SYC__REACH_TERMS];
} syc__reach_sum;

/* False, and `out` of no meaning: it is too long, has a product of variables, or a factor that no int64_t holds. `out`
 * may be an operand. */
bool syc__reach_add(const syc__reach_sum *a, const syc__reach_sum *b, int sign, syc__reach_sum *out);
bool syc__reach_multiply(const syc__reach_sum *a, const syc__reach_sum *b, syc__reach_sum *out);
syc__reach_sum syc__reach_constant(int64_t value);
syc__reach_sum syc__reach_variable(unsigned variable);
syc__reach_sum syc__reach_known(unsigned known);
/* Is it a number that the text says? */
bool syc__reach_is_constant(const syc__reach_sum *sum, int64_t *value);
bool syc__reach_has_variable(const syc__reach_sum *sum);

/* -- what is kept of a text -- */

/* Kinds of variables, as bits: those of one kind are independent of each other, those of two are not. */
enum { SYC__REACH_BY_LINEAR = 1, SYC__REACH_BY_ID = 2, SYC__REACH_BY_GROUP = 4 };

/* A part of one of the table's lists. */
typedef struct syc__reach_part {
    uint32_t first, count;
} syc__reach_part;

/* C computes it in a type that holds it, or else it is another number than the sum says. */
typedef struct syc__reach_fit {
    syc__reach_part sum;
    syc_dtype type;
} syc__reach_fit;

/* sum < 0 and the like. Its fits are those of its operands, for all that come to it. */
typedef enum syc__reach_relation { SYC__REACH_NEGATIVE, SYC__REACH_ZERO, SYC__REACH_OTHER } syc__reach_relation;
typedef struct syc__reach_guard {
    syc__reach_relation relation; /* sum < 0, sum == 0, sum != 0 */
    syc__reach_part sum, fits;
} syc__reach_guard;

/* A counted loop: its last turn, counted from 0, is floor(span / step); none if span is negative. */
typedef struct syc__reach_loop {
    syc__reach_part span, fits; /* without variables but the loop's own in `fits` */
    int64_t step;
    int outer; /* the loop around it, -1: none */
} syc__reach_loop;

/* A place in the text: conditions and loops around it. */
typedef struct syc__reach_place {
    syc__reach_part guards; /* of the table's `order` */
    int loop;
} syc__reach_place;

typedef struct syc__reach_claim {
    syc__reach_part sum, fits;
    int64_t number; /* added to the sum, which x[i - 1] and x[i + 1] have in common */
    uint32_t place;
    uint8_t array;       /* of the wants */
    uint8_t part, parts; /* subscript `part` of so many: 1 for x[...] */
    uint8_t width;       /* elements that it touches from there on */
    uint8_t kind;        /* the finest that its sums and its place name */
    syc__position at;
    const char *text; /* "x[i + 1]" */
} syc__reach_claim;

struct syc__reach {
    syc_reach_wants wants;
    syc__reach_term *terms;
    syc__reach_fit *fits;
    syc__reach_guard *guards;
    uint32_t *order;
    syc__reach_loop *loops;
    syc__reach_place *places;
    syc__reach_claim *claims;
    size_t term_count, fit_count, guard_count, order_count, loop_count, place_count, claim_count;
    size_t term_room, fit_room, guard_room, order_room, loop_room, place_room, claim_room;
};

/* reach.c: reads the claims of a text; NULL where there are none. */
syc_status syc__reach_read(SYC_KEEP const syc__scan *scan, SYC_GIVE struct syc__reach **out);
void syc__reach_free(SYC_TAKE struct syc__reach *reach); /* NULL is fine */

/* -- one launch -- */

typedef struct syc__reach_fault {
    const syc__reach_claim *claim;
    int64_t index;
    uint64_t limit;
} syc__reach_fault;
/* check.c: is there one? */
bool syc__reach_find(SYC_KEEP const struct syc__reach *reach, SYC_KEEP const syc_reach_launch *launch,
                     syc__reach_fault *out);

#endif
