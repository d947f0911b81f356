/* The specialisations of bodies that this process has used, by what they were made for. */
#include "python/body/special.h"

enum { MOST = 1024, ROOM = 2048 }; /* a full cache is emptied: what is used still is soon made again, or on disk */

static syc_py_lock lock; /* of the cache */

struct syc_py_specials {
    Py_ssize_t count;
    syc_py_special *slots[ROOM]; /* open addressing */
};

static Py_uhash_t mix(Py_uhash_t hash, Py_uhash_t word)
{
    return (hash ^ word) * (Py_uhash_t)0x9E3779B97F4A7C15ULL ^ (hash >> 29);
}

/* Strings keep their hashes. */
static Py_hash_t hash_of(const syc_py_body_call *call, const syc_py_body_key *key, const syc_py_given *given)
{
    Py_uhash_t hash = (Py_uhash_t)call->count * 4 + key->fp64 + 2 * (Py_uhash_t)key->hierarchical;
    for (int i = 0; i < SYC_PY_BODY_WORDS; i++)
        hash = mix(hash, key->words[i] != NULL ? (Py_uhash_t)PyObject_Hash(key->words[i]) : 0);
    for (Py_ssize_t i = 0; i < call->count; i++) {
        const syc_py_class *class = &given[i].class;
        uint64_t first[2];
        memcpy(first, class, sizeof first);
        hash = mix(mix(hash, (Py_uhash_t)PyObject_Hash(call->names[i])),
                   first[0] ^ (uintptr_t) class->layout ^ (uintptr_t) class->operation);
        hash = mix(hash, first[1] ^ (uintptr_t) class->finish);
    }
    return (Py_hash_t)(hash ^ hash >> 32);
}

static bool same_word(PyObject *a, PyObject *b)
{
    return a == b || (a != NULL && b != NULL && PyUnicode_Compare(a, b) == 0);
}

static bool is_for(const syc_py_special *special, const syc_py_body_call *call, const syc_py_body_key *key,
                   const syc_py_given *given)
{
    if (special->count != call->count || special->key.fp64 != key->fp64 ||
        special->key.hierarchical != key->hierarchical)
        return false;
    for (Py_ssize_t i = 0; i < call->count; i++) {
        if (memcmp(&special->slots[i].class, &given[i].class, sizeof given[i].class) != 0 ||
            !same_word(special->slots[i].name, call->names[i]))
            return false;
    }
    for (int i = 0; i < SYC_PY_BODY_WORDS; i++) {
        if (!same_word(special->key.words[i], key->words[i]))
            return false;
    }
    return true;
}

/* Where it is, or the free place where it belongs. */
static syc_py_special **place(struct syc_py_specials *cache, Py_hash_t hash, const syc_py_body_call *call,
                              const syc_py_body_key *key, const syc_py_given *given)
{
    size_t i = (size_t)hash % ROOM;
    while (cache->slots[i] != NULL && (cache->slots[i]->hash != hash || !is_for(cache->slots[i], call, key, given)))
        i = (i + 1) % ROOM;
    return &cache->slots[i];
}

static void free_cache(struct syc_py_specials *cache)
{
    for (size_t i = 0; cache != NULL && i < ROOM; i++)
        syc_py_special_release(cache->slots[i]);
    PyMem_Free(cache);
}

/* One that is full makes room: it is `*full` then, for the caller. NULL without memory. */
static struct syc_py_specials *cache_of_locked(syc_state *state, struct syc_py_specials **full)
{
    if (state->specials != NULL && state->specials->count >= MOST) {
        *full = state->specials;
        state->specials = NULL;
    }
    if (state->specials == NULL)
        state->specials = PyMem_Calloc(1, sizeof *state->specials);
    return state->specials;
}

static syc_py_special *make(const syc_py_body_call *call, const syc_py_body_key *key, const syc_py_given *given,
                            Py_hash_t hash)
{
    syc_py_special *made = syc_py_special_make(call, key, given), **at;
    struct syc_py_specials *cache, *full = NULL;

    if (made == NULL)
        return NULL;
    made->hash = hash;
    SYC_PY_LOCK(&lock);
    cache = cache_of_locked(call->state, &full);
    at = cache != NULL ? place(cache, hash, call, key, given) : NULL; /* looked for again: Python has run */
    if (at != NULL && *at == NULL) {
        *at = made;
        made->users++;
        cache->count++;
    }
    SYC_PY_UNLOCK(&lock);
    free_cache(full); /* releases drop the GIL */
    if (cache == NULL) {
        PyErr_NoMemory();
        syc_py_special_release(made);
        return NULL;
    }
    return made;
}

syc_py_special *syc_py_special_find(const syc_py_body_call *call, const syc_py_body_key *key, const syc_py_given *given)
{
    Py_hash_t hash = hash_of(call, key, given);
    struct syc_py_specials *cache;
    syc_py_special *found = NULL;

    SYC_PY_LOCK(&lock);
    cache = call->state->specials;
    if (cache != NULL)
        found = *place(cache, hash, call, key, given);
    if (found != NULL)
        found->users++;
    SYC_PY_UNLOCK(&lock);
    return found != NULL ? found : make(call, key, given, hash);
}

void syc_py_specials_clear(syc_state *state)
{
    struct syc_py_specials *cache;
    SYC_PY_LOCK(&lock);
    cache = state->specials;
    state->specials = NULL;
    SYC_PY_UNLOCK(&lock);
    free_cache(cache);
}
