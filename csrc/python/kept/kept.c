/* A call that may have been before. */
#include "python/kept/kept.h"

#include "memory/usm/usm.h"
#include "schedule/queue.h"

enum { MOST = 200 }; /* of one function's calls */
enum { PLAN, SLOTS, WAITS };

/* What a plan is made of is being looked at: calls within that one are to submit their own commands. */
static _Thread_local bool watched;

/* A queue that the call names is a part of its key, and the plan's own is alive, so that its address is no other one's.
 * Else it has to be one for the call's memory. */
static bool is_queue_of(const syc_py_kept_call *call, PyObject *queue)
{
    const UsmObject *usm = (UsmObject *)call->memory[0];
    return call->queue != NULL || !Py_IS_TYPE(call->memory[0], syc_state_of(queue)->face[SYC_FACE_USM]) ||
           syc_queue_context(((QueueObject *)queue)->core) == usm->core->context;
}

/* By the plan that is kept. Py_NotImplemented: it is gone, or is of another queue. */
static PyObject *by_plan(syc_state *state, const syc_py_kept_call *call, PyObject *kept)
{
    PyObject *plan = PyObject_CallNoArgs(PyTuple_GET_ITEM(kept, PLAN)), *slots = PyTuple_GET_ITEM(kept, SLOTS);
    PyObject *queue = plan != NULL && plan != Py_None ? syc_py_kept_queue(plan) : plan, *result = NULL;
    PyObject *given[SYC_KEPT_MEMORY_MOST];

    if (plan != NULL && queue != NULL && (queue == Py_None || !is_queue_of(call, queue))) {
        result = Py_NewRef(Py_NotImplemented);
    } else if (queue != NULL) {
        for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(slots); k++)
            given[k] = call->memory[PyLong_AsLong(PyTuple_GET_ITEM(slots, k))];
        result = syc_py_kept_run(state, plan, queue, given, PyTuple_GET_SIZE(slots),
                                 PyTuple_GET_ITEM(kept, WAITS) == Py_True);
    }
    if (queue != plan)
        Py_XDECREF(queue);
    Py_XDECREF(plan);
    return result;
}

/* What pysycl/_algorithms/again.py keeps of the call, None for nothing; `result` NULL: it has failed, with the error
 * that is set, and stays so. */
static PyObject *kept_of(PyObject *module, const syc_py_kept_call *call, PyObject *before, PyObject *result)
{
    PyObject *error = result == NULL ? syc_py_take_exception() : NULL, *memory = PyTuple_New(call->count), *kept = NULL;
    for (int k = 0; memory != NULL && k < call->count; k++)
        PyTuple_SET_ITEM(memory, k, Py_NewRef(call->memory[k]));
    if (memory != NULL)
        kept = PyObject_CallMethod(module, "ended", "OOO", before, result != NULL ? result : Py_None, memory);
    Py_XDECREF(memory);
    if (error != NULL) {
        Py_CLEAR(kept);
        PyErr_Restore(Py_NewRef(Py_TYPE(error)), error, PyException_GetTraceback(error));
    }
    return kept;
}

/* As the function does it, which no function of Python's calls, since warnings count frames; what it is made of is
 * kept, if that is a plan. */
static PyObject *for_the_first_time(const syc_py_kept_call *call, PyObject *plans, PyObject *function,
                                    PyObject *const *args, size_t flags, PyObject *names)
{
    PyObject *module = PyImport_ImportModule("pysycl._algorithms.again"), *kept, *result = NULL;
    PyObject *before = module != NULL ? PyObject_CallMethod(module, "begun", NULL) : NULL;

    if (before != NULL) {
        result = PyObject_Vectorcall(function, args, flags, names);
        kept = kept_of(module, call, before, result);
        if (PyDict_GET_SIZE(plans) >= MOST)
            PyDict_Clear(plans);
        if (kept == NULL || PyDict_SetItem(plans, call->key, kept) < 0)
            Py_CLEAR(result);
        Py_XDECREF(kept);
    }
    Py_XDECREF(before);
    Py_XDECREF(module);
    return result;
}

PyObject *syc_py_kept(syc_state *state, PyObject *plans, PyObject *function, const char *name, PyObject *const *args,
                      size_t flags, PyObject *names)
{
    const Py_ssize_t count = PyVectorcall_NARGS(flags);
    syc_py_kept_call call;
    PyObject *kept, *result = Py_NewRef(Py_NotImplemented);
    int known = watched ? 0 : syc_py_kept_key(state, args, count, names, &call);

    if (known > 0) {
        kept = PyDict_GetItemWithError(plans, call.key);
        if (kept == NULL && PyErr_Occurred()) {
            Py_CLEAR(result);
        } else if (kept != NULL && kept != Py_None) {
            Py_INCREF(kept); /* another thread may take its place */
            syc_pins_call(name);
            Py_SETREF(result, by_plan(state, &call, kept));
            syc_pins_call(NULL);
            Py_DECREF(kept);
        }
        if (result == Py_NotImplemented && kept != Py_None)
            Py_SETREF(result, for_the_first_time(&call, plans, function, args, flags, names));
        Py_DECREF(call.key);
    }
    if (known < 0 || result != Py_NotImplemented) {
        if (known < 0)
            Py_CLEAR(result);
        return result;
    }
    Py_DECREF(result);
    return PyObject_Vectorcall(function, args, flags, names);
}

static PyObject *kept_watch(PyObject *module, PyObject *on)
{
    (void)module;
    watched = on == Py_True;
    Py_RETURN_NONE;
}

PyMethodDef syc_kept_methods[] = {
    {"kept_watch", kept_watch, METH_O,
     "kept_watch($module, on, /)\n--\n\nThis thread's calls submit their own commands, which a plan is made of; or "
     "not."},
    {NULL, NULL, 0, NULL},
};
