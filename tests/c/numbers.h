/* Numbers of all types that the host knows, as doubles; and some that are the same each time. */
#ifndef TEST_NUMBERS_H
#define TEST_NUMBERS_H

#include "base/dtype.h"

#include <stdint.h>
#include <string.h>

static uint64_t seed = 20261122;

static inline uint64_t next_number(void)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return seed >> 33;
}

/* Of a state of the caller's own. */
static inline uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static inline double read_as(syc_dtype type, const unsigned char *at)
{
#define READ(word, T)                     \
    if (type == SYC_##word) {             \
        T value;                          \
        memcpy(&value, at, sizeof value); \
        return (double)value;             \
    }
    READ(BOOL, uint8_t)
    READ(CHAR, int8_t)
    READ(UCHAR, uint8_t)
    READ(SHORT, int16_t)
    READ(USHORT, uint16_t)
    READ(INT, int32_t)
    READ(UINT, uint32_t)
    READ(LONG, int64_t)
    READ(ULONG, uint64_t)
    READ(FLOAT, float)
    READ(DOUBLE, double)
#undef READ
    return 0;
}

static inline void write_as(syc_dtype type, unsigned char *at, int value)
{
#define WRITE(word, T)                \
    if (type == SYC_##word) {         \
        T own = (T)value;             \
        memcpy(at, &own, sizeof own); \
    }
    WRITE(BOOL, uint8_t)
    WRITE(CHAR, int8_t)
    WRITE(UCHAR, uint8_t)
    WRITE(SHORT, int16_t)
    WRITE(USHORT, uint16_t)
    WRITE(INT, int32_t)
    WRITE(UINT, uint32_t)
    WRITE(LONG, int64_t)
    WRITE(ULONG, uint64_t)
    WRITE(FLOAT, float)
    WRITE(DOUBLE, double)
#undef WRITE
}

#endif
