/* BLAKE2s (RFC 7693) with 32 bytes of result and no key: it names and guards the entries of the cache. */
#ifndef SYC_BASE_DIGEST_H
#define SYC_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

enum { SYC_DIGEST_SIZE = 32 };

typedef struct syc_digest {
    uint32_t state[8];
    uint64_t count; /* bytes taken in so far, those that wait in `block` not yet among them */
    unsigned char block[64];
    size_t waiting;
} syc_digest;

void syc_digest_begin(syc_digest *digest);
void syc_digest_add(syc_digest *digest, const void *bytes, size_t count);
void syc_digest_end(syc_digest *digest, unsigned char out[SYC_DIGEST_SIZE]);

#endif
