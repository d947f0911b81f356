/* Reducers in whole programs: "kernel void f(global const float *x, reducer(float, plus) total) { total += x[i]; }".
 *
 * A kernel with such parameters becomes one with pointers in their place, and behind its own parameters those that
 * reducers need (syc_hidden). Its text stays what it is, but for the reducers' words, which become calls as in bodies
 * (reduce/words.c); in front of it stand accumulators, behind it the ending that nd-ranges of bodies have
 * (reduce/end.c), and `return` leads there. A work-item beyond the range, where that is padded to whole groups, goes
 * there at once.
 *
 * One text serves every launch: whether a variable's old value counts, and the identity, are arguments. A program is
 * built, bundled and kept as a binary before anybody knows which reductions it will be given.
 *
 * Where the text is here and can be a body's, launches do not take this one but the body's forms (kernel.h), which
 * are many times as fast, since they know the device and the reductions. */
#ifndef SYC_BODY_WHOLE_PROGRAM_H
#define SYC_BODY_WHOLE_PROGRAM_H

#include "body/body.h"
#include "body/shape.h"

typedef struct syc_program syc_program; /* program/program.h */

/* Further facts of a parameter that is a reducer. */
typedef struct syc_reducer_parameter {
    const char *text;       /* as written, white space folded: "reducer(float, plus) total" */
    const char *op;         /* the operator's word in the text */
    const char *expression; /* of an operator of the user's, white space folded; NULL: one of SYCL's own; "": not known,
                               as the kernel stands elsewhere */
} syc_reducer_parameter;

/* A kernel with reducers. */
typedef struct syc_reducing_kernel {
    const char *name;
    const syc_name *names; /* one for each parameter that the user gives: of kind REDUCER, VALUE for all others. The
                              size of a reducer is 0 where the text does not tell it */
    const syc_reducer_parameter *parameters; /* the same; of reducers only */
    size_t count;
    syc_lowered lowered;               /* the hidden parameters and the partial results; no program */
    struct syc__kernel_bodies *bodies; /* NULL: it can be no body */
} syc_reducing_kernel;

/* Programs are looked at for reducers from now on, or not. */
void syc_reducing_enable(bool on);
/* NULL: the kernel has no reducers. */
const syc_reducing_kernel *syc_reducing_kernel_of(SYC_KEEP const syc_program *program, size_t kernel);

/* That kernel as a body for launches with reducers of this kind: `given` are the kernel's names, of reducers with the
 * size, operation, identity, accuracy and order that they have this time. NULL, and SYC_OK: it cannot be one. Any
 * thread. */
syc_status syc_reducing_body(SYC_KEEP const syc_program *program, size_t kernel,
                             SYC_KEEP const syc_reducing_kernel *reducing, SYC_KEEP const syc_name *given,
                             SYC_GIVE syc_body **out);
/* A compiler did not take it: for such launches it is none from now on. */
void syc_reducing_body_refuse(SYC_KEEP const syc_reducing_kernel *reducing, SYC_KEEP const syc_body *body);

#endif
