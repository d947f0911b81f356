/* Text that was put into a line, and so moved what stands behind it: a compiler's columns become the user's again. */
#ifndef SYC_SOURCE_SHIFT_H
#define SYC_SOURCE_SHIFT_H

#include "source/log_text.h"

#include "base/status.h"

#include <stdint.h>

typedef struct syc__shift {
    char *file;              /* as #line names it; the list's own */
    uint32_t line;           /* of that file, from 1 */
    uint32_t column;         /* from 1, in the line as the compiler sees it */
    uint32_t added, removed; /* bytes there, and of the user's */
} syc__shift;

typedef struct syc__shifts {
    syc__shift *items; /* of one line: from left to right */
    size_t count, capacity;
} syc__shifts;

/* Adds a copy, with that file. */
syc_status syc__shifts_push(syc__shifts *shifts, syc_slice file, SYC_KEEP const syc__shift *shift);
/* The user's column; the same one where nothing was put in. `shifts` may be NULL. */
size_t syc__shifts_undo(SYC_KEEP const syc__shifts *shifts, syc_slice file, size_t line, size_t column);
/* Was anything put into that line? */
bool syc__shifts_touch(SYC_KEEP const syc__shifts *shifts, syc_slice file, size_t line);
/* Is `seen` what that line, `user`, became? */
bool syc__shifts_explain(SYC_KEEP const syc__shifts *shifts, syc_slice file, size_t line, syc_slice user,
                         syc_slice seen);
void syc__shifts_clear(syc__shifts *shifts);

/* Is it `#line 12 "name"`? Else nothing is written. */
bool syc__line_directive(syc_slice line, size_t *number, syc_slice *name);

#endif
