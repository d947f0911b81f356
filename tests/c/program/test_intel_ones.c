/* Instructions that Intel's compiler gets wrong, told from all that look like them. */
#include "program/cures/intel_ones.h"

#include "check.h"

#include <string.h>

/* What assemblers make of them; the register of each is 0, 5, 8, 15. */
static const struct pair {
    unsigned char wrong[6], right[6];
} pairs[] = {
    /* vpcmpeqd %xmm0,%xmm0,%k0: vpcmpeqd %xmm0,%xmm0,%xmm0; xchg %ax,%ax */
    {{0x62, 0xf1, 0x7d, 0x08, 0x76, 0xc0}, {0xc5, 0xf9, 0x76, 0xc0, 0x66, 0x90}},
    /* vpcmpeqq %xmm0,%xmm0,%k0 */
    {{0x62, 0xf2, 0xfd, 0x08, 0x29, 0xc0}, {0xc5, 0xf9, 0x76, 0xc0, 0x66, 0x90}},
    /* vpcmpeqd %xmm5,%xmm5,%k5: vpcmpeqd %xmm5,%xmm5,%xmm5 */
    {{0x62, 0xf1, 0x55, 0x08, 0x76, 0xed}, {0xc5, 0xd1, 0x76, 0xed, 0x66, 0x90}},
    /* No processor has mask registers 8 and 15: vpcmpeqd %xmm8,%xmm8,%xmm8; nop, and of 15. */
    {{0x62, 0x51, 0x3d, 0x08, 0x76, 0xc0}, {0xc4, 0x41, 0x39, 0x76, 0xc0, 0x90}},
    {{0x62, 0x52, 0x85, 0x08, 0x29, 0xff}, {0xc4, 0x41, 0x01, 0x76, 0xff, 0x90}},
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

static void what_is_wrong_is_put_right(void)
{
    unsigned char code[8 * PAIRS + 3], expected[sizeof code];

    memset(code, 0x62, sizeof code);
    memset(expected, 0x62, sizeof expected);
    for (size_t i = 0; i < PAIRS; i++) {
        memcpy(code + 8 * i + 3, pairs[i].wrong, sizeof pairs[i].wrong);
        memcpy(expected + 8 * i + 3, pairs[i].right, sizeof pairs[i].right);
    }
    CHECK(syc__ones_mend(code, sizeof code) == PAIRS);
    CHECK(memcmp(code, expected, sizeof code) == 0);
    CHECK(syc__ones_mend(code, sizeof code) == 0);
}

/* At the very end, and cut off there. */
static void ends_are_seen(void)
{
    unsigned char code[6];
    memcpy(code, pairs[0].wrong, sizeof code);
    CHECK(syc__ones_mend(code, 5) == 0);
    CHECK(syc__ones_mend(code, 0) == 0);
    CHECK(memcmp(code, pairs[0].wrong, sizeof code) == 0);
    CHECK(syc__ones_mend(code, 6) == 1);
    CHECK(memcmp(code, pairs[0].right, sizeof code) == 0);
}

/* Others that compare, and mean it. */
static void all_else_stays(void)
{
    static const unsigned char others[][6] = {
        {0x62, 0xf1, 0x7d, 0x08, 0x76, 0xc1}, /* vpcmpeqd %xmm1,%xmm0,%k0: two registers */
        {0x62, 0xf1, 0x75, 0x08, 0x76, 0xc0}, /* vpcmpeqd %xmm0,%xmm1,%k0 */
        {0x62, 0xf1, 0x7d, 0x08, 0x76, 0xc8}, /* vpcmpeqd %xmm0,%xmm0,%k1 */
        {0x62, 0xf1, 0x7d, 0x28, 0x76, 0xc0}, /* 256 bits */
        {0x62, 0xf1, 0x7d, 0x48, 0x76, 0xc0}, /* 512 */
        {0x62, 0xf1, 0x7d, 0x09, 0x76, 0xc0}, /* some lanes */
        {0x62, 0xf1, 0x7d, 0x08, 0x74, 0xc0}, /* vpcmpeqb: a mask of ones for 16 lanes, so made on purpose */
        {0x62, 0xf1, 0x7d, 0x08, 0x75, 0xc0}, /* vpcmpeqw */
        {0x62, 0xf1, 0x7d, 0x08, 0x66, 0xc0}, /* vpcmpgtd */
    };
    unsigned char code[sizeof others];

    memcpy(code, others, sizeof code);
    CHECK(syc__ones_mend(code, sizeof code) == 0);
    CHECK(memcmp(code, others, sizeof code) == 0);
}

int main(void)
{
    what_is_wrong_is_put_right();
    ends_are_seen();
    all_else_stays();
    return CHECK_EXIT_CODE;
}
