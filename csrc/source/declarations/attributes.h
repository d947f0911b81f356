/* Attributes of one kernel, as the text writes them. Inside the core only. */
#ifndef SYC_SOURCE_DECLARATIONS_ATTRIBUTES_H
#define SYC_SOURCE_DECLARATIONS_ATTRIBUTES_H

#include "source/declarations/parser.h"
#include "source/declarations/signature.h"

/* Fills attributes, required_group and required_sub_group. */
syc_status syc__attributes_read(SYC_KEEP const syc_token_stream *s, SYC_KEEP const syc_function *kernel,
                                syc_signature *out);

/* The token that names the second attribute of one kind: sizes of groups, their hint, the vector type. s->count: there
 * is none that every compiler sees. */
size_t syc__attribute_twice(SYC_KEEP const syc_token_stream *s, SYC_KEEP const syc_function *kernel);

#endif
