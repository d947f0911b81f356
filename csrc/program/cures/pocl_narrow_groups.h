/* PoCL makes loops over a group's items of what stands between two barriers. Where several ways lead on from a barrier,
 * the first item goes ahead to find out which one the group takes, and the loop in dimension 0 leaves it out. But a
 * group that is one item wide there gets no such loop (facts.h: repeats_first): its first item does that part twice.
 * What it adds is added twice, and a loop that it counts may never end.
 *
 * So such a launch is done by a build of the same text in which dimension 0 and a wider one, the *turn*, have changed
 * places (kernels/turned.clh), and the driver is given the sizes in that order. */
#ifndef SYC_PROGRAM_CURES_POCL_NARROW_GROUPS_H
#define SYC_PROGRAM_CURES_POCL_NARROW_GROUPS_H

#include "program/build.h"

/* The options for the build's compiler, and the text in front of the others. */
void syc__turn_options(SYC_KEEP const syc_build *build, syc_text *options);
const char *syc__turn_text(unsigned turn); /* "" for 0 */
/* SYC_E_KERNEL_NOT_SUPPORTED: there is no text that could be compiled another way. */
syc_status syc__turn_check(SYC_KEEP const syc_build *build);

#endif
