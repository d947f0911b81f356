/* A body: the text of one work-item, "y[i] += a * x[i];", and the names that it uses. It is made into kernels: one text
 * in OpenCL C for each form in which a device wants to run it (algo/lower.h decides which), each a program of its own
 * with a single kernel, its parameters the body's names in their order and then the hidden ones.
 *
 * What a body may say: `i`, the linear id; `i0`, `i1`, `i2`, the ids, and `n0`, `n1`, `n2`, the range, in SYCL's order;
 * over an nd-range the names of kernels/items.clh; `x[...]` for every pointer, and `x(i0, i1)` where it has rank 2
 * or 3. `return` ends the work-item. */
#ifndef SYC_BODY_BODY_H
#define SYC_BODY_BODY_H

#include "body/partials.h"
#include "program/program.h"

typedef struct syc_body syc_body;

typedef enum syc_name_kind {
    SYC_NAME_VALUE,  /* by value; const in the body */
    SYC_NAME_GLOBAL, /* a pointer to global memory */
    SYC_NAME_LOCAL,  /* a pointer to local memory */
    SYC_NAME_IMAGE,
    SYC_NAME_SAMPLER,
    SYC_NAME_STREAM, /* text output (body/stream.c) */
    SYC_NAME_REDUCER /* a variable that all work-items are combined into (body/reduce.h) */
} syc_name_kind;

/* How the sum of floating-point numbers is to be made. */
typedef enum syc_accuracy {
    SYC_ACCURACY_FAST,
    SYC_ACCURACY_PAIRWISE,
    SYC_ACCURACY_COMPENSATED,
    SYC_ACCURACY_EXACT
} syc_accuracy;

/* What a name of kind REDUCER is. The name's type and size are those of its values. */
typedef struct syc_reducer {
    const char *operation; /* "plus a + b": the operator's name (some have words of their own, +=), and behind the
                              first blank OpenCL C in a and b, of the type and giving it */
    bool known;            /* it has an identity, which the kernel is given */
    bool fresh;            /* the variable's old value is no part of the result */
    bool array;            /* many variables, as name[k]; else one */
    bool boolean;          /* they are bytes that hold 0 or 1 */
    unsigned reduced;      /* dimensions of the range that are combined, bit 0 the first in SYCL's order, and `array` is
                              not set: there is a variable for each index of the others, row-major. 0: all of them, and
                              one variable. The same for all reducers of a body */
    const char *finish;    /* OpenCL C in r, what was combined, that gives the variable's value; NULL: r. Where it is,
                              or `result`, or `reduced`, the old value is no part of the result, identity or not */
    const char *result;    /* the variables' type where it is not the name's; else NULL */
    syc_accuracy accuracy; /* another than FAST: known, a sum of float or double or vectors of them, as is checked */
    bool ordered;          /* the same launch gives the same bits: no form may let it matter who comes first */
    bool late;             /* of a program (body/reduce_program.h): `fresh` is an argument of the kernel */
    const char *word;      /* what the text calls it, where that is not the name; else NULL */
} syc_reducer;

/* One name that is given to a body. */
typedef struct syc_name {
    const char *name;
    syc_name_kind kind;
    const char *type;        /* OpenCL C: of the value or of the elements; "image2d_t" */
    size_t size;             /* bytes of a value or element, 0 when unknown */
    bool readable, writable; /* what the argument grants; GLOBAL and IMAGE only */
    unsigned rank;           /* GLOBAL and LOCAL: 1 to 3 */
    syc_reducer reducer;     /* REDUCER only */
} syc_name;

typedef struct syc_body_source {
    const char *text, *preamble, *declarations; /* the user's; the user's helpers or NULL; struct types or NULL */
    const char *name;                           /* of the kernel; NULL: "body" */
    const char *options;                        /* of the build, or NULL */
    const syc_name *names;
    size_t count;
    bool hierarchical; /* the text of a work-group, with parallel_for_work_item in it (body/hierarchy.h) */
} syc_body_source;

/* Copies everything, reads the text; builds nothing. SYC_E_KERNEL_ARGUMENT: a name that the body does not use, that is
 * no identifier, or that means something else in a body. SYC_E_INVALID_PARAMETER: no text. */
syc_status syc_body_create(SYC_KEEP const syc_body_source *source, SYC_GIVE syc_body **out);
void syc_body_retain(syc_body *body);
void syc_body_release(syc_body *body); /* NULL is fine */

/* What the text does, as far as its tokens tell; where they do not tell, the safe answer. */
typedef struct syc_body_traits {
    bool grouped;     /* it names groups, local ids or barriers: only an nd-range has them */
    bool elementwise; /* no pointer but as name[i]: the elements of a work-item are its own */
    bool loops;       /* it, or a helper that it calls, has a loop, so its cost is not bounded by its length */
    bool returns;     /* it has a `return` */
    bool widens;      /* elementwise, and as SYC_SHAPE_WIDE wants its writes: always done, no other name read after */
    bool keeps;       /* a work-item may have memory of its own: an array, a variable whose address is taken */
    bool halves;      /* it uses elements of half as numbers, which takes fp16 */
    bool packs;       /* it widens, and is arithmetic of one floating type: SYC_SHAPE_PACK can hold it, with fp64 */
    bool reduces;     /* it has reducers, so only the shapes from LANES on can hold it, or an nd-range */
    bool scatters;    /* some of them are arrays */
    bool takes;  /* elementwise, of plain numbers, and it writes none: its elements can be taken 16 bytes at a time */
    bool linear; /* it names no id but `i` */
    unsigned reduced; /* the dimensions that its reducers are of (syc_reducer); 0: all, or there are none */
    size_t weight;    /* tokens, with those of the helpers that it calls, and what built-ins cost beyond theirs */
    size_t built_ins; /* the latter alone */
    size_t read_bytes, written_bytes; /* of the elements that an elementwise body touches */
} syc_body_traits;
const syc_body_traits *syc_body_traits_of(SYC_KEEP const syc_body *body);
/* May the body write through its name number `index`? A name that it only reads becomes a pointer to const. */
bool syc_body_writes(SYC_KEEP const syc_body *body, size_t index);
const syc_body_source *syc_body_source_of(SYC_KEEP const syc_body *body);

/* Tests show that the self-test would notice: bodies are made from now on as if compilers did not have the defects that
 * LOOP and PACK mind (loop.c, pack_words.c), or as ever. */
void syc_body_undo_cures(bool undo);

/* -- forms -- */

/* How each is written decides what it gains; measured in algo/lower.c, whose rows are the authority:
 *
 * ITEM, without groups: launches are padded to whole groups, so every id is held against the range first (free on
 * Intel's runtime and NVIDIA; on PoCL it halves the speed, but there LOOP is used). No guard where the form is grouped.
 *
 * LOOP: `for (ulong j = begin; j < end; j++) function(j, ...);` over dimension 0, end = min(begin + run, range), with
 * `#pragma clang loop vectorize(assume_safety) vectorize_width(16) interleave_count(4)` in front: work-items are
 * independent, so their loop is safe to vectorise whatever its pointers are, unless they keep memory of their own;
 * without the width PoCL's compiler takes half of what AVX-512 has. A body in a static inline function costs nothing
 * there, so `return` needs no other care.
 *
 * WIDE: vload and vstore, which want no more than the element's alignment and are as fast as 16-byte dereferences, into
 * private arrays, and the body once for each; the last work-item does what is left by single elements. Elements are
 * written back whether the body wrote them or not, so it is for bodies whose writes always happen: with an `if` around
 * one, two kernels that write different elements of one array would undo each other. And two names may be given one
 * array, so after the first write only the written name may be read. 1-D, without groups.
 *
 * LANES, STRIDE: body/reduce.h. ALONG, ACROSS, SHORT, PADDED, COLUMNS, TEAMS: body/axes.h.
 *
 * PACK: the text with float16 or double16 for its one type. PoCL's built-ins on vectors are 2 (exp) to 40 (atan2) times
 * as fast as those in a loop, which it does not vectorise but for a few. Their results differ by an ulp or two where
 * they differ, and do not depend on where an element stands. 1-D, without groups. */
typedef enum syc_shape {
    SYC_SHAPE_ITEM,   /* a work-item for each element */
    SYC_SHAPE_LOOP,   /* a work-item for a run of elements: a loop that the vectoriser takes */
    SYC_SHAPE_WIDE,   /* a work-item for several neighbours, their memory accessed 16 bytes at a time: where `widens` */
    SYC_SHAPE_PACK,   /* a work-item for a run of elements, 16 at a time as vectors: where `packs` */
    SYC_SHAPE_LANES,  /* where `reduces`: a work-item for runs of elements, with several accumulators */
    SYC_SHAPE_STRIDE, /* where `reduces`: large groups, whose items take elements next to each other */
    SYC_SHAPE_ALONG,  /* where `reduced`, and the innermost dimension is: lanes along it */
    SYC_SHAPE_ACROSS, /* the same, and another one is kept: lanes across the rows */
    SYC_SHAPE_SHORT,  /* the same, where the text is `linear`: an accumulator for each element of several rows */
    SYC_SHAPE_PADDED, /* the same, an accumulator for each element of several rows, and of what fills the vectors */
    SYC_SHAPE_COLUMNS, /* where `reduced`, and the innermost dimension is kept: an accumulator for each of its indices
                        */
    SYC_SHAPE_TEAMS,   /* where `reduced`: large groups, in which a team of work-items has a result */
    SYC_SHAPE_COUNT
} syc_shape;

static inline bool syc_shape_has_axes(syc_shape shape)
{
    return shape >= SYC_SHAPE_ALONG && shape < SYC_SHAPE_COUNT;
}

/* Are its work-items groups of one, each with lanes? */
static inline bool syc_shape_is_alone(syc_shape shape)
{
    return shape == SYC_SHAPE_LANES || (syc_shape_has_axes(shape) && shape != SYC_SHAPE_TEAMS);
}
/* Where the work-items of a body combine an array of variables (reduce_array.c); one of them for each array. */
typedef enum syc_span_way {
    SYC_SPAN_COPIES,   /* in a copy of each work-item's own, in global memory */
    SYC_SPAN_FOURFOLD, /* LANES: in four of them in turn, so that what meets one variable does not wait for itself */
    SYC_SPAN_ALONE,    /* in the variables: there is but one work-item */
    SYC_SPAN_SHARED,   /* in the variables, by atomic operations */
    SYC_SPAN_LOCAL,    /* in copies in each group's local memory, and those in the variables, by atomic operations */
    SYC_SPAN_COUNT
} syc_span_way;

enum { SYC_SPANS_MOST = 16 }; /* arrays of variables in a body */

typedef struct syc_form {
    syc_shape shape;
    unsigned dims;     /* 1 to 3; 0: a single task */
    bool grouped;      /* over an nd-range: always SYC_SHAPE_ITEM */
    bool offset;       /* the ids begin elsewhere than at 0 */
    unsigned elements; /* WIDE, STRIDE: neighbours that a work-item takes together; else 1 */
    bool warps;        /* STRIDE: work-items combine within warps first; for groups of whole ones */
    bool checked;      /* subscripts are held against the bounds (PYSYCL_DEBUG=check) */
    bool folds;        /* LANES: half of the work-items combine what the others leave of arrays */
    uint64_t spans;    /* the ways of the arrays of variables, 4 bits each, the first in the lowest */
    uint32_t
        group[3]; /* hierarchical, a work-item for each group: its items, in SYCL's order; zeros: one for each item */
} syc_form;

/* What stands behind the names in the kernel's parameters: `ulong` where nothing else is said. */
typedef enum syc_hidden_kind {
    SYC_HIDDEN_RANGE,  /* the user's range in dimension `index`, OpenCL's order */
    SYC_HIDDEN_OFFSET, /* its offset there */
    SYC_HIDDEN_RUN, /* LOOP, PACK, LANES: elements of dimension 0 for each work-item; STRIDE: of a block; ALONG, TEAMS:
                       of the innermost axis in a piece; COLUMNS: columns of a work-item; SHORT, PADDED: rows of it */
    SYC_HIDDEN_PIECES, /* shapes with axes: parts of each result, which become one at the end */
    SYC_HIDDEN_TEAM,   /* COLUMNS: rows that are taken together; PADDED: accumulators of a row; TEAMS: work-items for a
                          result */
    SYC_HIDDEN_PITCH,  /* of name `index`: elements from one index of dimension `part` (SYCL's order) to the next */
    SYC_HIDDEN_LENGTH, /* of name `index`: elements that its pointer leads to (checked) */
    SYC_HIDDEN_IDENTITY, /* of name `index`, a reducer: of its own type */
    SYC_HIDDEN_FRESH,    /* of name `index`, a reducer: is its old value no part of the result? */
    SYC_HIDDEN_PARTIALS, /* __global uchar *: what is not combined yet: a counter of SYC_PARTIALS_HEAD bytes, and then
                          */
    SYC_HIDDEN_PLACE,    /* the bytes from there to the partial results of name `index`, */
    SYC_HIDDEN_STEP, /* and from those of one group, or for an array of one work-item, to those of the next; LOCAL: how
                        many copies there are */
    SYC_HIDDEN_ROOM, /* __local, of its own type: the copies of name `index`, LOCAL, each of an odd length */
    SYC_HIDDEN_SHARED, /* __local ulong16 *: 128 bytes, and a partial result of each item for each scalar reducer */
    SYC_HIDDEN_FAULTS  /* __global uint *: where a checked kernel says what was out of bounds */
} syc_hidden_kind;

/* The words of FAULTS, zeros before the launch. The first fault that a work-item comes to is kept. Behind the words is
 * room for elements that are not there: what is written to them goes there. */
enum {
    SYC_FAULT_FOUND, /* 1 when there is one */
    SYC_FAULT_NAME,  /* index of the name */
    SYC_FAULT_INDEX, /* the subscript, low and high half: a long in the user's eyes */
    SYC_FAULT_LINE = 4,
    SYC_FAULT_PART,  /* which of its subscripts, from 0 */
    SYC_FAULT_PARTS, /* of how many: 1 for x[...], the rank for x(...) */
    SYC_FAULT_LIMIT, /* what it must be below, low and high half */
    SYC_FAULT_WORDS = 32,
    SYC_FAULTS_BYTES = 8192
};

/* The words of the head, zeros before a launch and after it. */
enum {
    SYC_PARTIALS_GROUPS,    /* groups that have come to their end */
    SYC_PARTIALS_TICKETS,   /* `folds`: work-items that have begun, */
    SYC_PARTIALS_LEFT,      /* those that have left their copies, */
    SYC_PARTIALS_FOLDED,    /* and those that have combined them */
    SYC_PARTIALS_FILLS,     /* of each array, if it is fresh and in no copies: parts of it that somebody fills with the
                               identity, and parts that are filled */
    SYC_PARTIALS_HEAD = 256 /* bytes */
};
/* Bytes of a partial result of the reducer: its value, and whether there is one where no identity says that, or what
 * its accuracy takes. */
size_t syc_partial_bytes(SYC_KEEP const syc_name *name);

/* Can the reducer's variables be combined by atomic operations? `wide`: the device has those of 64 bits. */
bool syc_span_is_atomic(SYC_KEEP const syc_name *name, bool wide);
/* Do they come out the same in any order? Whole numbers do, if the operator is one that the core knows. */
bool syc_span_is_exact(SYC_KEEP const syc_name *name);

/* The way of array number `array` of a form. */
static inline syc_span_way syc_form_span(const syc_form *form, unsigned array)
{
    return (syc_span_way)(form->spans >> 4 * array & 15);
}

typedef struct syc_hidden {
    syc_hidden_kind kind;
    unsigned index, part;
} syc_hidden;

typedef struct syc_lowered {
    syc_program *program; /* its one kernel is number 0 */
    syc_form form;
    const syc_hidden *hidden;
    size_t hidden_count;
    syc_partials *partials; /* NULL where there are no reducers */
} syc_lowered;

/* A range of `dims` dimensions as reductions along some of them see it. */
typedef struct syc_axes {
    unsigned count; /* innermost first; where the text is `linear` neighbours of one kind are one */
    struct {
        bool reduced;
        unsigned first, past; /* OpenCL's dimensions */
    } items[3];
} syc_axes;
void syc_body_axes(SYC_KEEP const syc_body *body, unsigned dims, bool offset, syc_axes *out);
/* How many accumulators a work-item of SHORT or COLUMNS has for each reducer. */
unsigned syc_body_slots(SYC_KEEP const syc_body *body);

/* The body in a form, made on first use and kept as long as the body. Any thread. Compiles nothing.
 * SYC_E_KERNEL_NOT_SUPPORTED: the form cannot hold this body (WIDE for one that is not elementwise). SYC_E_ND_RANGE: it
 * asks for groups, and the form has none. */
syc_status syc_body_lower(syc_body *body, SYC_KEEP const syc_form *form, const syc_lowered **out);

#endif
