/* The texts of the device library (*.clh of kernels/) and the names in them that are the user's to use. */
#ifndef SYC_LIBRARY_LIBRARY_H
#define SYC_LIBRARY_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* The kind of a name, which says where it is used. */
enum syc__library_sort {
    SYC__LIBRARY_FUNCTION, /* of use only before a '(': functions, and macros that take arguments */
    SYC__LIBRARY_OVERRIDE, /* a FUNCTION that OpenCL C may have too, and PoCL as a macro */
    SYC__LIBRARY_WORD,     /* a macro without: it would also hit a variable of the same name */
    SYC__LIBRARY_TYPE,
    SYC__LIBRARY_MACRO,  /* with arguments, and of use anywhere: in #if, among the words of a declaration */
    SYC__LIBRARY_RIVAL,  /* a word of OpenCL's own: what has it means OpenCL by all the other names too */
    SYC__LIBRARY_BESIDE, /* a word of OpenCL's own, without any of which the others are not meant */
    SYC__LIBRARY_SORTS
};

struct syc__library {
    const char *file;
    const char *const *needs; /* texts that must stand before it: NULL, or ends with one */
    unsigned family;          /* 1 + the syc_family that its names belong to, whatever group they are for; or 0 */
    bool groups;              /* its functions are a work-group's or a sub-group's, as their first argument says */
    bool scratch;             /* its functions name `syc_scratch`, memory that their kernel is given (scratch.h) */
    bool device;              /* it reads what device_options.h tells of a device */
    const char *const *names[SYC__LIBRARY_SORTS]; /* each NULL, or ends with one */
};

#define SYC__CONVERGE     "converge.clh"     /* wanted by no name: converge.h */
#define SYC__PER_ITEM     "per_item.clh"     /* of types.clh, and pocl_per_item.h wants it */
#define SYC__HIERARCHICAL "hierarchical.clh" /* has no items that could come to a group function together */

/* In the order in which they stand before a program; ends with one whose `file` is NULL. */
extern const struct syc__library syc__libraries[];

#endif
