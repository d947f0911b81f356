/* Reading memory that may not be there: handles from outside and the insides of a driver's objects are looked at with
 * reads that fail instead of faulting. */
#ifndef SYC_BASE_PEEK_H
#define SYC_BASE_PEEK_H

#include <stddef.h>

/* Copies up to `size` bytes from `from` and returns how many could be read, counted from the start. Any thread. */
size_t syc_peek(const void *from, void *to, size_t size);

#endif
