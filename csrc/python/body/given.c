/* How many elements an argument of a body has. */
#include "body/shape.h"
#include "python/body/body.h"

/* Of memory: elements from one index of dimension `d` to the next. */
static uint64_t pitch_of(const syc_py_given *given, unsigned d)
{
    const size_t *shape = given->class.ranged ? given->whole : given->shape;
    uint64_t elements = 1;
    while (++d < given->class.rank)
        elements *= shape[d];
    return elements;
}

uint64_t syc_py_given_length(const syc_py_given *given)
{
    uint64_t length = 1;
    for (unsigned d = 0; d < given->class.rank; d++) {
        if (given->shape[d] == 0)
            return 0;
        length += (given->shape[d] - 1) * pitch_of(given, d);
    }
    return length;
}

bool syc_py_given_size(const syc_py_given *given, const syc_hidden *hidden, uint64_t *out)
{
    switch (hidden->kind) {
    case SYC_HIDDEN_PITCH:
        *out = pitch_of(&given[hidden->index], hidden->part);
        return true;
    case SYC_HIDDEN_LENGTH:
        *out = syc_py_given_length(&given[hidden->index]);
        return true;
    case SYC_HIDDEN_FIRST:
        *out = given[hidden->index].first;
        return true;
    case SYC_HIDDEN_LIMIT:
        *out = given[hidden->index].shape[hidden->part];
        return true;
    default:
        return false;
    }
}

/* A body's hidden parameters that say where a name's memory begins and how long it is (body/write/hidden_parameters.c).
 */
static const struct size_word {
    const char *prefix;
    syc_hidden hidden;
    unsigned rank; /* at least */
} size_words[SYC_PY_SIZE_WORDS] = {
    {"syc_first_", {SYC_HIDDEN_FIRST, 0, 0}, 1},  {"syc_length_", {SYC_HIDDEN_LENGTH, 0, 0}, 1},
    {"syc_pitch0_", {SYC_HIDDEN_PITCH, 0, 0}, 2}, {"syc_pitch1_", {SYC_HIDDEN_PITCH, 0, 1}, 3},
    {"syc_limit1_", {SYC_HIDDEN_LIMIT, 0, 1}, 2}, {"syc_limit2_", {SYC_HIDDEN_LIMIT, 0, 2}, 3},
};

bool syc_py_given_named(const syc_py_given *given, const char *name, const char *word, uint64_t *out)
{
    for (size_t i = 0; i < SYC_PY_SIZE_WORDS; i++) {
        size_t length = strlen(size_words[i].prefix);
        if (strncmp(word, size_words[i].prefix, length) == 0 && strcmp(word + length, name) == 0)
            return given->class.rank >= size_words[i].rank && syc_py_given_size(given, &size_words[i].hidden, out);
    }
    return false;
}
