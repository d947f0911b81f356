/* Compiling and linking apart: functions of one text called from another; and programs of another text. */
#ifndef SYC_PROGRAM_LINK_H
#define SYC_PROGRAM_LINK_H

#include "program/program.h"

/* The same text and options, or the same SPIR-V, to be compiled only: its builds have no kernels to launch, but can be
 * linked. SYC_E_COMPILE_PROGRAM: the program is of no text. */
syc_status syc_program_object(SYC_KEEP const syc_program *program, SYC_GIVE syc_program **out);
/* The kind of its source: "text", "binary", "il", "built_in", "objects" or "native". */
const char *syc_program_made_of(SYC_KEEP const syc_program *program);
bool syc_program_is_object(SYC_KEEP const syc_program *program);
/* A program linked of compiled parts, each a syc_program_object or an object's binary. Its kernels are those of the
 * parts. Links when it is first built. SYC_E_INVALID_PARAMETER: two parts define a kernel of one name.
 * SYC_E_LINK_PROGRAM: they define one function twice, or one calls another's helper that is given hidden memory
 * (library/scratch.h). */
syc_status syc_program_link(SYC_KEEP syc_program *const *parts, size_t count, SYC_KEEP const char *options,
                            SYC_GIVE syc_program **out);

/* Writes the text that takes the place of the source of `part`, which defines the kernel. Nothing: there is none. */
typedef syc_status (*syc_rewording)(void *payload, SYC_KEEP const syc_program *part, syc_text *out);
/* All else, options, constants and what it is linked with, is as it was; kernels keep their indices. NULL, and SYC_OK:
 * the text of the kernel is not here, or there is no other. */
syc_status syc_program_reword(SYC_KEEP const syc_program *program, SYC_KEEP const char *kernel, syc_rewording rewording,
                              void *payload, SYC_GIVE syc_program **out);

#endif
