/* A kernel with reducers as a body: what it has of the forms that bodies have (reduce.h), their shapes, ways of arrays,
 * accuracies, comes from there. Its text becomes the body's, what stands in front of it the preamble, and its own
 * parameters the names. Where that does not do - memory of the __constant kind, parameters that the text changes, words
 * of bodies that mean something else here - the kernel stays as it is written (program.h). */
#ifndef SYC_BODY_WHOLE_KERNEL_H
#define SYC_BODY_WHOLE_KERNEL_H

#include "body/whole/declarations.h"

/* The bodies of one kernel that were asked for. Inside the core only. */
typedef struct syc__kernel_bodies syc__kernel_bodies;
/* Of the text between the kernel's braces, what stands in front of it, and the constants and operators that the program
 * is given. Copies everything. */
syc_status syc__kernel_bodies_create(SYC_KEEP const char *text, SYC_KEEP const char *preamble,
                                     SYC_KEEP const char *front, SYC_GIVE syc__kernel_bodies **out);
void syc__kernel_bodies_free(SYC_TAKE syc__kernel_bodies *bodies); /* NULL is fine */
/* kernel_text.c: the same from the program's text; `out` stays as it is where that cannot be taken apart. */
syc_status syc__kernel_bodies_read(syc_arena *arena, SYC_KEEP const syc__edit *edit,
                                   SYC_KEEP const syc__kernel_head *head, SYC_KEEP const char *front,
                                   SYC_GIVE syc__kernel_bodies **out);

#endif
