/* The arguments of parallel_for and single_task, taken apart. */
#ifndef SYC_PYTHON_CALL_H
#define SYC_PYTHON_CALL_H

#include "python/state.h"

/* What the docstrings of parallel_for and single_task have in common. */
/* clang-format off */
#define SYC_PY_LAUNCH_DOC \
    "Parameters\n----------\n" \
    "kernel\n" \
    "    A Kernel of a Program, whose arguments follow by position; or the text of a body, the OpenCL C statements of one\n" \
    "    work-item, whose arguments are given by name. In it i is the linear id; i0, i1, i2 are the ids and n0, n1, n2 the\n" \
    "    range, in SYCL's order; return ends the work-item.\n" \
    "preamble, options, name\n" \
    "    For a body: OpenCL C that stands before the kernel, helper functions for one; options of the build; the kernel's\n" \
    "    name, in place of 'body'. An argument of a body cannot have these names.\n" \
    "**arguments\n" \
    "    The body's: arrays, accessors, buffers, UsmArrays and local memory are pointers to their elements, and of rank 2\n" \
    "    and 3 also x(i0, i1) and x(i0, i1, i2); NumPy's scalars bring their type. A structured dtype is a C struct, and\n" \
    "    x_t is its name where the argument is x. Complex numbers are float2 and double2, bools uchar and int.\n\n" \
    "Notes\n-----\n" \
    "Python's numbers take their type from the arrays, as in NumPy. A float takes the widest floating type among them;\n" \
    "without one it is double, or float where the device has no double. An int takes the widest integer type among them,\n" \
    "a signed one if they are mixed; where all are floating it takes that type, unless the body uses it inside [...], in\n" \
    "the head of a for, or beside one of % & | ^ << >> ~, where it is an int, or a long if it needs 64 bits; without arrays\n" \
    "it is a long. What does not fit is refused: numpy.int64(...) has a type of its own."
/* clang-format on */

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
    PyObject *operators;    /* a body's operators, where it is known which: their macros as a string; or NULL */
} syc_py_call;

/* Splits the vectorcall arguments. A kernel takes depends_on (where `depends`) and offset, a body's text also preamble,
 * options, name, and its arguments. -1 with TypeError set for a keyword that there is no use for. */
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
