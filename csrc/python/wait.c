/* Sliced waits, and submissions that wait. */
#include "python/wait.h"

#include "base/clock.h"
#include "base/interrupt.h"
#include "python/debug.h"
#include "python/pins.h"
#include "python/progress.h"
#include "python/types/crew.h"
#include "schedule/access.h"
#include "schedule/profile.h"

/* Ctrl-C is answered between slices: well within the 0.2 s that a person takes for "at once". */
enum { SLICE_NS = 50000000 };

/* Signals are the process's, and so is this: the module instance that was made last. */
static syc_state *own_state;

/* The GIL has been dropped, or not. */
static syc_status look_for_signals(void)
{
    PyGILState_STATE gil = PyGILState_Ensure();
    syc_status status = SYC_OK;
    if (PyErr_CheckSignals() < 0 || syc_py_progress_tick(syc_pins_here(own_state).call) < 0) {
        status = syc_fail(SYC_INTERRUPTED, SYC_HERE, "%s", syc_status_text(SYC_INTERRUPTED));
        syc_py_set_cause(own_state, syc_py_take_exception());
    }
    PyGILState_Release(gil);
    return status;
}

void syc_py_wait_init(syc_state *state)
{
    own_state = state;
    syc_interrupt_set_hook(look_for_signals);
}

static int wait_one(syc_state *state, syc_command *command)
{
    syc_status status = SYC_TIMEOUT;
    while (status == SYC_TIMEOUT) {
        if (syc_command_ended(command)) {
            syc_pins_collect(); /* of what it has printed, too */
            return 0;
        }
        SYC_CORE_BEGIN
            status = syc_command_wait(command, SLICE_NS);
        SYC_CORE_END
        if (PyErr_CheckSignals() < 0)
            return -1;
        if (status == SYC_TIMEOUT && syc_command_is_stuck(command)) {
            syc_py_refuse(state, SYC_E_INVALID,
                          "waiting here would never end: the command waits for a host accessor that this thread holds "
                          "and must close first, or for the host task that runs here");
            return -1;
        }
        if (status == SYC_TIMEOUT)
            (void)syc_py_host_task_help(state);
    }
    if (status != SYC_OK)
        syc_py_raise(state, status);
    return status == SYC_OK ? 0 : -1;
}

int syc_py_wait(syc_state *state, syc_command *const *commands, size_t count)
{
    const bool profiled = syc_profile_is_open();
    const uint64_t began = profiled ? syc_now_ns() : 0;
    int result = 0;
    for (size_t i = 0; i < count && result == 0; i++)
        result = wait_one(state, commands[i]);
    if (profiled)
        syc_profile_add("wait", NULL, syc_pins_here(state), began, syc_now_ns());
    return result;
}

int syc_py_access_wait(syc_state *state, syc_command *access, double seconds)
{
    enum { SLICE_NS = 50000000 }; /* Ctrl-C is answered between slices */
    uint64_t most = seconds > 0 ? (uint64_t)((seconds < 1e9 ? seconds : 1e9) * 1e9) : 0;
    uint64_t deadline = syc_now_ns() + most;
    uint64_t left;
    syc_status status;

    do {
        uint64_t now = syc_now_ns();
        left = now < deadline ? deadline - now : 0;
        SYC_CORE_BEGIN
            status = syc_access_wait(access, left < SLICE_NS ? left : SLICE_NS);
        SYC_CORE_END
        if (PyErr_CheckSignals() < 0)
            return -1;
    } while (status == SYC_TIMEOUT && left > 0);
    if (status != SYC_OK && status != SYC_TIMEOUT) {
        syc_py_raise(state, status);
        return -1;
    }
    return status == SYC_OK;
}

/* -- submissions that wait -- */

int syc_py_waiting_convert(syc_state *state, PyObject *value, syc_py_waiting *out)
{
    *out = SYC_PY_WAIT_FOR_ARRAYS;
    if (value == NULL || value == Py_None)
        return 0;
    if (!PyBool_Check(value)) {
        syc_py_invalid(state, "wait: expected True, False or None, got %R", value);
        return -1;
    }
    *out = value == Py_True ? SYC_PY_WAIT_ALWAYS : SYC_PY_WAIT_NEVER;
    return 0;
}

bool syc_py_waits(syc_py_waiting asked, bool arrays)
{
    return asked == SYC_PY_WAIT_ALWAYS || (asked == SYC_PY_WAIT_FOR_ARRAYS && arrays) || syc_py_debug_waits();
}

/* Does the traceback show the line by itself? It does not where a command group ends, and of what a replay runs. */
static bool is_here(syc_state *state, const char *site)
{
    syc_site here = syc_pins_here(state);
    size_t length = here.file != NULL ? strlen(here.file) : 0;
    return length > 0 && strncmp(site, here.file, length) == 0 && site[length] == ':' &&
           atoi(site + length + 1) == here.line;
}

/* -1 with the command's failure raised. */
static int raise_failure(syc_state *state, const EventObject *event)
{
    const syc_command *command = event->core;
    const syc_failure *failure = syc_command_failure(command);
    const char *site = syc_command_failed_site(command);
    PyObject *exception, *place;
    if (failure == NULL)
        return 0;
    exception = syc_py_exception(state, failure, site == NULL || is_here(state, site) ? NULL : site,
                                 (QueueObject *)event->queue, true);
    place = exception != NULL && site != NULL ? PyUnicode_FromString(site) : NULL;
    if (place != NULL && PyObject_SetAttrString(exception, "site", place) < 0)
        Py_CLEAR(exception);
    if (exception != NULL)
        PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
    Py_XDECREF(place);
    Py_XDECREF(exception);
    return -1;
}

PyObject *syc_py_submitted(syc_state *state, PyObject *event)
{
    syc_command *core = event != NULL ? ((EventObject *)event)->core : NULL;
    int failed = 0;
    if (core == NULL || !syc_command_is_awaited(core))
        return event;
    if (!syc_command_ended(core)) /* small ones have */
        failed = syc_py_wait(state, &core, 1);
    if (failed < 0)
        syc_command_forsake(core);
    else if (raise_failure(state, (EventObject *)event) < 0 || syc_py_debug_look() < 0)
        failed = -1;
    if (failed < 0)
        Py_CLEAR(event);
    return event;
}
