/* A body for arguments of certain classes: what all launches of it share, and the cache that finds it again. */
#ifndef SYC_PYTHON_BODY_SPECIAL_H
#define SYC_PYTHON_BODY_SPECIAL_H

#include "body/body.h"
#include "python/body/classes.h"
#include "python/lock.h"

enum {
    SYC_PY_BODY_TEXT,
    SYC_PY_BODY_PREAMBLE,
    SYC_PY_BODY_OPTIONS,
    SYC_PY_BODY_NAME,
    SYC_PY_BODY_CONSTANTS, /* definitions of specialization constants */
    SYC_PY_BODY_OPERATORS, /* and of operators for group functions */
    SYC_PY_BODY_WORDS
};

/* The key of a specialisation, besides the classes and names of its arguments. */
typedef struct syc_py_body_key {
    PyObject *words[SYC_PY_BODY_WORDS]; /* strings; all but the text may be NULL */
    bool fp64;                          /* of the device: what a float is when there is no array beside it */
    bool hierarchical;                  /* the text of a work-group */
} syc_py_body_key;

typedef struct syc_py_slot {
    PyObject *name;
    syc_py_class class;
    syc_dtype type;   /* of a weak number, the one that it takes; else as in the class */
    size_t alignment; /* that elements of a struct need; 0 for all others */
} syc_py_slot;

typedef struct syc_py_special {
    syc_py_count users;
    Py_hash_t hash;
    syc_py_body_key key; /* owned */
    syc_body *core;
    syc_py_lock reach;               /* of the two below */
    syc_reach_launch *passed, *next; /* the launch that was in bounds last, and room for another; or NULL */
    Py_ssize_t count;
    syc_py_slot slots[];
} syc_py_special;

/* Makes one. NULL with an error set. */
syc_py_special *syc_py_special_make(SYC_KEEP const syc_py_body_call *call, SYC_KEEP const syc_py_body_key *key,
                                    SYC_KEEP const syc_py_given *given);
void syc_py_special_release(syc_py_special *special); /* NULL is fine */

/* special_cache.c: the one for these words, names and classes, made if need be; a new reference or NULL with an error
 * set. At most MOST are kept. */
syc_py_special *syc_py_special_find(SYC_KEEP const syc_py_body_call *call, SYC_KEEP const syc_py_body_key *key,
                                    SYC_KEEP const syc_py_given *given);
void syc_py_specials_clear(syc_state *state);

#endif
