/* NVIDIA's assembler (driver 580, of PTX for the H200) loses a minus: min(min(a, -b), c) of int or short becomes one
 * instruction of three operands, which computes min(min(a, b), c), and so do max, comparisons that a compiler makes
 * minima of, and a loop that takes the minimum of -x[k]. The PTX is right, and no option but -cl-opt-disable or
 * -cl-nv-opt-level=0 avoids it. The driver's binaries are that PTX. So the result of each negation is moved through an
 * instruction that the assembler does not see through, in programs that have minima or maxima of these types: one
 * instruction for each negation, and the time of the assembler once more for such programs. */
#ifndef SYC_PROGRAM_CURES_NVIDIA_MINUS_H
#define SYC_PROGRAM_CURES_NVIDIA_MINUS_H

#include "base/keep.h"
#include "base/status.h"

/* PTX with hidden negations; NULL: there is nothing to hide. */
syc_status syc__minus_mend(SYC_KEEP const char *ptx, size_t size, SYC_GIVE char **out, size_t *out_size);

#endif
