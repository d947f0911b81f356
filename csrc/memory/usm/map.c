/* Coarse memory: the host may touch it only while it is mapped, so it is mapped while somebody on the host holds it and
 * no command uses it. */
#include "memory/usm/pool.h"

#include "cl/constants.h"
#include "cl/context.h"
#include "cl/entries.h"

/* A queue of our own: what the host maps belongs to no command of the user's. Called with `mapping` locked. */
static syc_status get_mapper(struct syc__usm_memory *memory, cl_command_queue *out)
{
    const syc_context *context = memory->context;
    syc_status status = SYC_OK;
    cl_int code = CL_SUCCESS;
    if (memory->mapper == NULL) {
        SYC_CL_OBJECT(syc_context_cl(context), memory->mapper, CreateCommandQueue,
                      (context->native, context->devices[0]->lanes[SYC_LANE_POOL], 0, &code));
        syc_live_add(SYC_LIVE_CL_QUEUE, 1);
    }
    *out = memory->mapper;
done:
    return status;
}

void syc__usm_mapper_close(struct syc__usm_memory *memory)
{
    cl_int code;
    if (memory->mapper == NULL)
        return;
    code = syc_context_cl(memory->context)->ReleaseCommandQueue(memory->mapper);
    if (code != CL_SUCCESS)
        syc_report(syc_fail_cl(SYC_HERE, "clReleaseCommandQueue", code));
    syc_live_add(SYC_LIVE_CL_QUEUE, -1);
    memory->mapper = NULL;
}

static size_t mapped_bytes(const syc_usm *usm)
{
    return usm->bytes > 0 ? usm->bytes : 1;
}

/* `mapping` locked: a second thread that wants to look waits until it can. */
static syc_status map(syc_usm *usm)
{
    const syc_cl_table *cl = syc_context_cl(usm->context);
    syc_status status = SYC_OK;
    cl_command_queue queue;
    SYC_TRY(get_mapper(usm->slab->pool->memory, &queue));
    SYC_CL(cl, EnqueueSVMMap,
           (queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, usm->data, mapped_bytes(usm), 0, NULL, NULL));
    atomic_store(&usm->mapped, true);
done:
    return status;
}

syc_status syc_usm_hold_host(syc_usm *usm)
{
    pthread_mutex_t *mapping = &usm->slab->pool->memory->mapping;
    syc_status status = SYC_OK;

    SYC_TRY(syc_process_check());
    SYC_CHECK(usm->kind != SYC_USM_DEVICE, SYC_E_INVALID_OBJECT,
              "the host cannot touch device memory: copy it with queue.memcpy");
    atomic_fetch_add(&usm->host_holds, 1);
    if (!usm->coarse)
        return SYC_OK;
    pthread_mutex_lock(mapping);
    if (!atomic_load(&usm->mapped))
        status = map(usm);
    pthread_mutex_unlock(mapping);
    if (status != SYC_OK)
        atomic_fetch_sub(&usm->host_holds, 1);
done:
    return status;
}

bool syc_usm_is_open(const syc_usm *usm)
{
    return usm->kind != SYC_USM_DEVICE && (!usm->coarse || atomic_load(&usm->mapped));
}

bool syc_usm_is_wanted(const syc_usm *usm)
{
    return usm->coarse && atomic_load(&usm->host_holds) > 0;
}

/* It stays mapped: the next command that uses it, or its end, sees to that. */
void syc_usm_drop_host(syc_usm *usm)
{
    atomic_fetch_sub(&usm->host_holds, 1);
}

/* Before mapped memory is given back. Failures are of no more interest than the memory. */
void syc__usm_unmap(syc_usm *usm)
{
    struct syc__usm_memory *memory = usm->slab->pool->memory;
    const syc_cl_table *cl = syc_context_cl(memory->context);
    cl_command_queue queue;
    if (!usm->coarse || !atomic_exchange(&usm->mapped, false))
        return;
    pthread_mutex_lock(&memory->mapping);
    if (get_mapper(memory, &queue) == SYC_OK && cl->EnqueueSVMUnmap(queue, usm->data, 0, NULL, NULL) == CL_SUCCESS)
        (void)cl->Finish(queue);
    pthread_mutex_unlock(&memory->mapping);
}

syc_status syc_usm_enqueue_unmap(syc_usm *usm, cl_command_queue queue, cl_uint after_count, const cl_event *after,
                                 cl_event *out)
{
    syc_status status = SYC_OK;
    if (!usm->coarse || !atomic_exchange(&usm->mapped, false))
        return SYC_OK;
    SYC_CL(syc_context_cl(usm->context), EnqueueSVMUnmap, (queue, usm->data, after_count, after, out));
    syc_live_add(SYC_LIVE_CL_EVENT, 1);
done:
    if (status != SYC_OK)
        atomic_store(&usm->mapped, true);
    return status;
}

syc_status syc_usm_enqueue_map(syc_usm *usm, cl_command_queue queue, cl_uint after_count, const cl_event *after,
                               cl_event *out)
{
    syc_status status = SYC_OK;
    if (!usm->coarse || atomic_load(&usm->host_holds) == 0 || atomic_exchange(&usm->mapped, true))
        return SYC_OK;
    SYC_CL(syc_context_cl(usm->context), EnqueueSVMMap,
           (queue, CL_FALSE, CL_MAP_READ | CL_MAP_WRITE, usm->data, mapped_bytes(usm), after_count, after, out));
    syc_live_add(SYC_LIVE_CL_EVENT, 1);
done:
    if (status != SYC_OK)
        atomic_store(&usm->mapped, false);
    return status;
}
