/* The team's lane: a launch whose groups know nothing of each other is run by threads of ours, which call the code that
 * the driver has compiled for it; a small one by the calling thread alone. No command of the driver's is made, which
 * takes longer than many a launch. The command has ended when its submission returns, as in the caller's lane. */
#include "schedule/lanes/team_lane.h"
#include "base/team.h"
#include "program/cache/use.h"
#include "schedule/steps.h"

#include <string.h>

enum { PLAIN_ALIGNMENT = 16 };

/* -- arguments -- */

/* Vectors lie on boundaries of their size. */
static bool add_value(struct syc__run *run, const syc_argument *a, void **out)
{
    size_t boundary = PLAIN_ALIGNMENT;
    *out = (void *)a->value;
    if (a->size <= PLAIN_ALIGNMENT)
        return true;
    while (boundary < a->size && boundary < SYC__WIDEST_VALUE)
        boundary *= 2;
    run->used = (run->used + boundary - 1) / boundary * boundary;
    if (a->size > sizeof run->values - run->used)
        return false;
    *out = memcpy(run->values + run->used, a->value, a->size);
    run->used += a->size;
    return true;
}

static bool find_address(const syc_command *command, const syc_argument *a, void **out)
{
    const struct syc__work *work = command->work;
    const syc_need *need;
    switch (a->kind) {
    case SYC_ARGUMENT_SPAN:
        *out = a->span.data;
        return !syc_host_array_is_staged(command->queue->device->facts, &a->span);
    case SYC_ARGUMENT_POINTER:
        *out = (void *)a->pointer;
        return true;
    case SYC_ARGUMENT_BUFFER:
        need = &work->needs[a->buffer.need];
        if (a->size == 0 || a->buffer.alignment == 0 || need->buffer->image.rank != 0 ||
            syc_place_is_device(need->place))
            return false;
        *out = syc_buffer_address(need->buffer, need->place, a->buffer.low);
        return *out != NULL && (uintptr_t)*out % a->buffer.alignment == 0;
    default:
        return false;
    }
}

static bool collect_arguments(const syc_command *command, struct syc__run *run)
{
    const struct syc__work *work = command->work;
    if (work->launch.argument_count > SYC__MOST_ARGUMENTS)
        return false;
    for (size_t i = 0; i < work->launch.argument_count; i++) {
        const syc_argument *a = &work->launch.arguments[i];
        run->arguments[i] = &run->pointers[i];
        if (!(a->kind == SYC_ARGUMENT_VALUE ? add_value(run, a, &run->arguments[i])
                                            : find_address(command, a, &run->pointers[i])))
            return false;
    }
    for (size_t i = 0; i < work->allocation_count; i++)
        if (syc_usm_is_wanted(work->allocations[i]))
            return false;
    return true;
}

/* -- the lane -- */

/* A launch of a text whose code may be known, in a process that calls such code. */
static bool is_called(const syc_command *command)
{
    const struct syc__work *work = command->work;
    return command->queue->device->facts->team_least_ns != 0 && work->ops->kind == SYC_TASK_LAUNCH &&
           work->launch.native == NULL && work->launch.geometry.near_ns != 0 && !syc_team_is_off();
}

/* A call that does not wait for its command is kept about as long as by the caller's lane: one other thread helps at
 * least. */
static bool is_team_sized(const syc_command *command)
{
    const syc_facts *facts = command->queue->device->facts;
    const uint64_t ns = command->work->launch.geometry.near_ns;
    return ns >= facts->team_least_ns && ns <= facts->team_most_ns &&
           (command->awaited || ns / 2 <= facts->caller_budget_ns);
}

/* False: the groups may know of each other, or of an offset. */
static bool describe_groups(const syc_geometry *g, syc_group_grid *out)
{
    *out = (syc_group_grid){.dims = g->dims, .groups = {1, 1, 1}, .local = {1, 1, 1}};
    for (unsigned d = 0; d < g->dims; d++) {
        if (g->offset[d] != 0 || g->local[d] == 0 || g->global[d] % g->local[d] != 0)
            return false;
        out->local[d] = g->local[d];
        out->groups[d] = g->global[d] / g->local[d];
    }
    return g->apart && g->rest == 0;
}

static const syc_group_code *find_code(const syc_command *command, bool known, const syc_group_grid *grid)
{
    const struct syc__work *work = command->work;
    syc_build *build = NULL;
    if (known) {
        build = syc__launch_known_build(command->queue, work);
        return build != NULL ? syc_build_known_code(build, work->launch.kernel, grid) : NULL;
    }
    return syc__launch_build(command->queue, work, &build) == SYC_OK
               ? syc_build_group_code(build, work->launch.kernel, grid)
               : NULL;
}

static void run_pieces(const void *payload, size_t first, size_t past)
{
    const struct syc__run *run = payload;
    syc_group_code_run(run->code, &run->grid, &run->space, run->arguments, run->groups * first / run->pieces,
                       run->groups * past / run->pieces);
}

/* Finds all that the groups are given. False: they cannot be called. Pieces are whole groups, which depend on range and
 * device alone: so do results. */
static bool set_out(const syc_command *command, bool known, struct syc__run *run)
{
    run->used = 0;
    if (!describe_groups(&command->work->launch.geometry, &run->grid))
        return false;
    run->code = find_code(command, known, &run->grid);
    if (run->code == NULL || !collect_arguments(command, run))
        return false;
    run->groups = run->grid.groups[0] * run->grid.groups[1] * run->grid.groups[2];
    run->pieces = run->groups < SYC_TEAM_PIECES ? run->groups : SYC_TEAM_PIECES;
    syc_group_space_fill(run->code, &run->grid, &run->space);
    syc__cache_disturb();
    return true;
}

bool syc__run_find(const syc_command *command, bool known, struct syc__run *run)
{
    return is_called(command) && !is_team_sized(command) && syc__caller_may(command) && set_out(command, known, run);
}

void syc__run_alone(const struct syc__run *run)
{
    run_pieces(run, 0, run->pieces);
}

bool syc__team_runs(const syc_command *command)
{
    struct syc__run run;
    bool shared, alone;
    if (!is_called(command))
        return false;
    shared = is_team_sized(command);
    alone = syc__caller_may(command);
    if (!(shared || alone) || !set_out(command, false, &run))
        return false;
    if (shared &&
        syc_team_run(&(syc_team_job){
            .work = run_pieces, .payload = &run, .pieces = run.pieces, .ns = command->work->launch.geometry.near_ns}))
        return true;
    if (alone)
        syc__run_alone(&run);
    return alone;
}
