/* Attributes of one kernel, as the text writes them. Inside program/ only. */
#ifndef SYC_PROGRAM_ATTRIBUTES_H
#define SYC_PROGRAM_ATTRIBUTES_H

#include "program/parser.h"

/* Fills attributes, required_group and required_sub_group. */
syc_status syc__attributes_read(SYC_KEEP const syc_stream *s, SYC_KEEP const syc_function *kernel, syc_signature *out);

#endif
