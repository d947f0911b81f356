/* Local memory for the device library. Where a driver has no group functions of its own they need some, and OpenCL C
 * allows it only at a kernel's outermost level: so the text is edited. Each kernel that uses such a function, through
 * whatever macros and helpers, gets `__local ulong syc_scratch[...]` at the top of its body; each helper on the way
 * gets a hidden first parameter, `__local ulong *syc_scratch`. Calls stay as they are: behind the library, a macro
 * named like the helper passes the memory on, which the preprocessor finds in any branch and through any macro. */
#ifndef SYC_LIBRARY_SCRATCH_H
#define SYC_LIBRARY_SCRATCH_H

#include "base/text.h"
#include "library/checks/sites.h"
#include "library/prelude.h"
#include "source/declarations/signature.h"
#include "source/shift.h"

typedef struct syc__scratch_source {
    const char *source; /* ends with a NUL */
    size_t length;
    const char *options, *prelude;
    size_t prelude_length;
    const syc__library_use *use;   /* what the prelude was made for */
    const syc_signatures *kernels; /* of the source behind the prelude */
    bool structs;                  /* pocl_per_item.h is to look at it */
} syc__scratch_source;

typedef struct syc__scratch {
    syc_text text;  /* the edited source; empty when nothing needs scratch */
    syc_text front; /* stands before it: the macros, and a #line for the source */
    syc__shifts shifts;
    bool structs;     /* it was edited for devices whose facts want it (pocl_per_item.h) */
    syc_text kernels; /* names of those that have scratch, each between blanks */
    bool checked;     /* these have a last parameter more, for what converge.h has them say of the sites */
    syc__sites sites;
    const char *why; /* it was to be checked, and cannot be; else NULL */
} syc__scratch;

/* SYC_E_BUILD: a function needs scratch whose head only the compiler can read. Clear `out` in any case. */
syc_status syc__scratch_arrange(SYC_KEEP const syc__scratch_source *source, syc__scratch *out);
bool syc__scratch_has(SYC_KEEP const syc__scratch *scratch, const char *kernel);
/* Has the function of that name a hidden parameter? Then texts that only declare it cannot call it. */
bool syc__scratch_is_handed(SYC_KEEP const syc__scratch *scratch, const char *function);
void syc__scratch_clear(syc__scratch *scratch);

#endif
