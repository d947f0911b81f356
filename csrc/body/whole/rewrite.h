/* A program with reducers while its text is rewritten: the pieces that are put into it. Inside body/whole only. */
#ifndef SYC_BODY_WHOLE_REWRITE_H
#define SYC_BODY_WHOLE_REWRITE_H

#include "body/whole/declarations.h"

/* Text that is put between two pieces of the user's: the compiler sees it, and messages do not. */
struct syc__reducing_piece {
    size_t at;    /* in the view */
    size_t guard; /* it lets work-items beyond the range go, of kernel number `guard` - 1; 0: it does not */
    char *text;
};

/* All that is known of one program's reducers. */
struct syc__reducing {
    syc_arena arena; /* of all the rest */
    syc_reducing_kernel *kernels;
    size_t count, capacity;
    struct syc__reducing_piece *pieces;
    size_t piece_count, piece_capacity;
};

struct syc__reducing_writer {
    struct syc__reducing *all;
    syc_arena arena; /* of this reading */
    syc__edit edit;
    syc__declaring in;
};

bool syc__kernel_has_reducers(SYC_KEEP const struct syc__reducing_writer *r, SYC_KEEP const syc__kernel_head *head);
/* The kernel without reducers, up to the last token of its head or of its body. SYC_E_BUILD: a declaration that is
 * none, or a reducer that is not used. */
syc_status syc__reducing_kernel_write(struct syc__reducing_writer *r, SYC_KEEP const syc__kernel_head *head);

#endif
