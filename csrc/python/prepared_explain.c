/* What a prepared kernel says of itself: how it is launched and why so, and what the last launch took. */
#include "python/prepared.h"

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

PyObject *syc_py_prepared_explain(PreparedObject *self)
{
    syc_text text = {0};
    PyObject *said = NULL;
    syc_lower_explain(syc_queue_device(self->queue->core),
                      self->launch.lowered ? &self->launch.lowering
                      : self->launch.whole ? syc_lower_of_whole()
                                           : NULL,
                      &self->launch.geometry, &self->task.core.launch.geometry, &text);
    if (self->last == NULL || say_time(self, &text) == 0)
        said = PyUnicode_DecodeUTF8(syc_text_get(&text), (Py_ssize_t)text.length, "replace");
    syc_text_clear(&text);
    return said;
}
