/* Kernel signatures, read from the OpenCL C text itself: no device and no compiler is needed, and a wrong argument is
 * found before anything is built or launched.
 *
 * The reader knows comments, strings, line continuations, object-like macros (from the text and from -D options),
 * typedefs of scalar, vector and struct types, attributes before and after the kernel, and OpenCL's words in all their
 * spellings
 * (`__global`/`global`, `unsigned int`/`uint`, `size_t`). Conditional groups it takes as the text's own #define and -D
 * say; a condition it cannot decide counts as true for the #if branch. */
#ifndef SYC_SOURCE_DECLARATIONS_SIGNATURE_H
#define SYC_SOURCE_DECLARATIONS_SIGNATURE_H

#include "base/status.h"
#include "source/declarations/parameter.h"

#include <stdbool.h>

typedef struct syc_signature {
    char *name;
    syc_param *params;
    size_t count;
    size_t line;               /* of the kernel's name in the text, from 1 */
    size_t required_group[3];  /* reqd_work_group_size, zeros when absent */
    size_t required_sub_group; /* intel_reqd_sub_group_size, 0 when absent */
    char *attributes; /* of __attribute__, one blank between them: "reqd_work_group_size(8,4,1) vec_type_hint(float4)"
                       */
    bool bounded;     /* neither it nor any function of the text that it can reach has a loop, goto or recursion, so its
                         time  per work-item is bounded by `weight` */
    bool shaped;      /* it, or something it can reach, asks for more of the index space than its own global id: groups,
                         sizes,   local memory, barriers; without that a launch may be cut in two unseen */
    bool waits;       /* in it, or in something it can reach, the items of a group may wait for each other */
    size_t weight;    /* tokens of its body plus, at each call, of the called function's body, or what a built-in costs
                         beyond its own (call_weight.c); saturates */
    size_t private_bytes; /* what a work-item's arrays and structs take at least, its own and those of functions that
                             are called: as far as the text tells */
    size_t private_line, private_column; /* of the largest, from 1; 0: there is none, or in a macro */
    bool needs_fp64,
        needs_fp16; /* double or half arithmetic in the signature or body (vload_half/vstore_half do not count) */
} syc_signature;

/* A fault of the text that drivers do not always find (limits.h); no message: none. */
typedef struct syc_refusal {
    char *message;
    size_t line, column; /* from 1; column 0: somewhere in the line */
} syc_refusal;

/* A function that is surely there for other texts to call. */
typedef struct syc_function_name {
    char *name;
    size_t line; /* from 1 */
} syc_function_name;

typedef struct syc_signatures {
    syc_signature *items;
    size_t count;
    syc_refusal refusal;          /* a program of the text is not to be given to a driver */
    syc_function_name *functions; /* those that other texts may call: neither kernels nor static or inline ones */
    size_t function_count;
} syc_signatures;

/* Reads all kernels of `source` (`length` bytes, need not be NUL-terminated). `options` is a build option string (its
 * -D and -U count) or NULL. Text that is not OpenCL C is no error here, the compiler will say so better: what cannot be
 * read as a kernel is left out. SYC_E_INVALID_PARAMETER: a NUL byte inside, or two kernels of one name. Any thread; no
 * state. */
syc_status syc_signatures_parse(SYC_KEEP const char *source, size_t length, SYC_KEEP const char *options,
                                SYC_GIVE syc_signatures *out);
/* A source that the compiler sees behind `front`, a text of the device library. */
typedef struct syc__signed_text {
    const char *front;
    size_t front_length;
    const char *source;
    size_t length;
    const struct syc_tokens *tokens; /* of the source; NULL: nobody has read it yet */
    const char *options;
} syc__signed_text;
/* The same for that: lines are those of the source, and what the library could do with double or half counts only where
 * the source does it. */
syc_status syc__signatures_parse_behind(SYC_KEEP const syc__signed_text *text, SYC_GIVE syc_signatures *out);
void syc_signatures_clear(syc_signatures *signatures);
/* NULL if there is no kernel of that name. */
const syc_signature *syc_signatures_find(SYC_KEEP const syc_signatures *signatures, const char *name);

#endif
