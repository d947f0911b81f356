/* The device library: texts of kernels/ that stand before a program when it uses one of their names. */
#ifndef SYC_LIBRARY_PRELUDE_H
#define SYC_LIBRARY_PRELUDE_H

#include "base/status.h"
#include "base/text.h"
#include "cl/family.h"

#include <stdint.h>

struct syc_arena;
struct syc_tokens;

/* The parts that a program uses of it, beyond the texts themselves. */
typedef struct syc__library_use {
    syc_families families;      /* of cl/family.h, whose functions it uses */
    bool device;                /* some text reads the options of device_options.h */
    const char *const *scratch; /* the names that it uses and that need scratch.h */
    size_t scratch_count;
    const char *const *functions; /* all names of functions that it uses */
    size_t function_count;
    const char *const *overrides; /* and of functions that OpenCL C may have, too */
    size_t override_count;
    bool checked; /* converge.h is to look at it */
} syc__library_use;

/* Adds to `out` the library texts (*.clh
 * of kernels/) that define any name among the tokens which the text does not define itself, and what those texts need
 * in their turn, each once and in their order. Adds nothing when no name is used: most programs then reach the compiler
 * as they are. The text behind must be introduced by #line. `use`
 * lives in the arena; it may be NULL. */
syc_status syc__prelude_add(struct syc_arena *arena, SYC_KEEP const struct syc_tokens *tokens, syc_text *out,
                            syc__library_use *use);

#endif
