/* A prepared kernel's account of itself: its text, how it is launched and why so, and the costs of the last launch. */
#include "python/types/prepared.h"
#include "schedule/queue.h"
#include "source/declarations/signature.h"

/* How long the last launch took, where that is known; -1 with an error set. */
static int say_time(PreparedObject *self, syc_text *out)
{
    const syc_geometry *range = &self->launch.geometry;
    double seconds, bytes = self->launch.lowered ? (double)self->launch.lowering.read_bytes : 0;
    PyObject *module = PyImport_ImportModule("pysycl.explain");
    PyObject *took = module != NULL ? PyObject_CallMethod(module, "seconds_of", "O", self->last) : NULL;

    Py_XDECREF(module);
    if (took == NULL)
        return -1;
    seconds = PyFloat_AsDouble(took);
    Py_DECREF(took);
    for (unsigned d = 0; d < range->dims; d++)
        bytes *= (double)range->global[d];
    if (seconds > 0)
        syc_text_add(out, "took      %.1f us the last time, by profiling", seconds * 1e6);
    if (seconds > 0 && bytes > 0)
        syc_text_add(out, ": %.1f GB/s", bytes / seconds / 1e9);
    syc_text_add(out, seconds > 0 ? "\n" : "");
    return PyErr_Occurred() ? -1 : 0;
}

static PyObject *get_explanation(PreparedObject *self, void *unused)
{
    syc_text text = {0};
    PyObject *said = NULL;
    (void)unused;
    syc_lower_explain(syc_queue_device(self->queue->core),
                      self->launch.lowered ? &self->launch.lowering
                      : self->launch.whole ? syc_lower_of_whole()
                                           : NULL,
                      &self->launch.geometry, &self->task.core.launch.geometry, &text);
    if (self->last != NULL && say_time(self, &text) < 0)
        said = NULL;
    else if (text.cut)
        syc_py_raise(syc_state_of(self),
                     syc_fail(SYC_E_MEMORY_ALLOCATION, SYC_HERE, "no memory for what is explained"));
    else
        said = PyUnicode_DecodeUTF8(syc_text_get(&text), (Py_ssize_t)text.length, "replace");
    syc_text_clear(&text);
    return said;
}

/* -- all that it tells -- */

static PyObject *get_queue(PreparedObject *self, void *unused)
{
    (void)unused;
    return Py_NewRef((PyObject *)self->queue);
}

static PyObject *get_range(PreparedObject *self, void *unused)
{
    (void)unused;
    return Py_NewRef(self->call.range != NULL ? self->call.range : Py_None);
}

static PyObject *get_name(PreparedObject *self, void *unused)
{
    (void)unused;
    return PyUnicode_FromString(syc_program_signatures(self->launch.program)->items[self->launch.kernel].name);
}

static PyObject *get_arguments(PreparedObject *self, void *unused)
{
    PyObject *dict = PyDict_New();
    (void)unused;
    for (Py_ssize_t i = 0; dict != NULL && i < PyTuple_GET_SIZE(self->values); i++) {
        if (PyDict_SetItem(dict, PyTuple_GET_ITEM(self->names, i), PyTuple_GET_ITEM(self->values, i)) < 0)
            Py_CLEAR(dict);
    }
    return dict;
}

static PyObject *get_source(PreparedObject *self, void *unused)
{
    size_t length;
    const char *source = syc_program_text(self->launch.program, &length);
    (void)unused;
    return PyUnicode_DecodeUTF8(source, (Py_ssize_t)length, "replace");
}

static PyObject *get_temporary_bytes(PreparedObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromUnsignedLongLong(self->launch.arguments.temporary_bytes);
}

PyGetSetDef syc_prepared_getset[] = {
    {"queue", (getter)get_queue, NULL, "The queue that it is submitted to.", NULL},
    {"range", (getter)get_range, NULL, "The range as it was given; None for a single task.", NULL},
    {"name", (getter)get_name, NULL, "The kernel's name.", NULL},
    {"arguments", (getter)get_arguments, NULL, "The arguments that it was prepared with, by name.", NULL},
    {"source", (getter)get_source, NULL, "The OpenCL C text that runs.", NULL},
    {"explanation", (getter)get_explanation, NULL, "How it is launched, and why so: what sycl.explain() says.", NULL},
    {"temporary_bytes", (getter)get_temporary_bytes, NULL,
     "Bytes of global memory that it takes for partial results of reducers.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
