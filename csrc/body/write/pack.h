/* Bodies as vectors of 16 (SYC_SHAPE_PACK): which can be, and what their words are. Inside the core only. */
#ifndef SYC_BODY_WRITE_PACK_H
#define SYC_BODY_WRITE_PACK_H

#include "body/reduce/reduce.h"
#include "body/write/elements.h"

/* The one type of the text: that of its elements. */
const char *syc__pack_type(SYC_KEEP const syc_body_source *source);
/* Can the reducer combine vectors, one value for each lane? */
bool syc__pack_combines(SYC_KEEP const syc_name *name);
/* "int" for float: what says of vectors of the type which lanes are meant. NULL: it is no number. */
const char *syc__pack_mask(SYC_KEEP const char *type);

/* The kind of an expression. A comparison of vectors is -1 where that of scalars is 1, so a TRUTH may only be asked. */
typedef enum syc__pack_kind { SYC__NEITHER, SYC__INTEGER, SYC__REAL, SYC__TRUTH } syc__pack_kind;

/* How many arguments the built-in takes; 0: it is none of those that vectors may be given to. */
unsigned syc__pack_arity(SYC_KEEP const syc_token *word);
/* "sin" where vectors of the type are wrong, as PoCL's are, and double16 stands in; NULL at the end. */
const char *syc__pack_stand_in(SYC_KEEP const char *type, size_t index);
/* M_PI_F or INFINITY of float, M_PI of double. */
bool syc__pack_constant(SYC_KEEP const syc_token *word, SYC_KEEP const char *type);
/* "0.5f" for float and "0.5" for double are REAL, another would change the type of the arithmetic around it; "12", an
 * int, takes the type of what it meets. */
syc__pack_kind syc__pack_number(SYC_KEEP const syc_token *number, SYC_KEEP const char *type);

/* -- writing -- */

/* pack.c: the text as a function of vectors. A call of it for those at `syc_first`, with the loads before it and the
 * stores behind; `slot`: which accumulators, `mask`: which lanes are meant. The same for the first `syc_left` of 16,
 * without the others' memory. And what is left from `syc_at` to `syc_end`, fewer than 16. */
syc_status syc__pack_make_text(SYC_KEEP const syc__elements *e, syc_text *out);
void syc__pack_write_function(syc__writer *w, SYC_KEEP const syc__elements *e);
void syc__pack_write_turn(syc__writer *w, const char *slot, const char *mask);
void syc__pack_write_few(syc__writer *w);
void syc__pack_write_rest(syc__writer *w);
/* A reducer's accumulators: the 64 of LANES as four vectors. */
void syc__pack_write_accumulators(syc__writer *w, SYC_KEEP const char *word);
/* Masks: all lanes, and the first `syc_left`. */
extern const char syc__pack_all[], syc__pack_few[];
/* pack_masks.c: the text, which is vectors by now, with its `if` as masks. */
syc_status syc__pack_write_masks(SYC_KEEP const char *text, syc_text *out);
/* pack_axes.c: reducers in vectors. Up to the kernel's '{'; the text is a function before it. */
syc_status syc__pack_write_head(syc__writer *w, const char *what);
/* The `syc_left` elements, 16 at most, from syc_flat on, with the accumulators from `slot` on. */
void syc__pack_write_slots(syc__writer *w, const char *slot);
/* pack_lanes.c: SYC_SHAPE_LANES in vectors. */
syc_status syc__write_pack_lanes(syc__writer *w);

#endif
