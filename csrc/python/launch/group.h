/* A command group's parts besides its command: the accessors that were made for it or that it requires. */
#ifndef SYC_PYTHON_LAUNCH_GROUP_H
#define SYC_PYTHON_LAUNCH_GROUP_H

#include "python/launch/task.h"
#include "python/types/handler.h"

struct syc_py_command; /* handler.c */

typedef struct HandlerObject {
    PyObject_HEAD QueueObject *queue; /* NULL once the group has ended */
    struct syc_py_command *command;   /* when there is one */
    syc_py_waiting wait;              /* at its end, for its command */
    PyObject *after;                  /* list of Events */
    PyObject *accessors;              /* list of those made for the group or required by it; NULL: none */
    PyObject *arguments;              /* dict of what set_arg() gave, by index; NULL: none */
    PyObject *kernels;                /* whose _kernel_for() gives the kernel to launch for the one named; NULL: that */
} HandlerObject;

/* -1 with an error set when the group has ended. */
int syc_py_group_open(HandlerObject *group, const char *what);
/* h.require(accessor). -1 with an error set. */
int syc_py_group_require(HandlerObject *group, PyObject *accessor);
/* Adds what a list of accessors (NULL: none) asks for to a command, used or not; a host task gets the accessors, too.
 * -1 with an error set. */
int syc_py_accessors_add_to(syc_state *state, PyObject *accessors, syc_py_task *task, bool host);
/* A handler is gone with a command that was never submitted: says so, at the line of the command. Keeps the exception
 * that is set. */
void syc_py_group_warn_forgotten(syc_state *state, syc_site site);
/* The kernel to launch for the one that a call names, a new reference; for groups with `kernels` only. */
PyObject *syc_py_group_kernel(HandlerObject *group, PyObject *named);
PyObject *syc_py_group_use(HandlerObject *group, PyObject *kernels); /* h._use(kernels) */
extern PyGetSetDef syc_py_group_getset[];
/* The group ends: its accessors are of use no more. */
void syc_py_group_drop_accessors(HandlerObject *group);

#endif
