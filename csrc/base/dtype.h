/* The element types: the one table that knows names, sizes and what a device needs for each. Nothing else switches over
 * types by hand. */
#ifndef SYC_BASE_DTYPE_H
#define SYC_BASE_DTYPE_H

#include <stdbool.h>
#include <stddef.h>

/* X(name, OpenCL word, size, kind, buffer-protocol character)
 * kind: 'b' bool, 'i' signed, 'u' unsigned, 'f' floating point. */
/* clang-format off */
#define SYC_DTYPE_MAP(X)                 \
    X(BOOL, "bool", 1, 'b', '?')     \
    X(CHAR, "char", 1, 'i', 'b')     \
    X(UCHAR, "uchar", 1, 'u', 'B')   \
    X(SHORT, "short", 2, 'i', 'h')   \
    X(USHORT, "ushort", 2, 'u', 'H') \
    X(INT, "int", 4, 'i', 'i')       \
    X(UINT, "uint", 4, 'u', 'I')     \
    X(LONG, "long", 8, 'i', 'q')     \
    X(ULONG, "ulong", 8, 'u', 'Q')   \
    X(HALF, "half", 2, 'f', 'e') \
    X(FLOAT, "float", 4, 'f', 'f')   \
    X(DOUBLE, "double", 8, 'f', 'd')
/* clang-format on */

typedef enum syc_dtype {
#define X(name, word, size, kind, format) SYC_##name,
    SYC_DTYPE_MAP(X)
#undef X
        SYC_STRUCT, /* a struct, known by its name */
    SYC_VOID,       /* void: only behind a pointer */
    SYC_OPAQUE,     /* image, sampler, event: no host type */
    SYC_DTYPE_COUNT
} syc_dtype;

const char *syc_dtype_name(syc_dtype type); /* the OpenCL word */
/* "float4"; of width 1 the plain word. The widths are OpenCL's: 1, 2, 3, 4, 8, 16. */
const char *syc_dtype_vector_name(syc_dtype type, unsigned width);
size_t syc_dtype_size(syc_dtype type); /* 0 for those without a size of their own */
char syc_dtype_kind(syc_dtype type);   /* 'b' 'i' 'u' 'f', 'V' for the others */
/* The type that an OpenCL word of `length` characters names (also size_t, uint8_t spellings); false if none. */
bool syc_dtype_from_word(const char *word, size_t length, syc_dtype *out);
/* The type of a buffer-protocol format (native or little-endian, one scalar); false if it is none of ours. */
bool syc_dtype_from_format(const char *format, size_t item_size, syc_dtype *out);
/* The type of the parts where it is one of complex numbers; false if not. */
bool syc_dtype_from_complex_format(const char *format, syc_dtype *out);
/* The same as the first for a struct of 2, 3, 4, 8 or 16 numbers of one type named s0, s1, ... sF, which lie as those
 * of a vector do, 3 in the place of 4: the form that pysycl/_vectors/vector_types.py makes. */
bool syc_dtype_from_vector_format(const char *format, size_t item_size, syc_dtype *out, unsigned *width);

#endif
