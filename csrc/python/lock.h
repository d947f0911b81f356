/* What the GIL keeps apart has a lock of its own where there is no GIL; where there is one, these are nothing.
 * Leaves: neither Python code nor another lock beneath one. */
#ifndef SYC_PYTHON_LOCK_H
#define SYC_PYTHON_LOCK_H

#include "python/state.h"

#ifdef Py_GIL_DISABLED
#include <stdatomic.h>
typedef PyMutex syc_py_lock;
typedef _Atomic Py_ssize_t syc_py_count;
#define SYC_PY_LOCK(lock)   PyMutex_Lock(lock)
#define SYC_PY_UNLOCK(lock) PyMutex_Unlock(lock)
#else
typedef char syc_py_lock;
typedef Py_ssize_t syc_py_count;
#define SYC_PY_LOCK(lock)   ((void)(lock))
#define SYC_PY_UNLOCK(lock) ((void)(lock))
#endif

#endif
