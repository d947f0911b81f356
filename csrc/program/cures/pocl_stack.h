/* PoCL keeps the private memory of all items of a group on the stack of the thread that runs the group, and the process
 * ends where that is too small (facts.h: items_on_stack). Of every kernel it says that it has 1024 bytes. So the text
 * tells what an item needs, as far as it does (source/private_size.h), and groups are so small that they fit. */
#ifndef SYC_PROGRAM_CURES_POCL_STACK_H
#define SYC_PROGRAM_CURES_POCL_STACK_H

#include "program/build.h"

typedef struct syc_signature syc_signature; /* source/declarations/signature.h */

/* Fills private_bytes and private_room, and lowers max_group, where the device needs it. False: not even one item fits.
 */
bool syc__limit_by_stack(SYC_KEEP const syc_signature *kernel, SYC_KEEP const syc_device *device,
                         syc_kernel_limits *limits);

#endif
