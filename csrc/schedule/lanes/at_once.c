/* The short way of a small launch: the calling thread does it while it holds the order lock. Nobody else can find it in
 * the meantime, so it is in no map and no list, and its work is borrowed from the task. All else is as ever: it waits
 * for what it has to wait for, by not going this way. */
#include "schedule/lanes/team_lane.h"
#include "schedule/steps.h"

/* As estimated: for so long may it keep others from the lock. */
enum { AT_MOST_NS = 3500, MOST_USES = 16 };

/* Faults and texts are asked for when a command ends, and buffers may have to be copied before: they take the long way.
 */
bool syc_task_is_small(const syc_task *task)
{
    return task->ops == &syc_launch_ops && task->launch.geometry.near_ns != 0 &&
           task->launch.geometry.near_ns <= AT_MOST_NS && task->need_count == 0 && task->verdict.call == NULL &&
           task->ending.call == NULL && task->launch.argument_count + task->allocation_count <= MOST_USES;
}

static void look(syc_command *on, void *user)
{
    *(bool *)user |= !syc_command_ended(on);
}

/* Has something in flight to end first, or to be told of it? */
static bool must_wait_locked(const syc_command *command, syc_command *const *after, size_t after_count)
{
    const syc_queue *queue = command->queue;
    bool busy = atomic_load(&syc__closing) || (queue->options.in_order && queue->oldest != NULL) ||
                syc__keeps_times(queue) || queue->profiles > 0;
    for (size_t i = 0; i < after_count; i++)
        busy = busy || !syc_command_ended(after[i]) || syc_command_failure(after[i]) != NULL;
    if (!busy)
        syc__uses_visit_locked(command->work, look, &busy);
    return busy;
}

static bool run(syc_command *command, syc_command *const *after, size_t after_count, bool known)
{
    struct syc__run run;
    bool mine;
    if (syc__work_empty(command->work) || !syc__run_find(command, known, &run))
        return false;
    syc__order_lock();
    mine = syc__uses_find_locked(command) == SYC_OK && !must_wait_locked(command, after, after_count);
    if (mine) {
        syc__graph_record_locked(command, after, after_count);
        syc__run_alone(&run);
        command->ran = true;
        syc__set_state(command, SYC__COMPLETE);
    }
    syc__order_unlock();
    return mine;
}

bool syc__at_once(syc_command *command, const syc_task *task, syc_command *const *after, size_t after_count,
                  syc_site site, bool known)
{
    struct syc__use uses[MOST_USES];
    struct syc__work work;
    bool done;
    if (!syc_task_is_small(task))
        return false;
    syc__work_borrow(task, uses, MOST_USES, &work);
    work.site = site;
    command->work = &work;
    done = run(command, after, after_count, known);
    command->work = NULL;
    return done;
}
