/* Launches of bodies: the form, and what it is given. */
#include "python/body/reductions.h"

#include "algo/lower/tuned.h"
#include "algo/selftest/selftest.h"
#include "python/body/reach.h"
#include "python/launch/checked.h"
#include "python/launch/collectives.h"
#include "python/launch/launch.h"
#include "schedule/queue.h"

/* Local memory belongs to a work-group, and only an nd-range has groups that the caller knows of. */
static int check_local(const syc_py_body_use *use, const syc_py_launch *launch)
{
    for (Py_ssize_t i = 0; i < use->call.count && (!launch->grouped || launch->single); i++) {
        if (use->given[i].class.origin == SYC_PY_LOCAL)
            return syc_py_body_refuse(
                &use->call, SYC_E_KERNEL_ARGUMENT, i,
                "is local memory, which belongs to a work-group: launch the body over an NdRange, not %s",
                launch->single ? "as a single task" : "over a plain range");
    }
    return 0;
}

/* Elements of half are numbers to some devices only. Everything else is seen in the kernel's text. */
static int check_halves(const syc_py_body_use *use, const syc_device *device)
{
    if (device->fp16 || !syc_body_traits_of(use->special->core)->halves)
        return 0;
    syc_py_raise(use->call.state,
                 syc_fail(SYC_E_KERNEL_NOT_SUPPORTED, SYC_HERE, "kernel '%s' uses half, and device '%s' has no fp16",
                          use->call.kernel, syc_device_name(device)));
    return -1;
}

static syc_status choose_form(const syc_py_body_use *use, const syc_device *device, syc_py_launch *launch)
{
    syc_status status = SYC_OK;
    syc_span_sizes sizes;
    if (use->special->key.hierarchical)
        return syc_lower_choose_groups(device, launch->sized, syc_py_checks(), &launch->geometry, &launch->lowering);
    if (syc_body_traits_of(use->special->core)->scatters) {
        syc_py_reduce_sizes(use, &sizes);
        SYC_TRY(syc_lower_check_variables(use->call.kernel, use->special->core, &launch->geometry, &sizes));
    }
    syc_lower_choose(device, use->special->core, &launch->geometry, &sizes,
                     syc_py_launch_groups(launch, use->special->core), syc_py_checks(), &launch->lowering);
done:
    return status;
}

static inline bool is_known(const syc_device *device, const syc_lowering *lowering)
{
    return __builtin_expect(!syc_device_has_way(device, lowering->families, SYC_WAY_UNKNOWN), 1) ||
           !syc_selftest_enabled();
}

/* At first use a form has to stand the self-test; where it does not, the next one has to. What could not be tested
 * stays unknown, and is believed. */
static syc_status settle_form(const syc_py_body_use *use, const syc_device *device, syc_context *context,
                              syc_py_launch *launch)
{
    const syc_geometry range = launch->geometry; /* choosing for a hierarchical kernel changes it */
    syc_families asked = 0;
    syc_status status;

    if (syc_body_traits_of(use->special->core)->reduces && !syc_tuned_is_loaded(device) && context != NULL)
        syc_tuned_load(context);
    status = choose_form(use, device, launch);

    while (status == SYC_OK && context != NULL && !is_known(device, &launch->lowering) &&
           (launch->lowering.families & ~asked) != 0) {
        const syc_families families = launch->lowering.families;
        SYC_CORE_BEGIN
            status = syc_selftest_find_out(context, families);
        SYC_CORE_END
        asked |= families;
        launch->geometry = range;
        if (status == SYC_OK)
            status = choose_form(use, device, launch);
    }
    if (status == SYC_OK && context != NULL && syc_device_is_wrong(device, launch->lowering.families))
        status = syc_selftest_settle(context, launch->lowering.families); /* refuses */
    return status;
}

int syc_py_body_use_lower(syc_py_body_use *use, const syc_device *device, syc_context *context, syc_py_launch *launch)
{
    syc_status status;
    if (check_local(use, launch) < 0)
        return -1;
    if (launch->single)
        launch->geometry.dims = 0;
    status = settle_form(use, device, context, launch);
    if (status == SYC_OK)
        status = syc_body_lower(use->special->core, &launch->lowering.form, &use->lowered);
    if (status == SYC_OK)
        return 0;
    syc_py_raise(use->call.state, status);
    return -1;
}

/* Names that Parameters gave. */
static int name_arguments(const syc_py_scope *scope, const syc_py_call *call, syc_py_arguments *out)
{
    size_t at = 0;
    for (Py_ssize_t i = 0; call->names != NULL && i < PyTuple_GET_SIZE(call->names); i++) {
        PyObject *value = call->named[i], *name = syc_py_parameter(scope->state, &value);
        if (!syc_py_body_takes(scope->state, call, i))
            continue;
        if (name != NULL && syc_py_argument_name(scope, name, &out->items[at]) < 0) {
            syc_py_arguments_clear(out);
            return -1;
        }
        at++;
    }
    return 0;
}

/* An empty nd-range has no group that would come last. */
static int give_nothing(const syc_py_scope *scope, const syc_py_body_use *use, syc_py_launch *out)
{
    if (!out->lowering.form.grouped || use->lowered->partials == NULL || !syc_py_reduce_is_empty(&out->geometry))
        return 0;
    return syc_py_reduce_nothing(scope, use, syc_py_body_prepare, out);
}

int syc_py_body_launch(const syc_py_scope *scope, const syc_py_call *call, syc_py_launch *out, syc_py_body_use *use)
{
    const syc_device *device = syc_queue_device(scope->queue->core);

    syc_py_launch_start(scope, out);
    if (syc_py_launch_range(scope->state, call, out) < 0 ||
        syc_py_body_use_open(scope->state, device, call, scope->task, use) < 0)
        return -1;
    if (check_halves(use, device) < 0 ||
        syc_py_body_use_lower(use, device, syc_queue_context(scope->queue->core), out) < 0 ||
        syc_py_body_arguments(scope, use, out, &out->arguments) < 0 ||
        (use->named && name_arguments(scope, call, &out->arguments) < 0)) {
        syc_py_body_use_clear(use);
        return -1;
    }
    out->program = use->lowered->program;
    out->kernel = 0;
    out->lowered = true;
    syc_program_retain(out->program);
    if (syc_py_reach_check(scope, use, out) == 0 && syc_py_collectives_add(scope, out) == 0 &&
        give_nothing(scope, use, out) == 0)
        return 0;
    syc_py_launch_clear(out);
    syc_py_body_use_clear(use);
    return -1;
}

int syc_py_body_prepare(const syc_py_scope *scope, const syc_py_call *call, syc_py_launch *out)
{
    syc_py_body_use use;
    if (syc_py_body_launch(scope, call, out, &use) < 0)
        return -1;
    syc_py_body_use_clear(&use);
    return 0;
}
