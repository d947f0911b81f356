/* The cache as builds use it. */
#ifndef SYC_PROGRAM_CACHE_USE_H
#define SYC_PROGRAM_CACHE_USE_H

#include "program/build.h"
#include "program/cache/entry.h"
#include "program/cache/key.h"

#include <stdatomic.h>

/* Makes the build from its entry: `native` and `logs` of it. False: it must be compiled, and `key` says as what it may
 * be kept. Clear the key in any case. */
bool syc__cache_load(syc_build *build, syc__cache_key *key);
/* Keeps a build that took `cost_ns` to compile. Does not wait for the disk. Takes over what `key` holds. */
void syc__cache_keep(SYC_KEEP const syc_build *build, syc__cache_key *key, uint64_t cost_ns);

/* The entry of the key, if there is one that is unharmed; one that is harmed goes. Its parts lie within `bytes`, which
 * is to be freed in any case. */
bool syc__cache_find(SYC_KEEP const syc__cache_key *key, SYC_GIVE unsigned char **bytes, syc__entry *out);

/* Small things that only a compiler can tell: `question` is the text by which it is asked. `size` bytes, exactly. */
bool syc__cache_recall(SYC_KEEP const syc_context *context, SYC_KEEP const char *question, const char *options,
                       void *out, size_t size);
void syc__cache_note(SYC_KEEP const syc_context *context, SYC_KEEP const char *question, const char *options,
                     const void *answer, size_t size);

/* How many entries were harmed, or not wanted by the driver, so far. */
uint64_t syc__cache_rejected(void);

/* An entry that is written when there is time for it (saver.c). */
extern atomic_size_t syc__cache_late;    /* programs that wait for a quiet moment */
extern atomic_ulong syc__cache_launches; /* counted while there are any */

/* A kernel is about to be launched. */
static inline void syc__cache_disturb(void)
{
    if (__builtin_expect(atomic_load_explicit(&syc__cache_late, memory_order_relaxed) != 0, 0))
        atomic_fetch_add_explicit(&syc__cache_launches, 1, memory_order_relaxed);
}

#endif
