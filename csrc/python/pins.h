/* The Python objects that a command keeps alive: pinned buffers and others; and the line that submitted it.
 *
 * The core lets go of a command on any thread and without the GIL; what it let go of waits on a list until a thread
 * that holds the GIL comes by (every binding entry does), or until the interpreter runs a pending call. */
#ifndef SYC_PYTHON_PINS_H
#define SYC_PYTHON_PINS_H

#include "python/state.h"

#include <stdatomic.h>

typedef struct syc_pins {
    struct syc_pins *next;
    atomic_int users; /* the command, and whoever may have to submit it again */
    syc_site site;
    PyObject **held; /* any objects */
    Py_ssize_t held_count, held_room;
    Py_ssize_t count, room; /* of views, which must not move: shapes may point into them */
    Py_buffer views[];
} syc_pins;

/* Room for `room` buffers; remembers the Python line that is running. NULL with MemoryError set. GIL held. */
syc_pins *syc_pins_new(syc_state *state, Py_ssize_t room);
/* Keeps one more object. -1 with MemoryError set. */
int syc_pins_hold(syc_pins *pins, PyObject *object);
/* Releases everything now, for the last user. NULL is fine. GIL held. */
void syc_pins_free(syc_pins *pins);
/* The line of the user's code that runs now, or that called this package's own; its file's name is interned for ever.
 * GIL held. */
syc_site syc_pins_here(syc_state *state);
/* What commands of this thread are called that the user's line submits without a function of the package's between;
 * NULL: what they are. `name` is interned for ever. GIL held. */
void syc_pins_call(const char *name);
/* The name of a function of the package's, as its commands have it: NULL where these are the caller's own. GIL held. */
const char *syc_pins_name(PyObject *function);
/* The core's hook: syc_keep.release. No GIL needed. */
void syc_pins_let_go(void *pins);
/* Releases what the core let go of, and writes what kernels have printed. GIL held; cheap when there is nothing. May
 * run arbitrary Python code: no core lock, and no half-built object of ours, may be around. */
void syc_pins_collect(void);
/* The interpreter is about to end: from now on nothing is released any more. */
void syc_pins_close(void);

static inline syc_site syc_pins_site(const syc_pins *pins)
{
    return pins->site;
}

/* Bracket a call into the core: the GIL is dropped, and what is let go of meanwhile is released right after. */
#define SYC_CORE_BEGIN             \
    {                              \
        PyThreadState *syc__saved; \
        syc_pins_enter();          \
        syc__saved = PyEval_SaveThread();
#define SYC_CORE_END                  \
    PyEval_RestoreThread(syc__saved); \
    syc_pins_leave();                 \
    }
void syc_pins_enter(void);
void syc_pins_leave(void);

#endif
