/* The forms in which a body can be a kernel: its shape, and what else its text depends on. */
#ifndef SYC_BODY_SHAPE_H
#define SYC_BODY_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct syc_partials syc_partials; /* body/partials.h */
typedef struct syc_program syc_program;   /* program/program.h */

/* Which device gets which is said by rows (algo/lower/lower.c); how each is written, by the file of its name. LANES and
 * STRIDE: body/reduce/reduce.h. ALONG to TEAMS: body/reduce/along.h. TILES to ROUNDS: body/scan/scan.h.
 *
 * Launches of ITEM without groups are padded to whole groups, so every id is held against the range first. In LOOP the
 * work-items are independent, so their loop may become vectors whatever its pointers are, unless they keep memory of
 * their own. WIDE writes elements back whether the body wrote them or not, so it is for bodies whose writes always
 * happen; and two names may be given one array, so after the first write only the written name may be read. */
typedef enum syc_shape {
    SYC_SHAPE_ITEM,   /* a work-item for each element */
    SYC_SHAPE_LOOP,   /* a work-item for a run of elements: a loop that the vectoriser takes */
    SYC_SHAPE_WIDE,   /* a work-item for several neighbours, their memory accessed 16 bytes at a time: where `widens` */
    SYC_SHAPE_PACK,   /* a work-item for a run of elements, 16 at a time as vectors: where `packs`, without reducers */
    SYC_SHAPE_LANES,  /* where `reduces`: a work-item for runs of elements, with several accumulators */
    SYC_SHAPE_STRIDE, /* where `reduces`: large groups, whose items take elements next to each other */
    SYC_SHAPE_ALONG,  /* where `reduced`, and the innermost dimension is: lanes along it */
    SYC_SHAPE_ACROSS, /* the same, and another one is kept: lanes across the rows */
    SYC_SHAPE_SHORT,  /* the same, where the text is `linear`: an accumulator for each element of several rows */
    SYC_SHAPE_PADDED, /* the same, an accumulator for each element of several rows, and of what fills the vectors */
    SYC_SHAPE_COLUMNS, /* where `reduced`, and the innermost dimension is kept: an accumulator for each of its indices
                        */
    SYC_SHAPE_TEAMS,   /* where `reduced`: large groups, in which a team of work-items has a result */
    SYC_SHAPE_TILES,   /* where `scans`: a work-item for tiles of a line, one after the other */
    SYC_SHAPE_SIDE_BY_SIDE, /* the same, and the innermost dimension is kept: a work-item for neighbouring lines */
    SYC_SHAPE_ROUNDS,       /* the same: large groups for tiles of a line, in turns */
    SYC_SHAPE_COUNT
} syc_shape;

static inline bool syc_shape_has_axes(syc_shape shape)
{
    return shape >= SYC_SHAPE_ALONG && shape <= SYC_SHAPE_TEAMS;
}

static inline bool syc_shape_scans(syc_shape shape)
{
    return shape >= SYC_SHAPE_TILES && shape < SYC_SHAPE_COUNT;
}

/* Are its work-items groups of one, each with lanes? */
static inline bool syc_shape_is_alone(syc_shape shape)
{
    return shape == SYC_SHAPE_LANES || (syc_shape_has_axes(shape) && shape != SYC_SHAPE_TEAMS) ||
           shape == SYC_SHAPE_TILES;
}
/* Can vectors of 16 stand for its lanes? */
static inline bool syc_shape_packs(syc_shape shape)
{
    return syc_shape_is_alone(shape) && shape != SYC_SHAPE_ACROSS && !syc_shape_scans(shape);
}
/* Where the work-items of a body combine an array of variables (reduce/array.c); one of them for each array. */
typedef enum syc_span_way {
    SYC_SPAN_COPIES,   /* in a copy of each work-item's own, in global memory */
    SYC_SPAN_FOURFOLD, /* LANES: in four of them in turn, so that what meets one variable does not wait for itself */
    SYC_SPAN_ALONE,    /* in the variables: there is but one work-item */
    SYC_SPAN_SHARED,   /* in the variables, by atomic operations */
    SYC_SPAN_LOCAL,    /* in copies in each group's local memory, and those in the variables, by atomic operations */
    SYC_SPAN_PRIVATE,  /* in accumulators of each work-item's own, as reducers of one variable are: where the text names
                          few variables, all by constants */
    SYC_SPAN_TABLE,    /* in a table of zeros among the partial results, by atomic operations; the last group makes the
                          variables of it, and zeros again: for operators whose identity is zero */
    SYC_SPAN_LOCAL_TABLE, /* in copies in each group's local memory, and those in such a table */
    SYC_SPAN_COUNT
} syc_span_way;

static inline bool syc_span_has_table(syc_span_way way)
{
    return way == SYC_SPAN_TABLE || way == SYC_SPAN_LOCAL_TABLE;
}
static inline bool syc_span_is_local(syc_span_way way)
{
    return way == SYC_SPAN_LOCAL || way == SYC_SPAN_LOCAL_TABLE;
}

enum { SYC_SPANS_MOST = 16 }; /* arrays of variables in a body */

typedef struct syc_form {
    syc_shape shape;
    unsigned dims;      /* 1 to 3; 0: a single task */
    bool grouped;       /* over an nd-range: always SYC_SHAPE_ITEM */
    bool offset;        /* the ids begin elsewhere than at 0 */
    unsigned elements;  /* WIDE, STRIDE: neighbours that a work-item takes together; SIDE_BY_SIDE: lines, at most;
                           ROUNDS: rows, an element of each for a work-item; else 1 */
    unsigned ahead;     /* STRIDE: accesses of `elements` that are under way before the first is used; 0: as many as
                           registers have room for */
    bool whole;         /* STRIDE: such an access is one of the device's where the memory lies for it */
    uint32_t items;     /* ROUNDS: work-items of a group */
    uint32_t registers; /* of a work-item, at most, where groups must be under way together; 0: any */
    bool warps; /* STRIDE, TEAMS, ROUNDS, nd-ranges: work-items combine within warps first; for groups of whole ones */
    bool leads; /* nd-ranges: one work-item of a group combines what the others have */
    bool packs; /* LANES, ALONG, SHORT, PADDED, COLUMNS: vectors of 16 in place of scalars, as in PACK; where the text
                   `packs`, and along some dimensions without an offset. TILES: prefixes in vectors, of the scanners
                   that can have them (traits.h) */
    bool streams;   /* PACK: elements that are written and not read go past the caches. TILES that pack: what the second
                       text does no more than store */
    bool through;   /* the same, from registers: where a compiler makes vectors of loops whose turns it can count */
    bool checked;   /* subscripts are held against the bounds (PYSYCL_DEBUG=check) */
    bool folds;     /* LANES: half of the work-items combine what the others leave of arrays */
    uint64_t spans; /* the ways of the arrays of variables, 4 bits each, the first in the lowest */
    uint32_t
        group[3]; /* hierarchical, a work-item for each group: its items, in SYCL's order; zeros: one for each item */
} syc_form;

/* The hidden parameters behind the names: of type `ulong` where nothing else is said. */
typedef enum syc_hidden_kind {
    SYC_HIDDEN_RANGE,  /* the user's range in dimension `index`, OpenCL's order */
    SYC_HIDDEN_OFFSET, /* its offset there */
    SYC_HIDDEN_RUN, /* LOOP, PACK, LANES: elements of dimension 0 for each work-item; STRIDE: of a block; ALONG, TEAMS:
                       of the innermost axis in a piece; COLUMNS: columns of a work-item; SHORT, PADDED: rows of it;
                       TILES, ROUNDS: elements of a tile */
    SYC_HIDDEN_PIECES, /* shapes with axes: parts of each result, which become one at the end; TILES, ROUNDS: tiles
                          of each line */
    SYC_HIDDEN_TEAM,   /* COLUMNS: rows that are taken together; PADDED: accumulators of a row; TEAMS: work-items for a
                          result */
    SYC_HIDDEN_PITCH,  /* of name `index`: elements from one index of dimension `part` (SYCL's order) to the next */
    SYC_HIDDEN_FIRST,  /* of name `index`, ranged: elements of the memory before its first one */
    SYC_HIDDEN_LENGTH, /* of name `index`: elements that its pointer leads to (checked) */
    SYC_HIDDEN_LIMIT,  /* of name `index`, ranged: its range in dimension `part` (checked) */
    SYC_HIDDEN_IDENTITY, /* of name `index`, a reducer: of its own type */
    SYC_HIDDEN_INITIAL,  /* of name `index`, a scanner: of its own type */
    SYC_HIDDEN_FRESH,    /* of name `index`, a reducer: is its old value no part of the result? */
    SYC_HIDDEN_PARTIALS, /* __global uchar *: what is not combined yet: a counter of SYC_PARTIALS_HEAD bytes, and then
                          */
    SYC_HIDDEN_PLACE,    /* the bytes from there to the partial results of name `index`, */
    SYC_HIDDEN_STEP,   /* and from those of one group, or for an array of one work-item, to those of the next; LOCAL and
                          LOCAL_TABLE: how many copies there are */
    SYC_HIDDEN_ROOM,   /* __local, of its own type: those copies of name `index`, each of an odd length */
    SYC_HIDDEN_SHARED, /* __local ulong16 *: 128 bytes, and a partial result of each item for each scalar reducer */
    SYC_HIDDEN_FAULTS  /* __global uint *: where a checked kernel says what was out of bounds */
} syc_hidden_kind;

/* The words of FAULTS, zeros before the launch. The first fault that a work-item comes to is kept. Behind the words is
 * room for elements that are not there: what is written to them goes there. */
enum {
    SYC_FAULT_FOUND,    /* 1 when there is one */
    SYC_FAULT_NAME,     /* index of the name */
    SYC_FAULT_INDEX,    /* the subscript, low and high half: a long in the user's eyes */
    SYC_FAULT_LINE = 4, /* and above SYC_FAULT_LINE_BITS the size of the subscripts' text, its NUL included; or 0 */
    SYC_FAULT_PART,     /* which of its subscripts, from 0 */
    SYC_FAULT_PARTS,    /* of how many: 1 for x[...], the rank for x(...) */
    SYC_FAULT_LIMIT,    /* what it must be below, low and high half */
    SYC_FAULT_LINE_BITS = 20,
    SYC_FAULT_WORDS = 32,
    SYC_FAULTS_BYTES = 8192
};

/* The words of the head, zeros before a launch and after it. */
enum {
    SYC_PARTIALS_GROUPS,     /* groups that have come to their end */
    SYC_PARTIALS_TICKETS,    /* `folds`: work-items that have begun, */
    SYC_PARTIALS_LEFT,       /* those that have left their copies, */
    SYC_PARTIALS_FOLDED,     /* and those that have combined them */
    SYC_PARTIALS_FILLS,      /* of each array, if it is fresh and in no copies: parts of it that somebody fills with the
                                identity, and parts that are filled */
    SYC_PARTIALS_SIZE = 62,  /* words of 64 bits behind the head */
    SYC_PARTIALS_LAUNCHES,   /* scans: launches before this one, which tell what their tiles leave from what is older */
    SYC_PARTIALS_HEAD = 256, /* bytes */
    SYC_PARTIALS_BLOCKS = 4096 /* TEAMS: behind it as many words that count the pieces of a group's results */
};
/* The way of array number `array` of a form. */
static inline syc_span_way syc_form_span(const syc_form *form, unsigned array)
{
    return (syc_span_way)(form->spans >> 4 * array & 15);
}
static inline bool syc_form_is_private(const syc_form *form)
{
    for (unsigned array = 0; array < SYC_SPANS_MOST; array++)
        if (syc_form_span(form, array) == SYC_SPAN_PRIVATE)
            return true;
    return false;
}

typedef struct syc_hidden {
    syc_hidden_kind kind;
    unsigned index, part;
} syc_hidden;

/* A body in a form. */
typedef struct syc_lowered {
    syc_program *program; /* its one kernel is number 0 */
    syc_form form;
    const syc_hidden *hidden;
    size_t hidden_count;
    syc_partials *partials; /* NULL where there are no reducers */
} syc_lowered;

#endif
