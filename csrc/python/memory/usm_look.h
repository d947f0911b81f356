/* The host's look at unified shared memory, which commands in flight may be writing. */
#ifndef SYC_PYTHON_MEMORY_USM_LOOK_H
#define SYC_PYTHON_MEMORY_USM_LOOK_H

#include "python/memory/memory.h"

/* Waits for the commands in flight that use the memory: what they write is to be seen. -1 with an error set. */
int syc_py_usm_await(syc_state *state, SYC_KEEP syc_usm *core);
/* Lets the host look at the memory; give it up with syc_usm_drop_host. -1 with an error set. */
int syc_py_usm_hold(syc_state *state, SYC_KEEP syc_usm *core);

#endif
