/* Queues as objects: their native queues, one per lane, and their list of late errors. */
#include "schedule/queue.h"

#include "base/alloc.h"
#include "cl/driver.h"
#include "schedule/order.h"
#include "schedule/transfer/staging.h"

#include <string.h>

static syc_status queue_new(syc_context *context, syc_device *device, syc_queue_options options, syc_queue **out)
{
    syc_queue *queue = NULL;
    syc_status status = syc_alloc(sizeof *queue, &queue);
    if (status != SYC_OK)
        return status;
    syc_refcount_init(&queue->refs);
    syc_context_retain(context);
    queue->context = context;
    syc_device_retain(device);
    queue->device = device;
    queue->options = options;
    syc_live_add(SYC_LIVE_QUEUE, 1);
    syc__order_lock();
    queue->profiles = syc__profiles_of_all_locked;
    queue->next = syc__queues_locked;
    if (queue->next != NULL)
        queue->next->previous = queue;
    syc__queues_locked = queue;
    syc__order_unlock();
    *out = queue;
    return SYC_OK;
}

/* The driver's own thread may hold the queue for a moment longer than the command that it has said to be over. */
static void wait_a_moment(const syc_queue *queue)
{
    uint64_t pause = queue->device->facts->release_pause_ns, since = syc_now_ns() - queue->ended_ns;
    if (queue->ended_ns > 0 && since < pause)
        syc_sleep_ns(pause - since);
}

static void release_native(const syc_queue *queue, cl_command_queue native)
{
    if (native == NULL)
        return;
    if (syc_process_alive()) {
        wait_a_moment(queue);
        int code = syc_context_cl(queue->context)->ReleaseCommandQueue(native);
        if (code != 0)
            syc_report(syc_fail_cl(SYC_HERE, "clReleaseCommandQueue", code));
    }
    syc_live_add(SYC_LIVE_CL_QUEUE, -1);
}

static syc_status create_native(const syc_queue *queue, syc_lane lane, bool profiling, cl_command_queue *out)
{
    const syc_cl_table *cl = syc_context_cl(queue->context);
    cl_bitfield properties = profiling ? CL_QUEUE_PROFILING_ENABLE : 0;
    cl_device_id device = queue->device->lanes[lane];
    syc_status status = SYC_OK;
    cl_int code = 0;

    if (!queue->options.in_order && lane == SYC_LANE_POOL && queue->device->facts->out_of_order)
        properties |= CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    if (device == NULL) { /* no device of its own, but the queue does it */
        device = queue->device->lanes[SYC_LANE_POOL];
        properties |= CL_QUEUE_THREAD_LOCAL_EXEC_ENABLE_INTEL;
    }
    SYC_CL_OBJECT(cl, *out, CreateCommandQueue, (queue->context->native, device, properties, &code));
    syc_live_add(SYC_LIVE_CL_QUEUE, 1);
done:
    return status;
}

/* One for each lane. */
static syc_status create_natives(const syc_queue *queue, bool profiling, cl_command_queue *out)
{
    syc_status status = SYC_OK;
    SYC_TRY(create_native(queue, SYC_LANE_POOL, profiling, &out[SYC_LANE_POOL]));
    if (syc_device_has_caller(queue->device))
        SYC_TRY(create_native(queue, SYC_LANE_CALLER, profiling, &out[SYC_LANE_CALLER]));
done:
    return status;
}

static bool wants_timed_locked(const syc_queue *queue)
{
    return queue->profiles > 0 && !queue->options.profiling && !atomic_load(&queue->shared);
}

syc_status syc__queue_settle(syc_queue *queue)
{
    cl_command_queue made[SYC_LANE_COUNT] = {NULL};
    bool missing, idle;
    syc_status status = SYC_OK;

    syc__order_lock();
    missing = wants_timed_locked(queue) && queue->timed[SYC_LANE_POOL] == NULL;
    syc__order_unlock();
    if (missing)
        SYC_TRY(create_natives(queue, true, made));
done:
    syc__order_lock();
    if (queue->timed[SYC_LANE_POOL] == NULL && status == SYC_OK) {
        memcpy(queue->timed, made, sizeof made);
        memset(made, 0, sizeof made);
    }
    idle = queue->pending == 0;
    if (idle && wants_timed_locked(queue) && queue->timed[SYC_LANE_POOL] != NULL)
        memcpy(queue->natives, queue->timed, sizeof queue->natives);
    else if (idle && !wants_timed_locked(queue))
        memcpy(queue->natives, queue->plain, sizeof queue->natives);
    idle = idle || (queue->natives[0] == queue->timed[0]) == wants_timed_locked(queue);
    syc__order_unlock();
    for (int lane = 0; lane < SYC_LANE_COUNT; lane++)
        release_native(queue, made[lane]);
    return status == SYC_OK && !idle ? SYC_TIMEOUT : status;
}

syc_status syc_queue_create(syc_context *context, syc_device *device, syc_queue_options options, syc_queue **out)
{
    syc_queue *queue = NULL;
    syc_status status = SYC_OK;

    SYC_TRY(syc_process_check());
    SYC_CHECK(syc_context_has(context, device), SYC_E_INVALID_OBJECT,
              "device '%s' is not a device of the context that was given", syc_device_name(device));
    SYC_TRY(queue_new(context, device, options, &queue));
    SYC_TRY(create_natives(queue, options.profiling, queue->plain));
    memcpy(queue->natives, queue->plain, sizeof queue->natives);
    if (atomic_load(&syc__profiles) > 0)
        SYC_TRY(syc__queue_settle(queue));
    *out = queue;
    queue = NULL;
done:
    syc_queue_release(queue);
    return status;
}

syc_status syc_queue_from_native(cl_command_queue native, syc_context *context, syc_queue **out)
{
    syc_status status = SYC_OK;
    syc_driver *driver = syc_driver_of_handle(native);
    syc_device *device = NULL;
    syc_queue *queue = NULL;
    cl_context of_queue = NULL;
    cl_device_id id = NULL;
    cl_bitfield properties = 0;

    SYC_TRY(syc_process_check());
    SYC_CHECK(driver != NULL, SYC_E_INVALID_OBJECT, "%p is not a cl_command_queue of a loaded driver", (void *)native);
    SYC_CL(&driver->cl, GetCommandQueueInfo, (native, CL_QUEUE_CONTEXT, sizeof of_queue, &of_queue, NULL));
    SYC_CHECK(of_queue == context->native, SYC_E_INVALID_OBJECT, "the cl_command_queue belongs to another context");
    SYC_CL(&driver->cl, GetCommandQueueInfo, (native, CL_QUEUE_DEVICE, sizeof id, &id, NULL));
    SYC_CL(&driver->cl, GetCommandQueueInfo, (native, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL));
    SYC_TRY(syc_device_from_native(id, &device));
    SYC_TRY(queue_new(context, device,
                      (syc_queue_options){.in_order = !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE),
                                          .profiling = (properties & CL_QUEUE_PROFILING_ENABLE) != 0},
                      &queue));
    SYC_CL(&driver->cl, RetainCommandQueue, (native));
    syc_live_add(SYC_LIVE_CL_QUEUE, 1);
    queue->natives[SYC_LANE_POOL] = queue->plain[SYC_LANE_POOL] = native;
    atomic_store(&queue->shared, true);
    *out = queue;
    queue = NULL;
done:
    syc_queue_release(queue);
    syc_device_release(device);
    return status;
}

void syc_queue_retain(syc_queue *queue)
{
    syc_refcount_retain(&queue->refs);
}

/* Failures that nobody fetched: the last chance to say them. */
static void report_leftovers(syc_queue *queue)
{
    syc_async_error error;
    while (syc_queue_take_error(queue, &error)) {
        syc_report(syc_failure_restore(error.failure));
        syc_failure_free(error.failure);
        syc_free(error.site);
    }
}

void syc_queue_release(syc_queue *queue)
{
    if (queue == NULL || !syc_refcount_release(&queue->refs))
        return;
    syc__order_lock();
    if (queue->previous != NULL)
        queue->previous->next = queue->next;
    else
        syc__queues_locked = queue->next;
    if (queue->next != NULL)
        queue->next->previous = queue->previous;
    syc__order_unlock();
    report_leftovers(queue);
    syc__staging_release(queue);
    for (int lane = 0; lane < SYC_LANE_COUNT; lane++) {
        release_native(queue, queue->plain[lane]);
        release_native(queue, queue->timed[lane]);
    }
    syc_device_release(queue->device);
    syc_context_release(queue->context);
    syc_free(queue);
    syc_live_add(SYC_LIVE_QUEUE, -1);
}

void syc_queue_set_owner(syc_queue *queue, void *owner)
{
    queue->owner = owner;
}

void *syc_queue_owner(const syc_queue *queue)
{
    return queue->owner;
}

syc_context *syc_queue_context(const syc_queue *queue)
{
    return queue->context;
}

syc_device *syc_queue_device(const syc_queue *queue)
{
    return queue->device;
}

syc_queue_options syc_queue_get_options(const syc_queue *queue)
{
    return queue->options;
}

syc_status syc_queue_reference_count(const syc_queue *queue, cl_uint *out)
{
    syc_status status = SYC_OK;
    SYC_TRY(syc_process_check());
    SYC_CL(syc_context_cl(queue->context), GetCommandQueueInfo,
           (queue->natives[SYC_LANE_POOL], CL_QUEUE_REFERENCE_COUNT, sizeof *out, out, NULL));
done:
    return status;
}

size_t syc_queue_pending(syc_queue *queue)
{
    size_t pending;
    syc__order_lock();
    pending = queue->pending;
    syc__order_unlock();
    return pending;
}

bool syc_queue_take_error(syc_queue *queue, syc_async_error *out)
{
    struct syc__late *late;
    if (!syc_process_alive()) /* a forked child: its parent delivers them */
        return false;
    syc__order_lock();
    late = queue->errors;
    if (late != NULL)
        queue->errors = late->next;
    if (queue->errors == NULL)
        queue->errors_end = &queue->errors;
    syc__order_unlock();
    if (late == NULL)
        return false;
    *out = late->error;
    syc_free(late);
    return true;
}
