/* What a command keeps alive of Python's: pinned buffers and the code object that names the submitting line.
 *
 * The core lets go of a command on any thread and without the GIL; what it let go of waits on a list until a thread
 * that holds the GIL comes by (every binding entry does), or until the interpreter runs a pending call. */
#ifndef SYC_PYTHON_PINS_H
#define SYC_PYTHON_PINS_H

#include "python/state.h"

typedef struct syc_pins {
    struct syc_pins *next;
    PyObject *code;   /* owns `file` */
    const char *file; /* UTF-8 */
    int line;
    Py_ssize_t count;
    Py_buffer views[];
} syc_pins;

/* Room for `room` buffers; remembers the Python line that is running. NULL with MemoryError set. GIL held. */
syc_pins *syc_pins_new(syc_state *state, Py_ssize_t room);
/* Releases everything now. GIL held. */
void syc_pins_free(syc_pins *pins);
/* The core's hooks: syc_keep.release and syc_site. No GIL needed. */
void syc_pins_let_go(void *pins);
char *syc_pins_site(const void *pins);
/* Releases what the core let go of. GIL held; cheap when there is nothing. May run arbitrary Python code: no core lock,
 * and no half-built object of ours, may be around. */
void syc_pins_collect(void);
/* The interpreter is about to end: from now on nothing is released any more. */
void syc_pins_close(void);

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
