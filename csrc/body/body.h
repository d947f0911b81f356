/* A body: the text of one work-item, "y[i] += a * x[i];", and the names that it uses. It is made into kernels: one text
 * in OpenCL C for each form in which a device wants to run it (algo/lower/lower.h decides which), each a program of its
 * own with a single kernel, its parameters the body's names in their order and then the hidden ones.
 *
 * What a body may say: `i`, the linear id; `i0`, `i1`, `i2`, the ids, and `n0`, `n1`, `n2`, the range, in SYCL's order;
 * over an nd-range the names of kernels/items.clh; `x[...]` for every pointer, and `x(i0, i1)` where it has rank 2
 * or 3. `return` ends the work-item. */
#ifndef SYC_BODY_BODY_H
#define SYC_BODY_BODY_H

#include "body/reach/reach.h"
#include "body/traits.h"

typedef struct syc_form syc_form; /* body/shape.h */
typedef struct syc_lowered syc_lowered;

/* Copies everything, reads the text; builds nothing. SYC_E_KERNEL_ARGUMENT: a name that the body does not use, that is
 * no identifier, or that means something else in a body. SYC_E_INVALID_PARAMETER: no text. */
syc_status syc_body_create(SYC_KEEP const syc_body_source *source, SYC_GIVE syc_body **out);
void syc_body_retain(syc_body *body);
void syc_body_release(syc_body *body); /* NULL is fine */

/* Tests show that the self-test would notice: bodies are made from now on as if compilers did not have the defects that
 * LOOP and PACK mind (loop.c, pack_words.c), or as ever. */
void syc_body_undo_cures(bool undo);

/* The body in a form, made on first use and kept as long as the body. Any thread. Compiles nothing.
 * SYC_E_KERNEL_NOT_SUPPORTED: the form cannot hold this body (WIDE for one that is not elementwise). SYC_E_ND_RANGE: it
 * asks for groups, and the form has none. */
syc_status syc_body_lower(syc_body *body, SYC_KEEP const syc_form *form, const syc_lowered **out);

#endif
