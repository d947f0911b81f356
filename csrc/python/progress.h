/* A line for whoever waits while the main thread waits for a compiler: pysycl/_runtime/progress.py draws it. */
#ifndef SYC_PYTHON_PROGRESS_H
#define SYC_PYTHON_PROGRESS_H

#include "python/state.h"

/* Asked again and again in the main thread's wait, with the GIL. `call`: of this package, whose text it may be, or
 * NULL. -1 with an error set: drawing was interrupted. */
int syc_py_progress_tick(const char *call);
/* A call into the core has returned: the line, where one was drawn, goes. With the GIL; an error that is set stays. */
void syc_py_progress_end(void);

#endif
