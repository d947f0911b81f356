/* The compiler's words tell which rule of C is broken. Where a habit of Python's, or arithmetic with complex numbers,
 * is known to lead to them, a line says what to write instead. Inside the core only. */
#ifndef SYC_PROGRAM_LOG_HINTS_H
#define SYC_PROGRAM_LOG_HINTS_H

#include "base/text.h"
#include "source/log_text.h"

/* Adds that line; none where nothing is known. `line` is the user's, `column` the error's in it, from 1, or 0. */
void syc__hints_add(syc_slice message, syc_slice line, size_t column, syc_text *out);

#endif
