/* Pinned Python objects and their way back to a thread with the GIL. */
#include "python/pins.h"

#include "python/cell.h"
#include "python/launch/output.h"
#include "python/lock.h"
#include "python/progress.h"

#include <stdlib.h>

static _Atomic(syc_pins *) let_go; /* a stack; popped as a whole */
static atomic_bool closed;
static _Thread_local int inside; /* this thread will collect by itself when it is back from the core */

/* Names of files, and of the package's functions, for ever: as many as there are files that submit commands. The core
 * reads them from any thread, the table changes under the GIL only. A name whose code was made at run time is one of at
 * most MOST_FILES; all further ones share a word. */
enum { MOST_FILES = 1 << 14 };
static syc_py_lock lock; /* of it, and of the lines found lately */
static struct {
    char **items; /* open addressing; a power of two of them */
    size_t count, room;
} files;

static size_t hash_of(const char *name)
{
    size_t hash = 14695981039346656037U;
    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * 1099511628211U;
    return hash;
}

static char **slot_of(char **items, size_t room, const char *name)
{
    size_t i = hash_of(name) & (room - 1);
    while (items[i] != NULL && strcmp(items[i], name) != 0)
        i = (i + 1) & (room - 1);
    return &items[i];
}

static bool files_grow(void)
{
    size_t room = files.room > 0 ? 2 * files.room : 64;
    char **items = calloc(room, sizeof *items);
    if (items == NULL)
        return false;
    for (size_t i = 0; i < files.room; i++) {
        if (files.items[i] != NULL)
            *slot_of(items, room, files.items[i]) = files.items[i];
    }
    free(files.items);
    files.items = items;
    files.room = room;
    return true;
}

/* NULL without memory. */
static const char *intern_locked(const char *name)
{
    char **slot;
    if (2 * files.count >= files.room && files.count < MOST_FILES && !files_grow())
        return NULL;
    slot = slot_of(files.items, files.room, name);
    if (*slot == NULL && files.count >= MOST_FILES)
        return "<one of very many files>";
    if (*slot == NULL && (*slot = strdup(name)) != NULL)
        files.count++;
    return *slot;
}

static const char *intern(const char *name)
{
    SYC_PY_LOCK(&lock);
    name = intern_locked(name);
    SYC_PY_UNLOCK(&lock);
    return name;
}

static const char *file_of(PyCodeObject *code)
{
    PyObject *cell = syc_py_cell_name(code->co_filename);
    const char *name = PyUnicode_AsUTF8(cell != NULL ? cell : code->co_filename);
    if (name == NULL)
        PyErr_Clear();
    name = name != NULL ? intern(name) : NULL;
    Py_XDECREF(cell);
    return name;
}

static bool is_ours(PyFrameObject *frame)
{
    PyObject *globals = PyFrame_GetGlobals(frame);
    PyObject *name = globals != NULL ? PyDict_GetItemString(globals, "__name__") : NULL;
    const char *words = name != NULL && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
    bool ours = words != NULL && (strncmp(words, "pysycl.", 7) == 0 || strcmp(words, "pysycl") == 0);
    if (words == NULL)
        PyErr_Clear();
    Py_XDECREF(globals);
    return ours;
}

/* Whoever calls these has written the texts that run. */
static const char *const takes_texts[] = {"kernel",      "parallel_for", "parallel_scan", "scan_kernel",
                                          "single_task", "explain",      "kernel_source"};

/* The last word of its name; of an object that is called, the class. NULL: what runs is the caller's own. */
static const char *call_of(PyCodeObject *code)
{
    PyObject *dot = PyUnicode_FromString("."),
             *words = dot != NULL ? PyUnicode_Split(code->co_qualname, dot, -1) : NULL;
    Py_ssize_t last = words != NULL ? PyList_GET_SIZE(words) - 1 : -1;
    const char *name = NULL;
    if (last > 0 && PyUnicode_CompareWithASCIIString(PyList_GET_ITEM(words, last), "__call__") == 0)
        last--;
    if (last >= 0)
        name = PyUnicode_AsUTF8(PyList_GET_ITEM(words, last));
    if (name == NULL)
        PyErr_Clear();
    for (size_t i = 0; name != NULL && i < Py_ARRAY_LENGTH(takes_texts); i++)
        name = strcmp(name, takes_texts[i]) != 0 ? name : NULL;
    name = name != NULL && name[0] != '_' ? name : NULL; /* a block that ends */
    name = name != NULL ? intern(name) : NULL;
    Py_XDECREF(words);
    Py_XDECREF(dot);
    return name;
}

const char *syc_pins_name(PyObject *function)
{
    PyObject *code = PyFunction_Check(function) ? PyFunction_GET_CODE(function) : NULL;
    return code != NULL ? call_of((PyCodeObject *)code) : NULL;
}

static _Thread_local const char *called; /* instead of the name of a function that runs */

void syc_pins_call(const char *name)
{
    called = name;
}

/* By the table of lines found lately: a launch in a loop asks for the same one each time, and Python walks the code
 * from its start to find it. */
static syc_line line_of(syc_state *state, PyFrameObject *frame)
{
    PyCodeObject *code = PyFrame_GetCode(frame), *needless = code;
    int at = PyFrame_GetLasti(frame);
    syc_line *kept = &state->lines[((uintptr_t)code / 64 + (unsigned)at / 2) % Py_ARRAY_LENGTH(state->lines)];
    syc_line line;

    SYC_PY_LOCK(&lock);
    line = *kept;
    SYC_PY_UNLOCK(&lock);
    if (line.code != code || line.at != at) {
        line = (syc_line){code, at, is_ours(frame), {file_of(code), PyFrame_GetLineNumber(frame), NULL}};
        line.site.call = line.ours ? call_of(code) : NULL;
        SYC_PY_LOCK(&lock);
        needless = kept->code; /* now: asking for the file may have run Python code that has changed the table */
        *kept = line;
        SYC_PY_UNLOCK(&lock);
    }
    Py_XDECREF(needless); /* last, since it may run anything */
    return line;
}

syc_site syc_pins_here(syc_state *state)
{
    PyFrameObject *frame = PyEval_GetFrame(), *back;
    syc_line line;
    const char *call = called;
    syc_site first;

    if (frame == NULL)
        return (syc_site){0};
    line = line_of(state, frame);
    first = line.site;
    for (back = line.ours ? PyFrame_GetBack(frame) : NULL; back != NULL; back = frame) {
        call = line.site.call;
        line = line_of(state, back);
        frame = line.ours ? PyFrame_GetBack(back) : NULL;
        Py_DECREF(back);
    }
    if (line.ours) /* all the way: the doctor, the demo */
        return first;
    line.site.call = call;
    return line.site;
}

syc_pins *syc_pins_new(syc_state *state, Py_ssize_t room)
{
    syc_pins *pins = PyMem_RawMalloc(sizeof *pins + (size_t)room * sizeof pins->views[0]);
    if (pins == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    *pins = (syc_pins){.users = 1, .room = room, .site = syc_pins_here(state)};
    return pins;
}

int syc_pins_hold(syc_pins *pins, PyObject *object)
{
    if (pins->held_count == pins->held_room) {
        Py_ssize_t room = 2 * pins->held_room + 2;
        PyObject **held = PyMem_RawRealloc(pins->held, (size_t)room * sizeof *held);
        if (held == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        pins->held = held;
        pins->held_room = room;
    }
    pins->held[pins->held_count++] = Py_NewRef(object);
    return 0;
}

static void release(syc_pins *pins)
{
    for (Py_ssize_t i = 0; i < pins->count; i++)
        PyBuffer_Release(&pins->views[i]);
    for (Py_ssize_t i = 0; i < pins->held_count; i++)
        Py_DECREF(pins->held[i]);
    PyMem_RawFree(pins->held);
    PyMem_RawFree(pins);
}

static bool is_last_user(syc_pins *pins)
{
    return atomic_fetch_sub(&pins->users, 1) == 1;
}

void syc_pins_free(syc_pins *pins)
{
    if (pins != NULL && is_last_user(pins))
        release(pins);
}

void syc_pins_collect(void)
{
    syc_pins *pins, *next;
    syc_py_output_write();
    if (atomic_load_explicit(&let_go, memory_order_relaxed) == NULL)
        return;
    for (pins = atomic_exchange(&let_go, NULL); pins != NULL; pins = next) {
        next = pins->next;
        release(pins);
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
    if (pins == NULL || !is_last_user(pins) || atomic_load(&closed))
        return;
    pins->next = atomic_load(&let_go);
    while (!atomic_compare_exchange_weak(&let_go, &pins->next, pins))
        ;
    /* A thread of the core's own has nobody to collect after it. A full list of pending calls is no loss: the next
     * entry collects. */
    if (inside == 0)
        (void)Py_AddPendingCall(collect_pending, NULL);
}

void syc_pins_enter(void)
{
    inside++;
}

void syc_pins_leave(void)
{
    inside--;
    syc_py_progress_end();
    syc_pins_collect();
}

void syc_pins_close(void)
{
    atomic_store(&closed, true);
}
