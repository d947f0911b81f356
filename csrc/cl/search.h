/* The search under way: what the sources of drivers (search.c, wheels.c) put their finds into. */
#ifndef SYC_CL_SEARCH_H
#define SYC_CL_SEARCH_H

#include "base/text.h"
#include "cl/driver.h"

typedef struct syc_search {
    syc_candidates *out;
    syc_text notes; /* becomes out->notes */
} syc_search;

/* candidates.c */

/* Adds a candidate unless the same library is one already (same file, or same bare name). `origin` says which source
 * named it. */
syc_status syc__search_add(syc_search *search, SYC_KEEP const char *path, SYC_KEEP const char *origin);
/* The names in `folder` that match the shell pattern, sorted. A folder that cannot be read has none. Free each name and
 * the array with syc_free. */
syc_status syc__search_list(const char *folder, const char *pattern, SYC_GIVE char ***out, size_t *count);
void syc__search_list_free(SYC_TAKE char **names, size_t count);

/* wheels.c: the drivers that Python wheels bring, under site-packages folders or installation prefixes. */
syc_status syc__search_wheels(syc_search *search, SYC_KEEP const char *const *roots, size_t count);

#endif
