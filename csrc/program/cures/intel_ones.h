/* Intel's CPU compiler 2026.2 loses registers of all ones: where it moves a minimum or maximum of scalars to vector
 * registers, and a `not` with it, as in max(~x, x) behind the last whole vector, it makes the ones with the wrong
 * encoding of a right instruction. "vpcmpeqd xmm0, xmm0, xmm0" becomes "vpcmpeqd k0, xmm0, xmm0", so a mask register is
 * set and the vector register keeps whatever was in it. No option but -cl-opt-disable avoids it, and texts cannot: the
 * compiler finds minima in comparisons, and a `not` in -1 - x. But both instructions have six bytes, and no compiler
 * means the wrong one, since masks of four lanes are made otherwise. So it is put right in the machine code
 * (machine_code.h). */
#ifndef SYC_PROGRAM_CURES_INTEL_ONES_H
#define SYC_PROGRAM_CURES_INTEL_ONES_H

#include <stddef.h>

/* Puts them right in machine code for x86-64, and counts them. */
size_t syc__ones_mend(unsigned char *code, size_t size);

#endif
