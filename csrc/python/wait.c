/* Sliced waits. */
#include "python/wait.h"

#include "python/pins.h"
#include "python/py_host_task.h"
#include "schedule/access.h"

/* Ctrl-C is answered between slices: well within the 0.2 s that a person takes for "at once". */
enum { SLICE_NS = 50000000 };

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
    for (size_t i = 0; i < count; i++) {
        if (wait_one(state, commands[i]) < 0)
            return -1;
    }
    return 0;
}
