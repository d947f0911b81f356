/* The classes of a body's arguments, as far as types go: the same body with arguments of the same classes is the same
 * kernel. */
#ifndef SYC_PYTHON_BODY_CLASSES_H
#define SYC_PYTHON_BODY_CLASSES_H

#include "python/launch/task.h"

struct syc_hidden;

typedef enum syc_py_origin {
    SYC_PY_INT = 1,    /* Python's int and bool: the type of that integer literal in C */
    SYC_PY_WEAK_FLOAT, /* Python's other numbers: their type comes from the arrays beside them */
    SYC_PY_WEAK_COMPLEX,
    SYC_PY_SCALAR, /* NumPy's scalars, plain and structured: they bring their type */
    SYC_PY_MEMORY, /* arrays, accessors, buffers, unified shared memory */
    SYC_PY_LOCAL,
    SYC_PY_IMAGE,
    SYC_PY_SAMPLER,
    SYC_PY_STREAM,
    SYC_PY_REDUCER
} syc_py_origin;

/* Bits of a reducer's class: syc_reducer has the words for them. */
enum {
    SYC_PY_REDUCER_KNOWN = 1,
    SYC_PY_REDUCER_FRESH = 2,
    SYC_PY_REDUCER_ARRAY = 4,
    SYC_PY_REDUCER_ORDERED = 8,
    SYC_PY_REDUCER_SCANNER = 16,
    SYC_PY_REDUCER_INITIAL = 32
};

/* The places of pysycl.reductions.Reduction, a tuple. */
enum {
    SYC_PY_REDUCTION_MEMORY,
    SYC_PY_REDUCTION_COUNT,
    SYC_PY_REDUCTION_OPERATION,
    SYC_PY_REDUCTION_IDENTITY,
    SYC_PY_REDUCTION_FRESH,
    SYC_PY_REDUCTION_ARRAY,
    SYC_PY_REDUCTION_REDUCED,  /* syc_reducer has the words for these, too */
    SYC_PY_REDUCTION_VALUE,    /* the accumulator's dtype, or None: that of the memory */
    SYC_PY_REDUCTION_FINISH,   /* a string, or None */
    SYC_PY_REDUCTION_ACCURACY, /* syc_accuracy */
    SYC_PY_REDUCTION_ORDERED,
    SYC_PY_REDUCTION_PLACES,
    SYC_PY_REDUCTION_INITIAL = SYC_PY_REDUCTION_PLACES, /* of pysycl.scanners.Scanner alone: bytes, or None */
    SYC_PY_SCANNER_PLACES
};

/* No padding: classes are compared and hashed as bytes. */
typedef struct syc_py_class {
    uint8_t origin;                    /* syc_py_origin */
    uint8_t type;                      /* syc_dtype; SYC_STRUCT goes with a layout, SYC_BOOL stands for no type yet */
    uint8_t width;                     /* of vectors; 2 for complex numbers; else 1 */
    uint8_t rank;                      /* of memory, local memory and images: 1 to 3 */
    uint8_t readable, writable;        /* what the argument grants */
    uint8_t boolean;                   /* its elements are NumPy's bool: bytes that hold 0 or 1 */
    uint8_t reducer;                   /* SYC_PY_REDUCER_...; 0 for all but reducers, as what follows */
    uint8_t reduced, accuracy;         /* of the reducer */
    uint8_t result_type, result_width; /* of its variables, where they are not of its values' type; else 0. SYC_STRUCT:
                                          they are its accumulators (syc_reducer.kept) */
    uint8_t ranged;  /* of an accessor: it covers a part of its buffer, which rows may be longer than */
    uint8_t complex; /* two numbers of its type, the parts of one: cfloat or cdouble */
    uint8_t unused[2];
    PyObject *layout;    /* pysycl.struct_types.Layout, borrowed: the module keeps it */
    PyObject *operation; /* of reducers: a string, borrowed: pysycl/reductions.py keeps it; else NULL */
    PyObject *finish;    /* the same, or NULL */
} syc_py_class;

/* Is it Python's int or float? */
static inline bool syc_py_is_number(const syc_py_class *class)
{
    return class->origin == SYC_PY_INT || class->origin == SYC_PY_WEAK_FLOAT;
}

/* One argument of one call. */
typedef struct syc_py_given {
    syc_py_class class;
    Py_buffer *view; /* of arrays and scalars, among the task's pins; else NULL */
    size_t shape[3]; /* of memory and local memory, SYCL's order */
    size_t whole[3]; /* ranged: of the buffer that it is a part of, */
    size_t first;    /* and that buffer's elements before its first one */
} syc_py_given;

/* Elements from its first one to its last; where it is ranged, those between its rows, too. */
uint64_t syc_py_given_length(SYC_KEEP const syc_py_given *given);

/* The part of its memory that the accessor covers: shapes, place and rank. */
void syc_py_given_accessor(SYC_KEEP const AccessorObject *accessor, syc_py_given *out);
/* The value of a hidden parameter for the size or place of its name, whose memory given[hidden->index] is. False: it
 * says something else. */
bool syc_py_given_size(SYC_KEEP const syc_py_given *given, SYC_KEEP const struct syc_hidden *hidden, uint64_t *out);

/* The same of the hidden parameter `word` of one name, "syc_first_x". There are so many that it can have. */
enum { SYC_PY_SIZE_WORDS = 6 };
bool syc_py_given_named(SYC_KEEP const syc_py_given *given, const char *name, const char *word, uint64_t *out);

/* Where the classes of a call are found, and what its errors speak of. */
typedef struct syc_py_body_call {
    syc_state *state;
    const char *kernel; /* its name */
    PyObject *text;     /* borrowed; NULL: none that was made of the user's */
    PyObject *const *names, *const *values;
    Py_ssize_t count;
} syc_py_body_call;

/* Finds the class of argument `index`; what it pins goes to the task, which has pins with room for it. -1 with an error
 * set. */
int syc_py_classify(SYC_KEEP const syc_py_body_call *call, Py_ssize_t index, syc_py_task *task, syc_py_given *out);
/* Raises the class of `status`: "body(): 'x' " and the words, and all that was given; with the index -1 only the words.
 * Of a text that was made for a function of ours: its name, and what it was given (MadeText.caller). Always -1. */
int syc_py_body_refuse(SYC_KEEP const syc_py_body_call *call, syc_status status, Py_ssize_t index, const char *format,
                       ...) __attribute__((format(printf, 4, 5), cold));
int syc_py_body_refuse_words(SYC_KEEP const syc_py_body_call *call, syc_status status, Py_ssize_t index,
                             const char *words);
/* The same for a number: "does not fit: 300 " and the words. */
int syc_py_body_refuse_number(SYC_KEEP const syc_py_body_call *call, Py_ssize_t index, const char *words);

#endif
