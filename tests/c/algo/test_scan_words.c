/* The words where the groups of a scan meet, as C: what older launches have left is never taken for this one's, also
 * where the launches' numbers begin anew. */
#include "check.h"

#include <stdint.h>

typedef uint32_t uint;
#define ulong uint64_t
#define __global
#define SYC_FN                         static inline
#define SYC_REDUCTION_ADD(counter)     ((*(counter))++)
#define SYC_REDUCTION_READ(word)       (*(word))
#define SYC_REDUCTION_SET(word, value) (*(word) = (value))
#include "../../../kernels/device/scan_slots.clh"

enum { HEAD = 64, SLOTS = 5 };

static uint head[HEAD];
static uint64_t slots[SLOTS];

static bool is_of(uint64_t slot, uint tag)
{
    return slot >> 32 == tag || slot >> 32 == tag + 1;
}

/* A launch that writes to some of the slots; the others keep what they have. */
static void launch(unsigned first)
{
    const uint tag = syc_scan_tag(head);
    CHECK(tag != 0 && tag + 1 != 0);
    for (unsigned k = 0; k < SLOTS; k++)
        CHECK(!is_of(slots[k], tag));
    for (unsigned k = first; k < SLOTS; k++)
        slots[k] = (uint64_t)(tag + k % 2) << 32 | k;
    CHECK(syc_scan_ticket(head + 1) == 0);
    head[1] = 0;
    syc_scan_end(head, slots);
}

static void test_numbers_begin_anew(void)
{
    enum { BEFORE = 4, LAUNCHES = 12 };
    head[SYC_SCAN_SIZE] = SLOTS;
    launch(0);
    launch(1); /* the first slot keeps the oldest tag */
    launch(2);
    head[SYC_SCAN_LAUNCHES] = SYC_SCAN_LAST - BEFORE;
    for (unsigned k = 0; k < LAUNCHES; k++)
        launch(3);
    CHECK(head[SYC_SCAN_LAUNCHES] == LAUNCHES - BEFORE);
}

int main(void)
{
    RUN(test_numbers_begin_anew);
    return CHECK_EXIT_CODE;
}
