/* Checked kernels of whole programs: the same text, where the kernel's pointers to global memory are held against their
 * bounds as a body's are (write/checked.c), and behind its own parameters those that this takes. Each kernel is a
 * program of its own. Pointers are not moved: that of a part begins where its memory does. */
#ifndef SYC_BODY_WHOLE_CHECKED_KERNEL_H
#define SYC_BODY_WHOLE_CHECKED_KERNEL_H

#include "body/body.h"
#include "body/shape.h"

typedef struct syc_program syc_program; /* program/program.h */

typedef struct syc_checked_kernel {
    syc_body *body;      /* its name and parameters, for messages */
    syc_lowered lowered; /* the program, where the kernel has the index that it had, and the hidden parameters */
} syc_checked_kernel;

/* `parts`: for each parameter, rank and ranged: is it a pointer to memory of which only a part is the kernel's? Lives
 * as long as the program. NULL, and SYC_OK: it cannot be checked, which has been reported. Any thread. */
syc_status syc_checked_kernel_of(syc_program *program, size_t kernel, SYC_KEEP const syc_name *parts,
                                 const syc_checked_kernel **out);
/* A compiler did not take it: from now on it cannot be. */
void syc_checked_kernel_refuse(syc_program *program, SYC_KEEP const syc_checked_kernel *checked);

#endif
