/* How many processors the calling thread may keep busy. */
#ifndef SYC_BASE_CPUS_H
#define SYC_BASE_CPUS_H

#include <stddef.h>

/* Those that its mask allows, and at least one. A call of the system. */
size_t syc_cpus_allowed(void);
/* Whole ones that the quota of its control group pays for; SIZE_MAX: there is no quota. Read once. */
size_t syc_cpus_paid(void);
/* The same, read now, where the system's files are those below `root`: "", or a test's. */
size_t syc__cpus_paid_below(const char *root);

#endif
