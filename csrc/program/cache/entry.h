/* The bytes of a file of the cache: a header with the lengths and the digest of everything, the whole key, and
 * the parts. Nothing of it is believed before all of it has been checked. */
#ifndef SYC_PROGRAM_CACHE_ENTRY_H
#define SYC_PROGRAM_CACHE_ENTRY_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { SYC__PARTS = 64 };

typedef struct syc__part {
    void *bytes;
    size_t size;
} syc__part;

typedef struct syc__entry {
    const char *key;
    size_t key_length;
    uint64_t cost_ns; /* what making the parts took */
    syc__part parts[SYC__PARTS];
    size_t count;
} syc__entry;

/* One block of memory with the whole file. Free with syc_free. */
syc_status syc__entry_encode(SYC_KEEP const syc__entry *entry, SYC_GIVE unsigned char **out, size_t *size);
/* True if the bytes are an unharmed entry of exactly this key; what `out` points to lies within the bytes. */
bool syc__entry_decode(SYC_KEEP unsigned char *bytes, size_t size, SYC_KEEP const char *key, size_t key_length,
                       syc__entry *out);

#endif
