/* The name of the CPU that PoCL 3.0-rc2 compiles for, and the search that its cure rests on. */
#ifndef SYC_CL_CURES_POCL_CPU_NAME_H
#define SYC_CL_CURES_POCL_CPU_NAME_H

#include "cl/driver.h"

/* Is it the build that PyPI's wheel brings? */
bool syc__is_pocl_3_0(SYC_KEEP const syc_driver *driver, cl_platform_id platform);

/* Gives the driver's devices a name that fits, and appends to driver->quirks. */
syc_status syc__cpu_name_cure(syc_driver *driver);

/* Counts the words in the `size` bytes behind `object` that point to the string `name`, and puts the offset of the last
 * one found into `offset`. Neither the object nor what its words point to need be readable. */
size_t syc__pointer_find(const void *object, size_t size, const char *name, size_t *offset);

#endif
