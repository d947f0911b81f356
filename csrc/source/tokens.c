/* Tokens, their lists, and the arena that they live in. */
#include "source/tokens.h"

#include "base/alloc.h"

#include <string.h>

enum { BLOCK_SIZE = 32 * 1024, ALIGNMENT = 16 };

struct syc__block {
    struct syc__block *previous;
    size_t used, size;
    _Alignas(ALIGNMENT) unsigned char bytes[];
};

syc_status syc__arena_alloc(syc_arena *arena, size_t size, void *out_pointer)
{
    syc_status status = SYC_OK;
    struct syc__block *block = arena->last;
    size_t room;

    SYC_CHECK(size < SIZE_MAX / 2, SYC_E_MEMORY_ALLOCATION, "no memory for %zu bytes", size);
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (block == NULL || block->size - block->used < size) {
        room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
        SYC_TRY(syc_alloc(sizeof *block + room, &block));
        block->size = room;
        block->previous = arena->last;
        arena->last = block;
    }
    *(void **)out_pointer = block->bytes + block->used;
    block->used += size;
done:
    return status;
}

syc_status syc__arena_grow(syc_arena *arena, void *array_pointer, size_t *capacity, size_t needed, size_t size)
{
    syc_status status = SYC_OK;
    size_t room = *capacity ? *capacity : 4, bytes;
    void *grown = NULL;

    if (needed <= *capacity)
        return SYC_OK;
    while (room < needed)
        room *= 2;
    SYC_CHECK(!__builtin_mul_overflow(room, size, &bytes), SYC_E_MEMORY_ALLOCATION, "no memory for %zu elements", room);
    SYC_TRY(syc__arena_alloc(arena, bytes, &grown));
    if (*capacity > 0)
        memcpy(grown, *(void **)array_pointer, *capacity * size);
    *(void **)array_pointer = grown;
    *capacity = room;
done:
    return status;
}

void syc__arena_clear(syc_arena *arena)
{
    while (arena->last != NULL) {
        struct syc__block *block = arena->last;
        arena->last = block->previous;
        syc_free(block);
    }
}

syc_status syc__tokens_push(syc_arena *arena, syc_tokens *list, const syc_token *token)
{
    return syc__tokens_append(arena, list, token, 1);
}

syc_status syc__tokens_append(syc_arena *arena, syc_tokens *list, const syc_token *tokens, size_t count)
{
    syc_status status = SYC_OK;
    if (count == 0)
        return SYC_OK;
    SYC_TRY(syc__arena_grow(arena, &list->items, &list->capacity, list->count + count, sizeof *list->items));
    memcpy(list->items + list->count, tokens, count * sizeof *tokens);
    list->count += count;
done:
    return status;
}

bool syc__token_is(const syc_token *token, const char *text)
{
    return strncmp(token->text, text, token->length) == 0 && text[token->length] == '\0';
}

bool syc__token_same(const syc_token *a, const syc_token *b)
{
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

bool syc__token_in(const syc_token *token, const char *const *words)
{
    for (; *words != NULL; words++) {
        if (syc__token_is(token, *words))
            return true;
    }
    return false;
}
