/* A launch's answers to the claims of its text. */
#include "python/body/reach.h"

#include "body/name.h"
#include "python/launch/launch.h"
#include "schedule/replay/record.h"

static void fill(const syc_py_body_use *use, const syc_py_launch *launch, const syc_reach_wants *wants,
                 syc_reach_launch *out)
{
    const syc_geometry *range = &launch->geometry;

    out->dims = range->dims;
    out->grouped = launch->grouped && !launch->single;
    memcpy(out->global, range->global, sizeof out->global);
    memcpy(out->local, range->local, sizeof out->local);
    memcpy(out->offset, range->offset, sizeof out->offset);
    out->unknown = 0;
    for (unsigned i = 0; i < wants->number_count; i++)
        syc_reach_take(out, wants, i, launch->arguments.items[wants->numbers[i].name].value);
    for (unsigned i = 0; i < wants->array_count; i++) {
        const syc_py_given *given = &use->given[wants->arrays[i].name];
        memcpy(out->shapes[i], given->shape, sizeof out->shapes[i]);
        out->lengths[i] = syc_py_given_length(given);
    }
}

/* Most launches are as the last one was. */
static syc_status check(syc_py_special *special, const syc_reach_wants *wants, syc_reach_launch *known)
{
    syc_status status;
    if (special->passed != NULL && syc_reach_same(wants, special->passed, known))
        return SYC_OK;
    status = syc_reach_check(special->core, known);
    if (status != SYC_OK)
        return status;
    special->next = special->passed;
    special->passed = known;
    return SYC_OK;
}

int syc_py_reach_check(const syc_py_scope *scope, const syc_py_body_use *use, syc_py_launch *launch)
{
    syc_py_special *special = use->special;
    const syc_reach_wants *wants = syc_body_reach(special->core);
    const bool recorded = syc_queue_is_recorded(scope->queue->core);
    syc_reach_launch *known;
    syc_status status = SYC_OK;

    if (wants == NULL)
        return 0;
    SYC_PY_LOCK(&special->reach);
    if (special->next == NULL)
        special->next = PyMem_Malloc(sizeof *special->next);
    known = special->next;
    if (known != NULL) {
        fill(use, launch, wants, known);
        status = check(special, wants, known);
        if (status == SYC_OK && recorded)
            launch->reach = syc_py_reach_record(scope->task, special->core, known);
    }
    SYC_PY_UNLOCK(&special->reach);
    if (status != SYC_OK)
        syc_py_raise(scope->state, status);
    else if (known == NULL)
        PyErr_NoMemory();
    return status == SYC_OK && known != NULL && (!recorded || launch->reach != NULL) ? 0 : -1;
}

/* -- kept -- */

static syc_py_reach *make(const syc_body *body, const syc_reach_launch *launch)
{
    syc_py_reach *reach = PyMem_Malloc(sizeof *reach);
    if (reach == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    reach->body = (syc_body *)body;
    syc_body_retain(reach->body);
    reach->launch = *launch;
    return reach;
}

int syc_py_reach_keep(const syc_py_body_use *use, const syc_py_launch *launch, syc_py_reach **out)
{
    const syc_reach_wants *wants = syc_body_reach(use->special->core);
    syc_reach_launch known = {0};

    *out = NULL;
    if (wants == NULL || launch->nothing) /* then its arguments are not the text's */
        return 0;
    fill(use, launch, wants, &known);
    *out = make(use->special->core, &known);
    return *out != NULL ? 0 : -1;
}

void syc_py_reach_free(syc_py_reach *reach)
{
    if (reach == NULL)
        return;
    SYC_CORE_BEGIN
        syc_body_release(reach->body);
    SYC_CORE_END
    PyMem_Free(reach);
}

static void free_capsule(PyObject *capsule)
{
    syc_py_reach_free(PyCapsule_GetPointer(capsule, NULL));
}

const syc_py_reach *syc_py_reach_record(syc_py_task *task, const syc_body *body, const syc_reach_launch *launch)
{
    syc_py_reach *reach = make(body, launch);
    PyObject *capsule = reach != NULL ? PyCapsule_New(reach, NULL, free_capsule) : NULL;
    int failed;

    if (capsule == NULL) {
        syc_py_reach_free(reach);
        return NULL;
    }
    failed = syc_py_task_hold(task, capsule);
    Py_DECREF(capsule);
    return failed < 0 ? NULL : reach;
}

/* -- with other arguments -- */

/* Rows stay as long as they were: only the first dimension of a replacement may differ. Of memory that takes the place
 * of a part's there is the same part. */
static void resize(const syc_argument *argument, const syc_reach_array *array, size_t *shape, uint64_t *length)
{
    size_t bytes = argument->kind == SYC_ARGUMENT_SPAN ? argument->span.bytes : argument->size, row = argument->element;
    for (unsigned d = 1; d < array->rank; d++)
        row *= shape[d];
    if (array->ranged)
        return;
    shape[0] = row == 0 ? SIZE_MAX : bytes / row;
    *length = argument->element == 0 ? UINT64_MAX : bytes / argument->element;
}

void syc_py_reach_set(const syc_py_reach *reach, size_t index, const syc_argument *argument, syc_reach_launch *launch)
{
    const syc_reach_wants *wants = syc_body_reach(reach->body);
    for (unsigned i = 0; i < wants->number_count; i++) {
        if (wants->numbers[i].name != index || argument->kind != SYC_ARGUMENT_VALUE)
            continue;
        launch->unknown &= ~(1U << i);
        syc_reach_take(launch, wants, i, argument->value);
    }
    for (unsigned i = 0; i < wants->array_count; i++) {
        if (wants->arrays[i].name == index && argument->kind != SYC_ARGUMENT_VALUE)
            resize(argument, &wants->arrays[i], launch->shapes[i], &launch->lengths[i]);
    }
}

int syc_py_reach_set_part(syc_state *state, const syc_py_reach *reach, size_t index, const syc_py_given *part,
                          syc_reach_launch *launch)
{
    const syc_reach_wants *wants = syc_body_reach(reach->body);
    for (unsigned i = 0; i < wants->array_count; i++) {
        if (wants->arrays[i].name != index)
            continue;
        if (part->class.rank != wants->arrays[i].rank || (part->class.ranged && !wants->arrays[i].ranged)) {
            syc_py_refuse(state, SYC_E_KERNEL_ARGUMENT,
                          "replay: '%s' is an accessor of another kind than what was recorded: that was of all of its "
                          "buffer, or in another number of dimensions",
                          syc_body_source_of(reach->body)->names[index].name);
            return -1;
        }
        memcpy(launch->shapes[i], part->shape, sizeof launch->shapes[i]);
        launch->lengths[i] = syc_py_given_length(part);
    }
    return 0;
}

int syc_py_reach_check_launch(syc_state *state, const syc_py_reach *reach, const syc_reach_launch *launch)
{
    syc_status status = syc_reach_check(reach->body, launch);
    if (status == SYC_OK)
        return 0;
    syc_py_raise(state, status);
    return -1;
}

static bool wants_one(const syc_reach_wants *wants, const Py_ssize_t *at, Py_ssize_t count)
{
    for (Py_ssize_t n = 0; n < count; n++)
        for (unsigned i = 0; i < wants->number_count; i++)
            if (wants->numbers[i].name == (size_t)at[n])
                return true;
    return false;
}

int syc_py_reach_check_numbers(QueueObject *queue, const syc_py_reach *reach, const Py_ssize_t *at,
                               const char (*bytes)[8], Py_ssize_t count, syc_py_task *task)
{
    syc_reach_launch launch;
    if (!wants_one(syc_body_reach(reach->body), at, count) && !syc_queue_is_recorded(queue->core))
        return 0;
    launch = reach->launch;
    for (Py_ssize_t i = 0; i < count; i++)
        syc_py_reach_set(reach, (size_t)at[i], &(syc_argument){.kind = SYC_ARGUMENT_VALUE, .value = bytes[i]}, &launch);
    if (syc_py_reach_check_launch(syc_state_of(queue), reach, &launch) < 0)
        return -1;
    task->core.launch.told = NULL;
    if (!syc_queue_is_recorded(queue->core))
        return 0;
    task->core.launch.told = syc_py_reach_record(task, reach->body, &launch);
    return task->core.launch.told != NULL ? 0 : -1;
}
