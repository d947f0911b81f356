/* Pinned Python objects and their way back to a thread with the GIL. */
#include "python/pins.h"

#include "base/text.h"

#include <stdatomic.h>

static _Atomic(syc_pins *) let_go; /* a stack; popped as a whole */
static atomic_bool closed;
static _Thread_local int inside; /* this thread will collect by itself when it is back from the core */

/* The line of an instruction, by the table of lines found lately: a launch in a loop asks for the same one each time,
 * and Python walks the code from its start to find it. */
static syc_line line_of(syc_state *state, PyFrameObject *frame)
{
    PyCodeObject *code = PyFrame_GetCode(frame), *needless = code;
    int at = PyFrame_GetLasti(frame);
    syc_line *kept = &state->lines[((uintptr_t)code / 64 + (unsigned)at / 2) % Py_ARRAY_LENGTH(state->lines)];
    syc_line line = *kept;

    if (line.code != code || line.at != at) {
        needless = line.code;
        line = (syc_line){code, at, PyFrame_GetLineNumber(frame), PyUnicode_AsUTF8(code->co_filename)};
        if (line.file == NULL)
            PyErr_Clear();
        *kept = line;
    }
    Py_XDECREF(needless); /* last, since it may run anything */
    return line;
}

static void remember_line(syc_state *state, syc_pins *pins)
{
    PyFrameObject *frame = PyEval_GetFrame();
    syc_line line;
    if (frame == NULL)
        return;
    line = line_of(state, frame);
    pins->code = Py_NewRef(line.code);
    pins->line = line.line;
    pins->file = line.file;
}

syc_pins *syc_pins_new(syc_state *state, Py_ssize_t room)
{
    syc_pins *pins = PyMem_RawMalloc(sizeof *pins + (size_t)room * sizeof pins->views[0]);
    if (pins == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    *pins = (syc_pins){0};
    remember_line(state, pins);
    return pins;
}

void syc_pins_free(syc_pins *pins)
{
    if (pins == NULL)
        return;
    for (Py_ssize_t i = 0; i < pins->count; i++)
        PyBuffer_Release(&pins->views[i]);
    Py_XDECREF(pins->code);
    PyMem_RawFree(pins);
}

void syc_pins_collect(void)
{
    syc_pins *pins, *next;
    if (atomic_load_explicit(&let_go, memory_order_relaxed) == NULL)
        return;
    for (pins = atomic_exchange(&let_go, NULL); pins != NULL; pins = next) {
        next = pins->next;
        syc_pins_free(pins);
    }
}

static int collect_pending(void *unused)
{
    (void)unused;
    syc_pins_collect();
    return 0;
}

void syc_pins_let_go(void *payload)
{
    syc_pins *pins = payload;
    if (pins == NULL || atomic_load(&closed))
        return;
    pins->next = atomic_load(&let_go);
    while (!atomic_compare_exchange_weak(&let_go, &pins->next, pins))
        ;
    /* A thread of the core's own has nobody to collect after it. A full list of pending calls is no loss: the next
     * entry collects. */
    if (inside == 0)
        (void)Py_AddPendingCall(collect_pending, NULL);
}

char *syc_pins_site(const void *payload)
{
    const syc_pins *pins = payload;
    syc_text text = {0};
    if (pins == NULL || pins->file == NULL)
        return NULL;
    syc_text_add(&text, "%s:%d", pins->file, pins->line);
    return syc_text_take(&text);
}

void syc_pins_enter(void)
{
    inside++;
}

void syc_pins_leave(void)
{
    inside--;
    syc_pins_collect();
}

void syc_pins_close(void)
{
    atomic_store(&closed, true);
}
