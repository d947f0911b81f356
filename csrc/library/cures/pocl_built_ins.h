/* The built-in functions of OpenCL C that a text needs.
 *
 * PoCL has its compiler read the declarations of all of them, 13,000, before each program: four fifths of the time that
 * a small program takes. Where its header is one that is known, a program is given those of the functions whose names
 * it has, in front of its text, and an option that keeps the header away. Nothing else changes; a text that needs more
 * (by names that its macros put together) does not build this way, and is then built as ever. */
#ifndef SYC_LIBRARY_CURES_POCL_BUILT_INS_H
#define SYC_LIBRARY_CURES_POCL_BUILT_INS_H

#include "base/status.h"
#include "base/text.h"
#include "source/log_text.h"

#include <stdbool.h>

typedef struct syc_context syc_context; /* cl/context.h */

/* A header's declarations, in pieces. */
typedef struct syc__built_ins syc__built_ins;

/* Reads a header. It must outlive the result. */
syc_status syc__built_ins_read(const char *header, size_t length, SYC_GIVE syc__built_ins **out);
void syc__built_ins_free(SYC_TAKE syc__built_ins *built_ins); /* NULL is fine */
/* Adds the header's directives, and of its declarations those whose names stand in one of the texts. */
syc_status syc__built_ins_add(SYC_KEEP const syc__built_ins *built_ins, SYC_KEEP const syc_slice *texts, size_t count,
                              syc_text *out);

/* Are all words of a text that the user wrote to be seen in it? Not where it includes others, or pastes words. */
bool syc__built_ins_plain(syc_slice text);

/* The option that goes with syc__built_ins_front. */
#define SYC__BUILT_INS_OPTION "-D _OPENCL_H_ "
/* The text to be put in front of the others (options may be among them). Nothing is added where the context's driver
 * has no header that is known: then there is nothing to gain. Any thread. */
syc_status syc__built_ins_front(SYC_KEEP const syc_context *context, SYC_KEEP const syc_slice *texts, size_t count,
                                syc_text *out);

#endif
