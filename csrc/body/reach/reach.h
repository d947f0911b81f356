/* How far a text's accesses reach: what is surely touched is held against the arguments' sizes at each launch.
 *
 * When a body is read, each access that all work-items surely come to and whose subscript is a sum of ids, loop
 * variables and numbers, with coefficients that a launch knows, becomes a claim: the subscript, and the conditions
 * around it. At a launch a claim is a few multiplications: the least and the largest value of the subscript. Whatever
 * the text does not tell for sure is no claim, so no lawful launch is refused. */
#ifndef SYC_BODY_REACH_REACH_H
#define SYC_BODY_REACH_REACH_H

#include "base/dtype.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct syc_body syc_body;

enum { SYC_REACH_NUMBERS = 16, SYC_REACH_ARRAYS = 16 }; /* arguments that claims of one body may name */

/* A question to a launch. `name`: the body's, by index. */
typedef struct syc_reach_number {
    unsigned name;
    syc_dtype type; /* an integer */
} syc_reach_number;

typedef struct syc_reach_array {
    unsigned name;
    unsigned rank;
    bool ranged; /* a part of its memory, whose rows may be longer */
} syc_reach_array;

typedef struct syc_reach_wants {
    syc_reach_number numbers[SYC_REACH_NUMBERS];
    syc_reach_array arrays[SYC_REACH_ARRAYS];
    unsigned number_count, array_count;
} syc_reach_wants;

/* One launch, as far as claims can depend on it. Only what is wanted need be set. */
typedef struct syc_reach_launch {
    unsigned dims;                         /* 0: a single task */
    bool grouped;                          /* an nd-range */
    size_t global[3], local[3], offset[3]; /* OpenCL's order */
    uint32_t unknown;                      /* bits: numbers that no int64_t holds */
    int64_t numbers[SYC_REACH_NUMBERS];
    size_t shapes[SYC_REACH_ARRAYS][3]; /* SYCL's order */
    uint64_t lengths[SYC_REACH_ARRAYS]; /* elements from the first to the last, those between rows too */
} syc_reach_launch;

/* NULL: there are no claims, and nothing to be held against anything. */
const syc_reach_wants *syc_body_reach(SYC_KEEP const syc_body *body);
/* Takes the bytes of a number of that type. */
void syc_reach_take(syc_reach_launch *launch, SYC_KEEP const syc_reach_wants *wants, unsigned number,
                    SYC_KEEP const void *bytes);
/* Are the launches the same in all that is wanted? */
bool syc_reach_same(SYC_KEEP const syc_reach_wants *wants, SYC_KEEP const syc_reach_launch *a,
                    SYC_KEEP const syc_reach_launch *b);
/* SYC_E_BOUNDS, in the user's words: an access that is not in its array. Any thread. */
syc_status syc_reach_check(SYC_KEEP const syc_body *body, SYC_KEEP const syc_reach_launch *launch);

#endif
