/* A plan that is run: the memory of the call goes where that of the first one stood, and the commands are submitted. */
#include "python/kept/plan.h"

#include "memory/usm/usm.h"
#include "python/memory/usm_array.h"
#include "schedule/queue.h"

/* One call. Memory: what the call was given, then what is made for it; what its commands see of these; what they share.
 */
typedef struct Run {
    syc_state *state;
    const PlanObject *plan;
    PyObject *queue, **memory, **views, **buffers;
    Py_ssize_t given, all, parts, shared;
    PyObject *event;
    bool is_usm;  /* and no buffer, */
    bool ordered; /* where a queue in order says what comes behind what */
} Run;

/* Memory lacked, and what was kept is let go: it is to be tried again. */
static bool has_room(const Run *run)
{
    PyObject *error, *answer;
    bool room;
    if (!PyErr_ExceptionMatches(run->state->errors[SYC_E_MEMORY_ALLOCATION]))
        return false;
    error = syc_py_take_exception();
    answer = PyObject_CallNoArgs(run->plan->let_go);
    room = answer == Py_True;
    if (room || answer == NULL)
        Py_XDECREF(error);
    else
        PyErr_Restore(Py_NewRef(Py_TYPE(error)), error, PyException_GetTraceback(error));
    Py_XDECREF(answer);
    return room;
}

/* -- memory -- */

static PyObject *new_usm(const Run *run, PyObject *shape, PyObject *dtype, size_t item)
{
    const syc_usm *like = ((UsmObject *)run->memory[0])->core;
    return syc_py_usm_allocate(run->state, like->context, like->device, like->kind, 0, shape, dtype, item);
}

static PyObject *new_memory(const Run *run, PyObject *made)
{
    PyObject *shape = PyTuple_GET_ITEM(made, MADE_SHAPE), *dtype = PyTuple_GET_ITEM(made, MADE_DTYPE), *memory;
    PyObject *given[] = {(PyObject *)run->state->face[SYC_FACE_BUFFER], shape, dtype};
    do {
        memory = run->is_usm ? new_usm(run, shape, dtype, PyLong_AsSize_t(PyTuple_GET_ITEM(made, MADE_ITEM)))
                             : PyObject_VectorcallMethod(run->plan->words[WORD_NEW], given, 3, NULL);
    } while (memory == NULL && has_room(run));
    return memory;
}

/* A part of memory, or all of it. */
static PyObject *view_of(const Run *run, PyObject *view)
{
    PyObject *memory = run->memory[PyLong_AsSsize_t(PyTuple_GET_ITEM(view, VIEW_SLOT))];
    PyObject *place = PyTuple_GET_ITEM(view, VIEW_PLACE), *method, *part;
    if (place == Py_None)
        return Py_NewRef(memory);
    method = PyObject_GetAttr(memory, run->plan->words[WORD_VIEW]);
    part = method != NULL ? PyObject_CallObject(method, place) : NULL;
    Py_XDECREF(method);
    return part;
}

static PyObject *shared_memory(const Run *run, PyObject *spare, PyObject *kind)
{
    PyObject *given[] = {spare, PyTuple_GET_ITEM(kind, 0), PyTuple_GET_ITEM(kind, 1)};
    return PyObject_VectorcallMethod(run->plan->words[WORD_TAKE], given, 3, NULL);
}

/* All memory of the call; of what its commands share the owner. -1: an error is set. */
static int find_memory(Run *run, PyObject **spare)
{
    const PlanObject *plan = run->plan;
    for (Py_ssize_t k = run->given; k < run->all; k++) {
        if ((run->memory[k] = new_memory(run, PyTuple_GET_ITEM(plan->made, k - run->given))) == NULL)
            return -1;
    }
    for (Py_ssize_t k = 0; k < run->parts; k++) {
        if ((run->views[k] = view_of(run, PyTuple_GET_ITEM(plan->views, k))) == NULL)
            return -1;
    }
    if (run->shared > 0 && (*spare = PyObject_CallOneArg(plan->spare, run->queue)) == NULL)
        return -1;
    for (Py_ssize_t k = 0; k < run->shared; k++) {
        if ((run->buffers[k] = shared_memory(run, *spare, PyTuple_GET_ITEM(plan->spares, k))) == NULL)
            return -1;
    }
    return 0;
}

/* -- commands -- */

/* The same with other memory: of a tuple's class, the first of whose parts that is. */
static PyObject *wrapped(PyObject *around, PyObject *memory)
{
    PyObject *parts = PyTuple_New(PyTuple_GET_SIZE(around)), *made = NULL;
    for (Py_ssize_t k = 0; parts != NULL && k < PyTuple_GET_SIZE(around); k++)
        PyTuple_SET_ITEM(parts, k, Py_NewRef(k == 0 ? memory : PyTuple_GET_ITEM(around, k)));
    if (parts != NULL)
        made = PyObject_CallOneArg((PyObject *)Py_TYPE(around), parts);
    Py_XDECREF(parts);
    return made;
}

/* Puts a command's memory where its arguments have room for it, and what is wrapped into `own`, too. */
static int put_memory(const Run *run, PyObject *puts, PyObject **arguments, PyObject **own)
{
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(puts); k++) {
        PyObject *put = PyTuple_GET_ITEM(puts, k), *around = PyTuple_GET_ITEM(put, PUT_AROUND);
        const Py_ssize_t at = PyLong_AsSsize_t(PyTuple_GET_ITEM(put, PUT_AT));
        PyObject *memory = at >= 0 ? run->views[at] : run->buffers[-1 - at];
        if (around != Py_None && (memory = own[k] = wrapped(around, memory)) == NULL)
            return -1;
        arguments[PyLong_AsSsize_t(PyTuple_GET_ITEM(put, PUT_ARGUMENT))] = memory;
    }
    return 0;
}

static PyObject *submit(const Run *run, PyObject *step, PyObject **all, Py_ssize_t count)
{
    const PlanObject *plan = run->plan;
    const bool fills = PyTuple_GET_ITEM(step, STEP_RANGE) == Py_None,
               after = run->event != NULL && !run->ordered && !fills;
    PyObject *names = PyTuple_GET_ITEM(step, after ? STEP_NAMES_AFTER : STEP_NAMES), *event;
    PyObject **given = fills ? all + 2 : all; /* the queue, and for a launch range and text, before the arguments */

    given[0] = run->queue;
    if (!fills) {
        given[1] = PyTuple_GET_ITEM(step, STEP_RANGE);
        given[2] = PyTuple_GET_ITEM(step, STEP_TEXT);
    }
    if (after)
        all[3 + count] = run->event;
    do {
        event = fills ? PyObject_VectorcallMethod(plan->words[WORD_FILL], given, 1 + (size_t)count, NULL)
                      : PyObject_VectorcallMethod(plan->words[WORD_PARALLEL_FOR], given, 3, names);
    } while (event == NULL && has_room(run));
    return event;
}

static int run_step(Run *run, PyObject *step)
{
    PyObject *values = PyTuple_GET_ITEM(step, STEP_VALUES), *puts = PyTuple_GET_ITEM(step, STEP_PUTS), *event = NULL;
    const Py_ssize_t count = PyTuple_GET_SIZE(values), wraps = PyTuple_GET_SIZE(puts);
    PyObject **all = PyMem_Calloc((size_t)(count + wraps + 4), sizeof *all), **own = all + count + 4;

    if (all == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t k = 0; k < count; k++)
        all[3 + k] = PyTuple_GET_ITEM(values, k);
    if (run->ordered)
        Py_CLEAR(run->event); /* of a command whose event nobody holds the driver need not tell */
    if (put_memory(run, puts, all + 3, own) == 0)
        event = submit(run, step, all, count);
    Py_XSETREF(run->event, event);
    for (Py_ssize_t k = 0; k < wraps; k++)
        Py_XDECREF(own[k]);
    PyMem_Free(all);
    return event != NULL ? 0 : -1;
}

/* The command that makes the memory, if that is a call's result; commands behind it are told to wait for it. */
static int find_first(Run *run)
{
    if (run->ordered)
        return 0;
    run->event = PyObject_GetAttr(run->memory[0], run->plan->words[WORD_MADE]);
    if (run->event == NULL && !PyErr_ExceptionMatches(PyExc_AttributeError))
        return -1;
    PyErr_Clear();
    if (run->event == Py_None)
        Py_CLEAR(run->event);
    return 0;
}

/* -- results -- */

/* The call waits, or what it has made remembers the command. */
static int end(const Run *run, bool waits)
{
    if (run->event == NULL || !run->is_usm)
        return 0;
    if (waits) {
        PyObject *done = PyObject_CallMethodNoArgs(run->event, run->plan->words[WORD_WAIT]);
        Py_XDECREF(done);
        return done != NULL ? 0 : -1;
    }
    for (Py_ssize_t k = run->given; k < run->all; k++) {
        if (PyObject_SetAttr(run->memory[k], run->plan->words[WORD_MADE], run->event) < 0)
            return -1;
    }
    return 0;
}

static PyObject *result_of(const Run *run, PyObject *each)
{
    return PyLong_CheckExact(each) ? Py_NewRef(run->memory[PyLong_AsSsize_t(each)])
                                   : PyObject_CallMethod(each, "copy", NULL);
}

static PyObject *results_of(const Run *run)
{
    const PlanObject *plan = run->plan;
    PyObject *list, *result = NULL;
    if (plan->shape == Py_None)
        return result_of(run, PyTuple_GET_ITEM(plan->results, 0));
    list = PyList_New(PyTuple_GET_SIZE(plan->results));
    for (Py_ssize_t k = 0; list != NULL && k < PyTuple_GET_SIZE(plan->results); k++) {
        PyObject *one = result_of(run, PyTuple_GET_ITEM(plan->results, k));
        if (one == NULL)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, k, one);
    }
    if (list != NULL)
        result = PyObject_CallOneArg(plan->shape, list);
    Py_XDECREF(list);
    return result;
}

static PyObject *run_all(Run *run, bool waits)
{
    PyObject *spare = NULL, *done = NULL, *result = NULL;
    bool fine = find_memory(run, &spare) == 0 && find_first(run) == 0;

    for (Py_ssize_t k = 0; fine && k < PyTuple_GET_SIZE(run->plan->steps); k++)
        fine = run_step(run, PyTuple_GET_ITEM(run->plan->steps, k)) == 0;
    if (fine && spare != NULL)
        fine = (done = PyObject_CallMethodNoArgs(spare, run->plan->words[WORD_GIVE_BACK])) != NULL;
    if (fine && end(run, waits) == 0)
        result = results_of(run);
    Py_XDECREF(done);
    Py_XDECREF(spare);
    Py_CLEAR(run->event);
    return result;
}

PyObject *syc_py_kept_run(syc_state *state, PyObject *plan, PyObject *queue, PyObject *const *given, Py_ssize_t count,
                          bool waits)
{
    PlanObject *p = (PlanObject *)plan;
    const Py_ssize_t made = PyTuple_GET_SIZE(p->made), parts = PyTuple_GET_SIZE(p->views);
    Run run = {.state = state,
               .plan = p,
               .queue = queue,
               .given = count,
               .all = count + made,
               .parts = parts,
               .shared = PyTuple_GET_SIZE(p->spares)};
    const Py_ssize_t total = run.all + run.parts + run.shared;
    PyObject *result;

    if ((run.memory = PyMem_Calloc((size_t)total, sizeof(PyObject *))) == NULL)
        return PyErr_NoMemory();
    run.views = run.memory + run.all;
    run.buffers = run.views + run.parts;
    for (Py_ssize_t k = 0; k < count; k++)
        run.memory[k] = Py_NewRef(given[k]);
    run.is_usm = PyObject_TypeCheck(given[0], state->base[SYC_FACE_USM]);
    run.ordered = !run.is_usm || syc_queue_get_options(((QueueObject *)queue)->core).in_order;
    Py_INCREF(plan);
    result = run_all(&run, waits);
    Py_DECREF(plan);
    for (Py_ssize_t k = 0; k < total; k++)
        Py_XDECREF(run.memory[k]);
    PyMem_Free(run.memory);
    return result;
}
