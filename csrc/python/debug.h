/* pysycl/debug.py, as far as submissions are concerned. */
#ifndef SYC_PYTHON_DEBUG_H
#define SYC_PYTHON_DEBUG_H

#include "python/state.h"

/* Every submission waits for its command, recorded ones excepted: the word "sync". */
bool syc_py_debug_waits(void);
/* Called after each command that was waited for. -1 with an error set: pysycl.debug has something to say. */
int syc_py_debug_look(void);

#endif
