/* Prepares a launch: of a kernel, of a kernel with reducers, or of the text of a body. */
#include "cl/context.h"
#include "python/body/body.h"
#include "python/body/whole_reductions.h"
#include "python/launch/checked.h"
#include "python/launch/collectives.h"
#include "python/launch/launch.h"
#include "schedule/queue.h"
#include "source/declarations/signature.h"

static KernelObject *kernel_of(const syc_py_scope *scope, PyObject *object)
{
    KernelObject *kernel = (KernelObject *)object;
    if (!PyObject_TypeCheck(object, scope->state->base[SYC_FACE_KERNEL])) {
        (void)syc_py_call_refuse_kernel(scope->state, object);
        return NULL;
    }
    if (kernel->home == NULL || kernel->home->native == syc_queue_context(scope->queue->core)->native)
        return kernel;
    syc_py_refuse(scope->state, SYC_E_INVALID_OBJECT, "kernel '%s' %s of another context than the queue's",
                  syc_program_signatures(kernel->core)->items[kernel->index].name,
                  kernel->given != NULL ? "was made from a cl_kernel" : "belongs to a kernel bundle");
    return NULL;
}

/* A kernel that was made from a cl_kernel, and that gets no arguments, runs with those that were set on it: where they
 * lead is its maker's affair. */
static int convert_arguments(const syc_py_scope *scope, KernelObject *k, const syc_py_call *call, syc_py_launch *out)
{
    static const syc_signature nothing;
    const syc_signature *signature = &syc_program_signatures(k->core)->items[k->index];

    if (k->given == NULL)
        return syc_py_arguments_convert(scope, signature, call->given, call->count,
                                        syc_py_program_check_room(signature), &out->arguments);
    if (call->count > 0 || signature->count == 0)
        return syc_py_arguments_convert(scope, signature, call->given, call->count, 0, &out->arguments);
    out->native = k->given;
    if (syc_py_arguments_convert(scope, &nothing, NULL, 0, 0, &out->arguments) < 0)
        return -1;
    if (syc_py_task_hold(scope->task, (PyObject *)k) == 0)
        return 0;
    syc_py_arguments_clear(&out->arguments);
    return -1;
}

int syc_py_launch_prepare(const syc_py_scope *scope, const syc_py_call *call, syc_py_launch *out)
{
    KernelObject *k;

    syc_py_launch_start(scope, out);
    if (PyUnicode_Check(call->kernel))
        return syc_py_body_prepare(scope, call, out);
    k = kernel_of(scope, call->kernel);
    if (k == NULL || syc_py_launch_range(scope->state, call, out) < 0)
        return -1;
    out->kernel = k->index;
    out->bound = k->home != NULL ? k->home->native : NULL;
    if (k->given == NULL && syc_reducing_kernel_of(k->core, k->index) != NULL)
        return syc_py_reducing_prepare(scope, k, call, out);
    if (convert_arguments(scope, k, call, out) < 0)
        return -1;
    syc_program_retain(k->core);
    out->program = k->core;
    if ((!syc_py_checks() || k->given != NULL || syc_py_program_check(scope, call, out) == 0) &&
        syc_py_collectives_add(scope, out) == 0)
        return 0;
    syc_py_launch_clear(out);
    return -1;
}
