/* The table of built-ins that cost much more than their tokens.
 *
 * Measured on PoCL 3.0's calling-thread device (2 GHz Sapphire Rapids, float and double, 1024 work-items, CPU time),
 * in ns a call for arguments in [0, 1), of up to 1e16, and half of them denormal: erfc 79/37/990, tgamma 102/143/344,
 * pow 146/132/168, atan 41/302/172, atan2 52/174/278, expm1 44/45/382, remquo 28/110/243, hypot 29/52/184, erf
 * 30/98/157, cbrt 46/46/102, acosh 61, sin 21/67/60, cos 21/66/52, tan 23/70/84, exp10 15/15/246, exp2 13/13/210, atanh
 * 28/28/201, log1p 21/21/131, log 26/26/37, exp 3/3/36, tanh 16/16/37, asin 27, log2 10, sqrt 3/2/6, rsqrt 2/2/9, sinpi
 * 4/4/7; what is not listed 1 to 6; atomics 6 to 8. A weight is about what ordinary arguments take, and at least a
 * fifth of what denormal ones alone take (twice the third figure): the caller lane's budget is a fifth of the time for
 * which it may keep a submit. */
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
