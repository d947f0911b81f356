/* Buffers, accessors and unified shared memory as Python objects. */
#ifndef SYC_PYTHON_MEMORY_MEMORY_H
#define SYC_PYTHON_MEMORY_MEMORY_H

#include "memory/box.h"
#include "memory/buffer.h"
#include "memory/sampler.h"
#include "python/state.h"

#include "memory/need.h"
#include "memory/usm/usm.h"

/* A buffer, a sub-buffer, or either seen as another type and shape: a part of the core's buffer. Each holds one
 * reference and one handle; the last handle's end is the buffer's destruction (pysycl/buffer.py). */
typedef struct BufferObject {
    PyObject_HEAD syc_buffer *core; /* NULL once closed */
    size_t low, bytes;              /* the part */
    unsigned rank;                  /* 1..3; 0-dimensional accessors see rank 1 */
    size_t shape[3];                /* SYCL's order: the last index is the fastest */
    size_t item;                    /* bytes of one element */
    PyObject *dtype;                /* numpy.dtype */
    bool is_sub, read_only;         /* read_only: a const element type (H343): only reading accessors */
    PyObject *properties;           /* dict, shared by all parts of the buffer */
    PyObject *life;                 /* what its end is: pysycl/_data/final_data.py. Shared by all parts too */
    unsigned long long id;          /* the core buffer's: stays when that is closed */
    bool closing;                   /* its handle was given up: of no use but to finish */
    PyObject *weakrefs;
} BufferObject;

typedef enum syc_py_mode { SYC_PY_READ, SYC_PY_WRITE, SYC_PY_READ_WRITE } syc_py_mode;
typedef enum syc_py_target { SYC_PY_DEVICE, SYC_PY_CONSTANT, SYC_PY_HOST_TASK } syc_py_target;

/* An accessor for commands. It keeps the buffer's memory alive, not the buffer: closing that is not put off. */
typedef struct AccessorObject {
    PyObject_HEAD syc_buffer *core; /* NULL: an empty accessor */
    size_t low, bytes;              /* of the (sub-)buffer, in the core's buffer */
    unsigned rank;
    size_t shape[3];            /* of the (sub-)buffer */
    size_t range[3], offset[3]; /* of the accessor, within it */
    size_t item;
    PyObject *dtype;
    syc_py_mode mode;
    syc_py_target target;
    bool no_init, placeholder;
    PyObject *handler; /* the group it was made in; NULL for a placeholder and once the group has ended */
    PyObject *owner;   /* of a group that is recorded: the buffer's object, which the recording keeps; else NULL */
    syc_command *host; /* the host task that it may be used in, while it runs; else NULL. Retained. A host accessor's:
                          its own access, borrowed */
    Py_ssize_t strides[3];
    Py_ssize_t exports; /* views of its memory that somebody holds */
    PyObject *weakrefs;
} AccessorObject;

/* The host's own access: an accessor, and the command that stands for it. */
typedef struct HostAccessorObject {
    AccessorObject accessor;
    struct HostAccessorObject *next, **link; /* among those that are open; link NULL: it is not */
    pthread_t thread;                        /* that asked for it */
    syc_site site;                           /* where */
    syc_command *access;                     /* NULL once it has ended */
    bool granted;
    PyObject *buffer; /* the BufferObject: kept while the access lasts */
} HostAccessorObject;

typedef struct UsmObject {
    PyObject_HEAD syc_usm *core; /* NULL once freed. Each array of an allocation has a reference */
    char *data;                  /* first element: views lie inside the allocation */
    int rank;
    Py_ssize_t *shape, *strides;
    size_t item;
    PyObject *dtype;
    bool lent;                         /* its address was handed out, for as long as it lives: __array_interface__ */
    struct UsmObject *next, *previous; /* all arrays of the allocation; core->binding is the first */
    PyObject *weakrefs;
} UsmObject;

typedef struct SamplerObject {
    PyObject_HEAD syc_sampler *core;
} SamplerObject;

static inline bool syc_py_is_buffer(const syc_state *state, PyObject *object)
{
    return PyObject_TypeCheck(object, state->base[SYC_FACE_BUFFER]);
}

static inline bool syc_py_is_accessor(const syc_state *state, PyObject *object)
{
    return PyObject_TypeCheck(object, state->base[SYC_FACE_ACCESSOR]);
}

static inline bool syc_py_is_usm(const syc_state *state, PyObject *object)
{
    return PyObject_TypeCheck(object, state->base[SYC_FACE_USM]);
}

/* The need that an accessor, or a buffer passed as an argument, stands for. `keep` is false only if no_init holds for
 * the whole of it. */
syc_need syc_py_accessor_need(SYC_KEEP const AccessorObject *accessor);
syc_need syc_py_buffer_need(SYC_KEEP const BufferObject *buffer, bool write, bool keep);
/* The bytes of the accessor's range as a box of the core's buffer (schedule/task.h). */
syc_box syc_py_accessor_box(SYC_KEEP const AccessorObject *accessor);
/* An accessor for commands, and the requirement that it makes: `handler` NULL makes a placeholder. `range` and `offset`
 * may be None. NULL with an error set. */
PyObject *syc_py_accessor(syc_state *state, PyTypeObject *type, SYC_KEEP BufferObject *buffer, PyObject *handler,
                          syc_py_mode mode, syc_py_target target, PyObject *range, PyObject *offset, bool no_init);
/* -1 with the error set when the buffer was closed. */
int syc_py_buffer_check(syc_state *state, SYC_KEEP const BufferObject *buffer, const char *what);
int syc_py_usm_check(syc_state *state, SYC_KEEP const UsmObject *usm, const char *what);
/* The buffer-protocol format of a dtype, borrowed from its type object's cache: what kernel parameters are checked
 * against (as Py_buffer's format). NULL with an error set. */
const char *syc_py_dtype_format(syc_state *state, PyObject *dtype);

#endif
