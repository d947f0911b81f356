/* Oclgrind's look for reads of memory that nothing has written (OCLGRIND_UNINITIALIZED): what is done so that it says
 * only what is so. */
#ifndef SYC_CL_CURES_OCLGRIND_UNWRITTEN_H
#define SYC_CL_CURES_OCLGRIND_UNWRITTEN_H

#include "cl/driver.h"

/* Puts functions of its own into a table of such a driver, of which `device` is one. Once in a process; all calls are
 * made one at a time. */
void syc__unwritten_install(syc_cl_table *table, cl_device_id device);
/* Before any other call of the driver, on each thread. */
void syc__unwritten_enter(void);

#endif
