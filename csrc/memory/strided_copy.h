/* Copying between an array of any strides and packed memory, in index order (last index fastest). */
#ifndef SYC_MEMORY_STRIDED_COPY_H
#define SYC_MEMORY_STRIDED_COPY_H

#include "memory/host_array.h"

/* `packed` has span->bytes bytes. The two do not overlap. */
void syc_host_array_pack(SYC_KEEP const syc_host_array *span, char *packed);
void syc_host_array_unpack(SYC_KEEP const syc_host_array *span, const char *packed);

#endif
