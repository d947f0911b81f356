/* PYSYCL_DEBUG=collectives: does every item of a group come to each group function? A kernel is edited so that the
 * items agree, in all places where control flow decides it, while they are surely all there: on conditions around group
 * functions, on the turns of loops around them, on jumps that would pass them by; and on arguments that must be the
 * same in all items. So nobody ever waits for who does not come. What they disagree on is told through memory of the
 * command, a hidden last parameter of the kernel (kernels/group/converge.clh), and by the table of the places where
 * they could. */
#ifndef SYC_LIBRARY_CHECKS_CONVERGE_H
#define SYC_LIBRARY_CHECKS_CONVERGE_H

#include "library/scratch_parts.h"

/* Does a call of that name wait for others? Then for whom. The tokens behind it are looked at, too. */
enum syc__reach { SYC__REACH_NONE, SYC__REACH_SUB_GROUP, SYC__REACH_ANY_GROUP, SYC__REACH_WORK_GROUP };
enum syc__reach syc__collective(SYC_KEEP const syc_token *name);

/* Finds out for whom the functions and macros of the text wait. */
void syc__converge_reach(syc__scratch_reading *r);
/* For all functions that were marked, behind that. Adds to the sites. `apart`: sub-groups that disagree may leave,
 * because nothing of the program waits for more than them. `why` says why the program cannot be checked, or stays NULL.
 */
syc_status syc__converge_edit(syc__scratch_reading *r, syc__sites *sites, bool *apart, SYC_KEEP const char **why);

#endif
