/* The rows of the table that arrays of variables are combined by, and which of them an array gets. Inside algo/ only.
 */
#ifndef SYC_ALGO_LOWER_SPAN_ROWS_H
#define SYC_ALGO_LOWER_SPAN_ROWS_H

#include "algo/lower/lower.h"
#include "algo/table.h"

typedef struct syc_name syc_name; /* body/name.h */

struct syc__span_row {
    syc_row base;
    bool grouped; /* for nd-ranges, else for ranges */
    syc_span_way way;
    bool steady;     /* the result does not depend on who comes first, whatever the operator */
    uint64_t most;   /* bytes of the array; 0: no limit */
    uint32_t units;  /* compute units at least */
    uint32_t least;  /* groups for which copies have to fit at least; 0: for as many as there are compute units */
    uint32_t groups; /* for each compute unit at most; 0: as many as without arrays */
    uint32_t copies; /* LOCAL, LOCAL_TABLE: at most, as long as they take little room, */
    uint32_t little; /* which is so many bytes */
    uint32_t items;  /* of a group; 0: as many as without arrays */
    unsigned ahead;  /* syc_form, */
    bool whole;      /* the same */
    bool last;       /* copies that need not fit */
};

/* The question to the table, for one array. */
struct syc__span_question {
    const syc_device *device;
    const syc_name *name;
    const syc_lowering *lowering;
    uint64_t length, bytes, elements; /* of the array; of the range */
    uint64_t room, all;               /* bytes of local memory that are left for it; and without other groups */
    bool sole;                        /* there is no other reducer */
};

/* The row, and what the self-test knows it by. */
const struct syc__span_row *syc__span_row_of(SYC_KEEP const struct syc__span_question *question,
                                             SYC_GIVE syc_families *families);
/* Are there copies for each work-item? */
bool syc__span_has_copies(syc_span_way way);
/* The bytes of a copy in local memory: copies begin in different banks. */
uint64_t syc__span_room(SYC_KEEP const struct syc__span_question *question);
/* Where tests ask for it: are copies combined by work-items of their own? `otherwise`: where they do not. */
bool syc__span_folds(bool otherwise);
/* Copies of all arrays take so many bytes at most. */
enum { SYC__SPAN_MOST_COPIES = 64 << 20 };

/* As syc_reduce_row_force. False: no row has this name. */
bool syc__span_row_force(const char *name);

#endif
