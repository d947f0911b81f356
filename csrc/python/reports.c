/* Failures that no caller is there to receive, of destructors and of the core's threads: they become Python warnings,
 * on a thread that holds the GIL. */
#include "base/alloc.h"
#include "python/state.h"

#include <stdatomic.h>

struct report {
    struct report *next;
    char text[];
};

static _Atomic(struct report *) waiting; /* newest first */
/* Warnings are process-wide, and so is this: the class of the module instance that was made last. */
static PyObject *warning_class;

static int warn_pending(void *unused)
{
    struct report *report = atomic_exchange(&waiting, NULL), *next;
    int failed = 0;
    (void)unused;
    for (; report != NULL; report = next) {
        PyObject *cls = warning_class != NULL ? warning_class : PyExc_RuntimeWarning;
        next = report->next;
        failed |= PyErr_WarnEx(cls, report->text, 1) < 0;
        free(report);
    }
    return failed ? -1 : 0;
}

static void hook(const syc_detail *detail)
{
    size_t bytes = strlen(detail->message) + 1;
    struct report *report = malloc(sizeof *report + bytes);
    if (report == NULL || !Py_IsInitialized()) {
        fprintf(stderr, "pysycl: %s\n", detail->message);
        free(report);
        return;
    }
    memcpy(report->text, detail->message, bytes);
    report->next = atomic_load(&waiting);
    while (!atomic_compare_exchange_weak(&waiting, &report->next, report))
        ;
    (void)Py_AddPendingCall(warn_pending, NULL);
}

/* Gives out all that waits. For interpreter exit, when pending calls may not run any more. */
void syc_py_reports_flush(void)
{
    if (warn_pending(NULL) < 0)
        PyErr_WriteUnraisable(NULL);
}

void syc_py_reports_init(void)
{
    syc_set_report_hook(hook);
}

void syc_py_reports_set_class(PyObject *warning)
{
    Py_XSETREF(warning_class, Py_NewRef(warning));
}

/* Python prints what a finalizer raises, and goes on as if nothing had been. */
static void go_on(PyObject *self)
{
    PyObject *type, *value, *trace;
    if (PyErr_ExceptionMatches(PyExc_Exception)) {
        PyErr_WriteUnraisable(self);
        return;
    }
    PyErr_Fetch(&type, &value, &trace);
    (void)PyThreadState_SetAsyncExc(PyThread_get_thread_ident(), type);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
}

void syc_py_dropped(PyObject *self)
{
    PyObject *type, *value, *trace, *done;
    PyErr_Fetch(&type, &value, &trace);
    done = PyObject_CallMethod(self, "_dropped", NULL);
    if (done == NULL)
        go_on(self);
    Py_XDECREF(done);
    PyErr_Restore(type, value, trace);
}
