/* Launches: from vectorcall arguments to a submitted command. */
#include "python/launch/launch.h"

#include "body/traits.h"
#include "cl/context.h"
#include "program/kernel_info.h"
#include "python/geometry.h"
#include "python/launch/after.h"
#include "schedule/queue.h"
#include "source/declarations/signature.h"

int syc_py_launch_range(syc_state *state, const syc_py_call *call, syc_py_launch *out)
{
    out->geometry = (syc_geometry){.dims = 1, .global = {1, 1, 1}, .local = {1, 1, 1}};
    out->grouped = true;
    out->single = call->range == NULL;
    out->sized = false;
    if (call->range == NULL)
        return 0;
    out->sized = call->group_size != NULL;
    if (call->hierarchical)
        return syc_py_geometry_groups(state, call->range, call->group_size, &out->geometry);
    return syc_py_geometry(state, call->range, &out->geometry, &out->grouped) < 0
               ? -1
               : syc_py_geometry_offset(state, call->own[SYC_WORD_OFFSET], out->grouped, &out->geometry);
}

void syc_py_launch_start(const syc_py_scope *scope, syc_py_launch *out)
{
    out->program = NULL;
    out->lowered = out->whole = out->nothing = false;
    out->bound = NULL;
    out->native = NULL;
    out->reach = NULL;
    out->task = scope->task;
}

void syc_py_launch_clear(syc_py_launch *launch)
{
    if (launch->program == NULL)
        return;
    syc_py_arguments_clear(&launch->arguments);
    syc_program_release(launch->program);
    launch->program = NULL;
}

/* Structs whose size only the device's compiler knows. */
static syc_status check_structs(const syc_device *device, const syc_signature *kernel, const syc_kernel_limits *limits,
                                const syc_py_arguments *arguments)
{
    syc_status status = SYC_OK;
    for (size_t i = 0; i < kernel->count && i < arguments->count; i++) {
        const syc_param *p = &kernel->params[i];
        size_t size = limits->struct_sizes[i],
               given = p->pointer ? arguments->items[i].element : arguments->items[i].size;
        bool unknown = size == 0 || (p->pointer && given == 0);
        SYC_CHECK(unknown || given == size, SYC_E_KERNEL_ARGUMENT,
                  "%s(): argument %zu, '%s', has %s%zu bytes, but '%s' has %zu on device '%s'", kernel->name, i + 1,
                  p->name, p->pointer ? "elements of " : "", given, p->struct_name, size, syc_device_name(device));
    }
done:
    return status;
}

syc_status syc_py_launch_check_local(const syc_py_launch *launch, const syc_signature *kernel)
{
    syc_status status = SYC_OK;
    SYC_CHECK(launch->arguments.local_bytes == 0 || (launch->grouped && !launch->single), SYC_E_KERNEL_ARGUMENT,
              "%s(): local memory belongs to a work-group: launch the kernel over an NdRange, not %s", kernel->name,
              launch->single ? "as a single task" : "over a plain range");
done:
    return status;
}

bool syc_py_launch_groups(const syc_py_launch *launch, const syc_body *body)
{
    const syc_body_traits *traits = syc_body_traits_of(body);
    const size_t *offset = launch->geometry.offset;
    bool moved = (offset[0] | offset[1] | offset[2]) != 0;
    return launch->grouped && !launch->single && (!traits->reduces || traits->reduced != 0 || traits->grouped || moved);
}

/* The user's nd-range has to be one, whatever the form makes of it. */
static syc_status check_nd_range(const syc_py_launch *launch, syc_device *device, const syc_signature *kernel)
{
    const syc_kernel_limits limits = {.max_group = device->max_group};
    syc_geometry range = launch->geometry;
    if (!launch->grouped || launch->single || launch->lowering.form.grouped ||
        launch->lowering.form.shape < SYC_SHAPE_LANES)
        return SYC_OK;
    return syc_plan_nd_range(device, kernel, &limits, 0, &range);
}

/* Builds and plans: what must hold before anything is submitted. No GIL. */
static syc_status plan(syc_queue *queue, void *payload)
{
    syc_py_launch *launch = payload;
    syc_device *device = syc_queue_device(queue);
    const syc_signature *kernel = &syc_program_signatures(launch->program)->items[launch->kernel];
    const syc_kernel_limits *limits;
    syc_build *build;
    syc_geometry geometry = launch->whole ? launch->planned : launch->geometry;
    unsigned turn;
    syc_status status = SYC_OK;

    SYC_TRY(syc_kernel_check(device, kernel));
    SYC_CHECK(launch->bound == NULL || launch->bound == syc_queue_context(queue)->native, SYC_E_INVALID_OBJECT,
              "kernel '%s' is bound to another context than that of the secondary queue", kernel->name);
    SYC_TRY(syc_program_build(launch->program, syc_queue_context(queue), &build));
    SYC_TRY(syc_build_limits(build, launch->kernel, device, &limits));
    SYC_TRY(check_structs(device, kernel, limits, &launch->arguments));
    if (launch->lowered)
        SYC_TRY(check_nd_range(launch, device, kernel));
    if (launch->lowered)
        SYC_TRY(syc_lower_plan(device, &launch->lowering, kernel, limits, launch->arguments.local_bytes,
                               &launch->geometry, &geometry));
    else if (launch->whole)
        SYC_TRY(syc_plan_nd_range(device, kernel, limits, launch->arguments.local_bytes, &geometry));
    else if (launch->grouped)
        SYC_TRY(syc_plan_nd_range(device, kernel, limits, launch->arguments.local_bytes, &geometry));
    else
        SYC_TRY(syc_plan_range(device, kernel, limits, launch->arguments.local_bytes, &geometry));
    if (!launch->whole)
        SYC_TRY(syc_py_launch_check_local(launch, kernel));
    if (!launch->whole && !launch->grouped && limits->required_group[0] == 0)
        syc_program_part_groups(launch->program, launch->kernel, device, geometry.local);
    turn = syc_program_turn(launch->program, launch->kernel, device, geometry.local);
    if (turn > 0)
        SYC_TRY(syc_program_build_turned(launch->program, syc_queue_context(queue), turn, &build));
    launch->task->core.ops = &syc_launch_ops;
    launch->task->core.launch = (syc_launch){.program = launch->program,
                                             .kernel = launch->kernel,
                                             .native = launch->native,
                                             .geometry = geometry,
                                             .told = launch->reach,
                                             .arguments = launch->arguments.items,
                                             .argument_count = launch->arguments.count};
done:
    return status;
}

int syc_py_launch_plan(QueueObject *queue, syc_py_launch *launch)
{
    syc_status status;
    SYC_CORE_BEGIN
        status = plan(queue->core, launch);
    SYC_CORE_END
    if (status == SYC_OK)
        return 0;
    syc_py_raise(syc_state_of(queue), status);
    return -1;
}

PyObject *syc_py_launch_submit(QueueObject *queue, syc_py_launch *launch, const syc_py_after *after)
{
    PyObject *event = syc_py_task_submit_after(queue, launch->task, plan, launch, after);
    if (event != NULL || !launch->task->again)
        syc_py_launch_clear(launch);
    return event;
}

PyObject *syc_py_submit_empty(QueueObject *queue, const syc_py_after *after)
{
    syc_py_task task;
    return syc_py_task_init(syc_state_of(queue), 0, &task) < 0 ? NULL : syc_py_task_submit(queue, &task, after);
}

static int add_event(syc_state *state, PyObject *event, syc_py_after *out)
{
    syc_command *command;
    if (!PyObject_TypeCheck(event, state->base[SYC_FACE_EVENT])) {
        syc_py_invalid(state, "depends_on: expected Events, got %R", event);
        return -1;
    }
    command = ((EventObject *)event)->core;
    if (command != NULL) /* the default event is complete from the start */
        out->items[out->count++] = command;
    return 0;
}

int syc_py_after_convert(syc_state *state, PyObject *events, syc_py_after *out)
{
    Py_ssize_t count;
    out->held = NULL;
    out->items = out->few;
    out->count = 0;
    if (events == NULL || events == Py_None)
        return 0;
    if (PyObject_TypeCheck(events, state->base[SYC_FACE_EVENT])) {
        out->held = Py_NewRef(events);
        return add_event(state, events, out);
    }
    out->held = PySequence_Tuple(events);
    if (out->held == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_TypeError)) /* what an iterator raised is the caller's own */
            return -1;
        PyErr_Clear();
        syc_py_invalid(state, "depends_on: expected an Event or Events, got %R", events);
        return -1;
    }
    count = PyTuple_GET_SIZE(out->held);
    if ((size_t)count > Py_ARRAY_LENGTH(out->few))
        out->items = PyMem_New(syc_command *, count);
    for (Py_ssize_t i = 0; out->items != NULL && i < count; i++) {
        if (add_event(state, PyTuple_GET_ITEM(out->held, i), out) < 0)
            goto failed;
    }
    if (out->items != NULL)
        return 0;
    PyErr_NoMemory();
failed:
    syc_py_after_clear(out);
    return -1;
}

void syc_py_after_clear(syc_py_after *after)
{
    Py_CLEAR(after->held);
    if (after->items != after->few)
        PyMem_Free(after->items);
    after->items = after->few;
    after->count = 0;
}
