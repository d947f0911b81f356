/* Intel 2026.2: its compiler sets a mask register where a vector register should be all ones, beside minima of a `not`.
 * Gone when: tests/regression/test_intel_ones.py::test_programs.
 *
 * Finds an instruction in a program's machine code that no compiler means. */
#include "program/cures/intel_ones.h"

#include <stdbool.h>
#include <string.h>

enum { LENGTH = 6, EVEX = 0x62, FIRST_8 = 0xF0, OTHER_8 = 0x50 }; /* the last two: registers 0 to 7 or 8 to 15 */

/* vpcmpeqd, or with `wide` vpcmpeqq, of the vector register `r` with itself into the mask register of that number:
 * 128 bits, all lanes. */
static void encode_wrong(unsigned r, bool wide, unsigned char out[LENGTH])
{
    out[0] = EVEX;
    out[1] = (unsigned char)((r < 8 ? FIRST_8 : OTHER_8) | (wide ? 2 : 1));
    out[2] = (unsigned char)((wide ? 0x85 : 0x05) | (~r & 15) << 3);
    out[3] = 0x08;
    out[4] = wide ? 0x29 : 0x76;
    out[5] = (unsigned char)(0xC0 | (r & 7) * 9);
}

/* vpcmpeqd into the vector register, and as many bytes of nop as are left. */
static void encode_right(unsigned r, unsigned char out[LENGTH])
{
    const unsigned char source = (unsigned char)((~r & 15) << 3 | 1), registers = (unsigned char)(0xC0 | (r & 7) * 9);
    const unsigned char near[LENGTH] = {0xC5, 0x80 | source, 0x76, registers, 0x66, 0x90};
    const unsigned char far[LENGTH] = {0xC4, 0x41, source, 0x76, registers, 0x90};
    memcpy(out, r < 8 ? near : far, LENGTH);
}

static bool is_wrong(const unsigned char *code, unsigned r)
{
    unsigned char narrow[LENGTH], wide[LENGTH];
    encode_wrong(r, false, narrow);
    encode_wrong(r, true, wide);
    return memcmp(code, narrow, LENGTH) == 0 || memcmp(code, wide, LENGTH) == 0;
}

size_t syc__ones_mend(unsigned char *code, size_t size)
{
    const unsigned char *const end = code + size;
    size_t count = 0;

    for (unsigned char *at = code; (size_t)(end - at) >= LENGTH; at++) {
        unsigned r;
        at = memchr(at, EVEX, (size_t)(end - at) - LENGTH + 1);
        if (at == NULL)
            break;
        r = ~(unsigned)at[2] >> 3 & 15; /* if it is one at all */
        if (!is_wrong(at, r))
            continue;
        encode_right(r, at);
        count++;
    }
    return count;
}
