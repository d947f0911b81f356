/* Memory of the core: zeroed, with a status instead of NULL, and with a switch by which a test makes the n-th one fail.
 */
#ifndef SYC_BASE_ALLOC_H
#define SYC_BASE_ALLOC_H

#include "base/status.h"

#include <stdbool.h>

/* Allocates `size` zeroed bytes (at least 1). SYC_E_MEMORY_ALLOCATION names the size. Free with syc_free. */
syc_status syc_alloc(size_t size, SYC_GIVE void *out_pointer);
/* `count` elements of `size` bytes; refuses a product that overflows. */
syc_status syc_alloc_array(size_t count, size_t size, SYC_GIVE void *out_pointer);
/* At least `alignment` (a power of two). Not zeroed. Free with syc_free. */
syc_status syc_alloc_aligned(size_t alignment, size_t size, SYC_GIVE void *out_pointer);
/* Makes room for `needed` elements in *array, doubling. The new part is not cleared. */
syc_status syc_grow(void *array_pointer, size_t *capacity, size_t needed, size_t size);
/* Moves *pointer to `size` bytes. False without memory, and no failure is recorded: for texts, which are also written
 * while one is told. */
bool syc_resize(void *pointer, size_t size);
syc_status syc_copy_string(const char *text, SYC_GIVE char **out);
void syc_free(SYC_TAKE void *pointer);

/* The n-th allocation from now fails (1 is the next); 0 switches it off. For tests. */
void syc_alloc_fail_at(long n);

#endif
