/* The host's look at unified shared memory. */
#include "python/memory/usm_look.h"

#include "python/pins.h"
#include "schedule/users.h"

int syc_py_usm_await(syc_state *state, syc_usm *core)
{
    enum { SLICE_NS = 100000000 };
    syc_status status = SYC_TIMEOUT;
    syc_usm_retain(core);
    while (status == SYC_TIMEOUT && PyErr_CheckSignals() == 0) {
        SYC_CORE_BEGIN
            status = syc_usm_await_users(core, SLICE_NS);
        SYC_CORE_END
    }
    syc_usm_release(core);
    if (status != SYC_OK && status != SYC_TIMEOUT)
        syc_py_raise(state, status);
    return status == SYC_OK ? 0 : -1;
}

/* Where the host must have memory mapped to look at it, commands that use it now must end first: what they write would
 * not be seen. -1 with an error set. */
int syc_py_usm_hold(syc_state *state, syc_usm *core)
{
    enum { SLICE_NS = 100000000 };
    syc_status status = SYC_TIMEOUT;
    if (!core->coarse)
        status = syc_usm_hold_host(core);
    while (status == SYC_TIMEOUT) {
        SYC_CORE_BEGIN
            status = atomic_load(&core->mapped) ? SYC_OK : syc_usm_await_users(core, SLICE_NS);
            if (status == SYC_OK)
                status = syc_usm_hold_host(core);
        SYC_CORE_END
        if (status == SYC_TIMEOUT && PyErr_CheckSignals() < 0)
            return -1;
    }
    if (status == SYC_OK)
        return 0;
    syc_py_raise(state, status);
    return -1;
}
