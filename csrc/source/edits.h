/* Replacements in a text, found in any order and made at once. Where a text is read and written from front to back,
 * edit.h is the simpler way. Inside the core only. */
#ifndef SYC_SOURCE_EDITS_H
#define SYC_SOURCE_EDITS_H

#include "source/shift.h"
#include "source/tokens.h"

/* `removed` bytes at `at` become `text`. */
typedef struct syc__replacement {
    size_t at, removed, number;
    const char *text;
    unsigned rank; /* of those at the same place the lowest comes first; of one rank the first that was put */
    bool once;     /* not where the same one has been put already */
} syc__replacement;

typedef struct syc__edits {
    syc__replacement *items;
    size_t count, capacity;
} syc__edits;

/* The text is in the arena, or lives as long. */
syc_status syc__edits_put(syc_arena *arena, syc__edits *edits, SYC_KEEP const syc__replacement *edit);
/* Adds the edited source to `out`, and to `shifts` what moved in it. `file`: as messages call it, up to a #line. */
syc_status syc__edits_apply(syc__edits *edits, syc_slice file, syc_slice source, syc_text *out, syc__shifts *shifts);

#endif
