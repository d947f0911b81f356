/* Sums of products, as subscripts are: sorted by what is multiplied, so that equal sums are equal bytes. */
#include "body/reach/claims.h"

#include <string.h>

/* The order of terms: by variable, then by what is known. */
static int compare(const syc__reach_term *a, const syc__reach_term *b)
{
    if (a->variable != b->variable)
        return a->variable < b->variable ? -1 : 1;
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    return memcmp(a->known, b->known, sizeof a->known);
}

/* Adds one term, where it belongs. */
static bool insert(syc__reach_sum *sum, const syc__reach_term *term)
{
    unsigned at = 0;
    int order = 1;

    while (at < sum->count && (order = compare(&sum->terms[at], term)) < 0)
        at++;
    if (at < sum->count && order == 0) {
        if (__builtin_add_overflow(sum->terms[at].factor, term->factor, &sum->terms[at].factor))
            return false;
        if (sum->terms[at].factor == 0)
            memmove(&sum->terms[at], &sum->terms[at + 1], (--sum->count - at) * sizeof *sum->terms);
        return true;
    }
    if (term->factor == 0)
        return true;
    if (sum->count == SYC__REACH_TERMS)
        return false;
    memmove(&sum->terms[at + 1], &sum->terms[at], (sum->count++ - at) * sizeof *sum->terms);
    sum->terms[at] = *term;
    return true;
}

bool syc__reach_add(const syc__reach_sum *a, const syc__reach_sum *b, int sign, syc__reach_sum *out)
{
    syc__reach_sum sum = *a;
    for (unsigned i = 0; i < b->count; i++) {
        syc__reach_term term = b->terms[i];
        if (__builtin_mul_overflow(term.factor, (int64_t)sign, &term.factor) || !insert(&sum, &term))
            return false;
    }
    *out = sum;
    return true;
}

static bool multiply_terms(const syc__reach_term *a, const syc__reach_term *b, syc__reach_term *out)
{
    unsigned i = 0, k = 0;
    *out = (syc__reach_term){.variable = a->variable | b->variable, .count = a->count + b->count};
    if ((a->variable != SYC__REACH_NOTHING && b->variable != SYC__REACH_NOTHING) || out->count > SYC__REACH_FACTORS ||
        __builtin_mul_overflow(a->factor, b->factor, &out->factor))
        return false;
    for (unsigned n = 0; n < out->count; n++) {
        bool first = k == b->count || (i < a->count && a->known[i] <= b->known[k]);
        out->known[n] = first ? a->known[i++] : b->known[k++];
    }
    return true;
}

bool syc__reach_multiply(const syc__reach_sum *a, const syc__reach_sum *b, syc__reach_sum *out)
{
    syc__reach_sum sum = {0};
    syc__reach_term term;
    for (unsigned i = 0; i < a->count; i++)
        for (unsigned k = 0; k < b->count; k++)
            if (!multiply_terms(&a->terms[i], &b->terms[k], &term) || !insert(&sum, &term))
                return false;
    *out = sum;
    return true;
}

syc__reach_sum syc__reach_constant(int64_t value)
{
    return (syc__reach_sum){.count = value != 0, .terms = {{.factor = value}}};
}

syc__reach_sum syc__reach_variable(unsigned variable)
{
    return (syc__reach_sum){.count = 1, .terms = {{.factor = 1, .variable = (uint8_t)variable}}};
}

syc__reach_sum syc__reach_known(unsigned known)
{
    return (syc__reach_sum){.count = 1, .terms = {{.factor = 1, .count = 1, .known = {(uint8_t)known}}}};
}

bool syc__reach_is_constant(const syc__reach_sum *sum, int64_t *value)
{
    *value = sum->count > 0 ? sum->terms[0].factor : 0;
    return sum->count == 0 ||
           (sum->count == 1 && sum->terms[0].variable == SYC__REACH_NOTHING && sum->terms[0].count == 0);
}

bool syc__reach_has_variable(const syc__reach_sum *sum)
{
    return sum->count > 0 && sum->terms[sum->count - 1].variable != SYC__REACH_NOTHING; /* those stand last */
}
