/* The part of a command that is needed until it completes: what it does, what it uses, what it keeps alive. */
#include "base/alloc.h"
#include "cl/constants.h"
#include "cl/entries.h"
#include "memory/sampler.h"
#include "memory/usm/usm.h"
#include "program/program.h"
#include "schedule/replay/recording.h"

#include <string.h>

/* Values are read in place by clSetKernelArg: keep each on a boundary that suits any vector type. */
enum { VALUE_ALIGNMENT = 16 };

static size_t rounded(size_t size)
{
    return (size + VALUE_ALIGNMENT - 1) / VALUE_ALIGNMENT * VALUE_ALIGNMENT;
}

/* Everything of variable length lies behind the struct, in one block: allocated by what is needed, handed out in turn.
 */
struct block {
    char *next;
};

static void *carve(struct block *block, size_t bytes)
{
    void *place = block->next;
    block->next += rounded(bytes);
    return place;
}

static size_t spans_of(const syc_task *task)
{
    size_t spans = 0;
    for (size_t i = 0; task->ops->kind == SYC_TASK_LAUNCH && i < task->launch.argument_count; i++)
        spans += task->launch.arguments[i].kind == SYC_ARGUMENT_SPAN;
    return spans;
}

/* The most that it has in maps of hazards. */
static size_t uses_of(const syc_task *task)
{
    return spans_of(task) + task->need_count + task->allocation_count;
}

static size_t bytes_of(const syc_task *task)
{
    size_t bytes = rounded(sizeof(struct syc__work)) + rounded(task->need_count * sizeof(syc_need)) +
                   rounded(task->allocation_count * sizeof(syc_usm *));
    if (task->ops->kind == SYC_TASK_FILL)
        bytes += rounded(task->fill.pattern_size);
    if (task->ops->kind == SYC_TASK_REPLAY)
        bytes += rounded(task->replay->layout->array_count * sizeof(syc_binding));
    if (task->ops->kind != SYC_TASK_LAUNCH)
        return bytes;
    bytes += rounded(task->launch.argument_count * sizeof(syc_argument)) +
             rounded(spans_of(task) * sizeof(syc_binding)) + rounded(uses_of(task) * sizeof(struct syc__use));
    for (size_t i = 0; i < task->launch.argument_count; i++) {
        const syc_argument *a = &task->launch.arguments[i];
        bytes += a->kind == SYC_ARGUMENT_VALUE ? rounded(a->size) : 0;
    }
    return bytes;
}

static void take_launch(struct syc__work *work, const syc_task *task, struct block *block)
{
    const syc_launch *launch = &task->launch;
    syc_program_retain(launch->program);
    work->launch.program = launch->program;
    work->launch.kernel = launch->kernel;
    work->launch.native = launch->native;
    work->launch.told = launch->told;
    work->launch.geometry = launch->geometry;
    work->launch.argument_count = launch->argument_count;
    work->launch.arguments = carve(block, launch->argument_count * sizeof *work->launch.arguments);
    work->binding_count = spans_of(task);
    work->bindings = carve(block, work->binding_count * sizeof *work->bindings);
    work->use_room = uses_of(task);
    work->uses = carve(block, work->use_room * sizeof *work->uses);
    for (size_t i = 0; i < launch->argument_count; i++) {
        syc_argument *a = &work->launch.arguments[i];
        *a = launch->arguments[i];
        if (a->kind == SYC_ARGUMENT_SAMPLER)
            syc_sampler_retain(a->sampler);
        if (a->kind == SYC_ARGUMENT_VALUE)
            a->value = memcpy(carve(block, a->size), a->value, a->size);
    }
}

void syc__work_borrow(const syc_task *task, struct syc__use *uses, size_t room, struct syc__work *out)
{
    *out = (struct syc__work){.ops = task->ops,
                              .allocations = (syc_usm **)task->allocations,
                              .allocation_count = task->allocation_count,
                              .uses = uses,
                              .use_room = room};
    out->launch.program = task->launch.program;
    out->launch.kernel = task->launch.kernel;
    out->launch.native = task->launch.native;
    out->launch.geometry = task->launch.geometry;
    out->launch.arguments = (syc_argument *)task->launch.arguments;
    out->launch.argument_count = task->launch.argument_count;
}

static void take_replay(struct syc__work *work, const syc_task *task, struct block *block)
{
    work->replay.replay = task->replay;
    work->binding_count = task->replay->layout->array_count;
    work->bindings = carve(block, work->binding_count * sizeof *work->bindings);
}

static void take_uses(struct syc__work *work, const syc_task *task, struct block *block)
{
    work->need_count = task->need_count;
    work->needs = carve(block, task->need_count * sizeof *work->needs);
    for (size_t i = 0; i < task->need_count; i++) {
        work->needs[i] = task->needs[i];
        syc_buffer_retain(task->needs[i].buffer);
    }
    work->allocation_count = task->allocation_count;
    work->allocations = carve(block, task->allocation_count * sizeof(syc_usm *));
    for (size_t i = 0; i < task->allocation_count; i++) {
        work->allocations[i] = task->allocations[i];
        syc_usm_retain(task->allocations[i]);
    }
}

syc_status syc__work_create(const syc_task *task, struct syc__work **out)
{
    struct syc__work *work = NULL;
    struct block block;
    syc_status status = syc_alloc(bytes_of(task), &work);
    if (status != SYC_OK)
        return status;
    block.next = (char *)work + rounded(sizeof *work);
    work->ops = task->ops;
    work->verdict = task->verdict;
    work->ending = task->ending;
    take_uses(work, task, &block);
    if (task->ops->kind == SYC_TASK_LAUNCH)
        take_launch(work, task, &block);
    if (task->ops->kind == SYC_TASK_REPLAY)
        take_replay(work, task, &block);
    if (task->ops->kind == SYC_TASK_COPY)
        work->copy = task->copy;
    if (task->ops->kind == SYC_TASK_HINT)
        work->hint = task->hint;
    if (task->ops->kind == SYC_TASK_FILL) {
        work->fill = task->fill;
        work->fill.pattern =
            memcpy(carve(&block, task->fill.pattern_size), task->fill.pattern, task->fill.pattern_size);
    }
    if (work->ops->retain != NULL)
        work->ops->retain(work);
    *out = work;
    return SYC_OK;
}

static void release_memory(const syc_command *command, cl_mem memory)
{
    int code = syc_process_alive() ? syc_context_cl(command->context)->ReleaseMemObject(memory) : 0;
    if (code != 0)
        syc_report(syc_fail_cl(SYC_HERE, "clReleaseMemObject", code));
    syc_live_add(SYC_LIVE_CL_MEM, -1);
}

/* Objects that were made for the OpenCL calls. */
static void free_memory(const syc_command *command, struct syc__work *work)
{
    for (size_t i = 0; i < work->binding_count; i++)
        syc_binding_clear(command->context, &work->bindings[i]);
    for (size_t i = 0; i < work->held_count; i++) {
        if (work->held[i].buffer != NULL)
            syc_buffer_drop_view(work->held[i].buffer, work->held[i].memory);
        else
            release_memory(command, work->held[i].memory);
    }
    for (size_t i = 0; i < work->scratch_count; i++)
        syc_free(work->scratch[i].bytes);
    syc_free(work->held);
    syc_free(work->scratch);
}

static void free_launch(struct syc__work *work)
{
    for (size_t i = 0; i < work->launch.argument_count; i++) {
        if (work->launch.arguments[i].kind == SYC_ARGUMENT_SAMPLER)
            syc_sampler_release(work->launch.arguments[i].sampler);
    }
    syc_program_release(work->launch.program);
}

static void free_replay(const syc_command *command, struct syc__work *work)
{
    while (work->replay.parts != NULL) {
        struct syc__part *part = work->replay.parts;
        work->replay.parts = part->next;
        free_memory(command, &part->work);
        syc_free(part);
    }
    while (work->replay.event_count > 0) {
        syc_event_let_go(command->context, work->replay.events[--work->replay.event_count]);
        syc_live_add(SYC_LIVE_CL_EVENT, -1);
    }
    syc_free(work->replay.events);
    syc_free(work->replay.stretches);
}

void syc__work_free(const syc_command *command, struct syc__work *work)
{
    if (work == NULL)
        return;
    free_memory(command, work);
    if (work->ops->kind == SYC_TASK_LAUNCH)
        free_launch(work);
    if (work->ops->kind == SYC_TASK_REPLAY)
        free_replay(command, work);
    if (work->ops->release != NULL)
        work->ops->release(work);
    for (size_t i = 0; i < work->need_count; i++)
        syc_buffer_release(work->needs[i].buffer);
    for (size_t i = 0; i < work->allocation_count; i++)
        syc_usm_release(work->allocations[i]);
    syc_keep_let_go(work->keep);
    if (work->ops->kind != SYC_TASK_LAUNCH) /* of which they lie in the block */
        syc_free(work->uses);
    syc_free(work);
}

bool syc__work_empty(const struct syc__work *work)
{
    switch (work->ops->kind) {
    case SYC_TASK_NONE:
        return true;
    case SYC_TASK_COPY:
        return work->copy.to.bytes == 0;
    case SYC_TASK_FILL:
        return work->fill.to.bytes == 0;
    case SYC_TASK_REPLAY:
        return work->replay.replay->layout->calls == 0;
    case SYC_TASK_LAUNCH:
        for (unsigned d = 0; d < work->launch.geometry.dims; d++) {
            if (work->launch.geometry.global[d] == 0)
                return true;
        }
        return false;
    default:
        return false;
    }
}

/* Roughly what it takes, to choose a lane: a launch says so itself; bytes are moved by one core. */
uint64_t syc__work_cost_ns(const struct syc__work *work)
{
    enum { BYTES_PER_NS = 5 };
    switch (work->ops->kind) {
    case SYC_TASK_LAUNCH:
        return work->launch.geometry.cost_ns;
    case SYC_TASK_COPY:
        return work->copy.to.bytes / BYTES_PER_NS;
    case SYC_TASK_FILL:
        return work->fill.to.bytes / BYTES_PER_NS;
    case SYC_TASK_REPLAY:
        return work->replay.replay->layout->cost_ns;
    case SYC__MOVE:
        return (work->move.high - work->move.low) / BYTES_PER_NS;
    default:
        return 0;
    }
}

bool syc__work_is_on_host(const struct syc__work *work)
{
    return work->ops->kind == SYC__MOVE && !syc_place_is_device(work->move.from) && !syc_place_is_device(work->move.to);
}

const struct syc__work *syc__work_failed(const struct syc__work *work)
{
    const struct syc__work *part = work->ops->failed != NULL ? work->ops->failed(work) : NULL;
    return part != NULL ? part : work;
}

const syc_task_ops syc_nothing_ops = {.kind = SYC_TASK_NONE, .word = "empty"};
