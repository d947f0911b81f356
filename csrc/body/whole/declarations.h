/* The declarations of reducers in a program's text. Inside the core only. */
#ifndef SYC_BODY_WHOLE_DECLARATIONS_H
#define SYC_BODY_WHOLE_DECLARATIONS_H

#include "body/operator/operator.h"
#include "body/whole/program.h"
#include "source/edit.h"

/* A kernel's declaration, as places of its tokens. */
typedef struct syc__kernel_head {
    size_t begin, name, open, close; /* its first token; its name; the parameters' brackets */
    size_t brace, end;               /* the body's; 0: it is declared only */
} syc__kernel_head;

/* Does "kernel" at `at` begin one? */
bool syc__kernel_head_read(SYC_KEEP const syc__edit *edit, size_t at, syc__kernel_head *out);
/* The next parameter, tokens *from to before *to; the first where *from is 0. False: there is none. */
bool syc__kernel_head_next(SYC_KEEP const syc__edit *edit, SYC_KEEP const syc__kernel_head *head, size_t *from,
                           size_t *to);
/* Does "reducer(...) name" begin at `at`? */
bool syc__is_reducer_declared(SYC_KEEP const syc__edit *edit, size_t at);

/* Where they are declared. */
typedef struct syc__declaring {
    const char *front; /* definitions of the operators that the program is given */
    size_t kernel;     /* its number: two may have reducers of one name */
    bool declared;     /* a kernel that stands elsewhere: its operators are not known here */
} syc__declaring;

/* The parameter, which begins with "reducer". What the results lead to lives in the arena. SYC_E_BUILD: no such
 * declaration, an operator that nobody knows, or one that the type has not. */
syc_status syc__reducer_declared(syc_arena *arena, SYC_KEEP const syc__edit *edit, size_t from, size_t to,
                                 SYC_KEEP const syc__declaring *in, syc_name *name, syc_reducer_parameter *parameter);

#endif
