/* The arguments of parallel_for and single_task, taken apart. */
#ifndef SYC_PYTHON_LAUNCH_CALL_H
#define SYC_PYTHON_LAUNCH_CALL_H

#include "python/state.h"

/* Everything is borrowed from the caller. */
typedef struct syc_py_call {
    const char *function;
    PyObject *range, *kernel; /* range NULL: a single task */
    PyObject *group_size;     /* of parallel_for_work_group, or NULL */
    bool hierarchical;        /* the range is the number of groups: parallel_for_work_group, or WorkGroups were given */
    PyObject *own[SYC_WORDS]; /* keywords of the launch itself; NULL where not given */
    PyObject *const *given;   /* positional arguments of the kernel */
    Py_ssize_t count;
    PyObject *names;        /* tuple of all keywords, or NULL; those of the launch itself are among them */
    PyObject *const *named; /* their values */
    PyObject *constants;    /* a body's specialization constants: their definitions as a string, or the values that a
                               command group has set; NULL: none */
    const struct syc_py_special *prepared; /* of a body that was prepared: numbers that can take the types of the former
                                              ones do; or NULL */
    PyObject *operators; /* a body's operators, where it is known which: their macros as a string; or NULL */
} syc_py_call;

/* Splits the vectorcall arguments. A kernel takes depends_on and wait (where `depends`) and offset, a body's text also
 * preamble, options, name, and its arguments. -1 with TypeError set for a keyword that there is no use for. */
int syc_py_call_parse(syc_state *state, const char *function, bool ranged, bool depends, PyObject *const *args,
                      Py_ssize_t count, PyObject *names, syc_py_call *out);
/* The same for parallel_for_work_group(groups, [group_size,] body, **arguments): the text of a work-group, no Kernel.
 */
int syc_py_call_parse_groups(syc_state *state, PyObject *const *args, Py_ssize_t count, PyObject *names,
                             syc_py_call *out);
/* Sets the kernel's arguments to the items of a tuple: by name, or by position where `names` is NULL. */
void syc_py_call_set(syc_py_call *call, PyObject *names, PyObject *values);
/* Which keyword of launches it is; -1: none. */
int syc_py_call_word(SYC_KEEP const syc_state *state, PyObject *name);
/* Says that it is neither a Kernel nor a body: -1. */
int syc_py_call_refuse_kernel(syc_state *state, PyObject *kernel);
/* Once per module. -1 with an error set. */
int syc_py_call_init(syc_state *state);

#endif
