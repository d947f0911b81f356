/* Errors that a compiler finds in calls of the device library's functions: those are macros, so it tells them in words
 * that the user never wrote, with a page of macros behind. Inside the core only. */
#ifndef SYC_PROGRAM_LOG_LIBRARY_LOG_H
#define SYC_PROGRAM_LOG_LIBRARY_LOG_H

#include "program/log/library_call.h"

/* The place where PoCL found an error, if that is in the text and not in a macro of the library's: there an argument
 * stands, and the error's own place is the call. */
bool syc__library_log_spelling(syc_slice log, SYC_KEEP const syc__log_place *place, size_t *line, size_t *column);
/* A name that the compiler does not know: the errors behind may all come from that. */
bool syc__library_log_unknown(syc_slice message);
/* The compiler's words without what is the library's: `typeof`s, address spaces of values, names of macros. */
void syc__library_log_clean(syc_slice message, syc_text *out);
/* "group_reduce: a pointer belongs where a value of type 'pair' stands". */
void syc__library_log_say(SYC_KEEP const syc__library_call *call, syc_slice message, syc_text *out);

/* An error of the library's own, `_Static_assert(..., "pysycl: ...")` in its macros, wherever in the log it stands: it
 * says all there is to say. `out` gets its place, and its words for a message. */
bool syc__library_log_asserted(syc_slice log, syc__log_place *out);
/* Says it of the call that stands at the place in the text, or within that: one function of the library's may be made
 * of another. */
void syc__library_log_say_asserted(syc_slice text, size_t *line, size_t *column, syc_slice message, syc_text *out);

/* An unknown function that is nearly one of the library's, or is given a group: "no function or macro 'reduce' is
 * known: did you mean group_reduce or joint_reduce?" False, and nothing is said, if it is neither. The place is the
 * function's afterwards. */
bool syc__library_log_near(syc_slice line, size_t *column, syc_slice message, syc_text *out);

#endif
