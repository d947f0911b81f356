/* The key of an entry: every byte that decides what a compiler makes, and the file name that follows from it. */
#ifndef SYC_PROGRAM_CACHE_KEY_H
#define SYC_PROGRAM_CACHE_KEY_H

#include "base/status.h"
#include "base/text.h"
#include "program/cache/folder.h"

typedef struct syc_context syc_context; /* cl/context.h */

typedef struct syc__cache_key {
    char *bytes;
    size_t length;
    char name[SYC__ENTRY_NAME + sizeof SYC__ENTRY_SUFFIX]; /* of the file */
} syc__cache_key;

/* The input of a compiler. */
typedef struct syc__cache_text {
    const char *prelude, *source, *options;
    size_t prelude_length, source_length;
} syc__cache_text;

/* `kind` keeps entries of different meaning apart. False: what is compiled cannot be told from the text, or there is no
 * memory, or the driver does not say what it is; then nothing is cached. Clear the key in any case. */
bool syc__cache_key_make(const char *kind, SYC_KEEP const syc_context *context, SYC_KEEP const syc__cache_text *text,
                         syc__cache_key *out);
void syc__cache_key_clear(syc__cache_key *key);

/* version.c.in: of pysycl; each version has entries of its own. */
extern const char syc__version[];
/* closed.c: true if the compiler sees nothing but this text: no file, no date. In doubt false. */
bool syc__text_is_closed(SYC_KEEP const char *source, size_t length, SYC_KEEP const char *options);
/* host.c: what tells the processor's instruction set and model; nothing where nothing tells. */
void syc__host_describe(syc_text *out);

#endif
