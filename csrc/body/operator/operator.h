/* What values are combined by, whatever the form is: operators and their accumulators, as text. Who combines writes the
 * accumulator's type and functions for each of its names, and puts accumulators where its form wants them. Inside the
 * core only. */
#ifndef SYC_BODY_OPERATOR_OPERATOR_H
#define SYC_BODY_OPERATOR_OPERATOR_H

#include "body/parts.h"

typedef struct syc_arena syc_arena; /* source/tokens.h */

static inline bool syc__is_reducer(const syc_name *name)
{
    return name->kind == SYC_NAME_REDUCER;
}

/* -- operators -- */

/* One that the core knows, by its SYCL name. */
typedef struct syc__native {
    const char *name;
    bool integers;       /* only those have it */
    bool logical;        /* its identity is known for bool only */
    const char *complex; /* what it is to complex numbers; NULL: they have none */
} syc__native;
const syc__native *syc__native_of(SYC_KEEP const char *word, size_t length); /* NULL: it is none */

/* Is the operator an expression of the user's? */
bool syc__operator_is_own(SYC_KEEP const syc_name *name);
/* "operator of total", as #line and messages name that expression. */
enum { SYC__OPERATOR_FILE = 272 };
const char *syc__operator_file(SYC_KEEP const syc_name *name, char room[SYC__OPERATOR_FILE]);
/* The body's parts and such expressions; the strings of the latter are in the arena. */
syc_status syc__body_parts(syc_arena *arena, SYC_KEEP const syc_body_source *source, const syc_part **out,
                           size_t *count);

/* -- accumulators, of accuracy FAST -- */

/* Is its accumulator a value of its type? Else it is a struct, and joining is more than the operator. */
static inline bool syc__accumulates_values(const syc_name *name)
{
    return name->op.known && name->op.accuracy == SYC_ACCURACY_FAST;
}
/* syc_acc_<name> and syc_op_; syc_none_ where the identity is known. */
void syc__write_accumulator(syc__writer *w, SYC_KEEP const syc_name *name);
/* OpenCL C: the type of a flag beside so many bytes. */
const char *syc__flag_for(size_t size);
/* syc_combine_<name>(to, x): a value into an accumulator in private memory. */
void syc__write_combine(syc__writer *w, SYC_KEEP const syc_name *name);
/* syc_join_<name>(a, b): of two accumulators, the elements of a first; syc_none_ where no identity is known. */
void syc__write_join(syc__writer *w, SYC_KEEP const syc_name *name);

/* -- of other accuracies (accuracy.c) -- */

/* The types that these operators refuse. */
syc_status syc__check_accuracy(SYC_KEEP const syc_body_source *source, SYC_KEEP const syc_name *name);
/* All of the above. */
void syc__write_accurate_value(syc__writer *w, SYC_KEEP const syc_name *name);
/* Statements that make an accumulator "x." what others may read: the same bits for the same sum, if it is exact. */
void syc__write_accurate_end(syc__writer *w, SYC_KEEP const syc_name *name, const char *acc);
/* Statements that add a value to an accumulator "x.", and an expression of the value that it holds. */
void syc__write_accurate_sum(syc__writer *w, SYC_KEEP const syc_name *name, const char *acc, const char *value);
void syc__write_accurate_result(syc__writer *w, SYC_KEEP const syc_name *name, const char *acc);

#endif
