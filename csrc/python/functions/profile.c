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

/* What differs from one command to the next, as pysycl/_profile/records.py reads it. */
typedef struct numbers {
    uint64_t serial, queue, submit, start, end, bytes;
    uint32_t text; /* the number of what it shares with commands like it */
    uint8_t timed, failed;
} numbers;
_Static_assert(sizeof(numbers) == 56, "as NumPy has it");

/* Which records are alike in all but their numbers. */
typedef struct texts {
    const syc_profile_record **items; /* one of each */
    uint32_t *slots;                  /* open addressing: the item's number and 1 */
    size_t count, room, slot_count;   /* a power of two */
} texts;

static size_t hash_of(const syc_profile_record *r)
{
    size_t hash = (uintptr_t)r->program ^ (uintptr_t)r->site.file * 31 ^ (size_t)r->site.line * 131071;
    for (const char *c = r->name; *c != '\0'; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211U;
    return hash ^ hash >> 29;
}

static bool are_alike(const syc_profile_record *a, const syc_profile_record *b)
{
    return a->program == b->program && a->device == b->device && a->kind == b->kind && a->site.file == b->site.file &&
           a->site.line == b->site.line && a->site.call == b->site.call && strcmp(a->name, b->name) == 0;
}

/* Where its number is, or belongs. */
static uint32_t *slot_of(const texts *t, const syc_profile_record *r)
{
    size_t i = hash_of(r) & (t->slot_count - 1);
    while (t->slots[i] != 0 && !are_alike(t->items[t->slots[i] - 1], r))
        i = (i + 1) & (t->slot_count - 1);
    return &t->slots[i];
}

static syc_status slots_grow(texts *t)
{
    size_t wanted = t->slot_count > 0 ? 2 * t->slot_count : 64;
    uint32_t *old = t->slots;
    syc_status status = syc_alloc_array(wanted, sizeof *t->slots, &t->slots);
    if (status != SYC_OK) {
        t->slots = old;
        return status;
    }
    t->slot_count = wanted;
    for (size_t i = 0; i < t->count; i++)
        *slot_of(t, t->items[i]) = (uint32_t)i + 1;
    syc_free(old);
    return SYC_OK;
}

static syc_status number_of(texts *t, const syc_profile_record *r, uint32_t *out)
{
    syc_status status = 2 * t->count >= t->slot_count ? slots_grow(t) : SYC_OK;
    uint32_t *slot = status == SYC_OK ? slot_of(t, r) : NULL;
    if (slot != NULL && *slot == 0) {
        status = syc_grow(&t->items, &t->room, t->count + 1, sizeof *t->items);
        if (status == SYC_OK) {
            t->items[t->count++] = r;
            *slot = (uint32_t)t->count;
        }
    }
    if (status == SYC_OK)
        *out = *slot - 1;
    return status;
}

/* As _core.pyi has it. */
static PyObject *text_of(const syc_profile_record *r)
{
    const char *body = r->program != NULL ? syc_program_body(r->program) : NULL;
    return Py_BuildValue("zsszsiz", r->device != NULL ? syc_device_name(r->device) : NULL, r->kind, r->name, body,
                         r->site.file, r->site.line, r->site.call);
}

/* No GIL. */
static syc_status fill(numbers *out, texts *t, const syc_profile_record *records, size_t count)
{
    syc_status status = SYC_OK;
    for (size_t i = 0; status == SYC_OK && i < count; i++) {
        const syc_profile_record *r = &records[i];
        out[i] = (numbers){r->serial, r->queue, r->submit, r->start, r->end, r->bytes, 0, r->timed, r->failed};
        status = number_of(t, r, &out[i].text);
    }
    return status;
}

/* (bytes of numbers, list of texts); NULL with an error set. */
static PyObject *columns_of(syc_state *state, const syc_profile_record *records, size_t count)
{
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * sizeof(numbers))), *list = NULL;
    texts found = {0};
    syc_status status = SYC_OK;

    if (bytes == NULL)
        return NULL;
    SYC_CORE_BEGIN
        status = fill((numbers *)(void *)PyBytes_AS_STRING(bytes), &found, records, count);
    SYC_CORE_END
    list = status == SYC_OK ? PyList_New((Py_ssize_t)found.count) : syc_py_raise(state, status);
    for (size_t i = 0; list != NULL && i < found.count; i++)
        syc_py_put(&list, i, text_of(found.items[i]));
    syc_free(found.items);
    syc_free(found.slots);
    if (list == NULL)
        Py_CLEAR(bytes);
    return bytes != NULL ? Py_BuildValue("NN", bytes, list) : NULL;
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
    PyObject *object, *columns;

    if (!PyArg_ParseTuple(args, "O(nKKKK):profile_close", &object, &first, &mark.serial, &mark.lost, &lost_ns,
                          &mark.queue_id) ||
        queue_of(state, object, &queue) < 0)
        return NULL;
    mark.record = (size_t)first;
    mark.lost_ns = lost_ns;
    SYC_CORE_BEGIN
        status = syc_profile_close(queue, &mark, &records, &count);
    SYC_CORE_END
    columns = status == SYC_OK ? columns_of(state, records, count) : NULL;
    SYC_CORE_BEGIN
        syc_profile_free(records, count);
    SYC_CORE_END
    if (status != SYC_OK)
        return syc_py_raise(state, status);
    return columns == NULL ? NULL
                           : Py_BuildValue("NKKK", columns, mark.lost, (unsigned long long)mark.lost_ns,
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
     "profile_close($module, queue, mark, /)\n--\n\nRecords as columns, commands lost and their ns, and now."},
    {"roof_recall", roof_recall, METH_O,
     "roof_recall($module, context, /)\n--\n\nBytes in a ns that were kept for the device, or None."},
    {"roof_note", roof_note, METH_VARARGS, "roof_note($module, context, rate, /)\n--\n\nKeep them."},
    {NULL, NULL, 0, NULL},
};
