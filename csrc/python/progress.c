/* When a wait for a compiler is worth a line. */
#include "python/progress.h"

#include "base/clock.h"
#include "base/interrupt.h"

static const uint64_t PATIENCE_NS = 1000000000;
static unsigned long drawn_by; /* the thread, 0: there is no line. Under the GIL */

static PyObject *drawing(void)
{
    return PyImport_ImportModule("pysycl._runtime.progress");
}

int syc_py_progress_tick(const char *call)
{
    const syc_awaited *awaited = syc_interrupt_awaited();
    const uint64_t waited = awaited != NULL ? syc_now_ns() - awaited->since : 0;
    PyObject *module, *done;

    if (waited < PATIENCE_NS)
        return 0;
    module = drawing();
    done = module == NULL ? NULL
                          : PyObject_CallMethod(module, "show", "sssdz", awaited->what, awaited->name, awaited->where,
                                                (double)waited * 1e-9, awaited->is_text ? call : NULL);
    Py_XDECREF(module);
    if (done == NULL && PyErr_ExceptionMatches(PyExc_Exception))
        PyErr_Clear(); /* a line that cannot be drawn is no reason to fail */
    Py_XDECREF(done);
    drawn_by = PyThread_get_thread_ident();
    return PyErr_Occurred() != NULL ? -1 : 0;
}

void syc_py_progress_end(void)
{
    PyObject *type, *value, *trace, *module, *done;

    if (drawn_by == 0 || drawn_by != PyThread_get_thread_ident())
        return;
    drawn_by = 0;
    PyErr_Fetch(&type, &value, &trace);
    module = drawing();
    done = module != NULL ? PyObject_CallMethod(module, "end", NULL) : NULL;
    Py_XDECREF(module);
    Py_XDECREF(done);
    PyErr_Clear();
    PyErr_Restore(type, value, trace);
}
