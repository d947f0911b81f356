/* The traits of a body, once its text has been read. */
#ifndef SYC_BODY_TRAITS_H
#define SYC_BODY_TRAITS_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct syc_body syc_body;
typedef struct syc_body_source syc_body_source; /* body/name.h */
typedef struct syc_name syc_name;
struct syc__place; /* source/position.h */

/* The text's effects, as far as its tokens tell; where they do not tell, the safe answer. */
typedef struct syc_body_traits {
    bool grouped;     /* it names groups, local ids or barriers: only an nd-range has them */
    bool elementwise; /* no pointer but as name[i]: the elements of a work-item are its own */
    bool loops;       /* it, or a helper that it calls, has a loop, so its cost is not bounded by its length */
    bool returns;     /* it has a `return` */
    bool widens;      /* elementwise, and as SYC_SHAPE_WIDE wants its writes: always done, no other name read after */
    bool stores_last; /* it assigns once, through one name, and has read all others by then */
    bool keeps;       /* a work-item may have memory of its own: an array, a variable whose address is taken */
    bool halves;      /* it uses elements of half as numbers, which takes fp16 */
    bool packs; /* elementwise arithmetic of one floating type, which may be stored as WIDE wants it and combined by
                   reducers: vectors of 16 can stand for its scalars, with fp64 */
    bool overwrites; /* `packs`, and there are elements that are written and not read */
    bool doubles;    /* `packs`: that type is double; else float */
    bool reduces;    /* it has reducers, so only the shapes from LANES on can hold it, or an nd-range */
    bool scatters;   /* some of them are arrays */
    bool scans;      /* they are scanners */
    bool takes;  /* it writes nothing, and of some arrays it reads its own elements only, plain numbers: these can be
                    taken 16 bytes at a time (syc_body_takes) */
    bool linear; /* it names no id but `i` */
    unsigned reduced; /* the dimensions that its reducers are of (syc_reducer); 0: all, or there are none */
    size_t weight;    /* tokens, with those of the helpers that it calls, and what built-ins cost beyond theirs */
    size_t built_ins; /* the latter alone */
    size_t read_bytes, written_bytes; /* of the elements that an elementwise body touches */
} syc_body_traits;
const syc_body_traits *syc_body_traits_of(SYC_KEEP const syc_body *body);
/* May the body write through its name number `index`? A name that it only reads becomes a pointer to const. */
bool syc_body_writes(SYC_KEEP const syc_body *body, size_t index);
/* Does the text `take` the elements of its name number `index`? */
bool syc_body_takes(SYC_KEEP const syc_body *body, size_t index);
const syc_body_source *syc_body_source_of(SYC_KEEP const syc_body *body);
/* Where in the user's text, or in a whole program of which the body is a kernel, the access stands whose fault a
 * checked form has told. Column 0: it is one of several in its line. */
struct syc__place syc_body_fault_place(SYC_KEEP const syc_body *body, SYC_KEEP const uint32_t *faults);
/* The same body with SYC_SPAN_PRIVATE for those of its arrays that can have it; borrowed. Names and arrays keep their
 * numbers. NULL: none can. */
const syc_body *syc_body_private(SYC_KEEP const syc_body *body);

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
/* Bytes of a partial result of the reducer: its value, and whether there is one where no identity says that, or what
 * its accuracy takes. */
size_t syc_partial_bytes(SYC_KEEP const syc_name *name);

/* The same of a scanner: where segments may begin, with whether one has. */
size_t syc_scan_bytes(SYC_KEEP const syc_name *name);
/* SYC_SHAPE_ROUNDS: local memory of a warp, or of a work-item alone, for elements of so many bytes: two stretches of
 * them with what is before each, and four sums, which are at most twice as large (kernels/forms/scan_rounds.clh). */
size_t syc_scan_warp_bytes(size_t cell, unsigned elements, unsigned lanes);
/* Can a scanner of the body have prefixes in vectors: by an operator that the core knows, of numbers, without segments?
 */
bool syc_body_scans_vectors(SYC_KEEP const syc_body *body);

/* Can the reducer's variables be combined by atomic operations? `wide`: the device has those of 64 bits. */
bool syc_span_is_atomic(SYC_KEEP const syc_name *name, bool wide);
/* Is the device's own atomic operation all of the operator, and zero its identity? */
bool syc_span_begins_with_zeros(SYC_KEEP const syc_name *name);
/* Do they come out the same in any order? Whole numbers do, if the operator is one that the core knows. */
bool syc_span_is_exact(SYC_KEEP const syc_name *name);

#endif
