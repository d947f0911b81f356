/* When a marker is enqueued the driver reads its clock, between two readings of ours: the clock of the system that
 * agrees each time is the driver's, and what it is ahead can be asked at any moment. Of another one the difference is
 * kept. */
#include "cl/device_clock.h"

#include "base/clock.h"
#include "cl/constants.h"
#include "cl/entries.h"
#include "cl/error.h"

#include <time.h>

enum { SYSTEM_CLOCKS = 3, MARKERS = 5 };
/* syc_device.clock: KNOWN is the first of the system's clocks, and behind them comes one that is none of them. */
enum { UNKNOWN, MEASURING, KNOWN };
static const clockid_t clocks[SYSTEM_CLOCKS] = {CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_REALTIME};

static uint64_t read_clock(int which)
{
    struct timespec t;
    clock_gettime(clocks[which], &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The outcome of all markers so far. */
struct measured {
    bool fits[SYSTEM_CLOCKS];
    int64_t ahead;   /* of CLOCK_MONOTONIC, by the marker that was enqueued fastest */
    uint64_t within; /* it took so long */
};

static syc_status measure_once(const syc_cl_table *cl, cl_command_queue queue, struct measured *m)
{
    uint64_t before[SYSTEM_CLOCKS], after[SYSTEM_CLOCKS], took;
    cl_event event = NULL;
    cl_ulong told = 0;
    syc_status status = SYC_OK;

    for (int c = SYSTEM_CLOCKS; c-- > 0;)
        before[c] = read_clock(c);
    SYC_CL(cl, EnqueueMarkerWithWaitList, (queue, 0, NULL, &event));
    for (int c = 0; c < SYSTEM_CLOCKS; c++)
        after[c] = read_clock(c);
    SYC_CL(cl, Finish, (queue));
    SYC_CL(cl, GetEventProfilingInfo, (event, CL_PROFILING_COMMAND_QUEUED, sizeof told, &told, NULL));
    for (int c = 0; c < SYSTEM_CLOCKS; c++)
        m->fits[c] = m->fits[c] && before[c] <= told && told <= after[c];
    took = after[0] - before[0];
    /* Intel 2026.2: it gives markers no times; its clock is CLOCK_MONOTONIC.
     * Gone when: tests/regression/test_clocks_of_profiling.py::test_intel_and_others_know_the_host_s_moments. */
    if (told == 0) {
        m->within = 0;
        m->ahead = 0;
    } else if (took < m->within) {
        m->within = took;
        m->ahead = (int64_t)(told - (before[0] + took / 2));
    }
done:
    if (event != NULL)
        (void)cl->ReleaseEvent(event); /* of a queue of our own, which goes too */
    return status;
}

static syc_status measure(const syc_context *context, const syc_device *device, struct measured *m)
{
    const syc_cl_table *cl = syc_context_cl(context);
    cl_command_queue queue = NULL;
    syc_status status = SYC_OK;
    cl_int code = 0;

    *m = (struct measured){.fits = {true, true, true}, .within = UINT64_MAX};
    SYC_CL_OBJECT(cl, queue, CreateCommandQueue,
                  (context->native, device->lanes[SYC_LANE_POOL], CL_QUEUE_PROFILING_ENABLE, &code));
    for (int i = 0; i < MARKERS; i++)
        SYC_TRY(measure_once(cl, queue, m));
done:
    if (queue != NULL)
        (void)cl->ReleaseCommandQueue(queue); /* nothing is in it any more */
    return status;
}

/* Of threads that measure at a time one keeps what it has found. */
static void keep(syc_device *device, const struct measured *m)
{
    int which = 0, unknown = UNKNOWN;
    while (which < SYSTEM_CLOCKS && !m->fits[which])
        which++;
    if (!atomic_compare_exchange_strong(&device->clock, &unknown, MEASURING))
        return;
    device->clock_ahead = m->ahead;
    atomic_store(&device->clock, KNOWN + which);
}

/* Read between two readings of the other; a thread may be held up in the middle, so the closest of some counts. */
static int64_t ahead_of(int which)
{
    enum { TRIES = 20, CLOSE_NS = 500 };
    uint64_t closest = UINT64_MAX;
    int64_t ahead = 0;
    for (int i = 0; i < TRIES && closest > CLOSE_NS; i++) {
        uint64_t before = read_clock(0), there = read_clock(which), within = read_clock(0) - before;
        if (within < closest) {
            closest = within;
            ahead = (int64_t)(there - (before + within / 2));
        }
    }
    return ahead;
}

static int64_t ahead_now(const syc_context *context, syc_device *device)
{
    struct measured m = {.ahead = 0};
    int clock;

    if (atomic_load(&device->clock) == UNKNOWN) {
        if (measure(context, device, &m) != SYC_OK)
            return 0;
        keep(device, &m);
    }
    clock = atomic_load(&device->clock);
    if (clock < KNOWN) /* another thread is about to keep it */
        return m.ahead;
    if (clock - KNOWN == SYSTEM_CLOCKS)
        return device->clock_ahead;
    return clock == KNOWN ? 0 : ahead_of(clock - KNOWN);
}

int64_t syc_device_clock_ahead(const syc_context *context, syc_device *device, uint64_t moment, bool of_host)
{
    enum { CLOSE_NS = 1000000 }; /* meanwhile a slewed clock drifts by less than it can be read to */
    const uint64_t at = atomic_load_explicit(&device->clock_at, memory_order_acquire);
    int64_t ahead = atomic_load_explicit(&device->clock_ahead_then, memory_order_relaxed);

    if (moment - (of_host ? at : at + (uint64_t)ahead) < CLOSE_NS)
        return ahead;
    ahead = ahead_now(context, device);
    atomic_store_explicit(&device->clock_ahead_then, ahead, memory_order_relaxed);
    atomic_store_explicit(&device->clock_at, of_host ? moment : moment - (uint64_t)ahead, memory_order_release);
    return ahead;
}
