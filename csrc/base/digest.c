/* BLAKE2s as RFC 7693 describes it: sections 2.1 to 3.3. */
#include "base/digest.h"

#include <string.h>

enum { ROUNDS = 10, WORDS = 16, BLOCK = 64 };

static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

/* Which word of the message each mixing step takes, per round. */
static const unsigned char order[ROUNDS][WORDS] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};

static inline uint32_t turn(uint32_t x, unsigned bits)
{
    return (x >> bits) | (x << (32 - bits));
}

static inline void mix(uint32_t *v, int a, int b, int c, int d, uint32_t x, uint32_t y)
{
    v[a] += v[b] + x;
    v[d] = turn(v[d] ^ v[a], 16);
    v[c] += v[d];
    v[b] = turn(v[b] ^ v[c], 12);
    v[a] += v[b] + y;
    v[d] = turn(v[d] ^ v[a], 8);
    v[c] += v[d];
    v[b] = turn(v[b] ^ v[c], 7);
}

/* The words of a message are little-endian, whatever the machine is. */
static void load(uint32_t *m, const unsigned char *block)
{
    for (size_t i = 0; i < WORDS; i++)
        m[i] = (uint32_t)block[4 * i] | (uint32_t)block[4 * i + 1] << 8 | (uint32_t)block[4 * i + 2] << 16 |
               (uint32_t)block[4 * i + 3] << 24;
}

static void compress(uint32_t *state, const unsigned char *block, uint64_t count, uint32_t last)
{
    uint32_t v[WORDS], m[WORDS];

    load(m, block);
    memcpy(v, state, 32);
    memcpy(v + 8, start, 32);
    v[12] ^= (uint32_t)count;
    v[13] ^= (uint32_t)(count >> 32);
    v[14] ^= last;
    for (size_t r = 0; r < ROUNDS; r++) {
        const unsigned char *s = order[r];
        mix(v, 0, 4, 8, 12, m[s[0]], m[s[1]]);
        mix(v, 1, 5, 9, 13, m[s[2]], m[s[3]]);
        mix(v, 2, 6, 10, 14, m[s[4]], m[s[5]]);
        mix(v, 3, 7, 11, 15, m[s[6]], m[s[7]]);
        mix(v, 0, 5, 10, 15, m[s[8]], m[s[9]]);
        mix(v, 1, 6, 11, 12, m[s[10]], m[s[11]]);
        mix(v, 2, 7, 8, 13, m[s[12]], m[s[13]]);
        mix(v, 3, 4, 9, 14, m[s[14]], m[s[15]]);
    }
    for (size_t i = 0; i < 8; i++)
        state[i] ^= v[i] ^ v[i + 8];
}

void syc_digest_begin(syc_digest *digest)
{
    *digest = (syc_digest){.count = 0};
    memcpy(digest->state, start, sizeof digest->state);
    digest->state[0] ^= 0x01010000 ^ SYC_DIGEST_SIZE; /* the parameters: no tree, no key, the size of the result */
}

/* The last block is compressed at the end, as the last one: a full block waits until another byte comes. */
void syc_digest_add(syc_digest *digest, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;

    while (count > 0) {
        size_t part = BLOCK - digest->waiting;
        if (part == 0) {
            digest->count += BLOCK;
            compress(digest->state, digest->block, digest->count, 0);
            digest->waiting = 0;
            part = BLOCK;
        }
        part = part < count ? part : count;
        memcpy(digest->block + digest->waiting, at, part);
        digest->waiting += part;
        at += part;
        count -= part;
    }
}

void syc_digest_end(syc_digest *digest, unsigned char out[SYC_DIGEST_SIZE])
{
    memset(digest->block + digest->waiting, 0, BLOCK - digest->waiting);
    digest->count += digest->waiting;
    compress(digest->state, digest->block, digest->count, UINT32_MAX);
    for (size_t i = 0; i < SYC_DIGEST_SIZE; i++)
        out[i] = (unsigned char)(digest->state[i / 4] >> (8 * (i % 4)));
}
