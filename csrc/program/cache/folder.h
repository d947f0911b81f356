/* Where the cache is, how large it may be, and keeping it so. */
#ifndef SYC_PROGRAM_CACHE_FOLDER_H
#define SYC_PROGRAM_CACHE_FOLDER_H

#include "base/text.h"

#include <stdint.h>

/* The environment's answer when it was first asked; never changes after that. */
typedef struct syc__cache_settings {
    char *folder; /* NULL: no cache */
    uint64_t limit;
    char *drivers; /* the variables that drivers' compilers look at, "NAME=value" lines in order */
} syc__cache_settings;

/* The first call reads the environment: under the GIL, where there is one. */
const syc__cache_settings *syc__cache_settings_get(void);

/* Bytes and number of the entries now. */
void syc__folder_measure(const char *folder, uint64_t *bytes, uint64_t *entries);
/* Removes what was used longest ago until the rest fits well, and what killed writers left behind. */
void syc__folder_trim(const char *folder, uint64_t limit);
/* Removes every entry, and what killed writers left behind; what is not the cache's own stays. Returns how many entries
 * went. */
uint64_t syc__folder_clear(const char *folder);

#define SYC__ENTRY_SUFFIX ".syc"
enum { SYC__ENTRY_NAME = 40 }; /* hexadecimal digits before the suffix */

#endif
