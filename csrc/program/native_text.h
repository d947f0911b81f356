/* The texts of native programs that were made from binaries: drivers know the text of no such program, but whoever is
 * given one of ours shall find its kernels' signatures. */
#ifndef SYC_PROGRAM_NATIVE_TEXT_H
#define SYC_PROGRAM_NATIVE_TEXT_H

#include "base/status.h"
#include "cl/types.h"

/* Remembers a copy until as many calls of `remove`. Without memory it does not. */
void syc__native_text_add(cl_program program, SYC_KEEP const char *text);
void syc__native_text_remove(cl_program program);
/* A copy, or NULL: it is not known. */
syc_status syc__native_text_find(cl_program program, SYC_GIVE char **out);

#endif
