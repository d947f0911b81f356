/* Functions of programs to link, by name. Inside the core only. */
#ifndef SYC_PROGRAM_LINK_NAMES_H
#define SYC_PROGRAM_LINK_NAMES_H

#include "program/recipe.h"
#include "source/tokens.h"

/* The function that a text defines, or NULL. */
const syc_function_name *syc__link_function(SYC_KEEP const syc_signatures *signatures, SYC_KEEP const char *name);
/* The line where the text declares a function that it does not define; 0 if it does not, or defines it. */
size_t syc__link_prototype(SYC_KEEP const syc_tokens *tokens, SYC_KEEP const char *name);
/* Says where a part calls a function that it declares and no part defines. False: there is none, or what the parts
 * define is not known. */
bool syc__link_missing(SYC_KEEP const struct syc__recipe *recipe, syc_text *out);

#endif
