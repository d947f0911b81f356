/* Entries to be written to the cache, and the thread that writes them. */
#ifndef SYC_PROGRAM_CACHE_SAVER_H
#define SYC_PROGRAM_CACHE_SAVER_H

#include "program/cache/binaries.h"
#include "program/cache/key.h"
#include "program/cures/pocl_launch_clash.h"

typedef struct syc__saving {
    struct syc__saving *next;
    syc__cache_key key;
    syc__entry entry; /* its parts are memory of their own (syc_free); its key is set when it is written */
    /* A late one only. */
    cl_program program; /* a native reference of the cache's own, which no count of live objects shows; or NULL */
    syc__launch_clash *flights; /* the build's, retained: it is asked only while nothing is under way; or NULL */
    const syc_driver *driver;
    syc__natives natives;
    const char *folder;   /* facts.h: binary_folder */
    uint64_t estimate_ns; /* what asking takes */
} syc__saving;

void syc__saving_free(SYC_TAKE syc__saving *saving);
/* Puts it in line. */
void syc__save(SYC_TAKE syc__saving *saving);

/* Counters of the saver, for the figures. */
uint64_t syc__saver_stored(void);
uint64_t syc__saver_unsaved(void);
uint64_t syc__saver_waiting(void);

#endif
