/* A launch of a body: from keyword arguments to a kernel and its arguments. */
#ifndef SYC_PYTHON_BODY_BODY_H
#define SYC_PYTHON_BODY_BODY_H

#include "python/body/special.h"
#include "python/launch/argument.h"
#include "python/launch/call.h"

typedef struct syc_py_launch syc_py_launch; /* python/launch/launch.h */

struct syc_py_conversion;

/* One call of a body: its arguments and what they make of it. Not to be moved. */
typedef struct syc_py_body_use {
    syc_py_body_call call;
    syc_py_given *given;
    syc_py_special *special;
    const syc_name *names;      /* the special's */
    const syc_lowered *lowered; /* the same */
    void *block;                /* of more than FEW arguments; else NULL */
    bool named;                 /* a Parameter is among the arguments */
    PyObject *constants;        /* {name: SpecConstant} of those among the arguments; or NULL */
    PyObject *operators;        /* {word: Operator} of those among the arguments; or NULL */
    PyObject *few_names[12], *few_values[12];
    syc_py_given few_given[12];
} syc_py_body_use;

/* Finds the classes of the call's arguments, pinning what has memory, and the specialisation for them. The device says
 * what a float without company is. The strings and values of `call` must stay. -1 with an error set, and nothing to
 * clear. */
int syc_py_body_use_open(syc_state *state, SYC_KEEP const syc_device *device, SYC_KEEP const syc_py_call *call,
                         syc_py_task *task, syc_py_body_use *out);
/* Is the keyword an argument of the kernel? Neither a word of the launch nor a specialization constant or operator. */
bool syc_py_body_takes(const syc_state *state, SYC_KEEP const syc_py_call *call, Py_ssize_t at);
/* Chooses the form for the launch's range, and makes it: fills use->lowered and the launch's lowering. -1 with an error
 * set. */
int syc_py_body_use_lower(syc_py_body_use *use, SYC_KEEP const syc_device *device, syc_context *context,
                          syc_py_launch *launch);
void syc_py_body_use_clear(syc_py_body_use *use);

/* All that and the conversion: a launch to be submitted, and what it was made from, which is to be cleared. -1 with an
 * error set, and nothing to clear. */
int syc_py_body_launch(const syc_py_scope *scope, SYC_KEEP const syc_py_call *call, syc_py_launch *out,
                       syc_py_body_use *use);
/* Prepares a body for a launch. */
int syc_py_body_prepare(const syc_py_scope *scope, SYC_KEEP const syc_py_call *call, syc_py_launch *out);

/* arguments.c: the arguments of the lowered kernel, the hidden ones too. -1 with an error set. */
int syc_py_body_arguments(const syc_py_scope *scope, SYC_KEEP const syc_py_body_use *use,
                          SYC_KEEP const syc_py_launch *launch, syc_py_arguments *out);
/* The hidden ones alone, behind those of `use`, for which c->out has room. -1 with an error set. */
int syc_py_body_hidden(struct syc_py_conversion *c, SYC_KEEP const syc_py_body_use *use,
                       SYC_KEEP const syc_py_launch *launch);

#endif
