/* A compiler's log made readable: the first error, the user's own line, a caret below it. Knows the layouts of
 * clang-based front ends (PoCL, Intel, Oclgrind, NVIDIA): "<file>:<line>:<col>: error: ..." and "<file>:<line>: error".
 */
#ifndef SYC_PROGRAM_LOG_BUILD_LOG_H
#define SYC_PROGRAM_LOG_BUILD_LOG_H

#include "source/declarations/signature.h"
#include "source/origin.h"
#include "source/shift.h"

typedef struct syc_log_error {
    size_t line, column; /* from 1; 0 when the log names none */
    char *message;       /* the compiler's words for the first error, "" when none was found */
} syc_log_error;

/* Reads the first error; a warning stands for it only where an error without a place speaks of the same name (else it
 * is NOT taken: message stays ""). The log may be huge, cut, or not UTF-8. */
syc_status syc_log_first_error(SYC_KEEP const char *log, size_t length, SYC_GIVE syc_log_error *out);
void syc_log_error_clear(syc_log_error *error);

/* The whole message: headline, the quoted line of `source` with a caret (tabs kept aligned), then the log, cut to 64
 * KiB in the middle with a note of how much was left out, control characters and broken UTF-8 replaced by '?'. `name`
 * stands for the source in the headline, e.g. "kernel.cl". `device` names the device. Free with syc_free. NULL without
 * memory. */
char *syc_log_format(SYC_KEEP const char *source, size_t source_length, SYC_KEEP const char *log, size_t log_length,
                     SYC_KEEP const char *name, SYC_KEEP const char *device);
/* The same for a text that was made from others: an error in one of them is told by its name, its line and its column.
 * Members but the source may be NULL. */
typedef struct syc_log_texts {
    const char *source;
    size_t length;
    const syc_origins *origins;
    const syc__shifts *shifts; /* what was put into the text's lines before it was compiled */
    const char *prelude;       /* what stands before it, with the operators that it was given */
} syc_log_texts;
char *syc_log_format_from(SYC_KEEP const syc_log_texts *texts, SYC_KEEP const char *log, size_t log_length,
                          SYC_KEEP const char *name, SYC_KEEP const char *device);
/* The same for what pysycl itself has found in the text; there is no log. */
char *syc_log_format_refusal(SYC_KEEP const syc_origins *origins, SYC_KEEP const char *source, size_t source_length,
                             SYC_KEEP const syc_refusal *refusal, SYC_KEEP const char *name,
                             SYC_KEEP const char *device);

#endif
