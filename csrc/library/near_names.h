/* Which of the library's functions was meant by a name that it does not have: `reduce`, `any_of_group`, `group_redcue`.
 */
#ifndef SYC_LIBRARY_NEAR_NAMES_H
#define SYC_LIBRARY_NEAR_NAMES_H

#include "base/text.h"
#include "source/log_text.h"

#include <stdbool.h>

/* Does the name look like one of a group function's or an atomic operation's? */
bool syc__near_name_looks(syc_slice name);
/* Adds "group_reduce, joint_reduce or sub_group_reduce"; false, and nothing, if no name is near. */
bool syc__near_names_add(syc_slice name, syc_text *out);

#endif
