/* PYSYCL_DEBUG=collectives: the memory in which a kernel says that its items did not come to a group function together,
 * and the error that comes of it. */
#ifndef SYC_PYTHON_LAUNCH_COLLECTIVES_H
#define SYC_PYTHON_LAUNCH_COLLECTIVES_H

#include "python/launch/argument.h"
#include "python/launch/call.h"

typedef struct syc_py_launch syc_py_launch; /* python/launch/launch.h */

/* Adds the last argument of a kernel that is checked, behind all others; 0 too where it is not. -1 with an error set.
 */
int syc_py_collectives_add(const syc_py_scope *scope, syc_py_launch *launch);

#endif
