/* The operands of explicit memory operations: accessors, buffers, arrays and unified shared memory. */
#ifndef SYC_PYTHON_MEMORY_OPERAND_H
#define SYC_PYTHON_MEMORY_OPERAND_H

#include "memory/buffer.h"
#include "python/launch/argument.h"

enum {
    SYC_PY_TAKES_ACCESSOR = 1, /* or a Buffer, which stands for an accessor of all of it */
    SYC_PY_TAKES_ARRAY = 2,
    SYC_PY_TAKES_USM = 4
};

typedef struct syc_py_role {
    const char *call, *name, *done; /* "copy", "dest", "copied" */
    unsigned takes;
    bool writes;
} syc_py_role;

typedef struct syc_py_operand {
    syc_side side;
    const char *noun;   /* "an array" */
    const char *format; /* of its elements, as in Py_buffer */
    PyObject *dtype;    /* borrowed from the operand; NULL for an array */
    size_t item;
    bool ranged;                  /* an accessor or buffer: its range says how much is copied */
    unsigned rank;                /* of a ranged one */
    size_t shape[3];              /* its range */
    const syc_image_shape *image; /* of the buffer; NULL: it is none */
} syc_py_operand;

/* Converts one operand; what it pins and needs goes to the scope's task, which has pins with room for it. -1 with an
 * error set that begins with the role. */
int syc_py_operand_take(const syc_py_scope *scope, SYC_KEEP const syc_py_role *role, PyObject *value,
                        syc_py_operand *out);
/* The accessor may be used in the scope's command group: -1 with AccessorError set. */
int syc_py_operand_check_group(const syc_py_scope *scope, SYC_KEEP const syc_py_role *role,
                               SYC_KEEP const AccessorObject *accessor);
/* Lets it stand for its first `bytes` bytes; -1 with an error set: it has fewer, or they are not side by side. */
int syc_py_operand_cut(syc_state *state, SYC_KEEP const syc_py_role *role, syc_py_operand *operand, size_t bytes);
/* Elements of the two may be copied as they are: they are of one type, or one is raw bytes. -1 with an error set. */
int syc_py_operands_match(syc_state *state, const char *call, SYC_KEEP const syc_py_operand *to,
                          SYC_KEEP const syc_py_operand *from);
/* The same of two accessors or buffers, and all of them: they are of one shape, but for dimensions of 1. Bytes in one
 * dimension need only be enough in the source; an image is copied whole. */
int syc_py_operands_agree(syc_state *state, const char *call, SYC_KEEP const syc_py_operand *to,
                          SYC_KEEP const syc_py_operand *from);
bool syc_py_operand_is_raw(SYC_KEEP const syc_py_operand *operand);

/* One element of the operand's type, item bytes, from a Python value (pattern.c); what does not fit is refused by name:
 * -1 with an error set. */
int syc_py_pattern(syc_state *state, SYC_KEEP const syc_py_operand *operand, PyObject *value, char *out);

/* True if its elements lie one after the other, without gaps, in C's order. */
bool syc_py_usm_is_packed(SYC_KEEP const UsmObject *usm);

#endif
