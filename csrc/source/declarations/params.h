/* One kernel's parameters and attributes, as the public signature shows them. */
#ifndef SYC_SOURCE_DECLARATIONS_PARAMS_H
#define SYC_SOURCE_DECLARATIONS_PARAMS_H

#include "source/declarations/parser.h"
#include "source/declarations/signature.h"

/* Fills name, line, parameters and attributes. What it has filled before a failure, syc_signatures_clear frees. */
syc_status syc__signature_fill(syc_unit *unit, SYC_KEEP const syc_function *kernel, SYC_GIVE syc_signature *out);

#endif
