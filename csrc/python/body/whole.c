/* Launches of a program's kernels with reducers in the forms that bodies have. */
#include "python/body/whole.h"

#include "algo/lower/tuned.h"
#include "body/name.h"
#include "program/build.h"
#include "python/body/reductions.h"
#include "python/launch/launch.h"
#include "schedule/queue.h"

static PyObject *place_of(const syc_py_body_use *use, Py_ssize_t index, int place)
{
    return PyTuple_GET_ITEM(use->call.values[index], place);
}

/* The kernel's names, of reducers with all that is known of their reductions: to be freed. NULL with an error set. */
static syc_name *name_reductions(const syc_py_body_use *use, const syc_name *names)
{
    syc_name *given = PyMem_New(syc_name, use->call.count + 1);
    if (given == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t i = 0; i < use->call.count; i++) {
        syc_reducer *reducer = &given[i].reducer;
        given[i] = names[i];
        if (names[i].kind != SYC_NAME_REDUCER)
            continue;
        given[i].op.operation = PyUnicode_AsUTF8(place_of(use, i, SYC_PY_REDUCTION_OPERATION));
        given[i].op.known = place_of(use, i, SYC_PY_REDUCTION_IDENTITY) != Py_None;
        reducer->fresh = place_of(use, i, SYC_PY_REDUCTION_FRESH) == Py_True;
        reducer->ordered = place_of(use, i, SYC_PY_REDUCTION_ORDERED) == Py_True;
        given[i].op.accuracy = (syc_accuracy)PyLong_AsLong(place_of(use, i, SYC_PY_REDUCTION_ACCURACY));
    }
    if (!PyErr_Occurred())
        return given;
    PyMem_Free(given);
    return NULL;
}

/* One launch. */
struct launching {
    const struct syc_py_conversion *c;
    syc_py_body_use *use;
    const syc_reducing_kernel *reducing;
    syc_body *body;
    syc_span_sizes sizes;
    syc_py_launch *out;
    bool refused; /* it cannot be a body */
};

static syc_status build(struct launching *l, syc_context *context)
{
    syc_build *made;
    syc_status status = syc_body_lower(l->body, &l->out->lowering.form, &l->use->lowered);
    if (status == SYC_OK)
        status = syc_program_build(l->use->lowered->program, context, &made);
    l->refused = status != SYC_OK && !syc_status_passes(status);
    return status;
}

static syc_status lower(struct launching *l)
{
    syc_queue *queue = l->c->scope->queue->core;
    syc_device *device = syc_queue_device(queue);
    syc_context *context = syc_queue_context(queue);
    syc_status status = SYC_OK;

    if (!syc_tuned_is_loaded(device))
        syc_tuned_load(context);
    SYC_TRY(syc_lower_check_variables(l->use->call.kernel, l->body, &l->out->geometry, &l->sizes));
    syc_lower_choose(device, l->body, &l->out->geometry, &l->sizes, syc_py_launch_groups(l->out, l->body), false,
                     &l->out->lowering);
    status = build(l, context);
done:
    return status;
}

/* As lower() says, with the error set. */
static int take_form(struct launching *l)
{
    syc_status status;
    syc_py_reduce_sizes(l->use, &l->sizes);
    l->sizes.local_bytes = l->c->out->local_bytes;
    SYC_CORE_BEGIN
        status = lower(l);
    SYC_CORE_END
    if (status == SYC_OK)
        return 1;
    if (l->refused)
        return 0;
    syc_py_raise(l->c->scope->state, status);
    return -1;
}

static int launch(struct syc_py_conversion *c, struct launching *l)
{
    int taken = take_form(l);
    if (taken == 0)
        syc_reducing_body_refuse(l->reducing, l->body);
    if (taken <= 0)
        return taken;
    c->index = -1;
    c->out->count = (size_t)l->use->call.count + l->use->lowered->hidden_count;
    if (syc_py_body_hidden(c, l->use, l->out) < 0)
        return -1;
    syc_program_retain(l->use->lowered->program);
    syc_program_release(l->out->program);
    l->out->program = l->use->lowered->program;
    l->out->kernel = 0;
    l->out->lowered = l->out->whole = true;
    return 1;
}

int syc_py_reducing_as_body(struct syc_py_conversion *c, syc_py_body_use *use, const syc_name *names, size_t kernel,
                            syc_py_launch *out)
{
    struct launching l = {.c = c, .use = use, .out = out, .reducing = syc_reducing_kernel_of(out->program, kernel)};
    syc_name *given = name_reductions(use, names);
    const syc_lowered *before = use->lowered;
    syc_status status;
    int taken = 0;

    if (given == NULL)
        return -1;
    status = syc_reducing_body(out->program, kernel, l.reducing, given, &l.body);
    PyMem_Free(given);
    if (status != SYC_OK) {
        syc_py_raise(c->scope->state, status);
        return -1;
    }
    if (l.body != NULL && (out->grouped || !syc_body_traits_of(l.body)->grouped)) {
        use->names = syc_body_source_of(l.body)->names;
        taken = launch(c, &l);
    }
    use->names = names; /* the others go with the body, if that makes room */
    use->lowered = before;
    syc_body_release(l.body);
    return taken;
}
