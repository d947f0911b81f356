/* Types as declarations spell them: specifiers in any order, typedefs, structs by name, declarators. */
#ifndef SYC_SOURCE_DECLARATIONS_TYPES_H
#define SYC_SOURCE_DECLARATIONS_TYPES_H

#include "source/declarations/parameter.h"
#include "source/token_stream.h"
#include "source/tokens.h"

typedef struct syc_type {
    syc_dtype type;          /* SYC_STRUCT also for a word that the text does not declare */
    unsigned width;          /* of a vector, else 1 */
    syc_token word;          /* the type's own word, for structs and opaque types: "point", "image2d_t" */
    const char *tag;         /* "struct", "union", "enum" or "pipe" before the word, or "" */
    syc_space space;         /* of what the innermost pointer points to */
    syc_image_access access; /* as qualified: of images and pipes */
    unsigned pointers;       /* levels of '*' */
    unsigned arrays;         /* levels of "[...]" */
    bool is_const, is_volatile, is_restrict;
    size_t size, alignment; /* of a struct; 0: not known */
    bool long_long;         /* has 16 bytes with some compilers */
    bool fp64, fp16;        /* a value of it holds a double, a half */
    bool found;             /* false: no type was read */
} syc_type;

typedef struct syc_types {
    syc_word_map typedefs, tags;
    bool packed; /* a pragma may change the layout of structs: none is known */
} syc_types;

/* The type that one word names by itself, a built-in one or a typedef; false if none. */
bool syc__type_of_word(SYC_KEEP const syc_types *types, SYC_KEEP const syc_token *word, syc_type *out);
/* Reads the specifiers from *at on, before `end`, and remembers the structs that they declare. *at ends at the
 * declarator. */
syc_status syc__type_read(SYC_KEEP const syc_token_stream *s, syc_types *types, size_t *at, size_t end, syc_type *out);
/* Reads one declarator: adds pointers and arrays to `type`. *name is the index of the name, `end` if it has none. *at
 * ends at the ',' behind it or at `end`. */
void syc__declarator_read(SYC_KEEP const syc_token_stream *s, size_t *at, size_t end, syc_type *type, size_t *name);
/* Reads "typedef ..." from `at` to `end`. */
syc_status syc__typedef_read(SYC_KEEP const syc_token_stream *s, syc_types *types, size_t at, size_t end);
/* Do these tokens name double, or use half (or a type that holds one) as a value? Flags are only ever set. */
void syc__types_used(SYC_KEEP const syc_token_stream *s, SYC_KEEP const syc_types *types, size_t at, size_t end,
                     bool *fp64, bool *fp16);

/* struct_layout.c: the size of the struct or union whose members stand between the two braces. */
syc_status syc__struct_layout(SYC_KEEP const syc_token_stream *s, syc_types *types, size_t open, size_t close,
                              syc_type *type);

/* The bytes of a variable whose declarator stands from `from` to `end`, "t[4][3]", and was read into `type`; false: not
 * known. */
bool syc__variable_size(SYC_KEEP const syc_token_stream *s, SYC_KEEP const syc_type *type, size_t from, size_t end,
                        size_t *size, size_t *alignment);

/* The lanes that clang's vector attributes ask for, found by syc__vector_attribute between two brackets. */
typedef struct syc_lanes {
    int64_t count, bytes;
} syc_lanes;
void syc__vector_attribute(SYC_KEEP const syc_token_stream *s, size_t at, size_t end, syc_lanes *lanes);
void syc__make_vector(syc_type *type, syc_lanes lanes);

#endif
