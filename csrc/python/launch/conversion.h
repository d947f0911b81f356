/* One kernel argument being converted: what the files of the conversion share. */
#ifndef SYC_PYTHON_LAUNCH_CONVERSION_H
#define SYC_PYTHON_LAUNCH_CONVERSION_H

#include "python/body/classes.h"
#include "python/launch/argument.h"
#include "python/launch/mismatch.h"
#include "source/declarations/signature.h"

struct syc_py_conversion {
    const syc_py_scope *scope;
    const syc_signature *kernel;
    PyObject *const *given;
    Py_ssize_t count, index; /* index -1: the call as a whole */
    syc_py_arguments *out;
    size_t used;                  /* of out->values */
    const syc_py_body_call *body; /* the kernel is a body, and errors speak of its names; else NULL */
    size_t hidden, hidden_bytes;  /* arguments behind those of the signature, and what their values take */
    const char *label;            /* the name of a replay's argument: then `given` is NULL */
};

/* The parts of an array, or of anything like one. */
struct syc_py_elements {
    const char *noun; /* "an array" */
    const char *format;
    Py_ssize_t item, bytes;
};

static inline const syc_param *syc_py_param(const struct syc_py_conversion *c)
{
    return &c->kernel->params[c->index];
}

/* The kernel may write through this pointer. */
static inline bool syc_py_param_writes(const syc_param *p)
{
    return p->space == SYC_SPACE_GLOBAL && !p->is_const;
}

/* argument.c: one argument; c->index is set. -1 with an error set. */
int syc_py_argument_convert(struct syc_py_conversion *c, PyObject *value, syc_argument *out);
/* The same for a replay, in the place of what was recorded. */
int syc_py_argument_replace(struct syc_py_conversion *c, PyObject *value, SYC_KEEP const syc_argument *recorded,
                            syc_argument *out);

/* Of the arguments that are values. */
size_t syc_py_conversion_bytes(SYC_KEEP const syc_signature *kernel);
/* Clears c->out, and makes room for the arguments of the kernel and the bytes of its values. -1 with MemoryError set.
 */
int syc_py_conversion_room(struct syc_py_conversion *c);
/* Buffers to pin, known from the signature alone. */
Py_ssize_t syc_py_conversion_pins(SYC_KEEP const syc_signature *kernel);
/* Bytes for a by-value argument, on a boundary that suits any vector. */
void *syc_py_conversion_reserve(struct syc_py_conversion *c, size_t size);
int syc_py_convert_local(struct syc_py_conversion *c, PyObject *value, syc_argument *out);

/* argument_array.c */
/* Pins the object's memory; the reason for a refusal is told from the ways in which it refuses. */
int syc_py_conversion_pin(struct syc_py_conversion *c, PyObject *value, bool write, Py_buffer **out);
int syc_py_conversion_check(const struct syc_py_conversion *c, const struct syc_py_elements *elements);
/* A view that the task has pinned. */
int syc_py_convert_view(struct syc_py_conversion *c, const Py_buffer *view, syc_argument *out);
int syc_py_convert_array(struct syc_py_conversion *c, PyObject *value, syc_argument *out);
bool syc_py_view_is_packed(const Py_buffer *view);

/* argument.c: a Vec or Marray as the structured scalar that it is now: a new reference. NULL: it is neither, or an
 * error is set. */
PyObject *syc_py_components(const syc_state *state, PyObject *value);

/* argument_memory.c: a pointer to nothing. */
int syc_py_convert_null(syc_argument *out);
/* 1 when it was converted, 0 when the value is no memory object. */
int syc_py_convert_memory(struct syc_py_conversion *c, PyObject *value, syc_argument *out);
/* For a parameter that is an image or a sampler. */
int syc_py_convert_opaque(struct syc_py_conversion *c, PyObject *value, syc_argument *out);

#endif
