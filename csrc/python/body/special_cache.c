/* The specialisations of bodies that this process has used, by what they were made for. */
#include "python/body/special.h"

enum { MOST = 1024, ROOM = 2048 }; /* a full cache is emptied: what is used still is soon made again, or on disk */

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

/* The cache, with room for one more; NULL with MemoryError set. */
static struct syc_py_specials *cache_of(syc_state *state)
{
    if (state->specials != NULL && state->specials->count >= MOST)
        syc_py_specials_clear(state);
    if (state->specials == NULL && (state->specials = PyMem_Calloc(1, sizeof *state->specials)) == NULL)
        PyErr_NoMemory();
    return state->specials;
}

static syc_py_special *make(const syc_py_body_call *call, const syc_py_body_key *key, const syc_py_given *given,
                            Py_hash_t hash)
{
    syc_py_special *made = syc_py_special_make(call, key, given), **at;
    struct syc_py_specials *cache = made != NULL ? cache_of(call->state) : NULL; /* looked for again: Python has run */

    if (cache == NULL) {
        syc_py_special_release(made);
        return NULL;
    }
    made->hash = hash;
    at = place(cache, hash, call, key, given);
    if (*at == NULL) {
        *at = made;
        made->users++;
        cache->count++;
    }
    return made;
}

syc_py_special *syc_py_special_find(const syc_py_body_call *call, const syc_py_body_key *key, const syc_py_given *given)
{
    struct syc_py_specials *cache = call->state->specials;
    Py_hash_t hash = hash_of(call, key, given);
    syc_py_special **at = cache != NULL ? place(cache, hash, call, key, given) : NULL;

    if (at == NULL || *at == NULL)
        return make(call, key, given, hash);
    (*at)->users++;
    return *at;
}

void syc_py_specials_clear(syc_state *state)
{
    struct syc_py_specials *cache = state->specials;
    state->specials = NULL; /* ours now: releases drop the GIL */
    for (size_t i = 0; cache != NULL && i < ROOM; i++)
        syc_py_special_release(cache->slots[i]);
    PyMem_Free(cache);
}
