/* Answers of compilers: entries of a few bytes, kept under the text of the question. */
#include "base/alloc.h"
#include "program/cache/cache.h"
#include "program/cache/file.h"
#include "program/cache/saver.h"
#include "program/cache/use.h"

#include <string.h>

static bool key_of(const syc_context *context, const char *question, const char *options, syc__cache_key *out)
{
    syc__cache_text text = {"", question, options, 0, strlen(question)};
    *out = (syc__cache_key){.bytes = NULL};
    return syc_cache_folder() != NULL && syc__cache_key_make("answer", context, &text, out);
}

bool syc__cache_recall(const syc_context *context, const char *question, const char *options, void *out, size_t size)
{
    unsigned char *bytes = NULL;
    syc__cache_key key;
    syc__entry entry;
    bool found = key_of(context, question, options, &key) && syc__cache_find(&key, &bytes, &entry) &&
                 entry.count == 1 && entry.parts[0].size == size;

    if (found)
        memcpy(out, entry.parts[0].bytes, size);
    syc__cache_key_clear(&key);
    syc_free(bytes);
    return found;
}

void syc__cache_note(const syc_context *context, const char *question, const char *options, const void *answer,
                     size_t size)
{
    syc__saving *saving = NULL;

    if (syc_cache_folder() == NULL || syc_alloc(sizeof *saving, &saving) != SYC_OK)
        return;
    saving->entry.count = 1;
    if (key_of(context, question, options, &saving->key) && syc_alloc(size, &saving->entry.parts[0].bytes) == SYC_OK) {
        memcpy(saving->entry.parts[0].bytes, answer, size);
        saving->entry.parts[0].size = size;
        syc__save(saving);
    } else {
        syc__saving_free(saving);
    }
}
