/* Profiles for Python: pysycl/profile.py makes sense of the records. */
#include "schedule/profile.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "program/cache/use.h"
#include "python/pins.h"

/* The queue of an argument, NULL for None: of all. -1 with an error set. */
static int queue_of(syc_state *state, PyObject *object, syc_queue **out)
{
    *out = NULL;
    if (object == Py_None)
        return 0;
    *out = syc_py_core(state, SYC_FACE_QUEUE, object, "queue");
    return *out != NULL ? 0 : -1;
}

/* (record, serial, lost, lost_ns, queue) */
static PyObject *profile_open(PyObject *module, PyObject *object)
{
    syc_profile_mark mark;
    syc_queue *queue;
    if (queue_of(PyModule_GetState(module), object, &queue) < 0)
        return NULL;
    syc_profile_open(queue, &mark);
    return Py_BuildValue("(nKKKK)", (Py_ssize_t)mark.record, mark.serial, mark.lost, (unsigned long long)mark.lost_ns,
                         mark.queue_id);
}

static PyObject *profile_settle(PyObject *module, PyObject *object)
{
    syc_state *state = PyModule_GetState(module);
    syc_queue *queue;
    syc_status status;
    if (queue_of(state, object, &queue) < 0)
        return NULL;
    SYC_CORE_BEGIN
        status = syc_profile_settle(queue);
    SYC_CORE_END
    if (status != SYC_OK && status != SYC_TIMEOUT)
        return syc_py_raise(state, status);
    return PyBool_FromLong(status == SYC_OK);
}

/* As _core.pyi has it. */
static PyObject *record_of(const syc_profile_record *r)
{
    const char *body = r->program != NULL ? syc_program_body(r->program) : NULL;
    return Py_BuildValue("KKzsszsizOOKKKK", r->serial, r->queue, r->device != NULL ? syc_device_name(r->device) : NULL,
                         r->kind, r->name, body, r->site.file, r->site.line, r->site.call,
                         r->timed ? Py_True : Py_False, r->failed ? Py_True : Py_False, (unsigned long long)r->submit,
                         (unsigned long long)r->start, (unsigned long long)r->end, (unsigned long long)r->bytes);
}

static PyObject *list_of(const syc_profile_record *records, size_t count)
{
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list != NULL && i < count; i++)
        syc_py_put(&list, i, record_of(&records[i]));
    return list;
}

static PyObject *profile_close(PyObject *module, PyObject *args)
{
    syc_state *state = PyModule_GetState(module);
    syc_profile_record *records = NULL;
    syc_profile_mark mark = {0};
    unsigned long long lost_ns = 0;
    Py_ssize_t first = 0;
    size_t count = 0;
    syc_queue *queue;
    syc_status status;
    PyObject *object, *list;

    if (!PyArg_ParseTuple(args, "O(nKKKK):profile_close", &object, &first, &mark.serial, &mark.lost, &lost_ns,
                          &mark.queue_id) ||
        queue_of(state, object, &queue) < 0)
        return NULL;
    mark.record = (size_t)first;
    mark.lost_ns = lost_ns;
    SYC_CORE_BEGIN
        status = syc_profile_close(queue, &mark, &records, &count);
    SYC_CORE_END
    list = status == SYC_OK ? list_of(records, count) : NULL;
    SYC_CORE_BEGIN
        syc_profile_free(records, count);
    SYC_CORE_END
    if (status != SYC_OK)
        return syc_py_raise(state, status);
    return list == NULL ? NULL
                        : Py_BuildValue("NKKK", list, mark.lost, (unsigned long long)mark.lost_ns,
                                        (unsigned long long)syc_now_ns());
}

/* -- the most bytes that a device moves, measured once and kept -- */

static const char question[] = "the roof: bytes in a ns, of a copy by a kernel";

static PyObject *roof_recall(PyObject *module, PyObject *object)
{
    const syc_context *context = syc_py_core(PyModule_GetState(module), SYC_FACE_CONTEXT, object, "context");
    double rate = 0;
    bool found;
    if (context == NULL)
        return NULL;
    SYC_CORE_BEGIN
        found = syc__cache_recall(context, question, "", &rate, sizeof rate);
    SYC_CORE_END
    return found ? PyFloat_FromDouble(rate) : Py_NewRef(Py_None);
}

static PyObject *roof_note(PyObject *module, PyObject *args)
{
    const syc_context *context;
    PyObject *object;
    double rate;
    if (!PyArg_ParseTuple(args, "Od:roof_note", &object, &rate) ||
        (context = syc_py_core(PyModule_GetState(module), SYC_FACE_CONTEXT, object, "context")) == NULL)
        return NULL;
    SYC_CORE_BEGIN
        syc__cache_note(context, question, "", &rate, sizeof rate);
    SYC_CORE_END
    Py_RETURN_NONE;
}

PyMethodDef syc_profile_methods[] = {
    {"profile_open", profile_open, METH_O,
     "profile_open($module, queue, /)\n--\n\nBegin to keep the times of a queue, or with None of all: a mark."},
    {"profile_settle", profile_settle, METH_O,
     "profile_settle($module, queue, /)\n--\n\nFalse: what is in flight has to be waited for first."},
    {"profile_close", profile_close, METH_VARARGS,
     "profile_close($module, queue, mark, /)\n--\n\nRecords, commands lost and their ns, and now."},
    {"roof_recall", roof_recall, METH_O,
     "roof_recall($module, context, /)\n--\n\nBytes in a ns that were kept for the device, or None."},
    {"roof_note", roof_note, METH_VARARGS, "roof_note($module, context, rate, /)\n--\n\nKeep them."},
    {NULL, NULL, 0, NULL},
};
