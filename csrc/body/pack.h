/* Bodies as vectors of 16 (SYC_SHAPE_PACK): which can be, and what their words are. Inside the core only. */
#ifndef SYC_BODY_PACK_H
#define SYC_BODY_PACK_H

#include "body/parts.h"

/* What an expression is. A comparison of vectors is -1 where that of scalars is 1, so a TRUTH may only be asked. */
typedef enum syc__pack_kind { SYC__NEITHER, SYC__INTEGER, SYC__REAL, SYC__TRUTH } syc__pack_kind;

/* How many arguments the built-in takes; 0: it is none of those that vectors of the type may be given to. */
unsigned syc__pack_arity(SYC_KEEP const syc_token *word, SYC_KEEP const char *type);
/* "sin" where vectors of the type are wrong, as PoCL's are, and double16 stands in; NULL at the end. */
const char *syc__pack_stand_in(SYC_KEEP const char *type, size_t index);
/* M_PI_F or INFINITY of float, M_PI of double. */
bool syc__pack_constant(SYC_KEEP const syc_token *word, SYC_KEEP const char *type);
/* "0.5f" for float and "0.5" for double are REAL, another would change the type of the arithmetic around it; "12", an
 * int, takes the type of what it meets. */
syc__pack_kind syc__pack_number(SYC_KEEP const syc_token *number, SYC_KEEP const char *type);

#endif
