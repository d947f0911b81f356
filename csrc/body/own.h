/* Own elements: can blocks of a range be done apart, each with its part of the arrays? They can where every array that
 * has parts is named as name[i] only, the others are only read, and no other word says where in the range an item is.
 */
#ifndef SYC_BODY_OWN_H
#define SYC_BODY_OWN_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct syc_body syc_body;

/* Does the text name the array number `index` as name[i] only? */
bool syc_body_is_own(SYC_KEEP const syc_body *body, size_t index);
/* SYC_E_INVALID_PARAMETER, with the place: blocks apart would come out otherwise. `parted`: for each name, whether it
 * is an array that has parts whatever the text says. */
syc_status syc_body_check_own(SYC_KEEP const syc_body *body, SYC_KEEP const bool *parted);

#endif
