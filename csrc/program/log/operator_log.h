/* Errors that a compiler finds in an operator of the user's own (sycl.BinaryOp): it tells them at the call, with a page
 * of macros behind it. Inside the core only. */
#ifndef SYC_PROGRAM_LOG_OPERATOR_LOG_H
#define SYC_PROGRAM_LOG_OPERATOR_LOG_H

#include "base/status.h"
#include "source/log_text.h"

/* Where an error is. */
typedef struct syc__operator_error {
    syc_slice word; /* for the operator */
    bool identity;  /* it is in that, not in the expression */
} syc__operator_error;

/* The operator that the error at `place` is in, as compilers tell it: by the macro that it was expanded from, or by the
 * place where that is spelled. False if it is in none. */
bool syc__operator_log_find(syc_slice log, SYC_KEEP const syc__log_place *place, syc__operator_error *out);
/* The same where the compiler tells no macro: the name that it does not know stands in the expression of an operator
 * that the call is given, and in none of its arguments. `at` and `texts` as below. */
bool syc__operator_log_guess(SYC_KEEP const syc__log_place *place, syc_slice at, SYC_KEEP const char *const *texts,
                             syc__operator_error *out);
/* "group_reduce: the operator least, 'a.key < b.key ? a : b': " and the compiler's words, without types of the
 * library's. `at`: the user's text from the call on; `texts`: where the operator may be defined, ends with NULL. */
void syc__operator_log_say(SYC_KEEP const syc__log_place *place, SYC_KEEP const syc__operator_error *error,
                           syc_slice at, SYC_KEEP const char *const *texts, syc_text *out);

#endif
