/* The table of built-ins that cost much more than their tokens. A weight is about what ordinary arguments take, and at
 * least a fifth of what denormal ones alone take: the caller lane's budget is a fifth of the time for which it may keep
 * a submit. */
#include "source/call_weight.h"

#include "source/tokens.h"

#include <string.h>

static const char *const slowest[] = {"erfc", NULL};
static const char *const very_slow[] = {"lgamma", "lgamma_r", "tgamma", "pow",   "powr", "pown",
                                        "rootn",  "atan",     "atan2",  "expm1", NULL};
static const char *const slow[] = {"remquo",     "remainder",   "fmod",         "hypot", "erf",   "acosh",
                                   "cbrt",       "atan2pi",     "exp2",         "exp10", "atanh", "half_exp2",
                                   "half_exp10", "native_exp2", "native_exp10", NULL};
static const char *const moderate[] = {"sin",      "cos",      "tan",       "sincos",      "log1p", "half_sin",
                                       "half_cos", "half_tan", "half_powr", "native_powr", NULL};
static const char *const light[] = {"exp",        "sinh",       "cosh",         "tanh",     "asin",
                                    "acos",       "asinh",      "log",          "log10",    "atanpi",
                                    "acospi",     "asinpi",     "half_exp",     "half_log", "half_log10",
                                    "native_exp", "native_log", "native_log10", NULL};
static const char *const slight[] = {
    "log2",        "sqrt",          "rsqrt",      "sinpi",       "cospi",        "tanpi",
    "frexp",       "logb",          "length",     "distance",    "normalize",    "fast_normalize",
    "fast_length", "fast_distance", "half_log2",  "half_sqrt",   "half_rsqrt",   "native_log2",
    "native_sin",  "native_cos",    "native_tan", "native_sqrt", "native_rsqrt", NULL};

static const struct {
    const char *const *names;
    size_t weight;
} rows[] = {{slowest, 400}, {very_slow, 200}, {slow, 100}, {moderate, 50}, {light, 25}, {slight, 10}};

/* Families of names. */
static const struct {
    const char *prefix;
    size_t weight;
} families[] = {{"printf", 5000}, {"read_image", 200}, {"write_image", 200}, {"atomic_", 10}, {"atom_", 10}};

size_t syc__call_weight(const syc_token *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (syc__token_in(name, rows[i].names))
            return rows[i].weight;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        size_t length = strlen(families[i].prefix);
        if (name->length >= length && memcmp(name->text, families[i].prefix, length) == 0)
            return families[i].weight;
    }
    return 0;
}
