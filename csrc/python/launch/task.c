/* Commands being put together. */
#include "python/launch/task.h"

#include "python/launch/after.h"
#include "python/launch/guard.h"
#include "schedule/replay/record.h"

void syc_py_task_start(syc_py_task *out)
{
    out->core.ops = &syc_nothing_ops;
    out->core.verdict = (syc_verdict){NULL, NULL};
    out->core.ending = (syc_ending){NULL, NULL};
    out->core.arrays = out->core.awaited = false;
    out->needs = out->few_needs;
    out->need_count = 0;
    out->need_room = Py_ARRAY_LENGTH(out->few_needs);
    out->allocations = out->few_allocations;
    out->allocation_count = 0;
    out->allocation_room = Py_ARRAY_LENGTH(out->few_allocations);
    out->pins = NULL;
    out->again = false;
    out->wait = SYC_PY_WAIT_FOR_ARRAYS;
}

int syc_py_task_init(syc_state *state, Py_ssize_t pinned, syc_py_task *out)
{
    syc_py_task_start(out);
    return syc_py_task_pin(state, out, pinned);
}

int syc_py_task_pin(syc_state *state, syc_py_task *task, Py_ssize_t pinned)
{
    syc_pins *pins = syc_pins_new(state, pinned);
    if (pins == NULL)
        return -1;
    if (task->pins != NULL) { /* what was held so far moves over */
        pins->held = task->pins->held;
        pins->held_count = task->pins->held_count;
        pins->held_room = task->pins->held_room;
        task->pins->held = NULL;
        task->pins->held_count = 0;
        syc_pins_free(task->pins);
    }
    task->pins = pins;
    return 0;
}

/* Releases the buffers and allocations that it names, but not the pins. No GIL needed. */
static void let_go(syc_py_task *task)
{
    for (size_t i = 0; i < task->need_count; i++)
        syc_buffer_release(task->needs[i].buffer);
    for (size_t i = 0; i < task->allocation_count; i++)
        syc_usm_release(task->allocations[i]);
    if (task->needs != task->few_needs)
        PyMem_RawFree(task->needs);
    if (task->allocations != task->few_allocations)
        PyMem_RawFree(task->allocations);
    task->needs = task->few_needs;
    task->allocations = task->few_allocations;
    task->need_count = task->allocation_count = 0;
}

void syc_py_task_clear(syc_py_task *task)
{
    if (task->need_count > 0 || task->allocation_count > 0) {
        SYC_CORE_BEGIN
            let_go(task);
        SYC_CORE_END
    }
    syc_pins_free(task->pins);
    task->pins = NULL;
}

/* Room for one more in an array that begins as `few`. */
static int grow(void **items, const void *few, size_t *room, size_t count, size_t size)
{
    void *more;
    if (count < *room)
        return 0;
    more = PyMem_RawMalloc(2 * *room * size);
    if (more == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    memcpy(more, *items, count * size);
    if (*items != few)
        PyMem_RawFree(*items);
    *items = more;
    *room *= 2;
    return 0;
}

static bool overlap(const syc_need *a, const syc_need *b)
{
    return a->buffer == b->buffer && a->low < b->low + b->bytes && b->low < a->low + a->bytes;
}

int syc_py_needs_check(syc_state *state, const syc_need *a, const syc_need *b)
{
    if (a->at_host == b->at_host || !a->write || !b->write || !overlap(a, b))
        return 0;
    syc_py_refuse(state, SYC_E_ACCESSOR,
                  "the command group writes to the same buffer through two targets, the device and a host task: only "
                  "one of them may be written");
    return -1;
}

int syc_py_task_need(syc_state *state, syc_py_task *task, const syc_need *need, size_t *index)
{
    bool keep = need->keep;
    size_t same = task->need_count;

    for (size_t i = 0; i < task->need_count; i++) {
        const syc_need *other = &task->needs[i];
        if (!overlap(other, need))
            continue;
        if (syc_py_needs_check(state, other, need) < 0)
            return -1;
        if (other->at_host == need->at_host && other->low == need->low && other->bytes == need->bytes)
            same = i;
    }
    if (same == task->need_count &&
        grow((void **)&task->needs, task->few_needs, &task->need_room, task->need_count, sizeof *task->needs) < 0)
        return -1;
    for (size_t i = 0; i < task->need_count; i++) { /* contents are dropped only where all agree to it */
        if (overlap(&task->needs[i], need)) {
            keep |= task->needs[i].keep;
            task->needs[i].keep |= need->keep;
        }
    }
    if (same == task->need_count) {
        task->needs[task->need_count++] = *need;
        syc_buffer_retain(need->buffer);
    }
    task->needs[same].write |= need->write;
    task->needs[same].keep = keep;
    if (index != NULL)
        *index = same;
    return 0;
}

int syc_py_task_allocation(syc_py_task *task, syc_usm *usm)
{
    for (size_t i = 0; i < task->allocation_count; i++) {
        if (task->allocations[i] == usm)
            return 0;
    }
    if (grow((void **)&task->allocations, task->few_allocations, &task->allocation_room, task->allocation_count,
             sizeof *task->allocations) < 0)
        return -1;
    task->allocations[task->allocation_count++] = usm;
    syc_usm_retain(usm);
    return 0;
}

int syc_py_task_hold(syc_py_task *task, PyObject *object)
{
    return syc_pins_hold(task->pins, object);
}

int syc_py_task_hold_buffer(const QueueObject *queue, syc_py_task *task, BufferObject *buffer)
{
    if (!syc_queue_is_recorded(queue->core) || atomic_load(&buffer->core->handles) > 1)
        return 0;
    return syc_py_task_hold(task, (PyObject *)buffer);
}

/* What the core reads. */
static void describe(syc_py_task *task)
{
    task->core.needs = task->needs;
    task->core.need_count = task->need_count;
    task->core.allocations = task->allocations;
    task->core.allocation_count = task->allocation_count;
    task->core.awaited = syc_py_waits(task->wait, task->core.arrays);
}

/* The core's call. No GIL; the pins are the core's afterwards. */
static syc_status hand_over(syc_queue *queue, syc_py_task *task, const syc_py_after *after, syc_command **out)
{
    syc_keep keep = {syc_pins_let_go, task->pins};
    syc_site site = syc_pins_site(task->pins);

    if (task->again)
        atomic_fetch_add(&task->pins->users, 1);
    else
        task->pins = NULL;
    describe(task);
    return syc_queue_submit(queue, &task->core, after->items, after->count, keep, site, out);
}

PyObject *syc_py_task_submit_after(QueueObject *queue, syc_py_task *task,
                                   syc_status (*first)(syc_queue *queue, void *payload), void *payload,
                                   const syc_py_after *after)
{
    syc_state *state = syc_state_of(queue);
    syc_command *command = NULL;
    syc_status status = SYC_OK;
    PyObject *guards = NULL, *event = NULL;

    if (task->need_count > 0 && !syc_queue_is_recorded(queue->core) &&
        (guards = syc_py_guards_enter(state, task)) == NULL) {
        if (!task->again)
            syc_py_task_clear(task);
        return NULL;
    }
    SYC_CORE_BEGIN
        if (first != NULL)
            status = first(queue->core, payload);
        if (status == SYC_OK)
            status = hand_over(queue->core, task, after, &command);
        if (status == SYC_OK || !task->again)
            let_go(task);
    SYC_CORE_END
    event = status == SYC_OK ? syc_py_event(state, queue, command) : syc_py_raise(state, status);
    if (status == SYC_OK || !task->again)
        syc_py_task_clear(task); /* the pins, where they have not been handed over */
    if (guards != NULL)
        syc_py_guards_leave(guards, event);
    return event;
}

PyObject *syc_py_task_try(QueueObject *queue, syc_py_task *task, const syc_py_after *after)
{
    syc_state *state;
    syc_command *command = NULL;
    describe(task);
    if (!syc_task_is_small(&task->core))
        return NULL;
    state = syc_state_of(queue);
    if (!syc_queue_try(queue->core, &task->core, after->items, after->count, syc_pins_here(state), &command))
        return NULL;
    syc_py_task_clear(task);
    return syc_py_event(state, queue, command);
}

PyObject *syc_py_task_submit(QueueObject *queue, syc_py_task *task, const syc_py_after *after)
{
    return syc_py_task_submit_after(queue, task, NULL, NULL, after);
}
