/* Allocation with a status, a zeroed result and a switch that makes the n-th one fail. */
#include "base/alloc.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static atomic_long fail_countdown; /* 0: off */

void syc_alloc_fail_at(long n)
{
    atomic_store(&fail_countdown, n);
}

static bool refused(void)
{
    return __builtin_expect(atomic_load_explicit(&fail_countdown, memory_order_relaxed) > 0, 0) &&
           atomic_fetch_sub(&fail_countdown, 1) == 1;
}

static syc_status out_of_memory(size_t size)
{
    return syc_fail(SYC_E_MEMORY_ALLOCATION, SYC_HERE, "no memory for %zu bytes", size);
}

syc_status syc_alloc(size_t size, void *out_pointer)
{
    void *pointer = refused() ? NULL : calloc(1, size ? size : 1);
    if (pointer == NULL)
        return out_of_memory(size);
    *(void **)out_pointer = pointer;
    return SYC_OK;
}

syc_status syc_alloc_array(size_t count, size_t size, void *out_pointer)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return syc_fail(SYC_E_MEMORY_ALLOCATION, SYC_HERE, "%zu elements of %zu bytes are more than memory can hold",
                        count, size);
    return syc_alloc(bytes, out_pointer);
}

syc_status syc_alloc_aligned(size_t alignment, size_t size, void *out_pointer)
{
    void *pointer = NULL;
    size_t at_least = alignment < sizeof(void *) ? sizeof(void *) : alignment;
    if (refused() || posix_memalign(&pointer, at_least, size ? size : 1) != 0)
        return out_of_memory(size);
    *(void **)out_pointer = pointer;
    return SYC_OK;
}

bool syc_resize(void *pointer, size_t size)
{
    void *moved = refused() ? NULL : realloc(*(void **)pointer, size);
    if (moved != NULL)
        *(void **)pointer = moved;
    return moved != NULL;
}

syc_status syc_grow(void *array_pointer, size_t *capacity, size_t needed, size_t size)
{
    size_t room = *capacity ? *capacity : 8, bytes;
    if (needed <= *capacity)
        return SYC_OK;
    while (room < needed) {
        if (room > SIZE_MAX / 2)
            return out_of_memory(SIZE_MAX);
        room *= 2;
    }
    if (__builtin_mul_overflow(room, size, &bytes))
        return out_of_memory(SIZE_MAX);
    if (!syc_resize(array_pointer, bytes))
        return out_of_memory(bytes);
    *capacity = room;
    return SYC_OK;
}

syc_status syc_copy_string(const char *text, char **out)
{
    size_t bytes = strlen(text) + 1;
    char *copy = NULL;
    syc_status status = syc_alloc(bytes, &copy);
    if (status == SYC_OK)
        *out = memcpy(copy, text, bytes);
    return status;
}

void syc_free(void *pointer)
{
    free(pointer);
}
