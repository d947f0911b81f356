/* A kernel's parameter, as its declaration says. */
#ifndef SYC_SOURCE_DECLARATIONS_PARAMETER_H
#define SYC_SOURCE_DECLARATIONS_PARAMETER_H

#include "base/dtype.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum syc_space { SYC_SPACE_PRIVATE, SYC_SPACE_GLOBAL, SYC_SPACE_CONSTANT, SYC_SPACE_LOCAL } syc_space;

/* How a kernel may use an image. */
typedef enum syc_image_access {
    SYC_IMAGE_NO_ACCESS, /* no image */
    SYC_IMAGE_READ,
    SYC_IMAGE_WRITE,
    SYC_IMAGE_READ_WRITE
} syc_image_access;

typedef struct syc_param {
    char *text; /* as written, white space folded: "__global const float *x" */
    char *name; /* "x"; "" for an unnamed parameter */
    char *
        struct_name; /* for SYC_STRUCT and SYC_OPAQUE: the type's own word(s), "struct point", "image2d_t"; else NULL */
    syc_space space; /* of what is pointed to; SYC_SPACE_PRIVATE for a value */
    syc_image_access access; /* of an image: without a qualifier it is for reading */
    bool pointer;
    bool is_const, is_volatile, is_restrict; /* const: of what is pointed to */
    bool reducer;                            /* it was declared in words that are not OpenCL C: `text` has them */
    syc_dtype type;                          /* element type, of the pointee for a pointer */
    unsigned width;                          /* 1, or the vector's 2 3 4 8 16 */
    size_t size;      /* bytes of one value or pointee (a 3-vector takes 4); 0 when unknown: void, opaque, structs with
                         attributes, bit-fields and the like */
    size_t alignment; /* of the same; 1 when unknown */
} syc_param;

#endif
