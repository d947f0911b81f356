/* Specialisation constants: values that a text names as SPEC(name), given to the compiler before it. Each set of values
 * is a program of its own, made when it is first asked for; a program keeps the few that were used last.
 *
 * In a text, SPEC(name) is the value (a constant expression, where it is a number) and SPEC_HAS(name) is 1 or 0 and can
 * stand in #if. */
#ifndef SYC_PROGRAM_SPECIALISE_H
#define SYC_PROGRAM_SPECIALISE_H

#include "program/program.h"

typedef struct syc_constant {
    const char *name; /* an identifier */
    uint64_t id;      /* which constant it is: the same one may be in many programs; 0: an operator, which
                         stands before the text in the same way, and has the same value for ever */
    const char *text; /* lines that define SPEC_<name>, or SYC_OP_<name>, and end with a line break */
} syc_constant;

/* As syc_program_create, with the constants that the text may name and their default values. Copies everything. */
syc_status syc_program_create_with(SYC_KEEP const char *source, size_t length, SYC_KEEP const char *options,
                                   SYC_KEEP const syc_constant *constants, size_t count, SYC_GIVE syc_program **out);
/* The same for a part of a link: compiled only. */
syc_status syc__program_create_object(SYC_KEEP const char *source, size_t length, SYC_KEEP const char *options,
                                      SYC_KEEP const syc_constant *constants, size_t count, SYC_GIVE syc_program **out);
/* The constants and their values, valid as long as the program. */
const syc_constant *syc_program_constants(SYC_KEEP const syc_program *program, size_t *count);
/* The program with other values for some of its constants (`name` plays no part), and its own for the rest: itself,
 * when nothing changes. Any thread. SYC_E_INVALID_OBJECT: it has no constant of an id. */
syc_status syc_program_specialise(syc_program *program, SYC_KEEP const syc_constant *values, size_t count,
                                  SYC_GIVE syc_program **out);

#endif
