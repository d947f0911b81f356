/* The kernel cache: programs that an earlier process compiled, as files. Whatever goes wrong with it is a miss, never
 * an error. Off with PYSYCL_CACHE=0. */
#ifndef SYC_PROGRAM_CACHE_CACHE_H
#define SYC_PROGRAM_CACHE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct syc_cache_figures {
    uint64_t hits, misses;
    uint64_t stored;         /* entries written */
    uint64_t rejected;       /* files that were no good, and binaries that the driver did not want */
    uint64_t unsaved;        /* entries that could not be written, or for which there was no time */
    uint64_t waiting;        /* programs that are still to be written */
    uint64_t saved_ns;       /* what the hits would have taken to compile, less what they took */
    uint64_t bytes, entries; /* in the folder now */
} syc_cache_figures;

/* Looks at the environment, once; under the GIL, where there is one. */
void syc_cache_prepare(void);
void syc_cache_figures_get(syc_cache_figures *out);
const char *syc_cache_folder(void); /* NULL: there is no cache */
/* Removes all entries; other processes may be using the cache meanwhile. Returns how many there were. */
uint64_t syc_cache_clear(void);
/* Writes now what waits to be written. May take as long as compiling. Any thread. */
void syc_cache_save(void);
/* The end of the process, while drivers may still be called: writes what waits, for a bounded time. */
void syc_cache_close(void);

#endif
