/* The source of a body: the names that are given to it, and its text. */
#ifndef SYC_BODY_NAME_H
#define SYC_BODY_NAME_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct syc_part syc_part; /* source/origin.h */

typedef enum syc_name_kind {
    SYC_NAME_VALUE,  /* by value; const in the body */
    SYC_NAME_GLOBAL, /* a pointer to global memory */
    SYC_NAME_LOCAL,  /* a pointer to local memory */
    SYC_NAME_IMAGE,
    SYC_NAME_SAMPLER,
    SYC_NAME_STREAM, /* text output (body/stream_statements.c) */
    SYC_NAME_REDUCER /* a variable that all work-items are combined into (body/reduce/reduce.h); of a scan's texts a
                        scanner, which runs through them (body/scan/scan.h) */
} syc_name_kind;

/* How the sum of floating-point numbers is to be made. */
typedef enum syc_accuracy {
    SYC_ACCURACY_FAST,
    SYC_ACCURACY_PAIRWISE,
    SYC_ACCURACY_COMPENSATED,
    SYC_ACCURACY_EXACT
} syc_accuracy;

/* The operation that combines values of the name's type, whatever the form is (body/operator/operator.h). */
typedef struct syc_operator {
    const char *operation; /* "plus a + b": the operator's name (some have words of their own, +=), and behind the
                              first blank OpenCL C in a and b, of the type and giving it */
    bool known;            /* it has an identity, which the kernel is given */
    bool boolean;          /* the values are bytes that hold 0 or 1 */
    syc_accuracy accuracy; /* another than FAST: known, a sum of float or double or vectors of them, as is checked */
} syc_operator;

/* Some variables of an array, by their subscripts: those that a text names, if all that it names are constants. */
enum { SYC_VARIABLES_MOST = 16 };
typedef struct syc_variables {
    unsigned count;
    uint32_t at[SYC_VARIABLES_MOST][3];
    bool sure[SYC_VARIABLES_MOST];  /* every work-item comes to a use of it */
    struct syc__variable_use *uses; /* where the text names which; body/'s own */
    size_t use_count, use_capacity;
} syc_variables;

/* The description of a name of kind REDUCER. The name's type and size are those of its values. */
typedef struct syc_reducer {
    bool fresh;         /* the variable's old value is no part of the result */
    bool array;         /* many variables, as name[k]; else one */
    unsigned reduced;   /* dimensions of the range that are combined, bit 0 the first in SYCL's order, and `array` is
                           not set: there is a variable for each index of the others, row-major. 0: all of them, and
                           one variable. The same for all reducers of a body */
    const char *finish; /* OpenCL C in r, what was combined, and in the body's names of kind VALUE, that gives the
                           variable's value; NULL: r. Where it is,
                           or `result`, or `reduced`, the old value is no part of the result, identity or not. An
                           array has no `finish` */
    const char *result; /* the variables' type where it is not the name's; else NULL. half needs no fp16, but is
                           none of an array's */
    bool kept;          /* the variable gets the accumulator as it is, of another accuracy than FAST: a struct of as
                           many bytes as syc_partial_bytes has, for what goes on elsewhere; `fresh`, no `finish` */
    bool ordered;       /* the same launch gives the same bits: no form may let it matter who comes first */
    bool late;          /* of a program (body/whole/program.h): `fresh` is an argument of the kernel */
    const char *word;   /* what the text calls it, where that is not the name; else NULL */
    bool scanner;       /* it is one of a scan (body/scan/scan.h), and `fresh` */
    bool initial;       /* of a scanner: each segment begins with a value, which the kernel is given */
    bool restarts, befores; /* the same; body/'s own: the first text begins segments, the second asks for `before` */
    const syc_variables *variables; /* body/'s own (syc_body_private), else NULL: these are combined as if each was a
                                       reducer by itself, and `array` is not set */
} syc_reducer;

/* One name that is given to a body. */
typedef struct syc_name {
    const char *name;
    syc_name_kind kind;
    const char *type;        /* OpenCL C: of the value or of the elements; "image2d_t" */
    size_t size;             /* bytes of a value or element, 0 when unknown */
    bool readable, writable; /* what the argument grants; GLOBAL and IMAGE only */
    unsigned rank;           /* GLOBAL and LOCAL: 1 to 3 */
    bool ranged;             /* GLOBAL: a part of its memory, which begins elsewhere and whose rows may be longer */
    syc_operator op;         /* REDUCER only */
    syc_reducer reducer;     /* the same */
} syc_name;

/* How messages call the operator of a reducer: its name, or where the user gave it none, the expression in quotes. */
enum { SYC_OPERATOR_WORDS = 128 };
const char *syc_operator_words(SYC_KEEP const char *operation, char room[SYC_OPERATOR_WORDS]);

typedef struct syc_body_source {
    const char *text, *preamble, *declarations; /* the user's; the user's helpers or NULL; struct types or NULL */
    const char *name;                           /* of the kernel; NULL: "body" */
    const char *options;                        /* of the build, or NULL */
    const syc_name *names;
    size_t count;
    const syc_part *parts; /* texts of the user's, in a text that was made for him */
    size_t part_count;
    bool hierarchical; /* the text of a work-group, with parallel_for_work_item in it (body/hierarchy/hierarchy.h) */
    bool whole;        /* the text of a kernel: OpenCL C's own words for the index space, and no others */
    size_t seam;       /* of a scan (body/scan/scan.h): the line of the text between its two, "}{"; 0: it is none */
    unsigned along;    /* of the same: the dimension of the range, in SYCL's order; SYC_ALONG_ALL: the linear id */
    bool reverse;      /* of the same: from the last element to the first */
} syc_body_source;

enum { SYC_ALONG_ALL = 3 };

#endif
