/* The parts of the signature reader: tokens, growing lists of them, and the arena that all of one
 * reading lives in. Everything is freed at once when the reading ends, so nothing in between can leak. */
#ifndef SYC_SOURCE_TOKENS_H
#define SYC_SOURCE_TOKENS_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct syc_arena {
    struct syc__block *last;
} syc_arena;

/* Zeroed memory that lives until syc__arena_clear. */
syc_status syc__arena_alloc(syc_arena *arena, size_t size, void *out_pointer);
/* As syc_grow, for an array inside the arena: the old array stays behind until the arena goes. The new part is zeroed.
 */
syc_status syc__arena_grow(syc_arena *arena, void *array_pointer, size_t *capacity, size_t needed, size_t size);
void syc__arena_clear(syc_arena *arena);

typedef enum syc_token_kind {
    SYC_TOKEN_END, /* also what stands at the end of every list that the lexer makes */
    SYC_TOKEN_WORD,
    SYC_TOKEN_NUMBER,
    SYC_TOKEN_STRING, /* "..." or '...' with its quotes */
    SYC_TOKEN_PUNCTUATOR
} syc_token_kind;

typedef struct syc_token {
    const char *text;              /* not NUL-terminated; inside the arena */
    uint32_t length, line, column; /* from 1; the column on a line that others continue is that of its last part */
    uint8_t kind;
    bool first;   /* on its line: a '#' is a directive only there */
    bool space;   /* white space stood before it */
    bool library; /* from the device library, not from the user's text */
    bool maybe;   /* in a conditional group that a compiler may leave out */
    bool in_text; /* it stands in the source, and not in a macro's text or in an option */
    bool painted; /* a macro's name inside its own expansion: never expanded again */
} syc_token;

typedef struct syc_tokens {
    syc_token *items;
    size_t count, capacity;
} syc_tokens;

syc_status syc__tokens_push(syc_arena *arena, syc_tokens *list, const syc_token *token);
syc_status syc__tokens_append(syc_arena *arena, syc_tokens *list, const syc_token *tokens, size_t count);
bool syc__token_is(const syc_token *token, const char *text);
bool syc__token_same(const syc_token *a, const syc_token *b);
/* The words of a NULL-terminated array of strings: is the token one of them? */
bool syc__token_in(const syc_token *token, const char *const *words);

/* A map from words to pointers. A NULL value means absent. */
typedef struct syc_word_map {
    struct syc__name_slot *slots;
    size_t count, capacity;
} syc_word_map;

void *syc__word_map_get(SYC_KEEP const syc_word_map *names, const syc_token *word);
syc_status syc__word_map_put(syc_arena *arena, syc_word_map *names, const syc_token *word, void *value);

#endif
