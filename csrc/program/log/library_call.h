/* Calls of the device library's functions in the user's text, by their places. Inside the core only. */
#ifndef SYC_PROGRAM_LOG_LIBRARY_CALL_H
#define SYC_PROGRAM_LOG_LIBRARY_CALL_H

#include "base/status.h"
#include "source/log_text.h"

enum { SYC__CALL_NAME = 64 };

typedef struct syc__library_call {
    char name[SYC__CALL_NAME];
    size_t line, column; /* of the name, or of the user's own macro that has the call */
    bool theirs;         /* it is in such a macro */
} syc__library_call;

/* The innermost call around a place of a text, as one reads it: in a macro of the text, too. With column 0: the only
 * one in the line. One of `name` among its arguments is the one, where there is one; NULL: whatever it has. */
bool syc__library_call_find(syc_slice text, size_t line, size_t column, SYC_KEEP const char *name,
                            syc__library_call *out);

#endif
