/* A launch as Python spells it, up to the core's submit: shared by the queue's shortcuts and the handler. */
#ifndef SYC_PYTHON_LAUNCH_LAUNCH_H
#define SYC_PYTHON_LAUNCH_LAUNCH_H

#include "algo/lower/lower.h"
#include "program/program.h"
#include "python/launch/argument.h"
#include "python/launch/call.h"

typedef struct syc_py_after syc_py_after; /* python/launch/after.h */

/* Everything about one launch that was converted at the call and waits for its submission. Not to be moved: it points
 * into itself. */
typedef struct syc_py_launch {
    syc_program *program; /* retained; NULL: no launch */
    size_t kernel;
    cl_context bound;      /* the only context that it may run in, or NULL */
    cl_kernel native;      /* launched as it is, with the arguments that it has; or NULL */
    syc_geometry geometry; /* the user's range; once planned, the launch */
    bool sized;            /* of parallel_for_work_group: the size of its groups is given */
    bool grouped, single;  /* grouped: the local size is given, as for an nd-range or a single task */
    bool whole;            /* a kernel with reducers: `planned` is the launch */
    syc_geometry planned;
    bool nothing;                     /* it only gives variables their identities: its arguments are not the user's */
    const struct syc_py_reach *reach; /* what replays hold new arguments against, kept by the task; or NULL */
    bool lowered;                     /* the kernel is a body in the form that `lowering` says */
    syc_lowering lowering;
    syc_py_arguments arguments;
    syc_py_task *task; /* whose command it is */
} syc_py_launch;

/* No kernel yet. */
void syc_py_launch_start(const syc_py_scope *scope, syc_py_launch *out);
/* The call's range is an int, a tuple of 1 to 3 ints or an NdRange; NULL for a single task. Its kernel is a Kernel or
 * the text of a body. Fills out, and the scope's task, which must have been started; -1 with an error set, and the task
 * is to be dropped. */
int syc_py_launch_prepare(const syc_py_scope *scope, SYC_KEEP const syc_py_call *call, syc_py_launch *out);
/* The range alone. -1 with an error set. */
int syc_py_launch_range(syc_state *state, SYC_KEEP const syc_py_call *call, syc_py_launch *out);
/* Local memory belongs to a work-group, and only an nd-range has groups that the caller knows of. */
syc_status syc_py_launch_check_local(SYC_KEEP const syc_py_launch *launch, SYC_KEEP const syc_signature *kernel);
/* Are the work-items of the body's form to be grouped as the range says? Reducers see no difference where the text asks
 * for nothing of its group; an offset would count in its linear id. */
bool syc_py_launch_groups(SYC_KEEP const syc_py_launch *launch, SYC_KEEP const syc_body *body);
void syc_py_launch_clear(syc_py_launch *launch);
/* Builds, checks limits, and fills the task's own launch, which points into this one. -1 with an error set. */
int syc_py_launch_plan(QueueObject *queue, syc_py_launch *launch);
/* Builds, checks limits and submits; uses the launch and its task up as syc_py_task_submit does. A new Event or NULL.
 */
PyObject *syc_py_launch_submit(QueueObject *queue, syc_py_launch *launch, SYC_KEEP const syc_py_after *after);

#endif
