/* The commands of a call, with the places where its memory stands in them. */
#ifndef SYC_PYTHON_KEPT_PLAN_H
#define SYC_PYTHON_KEPT_PLAN_H

#include "python/kept/kept.h"

/* The parts of the tuples below. */
enum { STEP_RANGE, STEP_TEXT, STEP_NAMES, STEP_NAMES_AFTER, STEP_VALUES, STEP_PUTS };
enum { PUT_ARGUMENT, PUT_AT, PUT_AROUND };
enum { VIEW_SLOT, VIEW_PLACE };
enum { MADE_SHAPE, MADE_DTYPE, MADE_ITEM };

/* What is asked of objects of Python's: their names, interned. */
typedef enum syc_kept_word {
    WORD_PARALLEL_FOR,
    WORD_FILL,
    WORD_TAKE,
    WORD_GIVE_BACK,
    WORD_WAIT,
    WORD_MADE,
    WORD_NEW,
    WORD_VIEW,
    WORDS
} syc_kept_word;

/* Made once, and never changed, so that any threads may run it at once. Tuples, but for what is said otherwise. */
typedef struct PlanObject {
    PyObject_HEAD PyObject *queue; /* a weak reference to it */
    PyObject
        *steps; /* of each command its range, or None: a fill; text; names of its arguments, and with those of what it
                 * comes behind; their values; and which of them are memory: argument, at, what that is wrapped in */
    PyObject *views;   /* of the memory: which, and what part of it, or None */
    PyObject *spares;  /* memory between commands: size, dtype */
    PyObject *made;    /* results that are new memory: shape, dtype, bytes of an element */
    PyObject *results; /* each is a number among the memory, or an array that each caller has a copy of */
    PyObject *shape;   /* what the call returns, of a list of these; None: the only one */
    PyObject *spare;   /* pysycl/_algorithms/spare.py: Spare, */
    PyObject *let_go;  /* and let_go */
    PyObject *words[WORDS];
    PyObject *weakrefs;
} PlanObject;

#endif
