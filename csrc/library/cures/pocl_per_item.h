/* Variables of struct types are each item's own. PoCL's compiler makes loops of what stands between two barriers, and
 * asks of each variable whether it can differ between items. One that is only ever copied whole it takes for the same
 * in all of them. So their declarations are followed by a word of kernels/per_item.clh that makes them differ there,
 * and is nothing elsewhere. */
#ifndef SYC_LIBRARY_CURES_POCL_PER_ITEM_H
#define SYC_LIBRARY_CURES_POCL_PER_ITEM_H

#include "library/checks/converge.h"

/* For compilers of which the fact shared_structs says that they need it. */
#define SYC__PER_ITEM_OPTION " -D SYC_PER_ITEM_STRUCTS"

/* May the text have such a variable, and a barrier? */
bool syc__per_item_concerns(SYC_KEEP const syc_tokens *tokens);
/* In functions that come to a barrier: declarations, as far as they stand in the text, a macro's too. And calls, in the
 * text or in a macro's, that are given a struct and wait for another argument: "h(f(a), f(b))" first puts what it is
 * given into variables; these edits go behind all others at the same place. What a macro and the text make of a call
 * together is refused where it would be wrong, by another word. Call it behind syc__scratch_spread and
 * syc__converge_reach. */
syc_status syc__per_item_edit(syc__scratch_reading *r);

#endif
