/* Copying between an array of any strides and packed memory, in index order (last index fastest). */
#ifndef SYC_MEMORY_PACK_H
#define SYC_MEMORY_PACK_H

#include "memory/span.h"

/* `packed` has span->bytes bytes. The two do not overlap. */
void syc_span_pack(SYC_KEEP const syc_span *span, char *packed);
void syc_span_unpack(SYC_KEEP const syc_span *span, const char *packed);

#endif
