/* Strided copies. The innermost index is one loop with a constant item size where that helps; the outer ones recurse.
 */
#include "memory/strided_copy.h"

#include <string.h>

/* A row of `count` items, both sides with their own stride. */
static void copy_row(char *to, ptrdiff_t to_stride, const char *from, ptrdiff_t from_stride, size_t count, size_t item)
{
#define COPY_ITEMS(size)                                                     \
    for (size_t i = 0; i < count; i++, to += to_stride, from += from_stride) \
    memcpy(to, from, size)
    if (to_stride == (ptrdiff_t)item && from_stride == (ptrdiff_t)item) {
        memcpy(to, from, count * item);
        return;
    }
    switch (item) {
    case 1:
        COPY_ITEMS(1);
        break;
    case 2:
        COPY_ITEMS(2);
        break;
    case 4:
        COPY_ITEMS(4);
        break;
    case 8:
        COPY_ITEMS(8);
        break;
    default:
        COPY_ITEMS(item);
    }
#undef COPY_ITEMS
}

/* Walks the dimensions from `dim` on; returns the packed side's position behind what was copied. */
static char *walk(const syc_host_array *span, int dim, char *array, char *packed, bool to_packed)
{
    size_t count = (size_t)span->shape[dim], item = span->item_size;
    ptrdiff_t stride = span->strides[dim];
    if (dim == span->rank - 1) {
        if (to_packed)
            copy_row(packed, (ptrdiff_t)item, array, stride, count, item);
        else
            copy_row(array, stride, packed, (ptrdiff_t)item, count, item);
        return packed + count * item;
    }
    for (size_t i = 0; i < count; i++)
        packed = walk(span, dim + 1, array + (ptrdiff_t)i * stride, packed, to_packed);
    return packed;
}

void syc_host_array_pack(const syc_host_array *span, char *packed)
{
    if (span->packed)
        memcpy(packed, span->data, span->bytes);
    else if (span->bytes > 0)
        walk(span, 0, span->data, packed, true);
}

void syc_host_array_unpack(const syc_host_array *span, const char *packed)
{
    if (span->packed)
        memcpy(span->data, packed, span->bytes);
    else if (span->bytes > 0)
        walk(span, 0, span->data, (char *)packed, false);
}

void syc_host_array_extent(const syc_host_array *span, uintptr_t *low, uintptr_t *high)
{
    uintptr_t first = (uintptr_t)span->data, last = first + (span->packed ? span->bytes : span->item_size);
    if (span->bytes == 0) {
        *low = *high = first;
        return;
    }
    for (int d = 0; !span->packed && d < span->rank; d++) {
        ptrdiff_t reach = (ptrdiff_t)(span->shape[d] - 1) * span->strides[d];
        if (reach < 0)
            first -= (uintptr_t)-reach;
        else
            last += (uintptr_t)reach;
    }
    *low = first;
    *high = last;
}
