/* Kernels whose arguments stay set from one replay to the next. Each launch of a recording has its own, so that a
 * replay sets only what is another memory object each time; two replays at once have two sets. */
#include "schedule/replay/recording.h"

#include "base/alloc.h"
#include "program/program.h"
#include "schedule/steps.h"

static syc_status build_of(const syc_recording *recording, size_t item, syc_build **out)
{
    return syc__launch_build(recording->queue, recording->items[item].work, out);
}

static bool is_launch(const struct syc__recorded *item)
{
    return item->work->ops->kind == SYC_TASK_LAUNCH && !item->empty;
}

void syc__kernel_set_drop(const syc_recording *recording, struct syc__kernel_set *set)
{
    for (size_t i = 0; i < recording->count; i++) {
        const struct syc__work *work = recording->items[i].work;
        syc_build *build = NULL;
        /* The build was there for the kernel to be taken. */
        if (set->kernels[i] != NULL && build_of(recording, i, &build) == SYC_OK)
            syc_build_give_kernel(build, work->launch.kernel, syc__pointer_mask(recording->queue, work),
                                  set->kernels[i]);
    }
    syc_free(set);
}

static syc_status set_constants(const syc_recording *recording, const struct syc__work *work, cl_kernel kernel)
{
    syc_status status = SYC_OK;
    for (size_t i = 0; i < work->launch.argument_count; i++) {
        const syc_argument *a = &work->launch.arguments[i];
        if (a->kind != SYC_ARGUMENT_BUFFER && a->kind != SYC_ARGUMENT_SPAN)
            SYC_TRY(syc__set_plain_argument(recording->queue->context, kernel, i, a));
    }
done:
    return status;
}

static syc_status make(const syc_recording *recording, struct syc__kernel_set **out)
{
    struct syc__kernel_set *set = NULL;
    syc_status status = SYC_OK;

    SYC_TRY(syc_alloc(sizeof *set + recording->count * sizeof set->kernels[0], &set));
    for (size_t i = 0; i < recording->count; i++) {
        const struct syc__work *work = recording->items[i].work;
        syc_build *build = NULL;
        if (!is_launch(&recording->items[i]))
            continue;
        SYC_TRY(build_of(recording, i, &build));
        SYC_TRY(syc_build_take_kernel(build, work->launch.kernel, syc__pointer_mask(recording->queue, work),
                                      &set->kernels[i]));
        SYC_TRY(set_constants(recording, work, set->kernels[i]));
    }
    *out = set;
    set = NULL;
done:
    if (set != NULL)
        syc__kernel_set_drop(recording, set);
    return status;
}

syc_status syc__kernel_set_take(syc_recording *recording, struct syc__kernel_set **out)
{
    struct syc__kernel_set *set;
    pthread_mutex_lock(&recording->lock);
    set = recording->sets;
    if (set != NULL)
        recording->sets = set->next;
    pthread_mutex_unlock(&recording->lock);
    if (set == NULL)
        return make(recording, out);
    *out = set;
    return SYC_OK;
}

void syc__kernel_set_give(syc_recording *recording, struct syc__kernel_set *set)
{
    pthread_mutex_lock(&recording->lock);
    set->next = recording->sets;
    recording->sets = set;
    pthread_mutex_unlock(&recording->lock);
}
