/* Sorts on the calling thread. */
#include "algo/keys/sort.h"

#include "base/alloc.h"

#include <stdint.h>
#include <string.h>

#define BINS  256
#define SHORT 48 /* keys that are sorted by insertion: counts of digits would be more than they */

/* Bytes of the words of a line, behind which pairs can stand. */
#define SYC_HOST_SORT_ROOM(size, width) (((size) * (width) + 15) / 16 * 16)

#define W    uint8_t
#define NAME 8
#define TOP  ((W)0x80)
#include "algo/keys/sort_of.h"

#define W    uint16_t
#define NAME 16
#define TOP  ((W)0x8000)
#define HAS_FLOATS
#define NANS     ((W)0x3ff)
#define INFINITE ((W)0x7c00)
#include "algo/keys/sort_of.h"

#define W    uint32_t
#define NAME 32
#define TOP  ((W)0x80000000)
#define HAS_FLOATS
#define NANS     ((W)0x7fffff)
#define INFINITE ((W)0x7f800000)
#include "algo/keys/sort_of.h"

#define W    uint64_t
#define NAME 64
#define TOP  ((W)0x8000000000000000)
#define HAS_FLOATS
#define NANS     ((W)0xfffffffffffff)
#define INFINITE ((W)0x7ff0000000000000)
#include "algo/keys/sort_of.h"

/* Of the width of words: how a line is sorted, and the bytes of a word with its position. */
static const struct width {
    size_t bytes, pair;
    void (*line)(const syc_host_sort *of, const void *from, void *to, void *room);
} widths[] = {
    {1, sizeof(pair_8), line_8},
    {2, sizeof(pair_16), line_16},
    {4, sizeof(pair_32), line_32},
    {8, sizeof(pair_64), line_64},
};

syc_status syc_host_sort_lines(const syc_host_sort *of)
{
    const struct width *width = widths;
    syc_status status = SYC_OK;
    void *room = NULL;
    while (width->bytes != of->width)
        width++;
    SYC_TRY(syc_alloc_aligned(
        16, SYC_HOST_SORT_ROOM(of->size, of->width) + of->size * (of->positions ? 2 * width->pair : of->width) + 16,
        &room));
    for (size_t k = 0; k < of->lines; k++)
        width->line(of, (const char *)of->keys + k * of->size * of->width,
                    (char *)of->to + k * of->size * (of->positions ? sizeof(int64_t) : of->width), room);
done:
    syc_free(room);
    return status;
}
