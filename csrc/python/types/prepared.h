/* A launch that is kept, to be submitted again and again. */
#ifndef SYC_PYTHON_TYPES_PREPARED_H
#define SYC_PYTHON_TYPES_PREPARED_H

#include "python/body/body.h"
#include "python/launch/launch.h"

/* Immutable once made, but for `last`, so that any threads may call it at once. It has its own pins, which each command
 * holds by way of the object. */
typedef struct PreparedObject {
    PyObject_HEAD vectorcallfunc vectorcall;
    QueueObject *queue;
    syc_py_call call;        /* owned: range, kernel, own */
    PyObject *names;         /* tuple: of the arguments, in the kernel's order */
    PyObject *values;        /* tuple: as they were given */
    syc_py_special *special; /* of a body; NULL for a Kernel */
    syc_py_task task;        /* what it uses, and the planned launch */
    syc_py_launch launch;
    struct syc_py_reach *reach; /* what the launch was held against; NULL: nothing */
    PyObject *last;             /* the Event of the last launch, where the queue keeps times; else NULL */
    PyObject *weakrefs;
} PreparedObject;

/* launch/explain.c: what it tells. */
extern PyGetSetDef syc_prepared_getset[];

/* queue.kernel(range, kernel, ...): a PreparedKernel or NULL with an error set. */
PyObject *syc_py_prepare(QueueObject *queue, PyObject *const *args, Py_ssize_t count, PyObject *names);

#endif
