/* Variables of struct types are each item's own. PoCL's compiler makes loops of what stands between two barriers, and
 * asks of each variable whether it can differ between items. One that is only ever copied whole it takes for the same
 * in all of them. So their declarations are followed by a word of kernels/per_item.clh that makes them differ there,
 * and is nothing elsewhere. */
#ifndef SYC_LIBRARY_PER_ITEM_H
#define SYC_LIBRARY_PER_ITEM_H

#include "library/converge.h"

/* For compilers of which the fact shared_structs says that they need it. */
#define SYC__PER_ITEM_OPTION " -D SYC_PER_ITEM_STRUCTS"

/* May the text have such a variable, and a barrier? */
bool syc__per_item_concerns(SYC_KEEP const syc_tokens *tokens);
/* Declarations in functions that come to a barrier, as far as they stand in the text: also in a macro's, but not where
 * a macro's argument names the variable. Call it behind syc__scratch_spread and syc__converge_reach. */
syc_status syc__per_item_edit(syc__scratch_reading *r, syc__insertions *out);

#endif
