/* The map from words to pointers: open addressing, linear probing, at most half full. */
#include "source/tokens.h"

struct syc__name_slot {
    syc_token word; /* length 0: a free slot */
    uint32_t hash;
    void *value;
};

static uint32_t hash_of(const syc_token *word)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (uint32_t i = 0; i < word->length; i++)
        hash = (hash ^ (unsigned char)word->text[i]) * 16777619u;
    return hash;
}

/* The slot of the word, or the free one where it belongs. The table is never full. */
static struct syc__name_slot *slot_of(const syc_word_map *names, const syc_token *word, uint32_t hash)
{
    size_t mask = names->capacity - 1, i = hash & mask;
    while (names->slots[i].word.length != 0 &&
           !(names->slots[i].hash == hash && syc__token_same(&names->slots[i].word, word)))
        i = (i + 1) & mask;
    return &names->slots[i];
}

void *syc__word_map_get(const syc_word_map *names, const syc_token *word)
{
    if (names->count == 0)
        return NULL;
    return slot_of(names, word, hash_of(word))->value;
}

static syc_status enlarge(syc_arena *arena, syc_word_map *names)
{
    syc_status status = SYC_OK;
    syc_word_map larger = {.count = names->count, .capacity = names->capacity ? names->capacity * 2 : 32};

    SYC_TRY(syc__arena_alloc(arena, larger.capacity * sizeof *larger.slots, &larger.slots));
    for (size_t i = 0; i < names->capacity; i++) {
        struct syc__name_slot *old = &names->slots[i];
        if (old->word.length != 0)
            *slot_of(&larger, &old->word, old->hash) = *old;
    }
    *names = larger;
done:
    return status;
}

syc_status syc__word_map_put(syc_arena *arena, syc_word_map *names, const syc_token *word, void *value)
{
    syc_status status = SYC_OK;
    uint32_t hash = hash_of(word);
    struct syc__name_slot *slot;

    if (names->count * 2 >= names->capacity)
        SYC_TRY(enlarge(arena, names));
    slot = slot_of(names, word, hash);
    if (slot->word.length == 0) {
        names->count++;
        slot->word = *word;
        slot->hash = hash;
    }
    slot->value = value;
done:
    return status;
}
