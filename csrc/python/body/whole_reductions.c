/* A kernel with reducers: the arguments that the user gives, and those that the reducers need behind them. */
#include "python/body/whole_reductions.h"

#include "body/name.h"
#include "body/whole/checked_kernel.h"
#include "cl/context.h"
#include "program/kernel_info.h"
#include "python/body/reductions.h"
#include "python/body/whole.h"
#include "python/launch/checked.h"
#include "python/launch/collectives.h"
#include "python/launch/launch.h"
#include "python/launch/mismatch.h"
#include "schedule/queue.h"

/* One launch. */
struct reducing {
    const syc_reducing_kernel *kernel;
    struct syc_py_conversion c;
    PyObject *list;       /* the names of the parameters */
    syc_name *names;      /* of the kernel, with the sizes that the reductions' variables have */
    syc_py_body_use use;  /* as the reductions of a body are given */
    syc_py_launch *shape; /* the same of the launch */
};

static bool is_reduction(const syc_state *state, PyObject *value)
{
    PyTypeObject *face = state->face[SYC_FACE_REDUCTION];
    return face != NULL && PyObject_TypeCheck(value, face) && PyTuple_GET_SIZE(value) == SYC_PY_REDUCTION_PLACES &&
           PyUnicode_Check(PyTuple_GET_ITEM(value, SYC_PY_REDUCTION_OPERATION));
}

static PyObject *place_of(PyObject *reduction, int place)
{
    return PyTuple_GET_ITEM(reduction, place);
}

static void clear(struct reducing *r)
{
    Py_CLEAR(r->list);
    PyMem_Free(r->names);
    PyMem_Free(r->use.given);
    PyMem_Free(r->use.call.values != NULL ? (PyObject **)r->use.call.values : NULL);
    PyMem_Free(r->shape);
}

/* Names and values for messages, and the values without the Parameters around them. */
static int open(const syc_py_scope *scope, const syc_signature *signature, const syc_py_call *call, struct reducing *r)
{
    size_t count = r->kernel->count + 1;
    PyObject **values = PyMem_New(PyObject *, count);

    r->names = PyMem_New(syc_name, count);
    r->use.given = PyMem_Calloc(count, sizeof *r->use.given);
    r->use.call.values = values;
    r->shape = PyMem_Calloc(1, sizeof *r->shape);
    r->list = PyList_New(0);
    if (values == NULL || r->names == NULL || r->use.given == NULL || r->shape == NULL || r->list == NULL) {
        if (!PyErr_Occurred())
            PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < r->kernel->count; i++) {
        PyObject *name = PyUnicode_FromString(signature->params[i].name);
        int failed = name == NULL || PyList_Append(r->list, name) < 0;
        Py_XDECREF(name);
        if (failed)
            return -1;
        values[i] = call->given[i];
        (void)syc_py_parameter(scope->state, &values[i]);
        r->names[i] = r->kernel->names[i];
    }
    r->use.call.state = scope->state;
    r->use.call.kernel = signature->name;
    r->use.call.names = ((PyListObject *)r->list)->ob_item;
    r->use.call.count = (Py_ssize_t)r->kernel->count;
    r->use.names = r->names;
    r->use.lowered = &r->kernel->lowered;
    return 0;
}

/* -- do the reduction and the parameter agree? -- */

/* The same but for white space: `folded` has one blank where the other has any. */
static bool same_expression(const char *folded, const char *given)
{
    static const char blanks[] = " \t\n\r\f\v";
    given += strspn(given, blanks);
    for (; *folded != '\0'; folded++) {
        size_t gap = strspn(given, blanks);
        if (*folded == ' ' ? gap == 0 : *folded != *given)
            return false;
        given += *folded == ' ' ? gap : 1;
    }
    return given[strspn(given, blanks)] == '\0';
}

/* An operator of a program that is not text here. */
static bool is_foreign(const syc_reducer_parameter *parameter)
{
    return parameter->expression != NULL && parameter->expression[0] == '\0';
}

static int check_operator(struct reducing *r, PyObject *operation)
{
    const syc_reducer_parameter *p = &r->kernel->parameters[r->c.index];
    const char *given = PyUnicode_AsUTF8(operation), *own = r->names[r->c.index].op.operation;
    char words[SYC_OPERATOR_WORDS];
    size_t length = given != NULL ? strcspn(given, " ") : 0;

    if (given == NULL)
        return -1;
    if (p->expression == NULL && strncmp(given, own, length + 1) == 0)
        return 0;
    if (p->expression != NULL && (is_foreign(p) || same_expression(p->expression, given + length)))
        return 0;
    (void)syc_operator_words(given, words);
    if (p->expression != NULL && words[0] == '\'')
        return syc_py_conversion_refuse(&r->c, "is a reduction by %s, and the kernel combines by %s, '%.100s'", words,
                                        p->op, p->expression);
    if (p->expression != NULL)
        return syc_py_conversion_refuse(&r->c,
                                        "is a reduction by %s, '%.100s', and the kernel combines by %s, '%.100s'",
                                        words, given + length + 1, p->op, p->expression);
    return syc_py_conversion_refuse(&r->c, "is a reduction by %s, and the kernel combines by %s", words, p->op);
}

static const char cannot[] =
    "this kernel's launches have none: its text cannot be taken for a body, or is not here, or it asks for its "
    "work-group over a plain range";

/* Refuses a reduction of a kind that only bodies have. */
static int check_kind(struct reducing *r, PyObject *reduction)
{
    const syc_name *name = &r->names[r->c.index];
    bool array = place_of(reduction, SYC_PY_REDUCTION_ARRAY) == Py_True;

    if (array != name->reducer.array)
        return syc_py_conversion_refuse(
            &r->c,
            array ? "is a reduction of an array, and the kernel's reducer is of one variable: declare it as %s[]"
                  : "is a reduction of one variable, and the kernel's reducer, %s, is of an array: pass a span",
            r->kernel->parameters[r->c.index].text);
    if (place_of(reduction, SYC_PY_REDUCTION_VALUE) != Py_None ||
        place_of(reduction, SYC_PY_REDUCTION_FINISH) != Py_None ||
        PyObject_IsTrue(place_of(reduction, SYC_PY_REDUCTION_REDUCED)) != 0)
        return syc_py_conversion_refuse(&r->c, "is a reduction that only a body can have");
    if (place_of(reduction, SYC_PY_REDUCTION_IDENTITY) == Py_None &&
        (name->op.known || is_foreign(&r->kernel->parameters[r->c.index])))
        return syc_py_conversion_refuse(&r->c, "has no identity, which the kernel's operator %s %s: give identity=",
                                        r->kernel->parameters[r->c.index].op,
                                        name->op.known ? "has" : "may have, whose text is not here");
    return 0;
}

/* The variables' size: where it is not the type's, the types differ. */
static int take_size(struct reducing *r, PyObject *memory)
{
    const syc_param *p = syc_py_param(&r->c);
    PyObject *dtype = PyObject_GetAttrString(memory, "dtype");
    PyObject *item = dtype != NULL ? PyObject_GetAttrString(dtype, "itemsize") : NULL;
    size_t size = item != NULL ? PyLong_AsSize_t(item) : 0;
    PyObject *words = item != NULL ? PyObject_Str(dtype) : NULL;
    int failed = words == NULL || PyErr_Occurred();

    if (!failed && p->size != 0 && size != p->size)
        failed = syc_py_conversion_refuse(&r->c, "is a reduction of %s, and the kernel's is of %s",
                                          PyUnicode_AsUTF8(words), r->names[r->c.index].type);
    r->names[r->c.index].size = size;
    Py_XDECREF(words);
    Py_XDECREF(item);
    Py_XDECREF(dtype);
    return failed ? -1 : 0;
}

static int convert_reduction(struct reducing *r, PyObject *value, syc_argument *out)
{
    syc_py_given *given = &r->use.given[r->c.index];
    if (!is_reduction(r->c.scope->state, value))
        return syc_py_conversion_refuse(&r->c,
                                        "is no reduction, and the kernel has a reducer there: pass "
                                        "sycl.reduction(variable, h, %s)",
                                        r->kernel->parameters[r->c.index].op);
    given->class.origin = SYC_PY_REDUCER;
    given->class.rank = 1;
    given->shape[0] = PyLong_AsSize_t(place_of(value, SYC_PY_REDUCTION_COUNT));
    if (PyErr_Occurred() || check_operator(r, place_of(value, SYC_PY_REDUCTION_OPERATION)) < 0 ||
        take_size(r, syc_py_reduce_memory(value)) < 0 ||
        syc_py_argument_convert(&r->c, syc_py_reduce_memory(value), out) < 0)
        return -1;
    return check_kind(r, value);
}

static int convert_one(struct reducing *r, PyObject *value, syc_argument *out)
{
    if (r->names[r->c.index].kind == SYC_NAME_REDUCER)
        return convert_reduction(r, value, out);
    if (is_reduction(r->c.scope->state, value))
        return syc_py_conversion_refuse(&r->c,
                                        "is a reduction, and '%s' is no reducer: declare it as reducer(T, op) %s",
                                        syc_py_param(&r->c)->text, syc_py_param(&r->c)->name);
    return syc_py_argument_convert(&r->c, value, out);
}

static int convert_given(struct reducing *r, const syc_py_call *call)
{
    for (r->c.index = 0; r->c.index < call->count; r->c.index++) {
        PyObject *value = call->given[r->c.index], *name = syc_py_parameter(r->c.scope->state, &value);
        syc_argument *out = &r->c.out->items[r->c.index];
        if (convert_one(r, value, out) < 0 || (name != NULL && syc_py_argument_name(r->c.scope, name, out) < 0))
            return -1;
    }
    return 0;
}

/* -- as it is written -- */

/* What only bodies have, which the kernel cannot be. */
static int check_written(struct reducing *r)
{
    for (r->c.index = 0; r->c.index < (Py_ssize_t)r->kernel->count; r->c.index++) {
        const syc_name *name = &r->names[r->c.index];
        PyObject *reduction = r->use.call.values[r->c.index];
        if (name->kind != SYC_NAME_REDUCER)
            continue;
        if (PyObject_IsTrue(place_of(reduction, SYC_PY_REDUCTION_ACCURACY)) != 0)
            return syc_py_conversion_refuse(&r->c, "asks for an accuracy, and %s", cannot);
        if (place_of(reduction, SYC_PY_REDUCTION_ORDERED) == Py_True && name->reducer.array &&
            syc_span_is_atomic(name, false) && !syc_span_is_exact(name))
            return syc_py_conversion_refuse(&r->c, "asks for determinism, and %s", cannot);
    }
    return 0;
}

/* -- the hidden ones -- */

static int give_number(struct reducing *r, uint64_t value, syc_argument *out)
{
    void *place = syc_py_conversion_reserve(&r->c, sizeof value);
    memcpy(place, &value, sizeof value);
    *out = (syc_argument){.kind = SYC_ARGUMENT_VALUE, .size = sizeof value, .value = place};
    return 0;
}

/* An identity that nobody knows is not used: zeros. */
static int give_nothing(struct reducing *r, size_t index, syc_argument *out)
{
    size_t size = r->names[index].size;
    PyObject *zeros = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    int failed;
    if (zeros == NULL)
        return -1;
    memset(PyBytes_AS_STRING(zeros), 0, size);
    *out = (syc_argument){.kind = SYC_ARGUMENT_VALUE, .size = size, .value = PyBytes_AS_STRING(zeros)};
    failed = syc_py_task_hold(r->c.scope->task, zeros);
    Py_DECREF(zeros);
    return failed;
}

static int give_hidden(struct reducing *r, const syc_py_launch *launch, size_t index, syc_argument *out)
{
    const syc_hidden *hidden = &r->kernel->lowered.hidden[index];
    const syc_geometry *range = &launch->geometry;
    PyObject *value = hidden->index < r->kernel->count ? r->use.call.values[hidden->index] : NULL;
    switch (hidden->kind) {
    case SYC_HIDDEN_RANGE:
        return give_number(r, hidden->index < range->dims ? range->global[hidden->index] : 1, out);
    case SYC_HIDDEN_LENGTH:
        return give_number(r, r->use.given[hidden->index].shape[0], out);
    case SYC_HIDDEN_FRESH:
        return give_number(r, place_of(value, SYC_PY_REDUCTION_FRESH) == Py_True, out);
    case SYC_HIDDEN_IDENTITY:
        if (place_of(value, SYC_PY_REDUCTION_IDENTITY) == Py_None)
            return give_nothing(r, hidden->index, out);
        return syc_py_reduce_argument(&r->c, &r->use, r->shape, index, out);
    default:
        return syc_py_reduce_argument(&r->c, &r->use, r->shape, index, out);
    }
}

static int convert_hidden(struct reducing *r, const syc_py_launch *launch)
{
    r->c.index = -1;
    for (size_t i = 0; i < r->kernel->lowered.hidden_count; i++)
        if (give_hidden(r, launch, i, &r->c.out->items[r->kernel->count + i]) < 0)
            return -1;
    return 0;
}

/* -- the launch -- */

/* Local memory of the reducers for each item. */
static uint64_t item_bytes(const struct reducing *r)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < r->kernel->count; i++)
        if (r->names[i].kind == SYC_NAME_REDUCER && !r->names[i].reducer.array)
            bytes += syc_partial_bytes(&r->names[i]);
    return bytes;
}

static syc_status plan(const struct reducing *r, syc_py_launch *launch)
{
    syc_status status = SYC_OK;
    syc_queue *queue = r->c.scope->queue->core;
    syc_device *device = syc_queue_device(queue);
    const syc_kernel_limits *limits;
    syc_build *build;

    SYC_TRY(syc_kernel_check(device, r->c.kernel));
    SYC_CHECK(launch->bound == NULL || launch->bound == syc_queue_context(queue)->native, SYC_E_INVALID_OBJECT,
              "kernel '%s' is bound to another context than that of the secondary queue", r->c.kernel->name);
    SYC_TRY(syc_program_build(launch->program, syc_queue_context(queue), &build));
    SYC_TRY(syc_build_limits(build, launch->kernel, device, &limits));
    SYC_TRY(syc_py_launch_check_local(launch, r->c.kernel));
    launch->planned = launch->geometry;
    if (launch->grouped)
        SYC_TRY(syc_plan_nd_range(device, r->c.kernel, limits, launch->arguments.local_bytes, &launch->planned));
    else
        SYC_TRY(syc_lower_plan_whole(device, r->c.kernel, limits, item_bytes(r), &launch->planned));
    launch->whole = true;
done:
    return status;
}

static int shape(struct reducing *r, syc_py_launch *launch)
{
    syc_status status;
    SYC_CORE_BEGIN
        status = plan(r, launch);
    SYC_CORE_END
    if (status != SYC_OK) {
        syc_py_raise(r->c.scope->state, status);
        return -1;
    }
    r->shape->geometry = launch->planned;
    r->shape->lowering.form = r->kernel->lowered.form;
    return 0;
}

/* -- all of it -- */

static int refuse_single(const struct reducing *r)
{
    syc_py_refuse(r->c.scope->state, SYC_E_INVALID,
                  "kernel '%s' has reducers, and a single task has no reductions: use parallel_for", r->c.kernel->name);
    return -1;
}

static int convert_written(struct reducing *r, syc_py_launch *out)
{
    r->c.out->count = r->kernel->count + r->kernel->lowered.hidden_count;
    return check_written(r) < 0 || shape(r, out) < 0 || convert_hidden(r, out) < 0 ? -1 : 0;
}

/* Says once that the kernel is not checked. */
static int tell_unchecked(const struct reducing *r, const syc_py_launch *out)
{
    const syc_checked_kernel *none = NULL;
    syc_status status;
    SYC_CORE_BEGIN
        status = syc_checked_kernel_of(out->program, out->kernel, r->kernel->names, &none);
    SYC_CORE_END
    if (status != SYC_OK)
        syc_py_raise(r->c.scope->state, status);
    return status == SYC_OK ? 0 : -1;
}

static int convert(struct reducing *r, const syc_py_call *call, syc_py_launch *out)
{
    int taken;
    if (out->single)
        return refuse_single(r);
    if (syc_py_checks() && tell_unchecked(r, out) < 0)
        return -1;
    if (syc_py_task_pin(r->c.scope->state, r->c.scope->task, syc_py_conversion_pins(r->c.kernel)) < 0 ||
        convert_given(r, call) < 0 || syc_py_reduce_check(&r->c, &r->use, r->shape) < 0)
        return -1;
    taken = syc_py_reducing_as_body(&r->c, &r->use, r->names, out->kernel, out);
    return taken != 0 ? taken : convert_written(r, out);
}

int syc_py_reducing_prepare(const syc_py_scope *scope, KernelObject *k, const syc_py_call *call, syc_py_launch *out)
{
    const syc_signature *signature = &syc_program_signatures(k->core)->items[k->index];
    struct reducing r = {.kernel = syc_reducing_kernel_of(k->core, k->index),
                         .c = {.scope = scope,
                               .kernel = signature,
                               .given = call->given,
                               .count = call->count,
                               .index = -1,
                               .out = &out->arguments}};
    bool empty = syc_py_reduce_is_empty(&out->geometry);
    int failed;

    out->arguments.items = NULL;
    out->arguments.values = NULL;
    if ((size_t)call->count != signature->count)
        return syc_py_conversion_refuse(&r.c, "takes %zu argument%s, %zd given", signature->count,
                                        signature->count == 1 ? "" : "s", call->count);
    r.c.hidden = syc_py_reducing_hidden(r.kernel->count);
    r.c.hidden_bytes = r.c.hidden * 16;
    failed = open(scope, signature, call, &r);
    if (!failed && syc_py_conversion_room(&r.c) == 0) {
        syc_program_retain(k->core);
        out->program = k->core;
        failed = convert(&r, call, out) < 0;
        if (!failed)
            failed = syc_py_collectives_add(scope, out) < 0;
        if (failed)
            syc_py_launch_clear(out);
        else if (empty)
            failed = syc_py_reduce_nothing(scope, &r.use, syc_py_body_prepare, out) < 0;
    } else {
        failed = 1;
    }
    clear(&r);
    return failed ? -1 : 0;
}
